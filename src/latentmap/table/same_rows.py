"""Whether rows that a map is written to are still the cells that it was made of."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from latentmap.table.cells import CellTable
from latentmap.table.mappable import numeric

_ROW = "latentmap_row"
# The features of so many rows of an AnnData are compared: all genes of all cells would take long.
SOME_ROWS = 200
# Files and float32 round.
_TOLERANCE = 1e-5


def rows_read(rows: pd.DataFrame, read: Callable[[pd.DataFrame], CellTable]) -> tuple[CellTable, np.ndarray]:
    """Read a table, and return which of its rows are cells.

    Parameters
    ----------
    rows : pandas.DataFrame
    read : callable
        Reads a table; it may leave rows out.

    Returns
    -------
    cells : CellTable
    positions : ndarray of int, shape (n_cells,)
        The position of the row of each cell, from 0.

    Raises
    ------
    ValueError
        What reading the table raises.

    Examples
    --------
    >>> rows = pd.DataFrame({"label": [5, 0, 3], "area": [4.0, 9.0, 2.0]})
    >>> cells, positions = rows_read(rows, lambda rows: CellTable.read(rows, layer="cells"))
    >>> cells.keys, positions.tolist()
    ([('cells', 0, 5), ('cells', 0, 3)], [0, 2])
    """
    try:
        # As objects, so that they do not count as a feature.
        found = read(rows.assign(**{_ROW: np.arange(len(rows)).astype(object)}))
    except ValueError:
        read(rows)  # whose error names no column that is not there
        raise
    positions = found.features[_ROW].to_numpy(dtype=int)
    return CellTable(found.features.drop(columns=_ROW), found.notes, found.colours), positions


def other_values(now: pd.DataFrame, then: pd.DataFrame) -> tuple[str, ...]:
    """Say in how many rows the features are not those that a map was made of: these may be other cells.

    Parameters
    ----------
    now, then : pandas.DataFrame
        Features under the keys (layer, frame, label) of the cells: as they are, and as the map was made of them.

    Returns
    -------
    tuple of str
        One sentence for the user, or none.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_tuples([("cells", 0, 5), ("cells", 0, 3)])
    >>> then = pd.DataFrame({"area": [9.0, 4.0]}, keys)
    >>> other_values(pd.DataFrame({"area": [4.5, 9.0]}, keys[::-1]), then)[0][:48]
    'In 1 of 2 rows, features have other values than '
    """
    is_other = differ(now, then)
    if not is_other.any():
        return ()
    return (
        f"In {is_other.sum()} of {len(is_other)} rows, features have other values than those that the map was made of: "
        "check that they are the same cells.",
    )


def differ(one: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Return for each cell that two tables have whether a feature that both have is another number.

    Parameters
    ----------
    one, other : pandas.DataFrame
        Features under the keys (layer, frame, label) of the cells.

    Returns
    -------
    ndarray of bool
        In the order of `one`.
    """
    there = {*numeric(one)} & {*numeric(other)}
    names = [name for name in one if name in there]
    source = other.index.get_indexer(one.index)
    shared = one[source >= 0], other.iloc[source[source >= 0]]
    now, then = (table[names].to_numpy(dtype=float, na_value=np.nan) for table in shared)
    is_other: np.ndarray = ~np.isclose(now, then, rtol=_TOLERANCE, atol=0, equal_nan=True).all(axis=1)
    return is_other
