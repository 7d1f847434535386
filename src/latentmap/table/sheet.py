"""What there is to save of a map, and what the formats of files ask of a table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pandas as pd
from pandas.api.types import infer_dtype

from latentmap.table.wording import listed

PROVENANCE = "latentmap"
"""Where Parquet and AnnData keep the record of what made the table."""

# What infer_dtype calls a column of objects, and the type that holds it.
_KINDS: dict[str, Any] = {
    "string": object,
    "boolean": "boolean",
    "integer": "Int64",
    "floating": float,
    "mixed-integer-float": float,
    "empty": float,
}


@dataclass(frozen=True, eq=False)
class Sheet:
    """What there is to save of a map.

    Attributes
    ----------
    rows : pandas.DataFrame, shape (n_cells, n_columns)
        One row a cell: the columns ``layer``, ``frame`` and ``label``, and all those that are named below.
    features : tuple of str
        The columns that shaped the map.
    coordinates : tuple of str
        The columns of a cell's place on the map.
    added : tuple of str
        The columns that came with the map besides: ``variance``, ``class``.
    provenance : mapping
        What made the map; JSON can hold it.
    """

    rows: pd.DataFrame
    features: tuple[str, ...] = ()
    coordinates: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def as_json(record: Mapping[str, Any], **layout: Any) -> str:
    """Write a record as JSON that every program can read.

    Parameters
    ----------
    record : mapping
    **layout
        As for `json.dumps`.

    Examples
    --------
    >>> as_json({"stain": "µ", "seed": 0})
    '{"stain": "µ", "seed": 0}'
    """
    return json.dumps(dict(record), ensure_ascii=False, allow_nan=False, **layout)


def distinct(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its columns named by text, no two alike.

    Raises
    ------
    ValueError
        If two columns share a name.
    """
    rows = rows.rename(columns=str)
    if repeated := list(rows.columns[rows.columns.duplicated()].unique()):
        raise ValueError(f"Several columns are named {listed(repeated)}: give each a name of its own.")
    return rows


def uniform(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table with every column in one type, as Parquet and AnnData want it.

    Returns
    -------
    pandas.DataFrame
        Whole numbers and truth values keep that some are missing; what is mixed has become text.

    Examples
    --------
    >>> rows = uniform(pd.DataFrame({"divides": [True, None], "phase": [1, "G1"]}))
    >>> rows["divides"].dtype, rows["phase"].tolist()
    (BooleanDtype, ['1', 'G1'])
    """
    return pd.DataFrame({name: _uniform(rows[name]) for name in rows}, rows.index)


def text(column: pd.Series) -> pd.Series:
    """Return a column as text, None where nothing is known."""
    column = column.astype(object)
    return column.map(str, na_action="ignore").where(column.notna(), None)


def _uniform(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        is_one = infer_dtype(column.cat.categories) in _KINDS
        return column if is_one else _uniform(column.astype(object))
    if column.dtype != object and not isinstance(column.dtype, pd.ArrowDtype):
        return column
    kind = _KINDS.get(infer_dtype(column.astype(object), skipna=True))
    return text(column) if kind is None else column.astype(kind)
