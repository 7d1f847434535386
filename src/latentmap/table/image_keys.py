"""Which cells are in an image, and which rows of a table belong to them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from latentmap.table.cells import KEY, CellTable
from latentmap.table.key_parts import n_distinct
from latentmap.table.label_shift import suggest_shift
from latentmap.table.whole_numbers import whole_labels
from latentmap.table.wording import LISTED, listed, shortened_list


def keys_in_image(labels: Any, *, layer: str, has_frames: bool = False) -> pd.MultiIndex:
    """Return the keys of the cells in an image.

    Parameters
    ----------
    labels : array_like of int, shape (n_frames, ...) or (...)
        Each cell's number at the pixels it covers; 0 is background. A lazy array is read frame by frame.
    layer : str
        The name of the labels layer, the first part of the keys.
    has_frames : bool
        Whether the first axis is time.

    Returns
    -------
    pandas.MultiIndex of (layer, frame, label)
        Ascending. Frames count from 0.

    Raises
    ------
    ValueError
        If the labels are not whole numbers, or too large.

    Examples
    --------
    >>> keys_in_image(np.array([[0, 3], [1000, 3]]), layer="nuclei").tolist()
    [('nuclei', 0, 3), ('nuclei', 0, 1000)]
    """
    frames = [_numbers(pixels, layer) for pixels in (labels if has_frames else [labels])]
    counts = [len(numbers) for numbers in frames]
    return pd.MultiIndex.from_arrays(
        [
            np.full(sum(counts), layer, dtype=object),
            np.repeat(np.arange(len(frames)), counts),
            np.concatenate([np.empty(0, dtype=np.int64), *frames]),
        ],
        names=KEY,
    )


def keep_rows_in_image(cells: CellTable, present: pd.MultiIndex) -> CellTable:
    """Keep the rows of a table whose cells are in the images.

    Parameters
    ----------
    cells : CellTable
        The rows, by key.
    present : pandas.MultiIndex of (layer, frame, label)
        The cells in the images, as :func:`keys_in_image` returns them; for several layers, one after the other.

    Returns
    -------
    CellTable
        Its notes say which rows were left out, which cells in the images have no row, and which shift of labels or
        frames would make more of them match.

    Raises
    ------
    ValueError
        If no row belongs to a cell in the images.

    Examples
    --------
    >>> rows = pd.DataFrame({"label": [3, 4, 7], "area": [4.0, 5.0, 6.0]})
    >>> present = keys_in_image(np.array([[3, 7, 1000]]), layer="nuclei")
    >>> for note in keep_rows_in_image(CellTable.read(rows, layer="nuclei"), present).notes:
    ...     print(note)
    1 of 3 rows of the table left out, because their cells are not in the image: label 4.
    1 of 3 cells in the image without a row in the table: label 1000.
    """
    keys = cells.features.index
    found = keys.isin(present)
    if not found.any():
        raise ValueError(
            f"No row of the table belongs to a cell in the image. The table has {_span(keys)}; the image has "
            f"{_span(present)}.{''.join(f' {sentence}' for sentence in _shifted(keys, present))}"
        )
    rowless = present[~present.isin(keys)]
    several = [n_distinct(present.append(keys), part) > 1 for part in ("layer", "frame")]
    notes = list(cells.notes)
    if not found.all():
        notes.append(
            f"{(~found).sum()} of {len(keys)} rows of the table left out, because their cells are not in the image: "
            f"{_some(keys[~found], several)}."
        )
    if len(rowless):
        notes.append(
            f"{len(rowless)} of {len(present)} cells in the image without a row in the table: "
            f"{_some(rowless, several)}."
        )
    return replace(cells, features=cells.features[found], notes=(*notes, *_shifted(keys, present)))


def _shifted(keys: pd.Index, present: pd.MultiIndex) -> list[str]:
    """The shifts that would make more rows match, layer by layer."""
    layers, there = keys.get_level_values("layer"), present.get_level_values("layer")
    return [
        sentence for name in layers.unique() for sentence in suggest_shift(keys[layers == name], present[there == name])
    ]


def _numbers(pixels: Any, layer: str) -> np.ndarray:
    flat = whole_labels(pixels, layer).ravel()
    # A cell covers many pixels in a row: only the first of each run is needed.
    heads = flat[np.append(True, flat[1:] != flat[:-1])] if len(flat) else flat
    numbers = np.sort(pd.unique(heads)).astype(np.int64)
    labels: np.ndarray = numbers[numbers != 0]
    return labels


def assign_to_layer(cells: CellTable, layer: str) -> CellTable | None:
    """Assign the cells of a table to a layer that the table calls by another name.

    Returns
    -------
    CellTable or None
        A note gives the table's name for the layer. None if the table has cells of several layers, or of this one.

    Examples
    --------
    >>> cells = CellTable.read(pd.DataFrame({"label": [3], "area": [4.0]}), layer="nuclei")
    >>> renamed = assign_to_layer(cells, "nuclei [1]")
    >>> renamed.keys, renamed.notes
    ([('nuclei [1]', 0, 3)], ('The table calls the layer "nuclei"; its rows are taken as cells of "nuclei [1]".',))
    """
    keys = cells.features.index
    names = keys.unique("layer")
    if len(names) != 1 or names[0] == layer:
        return None
    layers = np.full(len(keys), layer, dtype=object)
    renamed = pd.MultiIndex.from_arrays(
        [layers, keys.get_level_values("frame"), keys.get_level_values("label")], names=KEY
    )
    note = f'The table calls the layer "{names[0]}"; its rows are taken as cells of "{layer}".'
    return replace(cells, features=cells.features.set_axis(renamed), notes=(*cells.notes, note))


def _some(keys: pd.Index, several: Sequence[bool]) -> str:
    """Name the first cells, with frame and layer where there are several."""
    words = [
        f"label {label}" + (f" in frame {frame}" if several[1] else "") + (f' of "{layer}"' if several[0] else "")
        for layer, frame, label in keys[:LISTED]
    ]
    return shortened_list(words, len(keys))


def _span(keys: pd.Index) -> str:
    if not len(keys):
        return "no cell"
    layers = list(keys.get_level_values("layer").unique())
    frames, labels = (keys.get_level_values(part) for part in ("frame", "label"))
    noun = "layer" if len(layers) == 1 else "layers"
    return f"{noun} {listed(layers)}, frames {frames.min()} to {frames.max()}, labels {labels.min()} to {labels.max()}"
