"""Reading from napari's layers and writing to them."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pandas as pd
from napari.components import ViewerModel
from napari.layers import Image, Labels, Layer

from latentmap.images.crops import Channel
from latentmap.images.frames import rgb_channels
from latentmap.images.lazy_slice import channel_at
from latentmap.napari_layers.pairs import paired
from latentmap.table import KEY, CellTable
from latentmap.table.cells import listed


def scales(labels: Labels) -> list[Any]:
    """Return the arrays of a labels layer, from the finest to the coarsest; one unless it is multiscale."""
    return list(labels.data) if labels.multiscale else [labels.data]


def pictures_of(labels: Labels, layers: Iterable[Layer]) -> list[Image]:
    """Return the images from which to crop pictures of a layer's cells.

    Parameters
    ----------
    labels : napari.layers.Labels
    layers : iterable of napari.layers.Layer
        All layers of the viewer, because an image may belong to other labels.

    Returns
    -------
    list of napari.layers.Image
        The visible images that are paired with the labels and have exactly their shape.
    """
    shape = scales(labels)[0].shape
    own = [pair.image for pair in paired(layers).get(labels, {}).values()]
    return [image for image in own if image.visible and _size(image) == shape]


def as_channel(image: Image) -> Channel:
    """Return an image with its display settings: pixels at the finest scale, contrast limits, brightest colour."""
    data = image.data[0] if image.multiscale else image.data
    low, high = image.contrast_limits
    if image.rgb:
        return Channel(data, (low, high), None)
    red, green, blue = (float(part) for part in image.colormap.map(1.0).ravel()[:3])
    return Channel(data, (low, high), (red, green, blue))


def _size(image: Image) -> tuple[int, ...]:
    data = image.data[0] if image.multiscale else image.data
    return tuple(data.shape[:-1] if image.rgb else data.shape)


def channels(image: Image, shape: tuple[int, ...], name: str) -> dict[str, Any]:
    """Split an image into channels of the shape of labels.

    Parameters
    ----------
    image : napari.layers.Image
    shape : tuple of int
        The shape of the labels.
    name : str
        The name of the image.

    Returns
    -------
    dict of str to array-like
        The channels by name: three for an RGB image, one for each index of an additional first axis, or else the image.

    Examples
    --------
    >>> import numpy as np
    >>> list(channels(Image(np.zeros((8, 8, 3)), rgb=True), (8, 8), "tissue"))
    ['tissue_red', 'tissue_green', 'tissue_blue']
    >>> list(channels(Image(np.zeros((2, 8, 8))), (8, 8), "stains"))
    ['stains_0', 'stains_1']
    """
    data = image.data[0] if image.multiscale else image.data
    if image.rgb:
        return rgb_channels(name, data)
    if data.shape == shape:
        return {name: data}
    return {f"{name}_{number}": channel_at(data, 0, number) for number in range(data.shape[0])}


def completed(cells: CellTable, known: pd.DataFrame, *, layer: str, keep_rows: bool) -> CellTable:
    """Combine cells with the features that their layer already has.

    Parameters
    ----------
    cells : CellTable
        Cells of one layer; their columns replace those of the same name.
    known : pandas.DataFrame
        The layer's features.
    layer : str
        The layer's name in the keys of cells.
    keep_rows : bool
        Whether to keep cells that only the layer's features have.

    Returns
    -------
    CellTable
        The layer's columns first. Notes say what was replaced or left out.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = CellTable.read(pd.DataFrame({"label": [3, 7], "area": [4.0, 6.0]}), layer="cells")
    >>> known = pd.DataFrame({"index": [7, 9], "area": [5.0, 8.0], "type": ["A", "B"]})
    >>> both = completed(cells, known, layer="cells", keep_rows=False)
    >>> both.features["type"].tolist(), both.features["area"].tolist(), both.notes
    ([nan, 'A'], [4.0, 6.0], ('Replaced: "area".',))
    """
    if known.empty:
        return cells
    try:
        before = CellTable.read(known, layer=layer).features
    except ValueError:
        lost_all = "The layer's earlier features were removed, because they do not say which cell a row belongs to."
        return replace(cells, notes=(*cells.notes, lost_all))
    keys = cells.features.index
    if keep_rows:
        keys = keys.append(before.index.difference(keys, sort=False))
    others = before.drop(columns=list(cells.features), errors="ignore").reindex(keys)
    lost = [str(name) for name in others if others[name].isna().all() and not before[name].isna().all()]
    replaced = [str(name) for name in before if name in cells.features]
    notes = [f"Replaced: {listed(replaced)}."] if replaced else []
    if lost:
        notes.append(f"Removed, because they belong to other cells: {listed(lost)}.")
    both = pd.concat([others.drop(columns=lost), cells.features.reindex(keys)], axis=1)
    return replace(cells, features=both.set_axis(keys.set_names(KEY)), notes=(*cells.notes, *notes))


def layer_features(cells: CellTable, has_frames: bool = False) -> pd.DataFrame:
    """Return a table as napari expects the features of a labels layer, with the labels in a column ``index``.

    Parameters
    ----------
    cells : CellTable
        Cells of one layer.
    has_frames : bool
        Whether the layer's first axis is time.

    Returns
    -------
    pandas.DataFrame, shape (n_cells, 1 + n_columns) or (n_cells, 2 + n_columns)
        A column ``frame``, which `CellTable.read` reads as a part of the key, follows ``index`` if there are frames or
        any cell is in a frame other than 0.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = CellTable.read(pd.DataFrame({"label": [3, 1000], "area": [4.0, 6.0]}), layer="cells")
    >>> layer_features(cells)["index"].tolist()
    [3, 1000]
    """
    rows = cells.features.droplevel("layer").reset_index().rename(columns={"label": "index"})
    columns = ["index", "frame"] if has_frames or rows["frame"].any() else ["index"]
    return rows[[*columns, *cells.features]]


@contextmanager
def active_kept(viewer: ViewerModel) -> Generator[None, None, None]:
    """Keep the active layer active while other layers are added to the viewer."""
    active = viewer.layers.selection.active
    yield
    viewer.layers.selection.active = active
