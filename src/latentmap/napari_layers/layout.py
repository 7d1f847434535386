"""Laying out the images of a viewer side by side, as on a plate or in a grid, by their translation alone."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from napari.components import ViewerModel
from napari.layers import Layer

from latentmap.napari_layers.pairs import paired

PLACE_KEY = "latentmap_place"
"""The entry in a layer's metadata with its translation after and before it was last laid out."""

# The gap between two images, as a fraction of the larger side.
_GAP = 0.05
# A well of a plate of up to 384 wells, such as "B07" or "P24", as a word of a name.
_WELL = re.compile(r"(?<![A-Za-z0-9])([A-Pa-p])0?([1-9]|1\d|2[0-4])(?![A-Za-z0-9])")


class Place(NamedTuple):
    """Layers that show the same cells, and so move together.

    Attributes
    ----------
    layers : tuple of napari.layers.Layer
        Labels layers and their images.
    box : ndarray of float, shape (2, 2)
        The first and the last position in world coordinates, rows before columns.
    """

    layers: tuple[Layer, ...]
    box: np.ndarray

    @property
    def names(self) -> list[str]:
        """The names of its layers."""
        return [layer.name for layer in self.layers]


def places(viewer: ViewerModel) -> list[Place]:
    """Find the layers that belong together: labels layers, and the images that they are paired with.

    Parameters
    ----------
    viewer : napari.components.ViewerModel

    Returns
    -------
    list of Place
        In the order of the labels layers, from the bottom up. Labels that share an image are in one place.

    Examples
    --------
    >>> viewer = ViewerModel()
    >>> for field in ("f1", "f2"):
    ...     _ = viewer.add_image(np.zeros((8, 8)), name=f"{field}_DNA")
    ...     _ = viewer.add_labels(np.eye(8, dtype=int), name=f"{field}_cells")
    >>> [place.names for place in places(viewer)]
    [['f1_cells', 'f1_DNA'], ['f2_cells', 'f2_DNA']]
    """
    together: list[list[Layer]] = []
    for labels, images in paired(viewer.layers).items():
        own: list[Layer] = [labels, *(pair.image for pair in images.values())]
        joined = [group for group in together if any(layer in group for layer in own)]
        merged = [layer for group in joined for layer in group]
        merged += [layer for layer in own if layer not in merged]
        at = together.index(joined[0]) if joined else len(together)
        together = [group for group in together if group not in joined]
        together.insert(at, merged)
    return [Place(tuple(group), _box(group)) for group in together]


def are_apart(layers: Sequence[Layer]) -> bool:
    """Return whether layers lie in several places that do not overlap, so that all of them can be seen at once."""
    boxes = np.unique([_box([layer]) for layer in layers], axis=0)
    first, last = boxes[:, None, 0], boxes[None, :, 1]
    overlap = (first < last).all(axis=-1)
    return len(boxes) > 1 and int((overlap & overlap.T).sum()) == len(boxes)


def change_layout(found: Sequence[Place]) -> str:
    """Lay images out side by side; or, if they are, on top of each other.

    Only `translate` of the layers changes. Where they have been laid out before and not been moved since, they return
    to where they were, exactly.

    Parameters
    ----------
    found : sequence of Place

    Returns
    -------
    str
        What was done, for the user.
    """
    layers = [layer for place in found for layer in place.layers]
    if len(found) < 2:
        return "There is one image, so there is nothing to lay out."
    goes_apart = not are_apart([place.layers[0] for place in found])
    if all(_was_laid_out(layer) for layer in layers):
        for layer in layers:
            _move(layer, layer.metadata[PLACE_KEY][1])
        return _said(found, goes_apart, "as before")
    sides = np.max([place.box[1] - place.box[0] for place in found], axis=0)
    tiles, how = _tiles([place.layers[0] for place in found]) if goes_apart else (np.zeros((len(found), 2)), "")
    first = found[0].box[0]
    for place, tile in zip(found, tiles, strict=True):
        shift = first + tile * (sides + _GAP * sides.max()) - place.box[0]
        for layer in place.layers:
            _move(layer, layer.translate + _in_layer(layer, shift))
    return _said(found, goes_apart, how)


def _said(found: Sequence[Place], is_apart: bool, how: str) -> str:
    n = sum(len(place.layers) for place in found)
    if not is_apart:
        return f"{len(found)} images ({n} layers) lie on top of each other{' ' + how if how else ''}."
    return f"{len(found)} images ({n} layers) lie side by side{', ' + how if how else ''}."


def _tiles(labels: Sequence[Layer]) -> tuple[np.ndarray, str]:
    """The row and column of each image: of its well if all names have one, else in a grid in the order of names."""
    wells = [_WELL.search(layer.name) for layer in labels]
    if all(wells):
        known = np.array([(ord(well[1].upper()), int(well[2])) for well in wells if well])
        if len(np.unique(known, axis=0)) == len(known):
            # Rows and columns of the plate without an image are left out.
            return np.stack([np.unique(axis, return_inverse=True)[1] for axis in known.T], axis=1), "as on their plate"
    n_columns = int(np.ceil(np.sqrt(len(labels))))
    order = sorted(range(len(labels)), key=lambda at: _natural(labels[at].name))
    tiles = np.empty((len(labels), 2))
    tiles[order] = np.stack(np.divmod(np.arange(len(labels)), n_columns), axis=1)
    return tiles, "in the order of their names"


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """A key by which "field 2" comes before "field 10"."""
    parts = re.findall(r"\d+|\D+", name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part.lower()) for part in parts]


def _box(layers: Sequence[Layer]) -> np.ndarray:
    extents = np.array([layer.extent.world[:, -2:] for layer in layers])
    return np.stack([extents[:, 0].min(axis=0), extents[:, 1].max(axis=0)])


def _in_layer(layer: Layer, shift: np.ndarray) -> np.ndarray:
    """A shift of the world as one of `translate`, which comes before the layer's affine transform."""
    whole = np.zeros(layer.ndim)
    whole[-2:] = shift
    inner: np.ndarray = np.linalg.solve(layer.affine.linear_matrix, whole)
    return inner


def _was_laid_out(layer: Layer) -> bool:
    return PLACE_KEY in layer.metadata and np.array_equal(layer.metadata[PLACE_KEY][0], layer.translate)


def _move(layer: Layer, translate: np.ndarray) -> None:
    before = np.array(layer.translate)
    if not np.array_equal(before, translate):
        layer.translate = translate
    layer.metadata[PLACE_KEY] = np.array(layer.translate), before
