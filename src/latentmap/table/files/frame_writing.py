"""Writing a map into a DataFrame that already has the cells."""

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from latentmap.table.map_table import PROVENANCE, MapTable
from latentmap.table.mappable import left_of_a_map
from latentmap.table.wording import counted, listed


def write_into_frame(frame: pd.DataFrame, keys: pd.Index, positions: np.ndarray, made: MapTable) -> tuple[str, ...]:
    """Write a map into a DataFrame, under the names that the columns have in a saved table.

    Parameters
    ----------
    frame : pandas.DataFrame, shape (n_rows, n_columns)
        Changed in place: it gets columns for coordinates, variances and classes, in place of those of an earlier map.
        Rows whose cell is not on the map get NaN and "".
    keys : pandas.Index, shape (n_cells,)
        The layer, frame and label of each row that describes a cell.
    positions : ndarray of int, shape (n_cells,)
        Which rows these are, from 0.
    made : MapTable

    Returns
    -------
    tuple of str
        Sentences for the user.

    Raises
    ------
    ValueError
        If no row's cell is on the map, or a column of these names was there before.

    Examples
    --------
    >>> frame = pd.DataFrame({"area": [4.0, 5.0]})
    >>> keys = pd.MultiIndex.from_tuples([("cells", 0, 7), ("cells", 0, 3)])
    >>> rows = pd.DataFrame({"layer": "cells", "frame": 0, "label": [3], "map_1": [0.5], "class": ["T"]})
    >>> write_into_frame(frame, keys, np.arange(2), MapTable(rows, coordinates=("map_1",), added=("class",)))
    ('The DataFrame now has "map_1", "class". 1 of 2 rows has no cell on the map.',)
    >>> frame["class"].tolist()
    ['', 'T']
    """
    names = [*made.coordinates, *made.added]
    # A table that was saved with a map says so by its columns alone.
    left = [name for name in left_of_a_map(frame) if name not in made.features]
    said = frame.attrs.get(PROVENANCE)
    written = said if isinstance(said, dict) else dict.fromkeys([*left, "class"] if left else [])
    old = [name for name, words in written.items() if name in frame and _holds(frame[name], words)]
    if own := [name for name in names if name in frame and name not in old]:
        raise ValueError(
            f"The DataFrame has {listed(own)} of its own: rename it, and run explore() again. Nothing is written."
        )
    rows = made.rows.set_index(["layer", "frame", "label"])
    source = np.full(len(frame), -1)
    source[positions] = rows.index.get_indexer(keys)
    found = source >= 0
    if not found.any():
        raise ValueError("No row of the DataFrame belongs to a cell on the map. Nothing is written.")
    # What the map's table has of its own, such as classes from another widget, stays.
    gone = [name for name in old if name not in names and name not in made.rows]
    removed = [name for name in gone if name in left or written[name] is not None]
    frame.drop(columns=removed, inplace=True)
    for name in names:
        column = rows[name]
        if is_numeric_dtype(column.dtype):
            frame[name] = np.where(found, column.to_numpy(dtype=float, na_value=np.nan)[source], np.nan)
        else:
            frame[name] = np.where(found, column.fillna("").to_numpy(dtype=object)[source], "")
    kept = {name: written[name] for name in old if name not in names and name in frame}
    frame.attrs[PROVENANCE] = kept | {name: _words(frame[name]) for name in names}
    told = f"The DataFrame now has {listed(names)}."
    if removed:
        told += f" Removed, as an earlier map has left {'it' if len(removed) == 1 else 'them'}: {listed(removed)}."
    if missing := int((~found).sum()):
        told += f" {missing} of {counted(len(found), 'row')} {'has' if missing == 1 else 'have'} no cell on the map."
    return (told,)


def _words(column: pd.Series) -> list[str]:
    """The words in a column that is written; none for numbers."""
    return [] if is_numeric_dtype(column.dtype) else sorted({*column})


def _holds(column: pd.Series, written: list[str] | None) -> bool:
    """Whether a column is still what was written, as far as its words tell; None where that is not known."""
    if not written:
        return written is None or is_numeric_dtype(column.dtype)
    return {*column.dropna().astype(str)} <= {"", *written}
