"""Whether the rows of a table and the cells in an image are the same cells."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from latentmap.table.cells import CellTable
from latentmap.table.image_keys import keys_in_image
from latentmap.table.label_shift import suggest_shift

# Of an image with more pixels, only the middle is searched.
_MOST_PIXELS = 1 << 25
# Notes on rows without a cell, or, where not all cells are known, on cells none of which has a row.
_APART = re.compile(r'\d+ of \d+ rows have a cell in the labels "|(\d+) of \1 cells met in the labels "')


class FoundCells(NamedTuple):
    """The cells found in an image.

    Attributes
    ----------
    keys : pandas.MultiIndex of (layer, frame, label)
    all : bool
        Whether the image has no others.
    """

    keys: pd.MultiIndex
    all: bool


def with_mismatches(cells: CellTable, images: Iterable[tuple[str, Sequence[Any], bool]]) -> CellTable:
    """Note which rows have no cell in the labels, and which cells no row: a map would light up the wrong cells.

    Parameters
    ----------
    cells : CellTable
    images : iterable of (layer, labels, has_frames)
        Labels as for :func:`find_cells`.

    Returns
    -------
    CellTable
        The same cells, with the sentences of :func:`describe_mismatch` as a note for each layer. Notes that
        :func:`is_mismatch` come first.
    """
    index, said = cells.features.index, list[str]()
    layers = index.get_level_values("layer")
    for layer, labels, has_frames in images:
        if len(own := index[layers == layer]):
            said.append(mismatch(own, labels, layer=layer, has_frames=has_frames))
    return with_notes(cells, said)


def with_notes(cells: CellTable, said: Iterable[str]) -> CellTable:
    """Add notes on rows and cells that have no counterpart; those that :func:`is_mismatch` come first.

    Parameters
    ----------
    cells : CellTable
    said : iterable of str
        A note for each layer, as :func:`mismatch` writes them; "" says nothing.
    """
    said = [note for note in said if note]
    apart, others = [note for note in said if is_mismatch(note)], [note for note in said if not is_mismatch(note)]
    return replace(cells, notes=(*apart, *cells.notes, *others))


def mismatch(rows: pd.Index, labels: Sequence[Any], *, layer: str, has_frames: bool = False) -> str:
    """Say in one note which rows of a layer have no cell in its labels, and which cells no row; "" if all agree.

    Parameters
    ----------
    rows : pandas.MultiIndex of (layer, frame, label)
    labels, layer, has_frames
        As for :func:`find_cells`.
    """
    return " ".join(describe_mismatch(rows, find_cells(labels, layer=layer, has_frames=has_frames)))


def is_mismatch(note: str) -> bool:
    """Return whether a note reports rows without a cell: the map may light up the wrong cells, so it comes first.

    Examples
    --------
    >>> is_mismatch('0 of 3 rows have a cell in the labels "cells".'), is_mismatch("3 of 9 cells got the median.")
    (True, False)
    """
    return _APART.match(note) is not None


def find_cells(labels: Sequence[Any], *, layer: str, has_frames: bool = False) -> FoundCells:
    """Find the cells in an image; in a large one, at a lower resolution or only in its middle.

    Parameters
    ----------
    labels : sequence of array-like of int
        The resolutions of the image, the highest first: each cell's number at the pixels it covers. They may be lazy.
    layer : str
    has_frames : bool
        Whether the first axis is time.
    """
    level = next((level for level in labels if math.prod(level.shape) <= _MOST_PIXELS), labels[-1])
    part = middle(level.shape, n_whole=int(has_frames))
    is_all = level is labels[0] and all(side == slice(None) for side in part)
    return FoundCells(keys_in_image(level[part], layer=layer, has_frames=has_frames), is_all)


def middle(shape: Sequence[int], n_whole: int = 0) -> tuple[slice, ...]:
    """Return the middle of an image with too many pixels to be searched, or all of a smaller one.

    Parameters
    ----------
    shape : sequence of int
    n_whole : int
        So many first axes are whole in any case.

    Examples
    --------
    >>> middle((20, 30)), middle((1 << 14, 1 << 13))
    ((slice(None, None, None), slice(None, None, None)), (slice(6144, 10240, None), slice(None, None, None)))
    """
    size, part = math.prod(shape), [slice(None)] * len(shape)
    for axis in range(n_whole, len(part)):
        if size > _MOST_PIXELS:
            length = shape[axis]
            kept = max(1, _MOST_PIXELS * length // size)
            part[axis] = slice((length - kept) // 2, (length + kept) // 2)
            size = size // length * kept
    return tuple(part)


def describe_mismatch(rows: pd.Index, found: FoundCells) -> list[str]:
    """Say which rows of a table have no cell in an image, and which cells no row.

    Parameters
    ----------
    rows : pandas.MultiIndex of (layer, frame, label)
        Rows of the image's layer.
    found : FoundCells
        The cells in the image.

    Returns
    -------
    list of str
        Sentences for the user; none if all agree. One suggests a shift of labels or frames, if that would make them
        agree, or agree much better.

    Examples
    --------
    >>> import numpy as np
    >>> rows = pd.MultiIndex.from_product([["cells"], [0], [1, 2, 3]])
    >>> for sentence in describe_mismatch(rows, find_cells([np.array([[5001, 5002, 5003]])], layer="cells")):
    ...     print(sentence)
    0 of 3 rows have a cell in the labels "cells": the rows have the labels 1 to 3, the image has 5001 to 5003.
    With labels 5000 higher, 3 of 3 rows would have one: correct the labels of the table.
    """
    present = found.keys
    n_rows, n_cells = len(rows), len(present)
    n = int(rows.isin(present).sum())
    if n == n_cells and (n == n_rows or not found.all):
        return []
    layer = rows[0][0]
    said = []
    if found.all and n < n_rows:
        ends = f": the rows have the labels {_ends(rows)}, the image has {_ends(present)}" if not n else ""
        said.append(f'{n} of {n_rows} rows have a cell in the labels "{layer}"{ends}.')
    if n < n_cells and (n or not found.all):
        met = "" if found.all else " met"
        said.append(f'{n_cells - n} of {n_cells} cells{met} in the labels "{layer}" have no row in the table.')
    return [*said, *suggest_shift(rows, present)]


def _ends(keys: pd.Index) -> str:
    labels = keys.get_level_values(2)
    return f"{labels.min()} to {labels.max()}" if len(keys) else "none"
