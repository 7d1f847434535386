"""Which images of a viewer belong to which labels layers."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from napari.layers import Image, Labels, Layer

from latentmap.images.pairing import LayerGeometry, has_same_shape, suggest_pairs
from latentmap.napari_layers.pixel_sizes import world_steps
from latentmap.napari_layers.source import OWNED_KEY

USER_PAIRS_KEY = "latentmap_images"
"""The entry in a labels layer's metadata with the user's decisions: from the id of an image to the name of the channel,
"" for the suggested name, None if the image does not belong to the labels."""
MEASURED_KEY = "latentmap_measured"
"""The entry in a labels layer's metadata with the images it was measured in: from channels to names of images."""


class Paired(NamedTuple):
    """An image that belongs to a labels layer; `why` and `is_sure` as in `~latentmap.images.pairing.Pair`."""

    image: Image
    why: str
    is_sure: bool


def paired(layers: Iterable[Layer]) -> dict[Labels, dict[str, Paired]]:
    """Pair labels layers with images: as the user has decided, or else as names, positions and sizes suggest.

    Parameters
    ----------
    layers : iterable of napari.layers.Layer
        All layers of a viewer; those that latentmap has made are ignored.

    Returns
    -------
    dict of napari.layers.Labels to dict of str to Paired
        The images of each labels layer by channel; a channel has the same name for all labels.

    Examples
    --------
    >>> import numpy as np
    >>> fields = [Image(np.zeros((8, 8)), name=f"{name}_DNA") for name in ("f1", "f2")]
    >>> labels = [Labels(np.eye(8, dtype=int), name=f"{name}_cells") for name in ("f2", "f1")]
    >>> [{name: pair.image.name for name, pair in own.items()} for own in paired([*fields, *labels]).values()]
    [{'DNA': 'f2_DNA'}, {'DNA': 'f1_DNA'}]
    """
    own = [layer for layer in layers if OWNED_KEY not in layer.metadata]
    labels, images = (
        [layer for layer in own if isinstance(layer, Labels)],
        [one for one in own if isinstance(one, Image)],
    )
    places = {str(image.unique_id): place for place, image in enumerate(images)}
    given = [
        (at, places[image], channel)
        for at, layer in enumerate(labels)
        for image, channel in layer.metadata.get(USER_PAIRS_KEY, {}).items()
        if image in places
    ]
    found = suggest_pairs([_geometry(layer) for layer in labels], [_geometry(image) for image in images], given)
    return {
        layer: {name: Paired(images[pair.image], pair.why, pair.is_sure) for name, pair in found.of(at).items()}
        for at, layer in enumerate(labels)
    }


def record_user_pairs(labels: Labels, said: Mapping[Image, str | None]) -> None:
    """Record the user's decisions about the images of a labels layer.

    Parameters
    ----------
    labels : napari.layers.Labels
    said : mapping of napari.layers.Image to str or None
        The name of the channel, "" for the suggested name; None if the image does not belong to the labels.
    """
    labels.metadata[USER_PAIRS_KEY] = labels.metadata.get(USER_PAIRS_KEY, {}) | {
        str(one.unique_id): name for one, name in said.items()
    }


def stored_pairs(labels: Labels, layers: Iterable[Layer]) -> dict[str, list[list[str | bool]]]:
    """Return what a session file stores about the images of a labels layer.

    Returns
    -------
    dict of str to list of pairs
        The user's decisions under "images": the name of the image, and that of the channel, or False if the image does
        not belong to the labels. The images measured under "measured": the names of the channel and of the image. Empty
        lists are left out.
    """
    said = labels.metadata.get(USER_PAIRS_KEY, {})
    channels = [(one.name, said[str(one.unique_id)]) for one in layers if str(one.unique_id) in said]
    found = {
        "images": [[name, False if channel is None else channel] for name, channel in channels],
        "measured": [[channel, name] for channel, name in labels.metadata.get(MEASURED_KEY, {}).items()],
    }
    return {name: pairs for name, pairs in found.items() if pairs}


def restore(labels: Labels, found: Mapping[str, Iterable[Iterable[str | bool]]], images: Mapping[str, Image]) -> None:
    """Give a labels layer what `stored_pairs` has returned, with images by the names that they had then."""
    said = {images[str(name)]: channel for name, channel in found.get("images", ()) if str(name) in images}
    if said:
        record_user_pairs(
            labels, {image: None if channel is False else str(channel) for image, channel in said.items()}
        )
    if measured := {str(channel): str(name) for channel, name in found.get("measured", ())}:
        labels.metadata[MEASURED_KEY] = measured


def fitting(labels: Labels, layers: Iterable[Layer]) -> list[Image]:
    """Return all images that have as many pixels along each axis as the labels, wherever they lie."""
    laid = _geometry(labels)
    return [
        one
        for one in layers
        if isinstance(one, Image) and OWNED_KEY not in one.metadata and has_same_shape(laid, _geometry(one))
    ]


def _geometry(layer: Image | Labels) -> LayerGeometry:
    data = layer.data[0] if layer.multiscale else layer.data
    shape = tuple(data.shape)
    if isinstance(layer, Labels):
        shapes: tuple[tuple[int, ...], ...] = (shape,)
    else:
        shapes = (shape[:-1],) if layer.rgb else (shape, shape[1:])
    last = np.diag(np.array(shape[: layer.ndim]) - 1)[::-1]
    # Layers in micrometres and in nanometres lie in one place if they are of one length.
    units = [float((1 * unit).to("um").magnitude) if unit.is_compatible_with("um") else 1.0 for unit in layer.units]
    corners = [np.multiply(layer.data_to_world(corner), units) for corner in (np.zeros(layer.ndim), *last)]
    box = tuple(zip(*(map(float, corner) for corner in corners), strict=True))
    return LayerGeometry(layer.name, shapes, box, tuple((world_steps(layer) * units).tolist()))
