"""Columns of types that no file of ours and no scale of colours knows, as numbers or words."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_complex_dtype, is_object_dtype

from latentmap.table.libraries import import_optional

# What pandas calls columns of numbers, words and booleans.
_PLAIN = {"string", "boolean", "integer", "floating", "mixed-integer-float", "empty"}
_NULLABLE = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)


def plain_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Turn decimals, dates, intervals and the like into numbers or words; other columns stay as they are.

    Parameters
    ----------
    rows : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Decimals and Arrow's numbers are numbers of NumPy; dates with a time zone, periods, intervals, as from
        ``pandas.cut``, and all other objects are words.

    Examples
    --------
    >>> from decimal import Decimal
    >>> rows = pd.DataFrame({"area": [1.5, 2.5], "dose": [Decimal("0.1"), None]})
    >>> rows["size"] = pd.cut(rows["area"], [0, 2, 4])
    >>> plain_columns(rows).to_dict("list")
    {'area': [1.5, 2.5], 'dose': [0.1, nan], 'size': ['(0, 2]', '(2, 4]']}
    """
    plain = {place: _plain(rows.iloc[:, place]) for place in _of_other_types(rows)}
    changed = {place: column.array for place, column in plain.items() if column is not None}
    if changed:
        rows = rows.copy(deep=False)
        for place, column in changed.items():
            rows.isetitem(place, column)
    return rows


def lists_in(rows: pd.DataFrame) -> list[str]:
    """Return the columns that hold lists, arrays or the like, which can be neither compared nor stored.

    Their first values tell.

    Examples
    --------
    >>> lists_in(pd.DataFrame({"area": [1.5, 2.5], "outline": [[0, 1], None], "kind": ["T", "B"]}))
    ['outline']
    """
    return [str(rows.columns[place]) for place in _of_other_types(rows) if _holds_lists(rows.iloc[:, place])]


def _of_other_types(rows: pd.DataFrame) -> list[int]:
    """Return the places of the columns that are not NumPy's numbers: to open each of 2000 genes takes .2 s."""
    return [
        place for place, dtype in enumerate(rows.dtypes) if not (isinstance(dtype, np.dtype) and dtype.kind in "biuf")
    ]


def _holds_lists(column: pd.Series) -> bool:
    if not (is_object_dtype(column.dtype) or isinstance(column.dtype, pd.ArrowDtype)):
        return False
    first = column.dropna().iloc[:1]
    return len(first) > 0 and not isinstance(first.iloc[0], Hashable)


def _plain(column: pd.Series) -> pd.Series | None:
    """A column as numbers or words; None if it is so."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        names = _plain(pd.Series(dtype.categories))
        if names is None:
            return None
        return column.cat.rename_categories(names.tolist()) if names.is_unique else _words(column)
    if isinstance(dtype, pd.SparseDtype):
        return pd.Series(np.asarray(column), column.index)
    if isinstance(dtype, pd.ArrowDtype):
        arrow = import_optional("pyarrow", "Reading columns of Arrow")
        dense: pd.Series = arrow.array(column.array).to_pandas().set_axis(column.index)
        plain = _plain(dense)
        return dense if plain is None else plain
    if isinstance(dtype, pd.StringDtype) or isinstance(column.array, _NULLABLE):
        return None
    if isinstance(dtype, pd.api.extensions.ExtensionDtype) or is_complex_dtype(dtype):
        return _words(column)  # such as periods, intervals, dates with a time zone, and geometries
    if not is_object_dtype(dtype) or (kind := infer_dtype(column, skipna=True)) in _PLAIN:
        return None
    if kind == "decimal":
        return column.astype(float)
    return None if all(_is_plain(value) for value in column) else _words(column)


def _words(column: pd.Series) -> pd.Series:
    words = [None if _is_missing(value) else value if isinstance(value, str) else str(value) for value in column]
    return pd.Series(words, column.index, dtype=object)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | np.number | np.bool_) or _is_missing(value)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (np.ndim(value) == 0 and bool(pd.isna(value)))
