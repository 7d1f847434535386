"""Rows of a table from elsewhere, as one plain table in which nothing is lost that their index says."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from latentmap.table.key_columns import is_key
from latentmap.table.sheet import distinct

NAME = "cell_name"
"""The column of the rows' own names, such as barcodes."""

# What pandas and napari call an index of row numbers.
_NUMBERS = ("index", None)


def plain_rows(rows: Any) -> pd.DataFrame:
    """Return a table with one level of names and no index but the rows' numbers.

    Returns
    -------
    pandas.DataFrame
        What the index said are columns: its levels by their names, and names of rows that have none as `NAME`. Of
        columns with names of several levels these are joined.

    Raises
    ------
    ValueError
        If it is no table, or two columns share a name.

    Examples
    --------
    >>> plain_rows(pd.DataFrame({("DNA", "mean"): [4.0], ("label", ""): [3]}, index=["AAAC-1"])).to_dict("list")
    {'DNA mean': [4.0], 'label': [3], 'cell_name': ['AAAC-1']}
    """
    if not isinstance(rows, pd.DataFrame):
        rows = _frame(rows)
    if isinstance(rows.columns, pd.MultiIndex):
        rows = rows.set_axis([" ".join(str(part) for part in name if str(part)) for name in rows.columns], axis=1)
    rows, index = distinct(rows), rows.index
    said: dict[str, Any] = {}
    for level in range(index.nlevels):
        values = index.get_level_values(level)
        if values.name not in _NUMBERS:
            # Numbers in an index tell rows apart, and are no measurement.
            is_new = str(values.name) not in rows
            said |= {str(values.name): values if is_key(str(values.name)) else _words(values)} if is_new else {}
        elif index.nlevels > 1 or are_names(values):
            said[free_name({*rows.columns, *said})] = _words(values)
    return rows.reset_index(drop=True).assign(**{name: np.asarray(values) for name, values in said.items()})


def are_names(index: pd.Index) -> bool:
    """Say whether an index names its rows, and does not only count them.

    Examples
    --------
    >>> are_names(pd.Index(["AAAC-1", "GGTT-1"])), are_names(pd.Index(["0", "1"])), are_names(pd.RangeIndex(2))
    (True, False, False)
    """
    if pd.api.types.is_numeric_dtype(index.dtype):
        return False
    return not np.array_equal(_words(index), np.arange(len(index)).astype(str))


def free_name(taken: Any) -> str:
    """Return the name of a new column of rows' names.

    Parameters
    ----------
    taken : collection of str
        The columns that there are.

    Returns
    -------
    str
        `NAME`, with as many "_" behind it as it takes.
    """
    name = NAME
    while name in taken:
        name += "_"
    return name


def names_in(rows: pd.DataFrame) -> list[pd.Series]:
    """Return the columns of rows' names, as text, "" where a row has none."""
    found = [rows[name] for name in rows if re.fullmatch(f"{NAME}_*", str(name))]
    return [column.astype(object).where(column.notna(), "").astype(str) for column in found]


def _frame(rows: Any) -> pd.DataFrame:
    if issparse(rows):
        raise ValueError(
            "A sparse matrix has no names of columns, so it does not say which cell a row is: give an AnnData, or "
            "pandas.DataFrame.sparse.from_spmatrix(matrix, columns=names)."
        )
    if isinstance(rows, Mapping):
        return pd.DataFrame(rows)
    raise ValueError(f"A table of cells is a pandas.DataFrame, not a {type(rows).__name__}.")


def _words(values: pd.Index) -> np.ndarray:
    return np.array([None if missing else str(value) for value, missing in zip(values, values.isna(), strict=True)])
