"""Reading cells from napari's layers, and writing them there."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import pandas as pd
from napari.layers import Image, Labels, Layer

from latentmap.napari_layers.pairs import paired
from latentmap.table import KEY, CellTable
from latentmap.table.cells import listed
from latentmap.table.crops import Channel
from latentmap.table.frames import by_colour


def scales(labels: Labels) -> list[Any]:
    """Return a labels layer's arrays, from the finest to the coarsest.

    Returns
    -------
    list of array-like of int
        One, unless the layer is multiscale.
    """
    return list(labels.data) if labels.multiscale else [labels.data]


def pictures_of(labels: Labels, layers: Iterable[Layer]) -> list[Image]:
    """Return the images that single cells of a labels layer are shown in: its own, as far as they are visible.

    Parameters
    ----------
    labels : napari.layers.Labels
    layers : iterable of napari.layers.Layer
        All of the viewer, as an image may be that of other labels.

    Returns
    -------
    list of napari.layers.Image
        Pixel for pixel as large as the labels.
    """
    shape = scales(labels)[0].shape
    own = [pair.image for pair in paired(layers).get(labels, {}).values()]
    return [image for image in own if image.visible and _size(image) == shape]


def as_channel(image: Image) -> Channel:
    """Return an image as it is shown: its pixels of the finest scale, its contrast and its brightest colour."""
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
    """Return the channels of an image that have a labels layer's shape.

    Parameters
    ----------
    image : napari.layers.Image
    shape : tuple of int
        The labels' shape.
    name : str
        What the image is called.

    Returns
    -------
    dict of str to array_like
        The channels by name; an RGB image gives three, and one with an axis more in front as many as that is long.

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
        return by_colour(name, data)
    if data.shape == shape:
        return {name: data}
    return {f"{name}_{number}": data[number] for number in range(len(data))}


def completed(cells: CellTable, known: pd.DataFrame, *, layer: str, keep_rows: bool) -> CellTable:
    """Add to cells what a layer's features say of them already.

    Parameters
    ----------
    cells : CellTable
        Cells of one layer; of two columns of one name, theirs stays.
    known : pandas.DataFrame
        The layer's features.
    layer : str
        What the keys call the layer.
    keep_rows : bool
        Whether cells stay that only the features have.

    Returns
    -------
    CellTable
        The columns known first. Notes say what was replaced or left out.

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
        return CellTable(cells.features, (*cells.notes, "The layer's features did not say which cell a row is: gone."))
    keys = cells.features.index
    if keep_rows:
        keys = keys.append(before.index.difference(keys, sort=False))
    others = before.drop(columns=list(cells.features), errors="ignore").reindex(keys)
    lost = [str(name) for name in others if others[name].isna().all() and not before[name].isna().all()]
    replaced = [str(name) for name in before if name in cells.features]
    notes = [f"Replaced: {listed(replaced)}."] if replaced else []
    if lost:
        notes.append(f"Gone, because they were of other cells: {listed(lost)}.")
    both = pd.concat([others.drop(columns=lost), cells.features.reindex(keys)], axis=1)
    return CellTable(both.set_axis(keys.set_names(KEY)), (*cells.notes, *notes))


def layer_features(cells: CellTable, has_frames: bool = False) -> pd.DataFrame:
    """Write a table the way napari looks cells up in a labels layer: by a column ``index``.

    Parameters
    ----------
    cells : CellTable
        Cells of one layer.
    has_frames : bool
        Whether the layer's first axis is time; then a column ``frame`` says so. There is one anyhow where not all cells
        are of the first frame.

    Returns
    -------
    pandas.DataFrame, shape (n_cells, 1 + n_columns)
        Where there are frames, a column ``frame`` follows: `CellTable.read` takes it for a part of the key.

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
def active_kept(viewer: Any) -> Generator[None, None, None]:
    """Keep the active layer of a viewer, which adds each layer as the active one."""
    active = viewer.layers.selection.active
    yield
    viewer.layers.selection.active = active
