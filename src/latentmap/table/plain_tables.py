"""Tables from other programs as plain tables: what their index says becomes columns."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from latentmap.table.key_columns import is_key
from latentmap.table.map_table import with_distinct_names

NAME_COLUMN = "cell_name"
"""The column of the cells' own names, such as barcodes."""

# The names that pandas and napari give an index of row numbers.
_NUMBERS = ("index", None)


def plain_rows(rows: Any) -> pd.DataFrame:
    """Return a table with one level of column names, and row numbers as its only index.

    Returns
    -------
    pandas.DataFrame
        The levels of the index become columns under their names; an unnamed index of row names becomes `NAME_COLUMN`.
        Column names of several levels are joined.

    Raises
    ------
    ValueError
        If it is not a table, or two columns share a name.

    Examples
    --------
    >>> plain_rows(pd.DataFrame({("DNA", "mean"): [4.0], ("label", ""): [3]}, index=["AAAC-1"])).to_dict("list")
    {'DNA mean': [4.0], 'label': [3], 'cell_name': ['AAAC-1']}
    """
    rows = in_pandas(rows)
    if not isinstance(rows, pd.DataFrame):
        rows = _frame(rows)
    if isinstance(rows.columns, pd.MultiIndex):
        rows = rows.set_axis([" ".join(str(part) for part in name if str(part)) for name in rows.columns], axis=1)
    rows, index = with_distinct_names(rows), rows.index
    said: dict[str, Any] = {}
    for level in range(index.nlevels):
        values = index.get_level_values(level)
        if values.name not in _NUMBERS:
            # Numbers in an index tell rows apart; they are not measurements.
            is_new = str(values.name) not in rows
            said |= {str(values.name): values if is_key(str(values.name)) else _words(values)} if is_new else {}
        elif index.nlevels > 1 or is_names(values):
            said[unused_name_column({*rows.columns, *said})] = _words(values)
    plain: pd.DataFrame = _in_native_order(rows.reset_index(drop=True))
    return plain.assign(**{name: np.asarray(values) for name, values in said.items()})


def in_pandas(data: Any) -> Any:
    """Return the table of another library, such as polars or Arrow, as one of pandas; other data as they are."""
    if not isinstance(data, pd.DataFrame) and callable(to_pandas := getattr(data, "to_pandas", None)):
        try:
            found = to_pandas()
        except ImportError as error:
            raise ValueError(f"A {type(data).__module__.split('.')[0]} table cannot be read: {error}.") from error
        return found if isinstance(found, pd.DataFrame) else data
    return data


def is_names(index: pd.Index) -> bool:
    """Return whether an index names its rows rather than counts them.

    Examples
    --------
    >>> is_names(pd.Index(["AAAC-1", "GGTT-1"])), is_names(pd.Index(["0", "1"])), is_names(pd.RangeIndex(2))
    (True, False, False)
    """
    if pd.api.types.is_numeric_dtype(index.dtype):
        return False
    return not np.array_equal(_words(index), np.arange(len(index)).astype(str))


def unused_name_column(taken: Any) -> str:
    """Return a name for a new column of row names: `NAME_COLUMN`, followed by "_" until it is not among those taken."""
    name = NAME_COLUMN
    while name in taken:
        name += "_"
    return name


def is_name(column: object) -> bool:
    """Return whether a column has the cells' own names, which `plain_rows` takes from the index."""
    return re.fullmatch(f"{NAME_COLUMN}_*", str(column)) is not None


def names_in(rows: pd.DataFrame) -> list[pd.Series]:
    """Return the columns of row names as text, "" where a row has none."""
    found = [rows[name] for name in rows if is_name(name)]
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


def _in_native_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Turn numbers whose bytes come in the other order, as from FITS or IDL, which pandas cannot select."""
    foreign = {
        name: dtype.newbyteorder("=")
        for name, dtype in rows.dtypes.items()
        if isinstance(dtype, np.dtype) and not dtype.isnative
    }
    return rows.astype(foreign) if foreign else rows


def _words(values: pd.Index) -> np.ndarray:
    return np.array([None if missing else str(value) for value, missing in zip(values, values.isna(), strict=True)])
