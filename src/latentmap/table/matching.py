"""Whether the rows of a table and the cells in an image are the same cells."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.table.present import present_keys
from latentmap.table.shift import shifted

# An image of more pixels is looked at on some of its rows only.
_MOST_PIXELS = 1 << 26


class Seen(NamedTuple):
    """The cells met in an image.

    Attributes
    ----------
    keys : pandas.MultiIndex of (layer, frame, label)
    all : bool
        Whether there are no others.
    """

    keys: pd.MultiIndex
    all: bool


def seen(labels: Any, *, layer: str, has_frames: bool = False) -> Seen:
    """Look for cells in an image; of a large one at evenly spread rows only.

    Parameters
    ----------
    labels : array-like of int
        Each cell's number at the pixels it covers; lazy ones may be.
    layer : str
    has_frames : bool
        Whether the first axis is time.

    Returns
    -------
    Seen
    """
    step = -(-int(np.prod(labels.shape)) // _MOST_PIXELS)
    some = labels if step <= 1 else labels[..., ::step, :]
    return Seen(present_keys(some, layer=layer, has_frames=has_frames), step <= 1)


def mismatch(rows: pd.Index, found: Seen) -> list[str]:
    """Say which rows of a table have no cell in an image, and which cells no row.

    Parameters
    ----------
    rows : pandas.MultiIndex of (layer, frame, label)
        Of the image's layer.
    found : Seen
        The cells in the image.

    Returns
    -------
    list of str
        Sentences for the user; none where all agree. One names the shift of labels or frames that would make them
        agree, or agree much better.

    Examples
    --------
    >>> rows = pd.MultiIndex.from_product([["cells"], [0], [1, 2, 3]])
    >>> for sentence in mismatch(rows, seen(np.array([[5001, 5002, 5003]]), layer="cells")):
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
    return [*said, *shifted(rows, present)]


def _ends(keys: pd.Index) -> str:
    labels = keys.get_level_values(2)
    return f"{labels.min()} to {labels.max()}" if len(keys) else "none"
