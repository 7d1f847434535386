"""The table of a map to be saved, and what file formats require of a table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pandas as pd
from pandas.api.types import infer_dtype

from latentmap.table.wording import listed

PROVENANCE = "latentmap"
"""The key under which Parquet and AnnData files hold the record of how the map was made."""

CLASSES_FROM = "classes_from"
"""The entry of a record that names the column with the classes, if that is not ``class``."""

OWN_COLUMNS = "own_columns"
"""The entry of a record with the new names of columns of the table whose names the map needed, by the old ones."""

# infer_dtype's names for columns of objects, and the types that can hold them.
_KINDS: dict[str, Any] = {
    "string": object,
    "boolean": "boolean",
    "integer": "Int64",
    "floating": float,
    "mixed-integer-float": float,
    "empty": float,
}


@dataclass(frozen=True, eq=False)
class MapTable:
    """The table of a map to be saved, with the record of how the map was made.

    Attributes
    ----------
    rows : pandas.DataFrame, shape (n_cells, n_columns)
        One row per cell: the columns ``layer``, ``frame`` and ``label``, and all those named below.
    features : tuple of str
        The columns that shaped the map.
    coordinates : tuple of str
        The columns of a cell's coordinates on the map.
    added : tuple of str
        Further columns that came with the map: ``variance``, ``class``.
    provenance : mapping
        The record of how the map was made, of values that JSON can hold.
    colours : mapping of str to mapping of str to str
        The colours of the groups in a column, as ``#rrggbb`` by column and group.
    notes : tuple of str
        Sentences for the user: which columns have other names than one would expect.
    """

    rows: pd.DataFrame
    features: tuple[str, ...] = ()
    coordinates: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    colours: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def features_of(made: MapTable) -> pd.DataFrame:
    """Return the features that shaped a map, under the keys (layer, frame, label) of its cells."""
    return made.rows.set_index(["layer", "frame", "label"])[list(made.features)]


def as_json(record: Mapping[str, Any], **layout: Any) -> str:
    """Write a record as strict JSON; options as for `json.dumps`.

    Examples
    --------
    >>> as_json({"stain": "µ", "seed": 0})
    '{"stain": "µ", "seed": 0}'
    """
    return json.dumps(dict(record), ensure_ascii=False, allow_nan=False, **layout)


def with_distinct_names(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose column names are text and differ.

    Raises
    ------
    ValueError
        If two columns share a name.
    """
    rows = rows.rename(columns=str)
    if repeated := list(rows.columns[rows.columns.duplicated()].unique()):
        raise ValueError(f"Several columns are named {listed(repeated)}: give each a name of its own.")
    return rows


def with_uniform_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table with one type per column, as Parquet and AnnData require.

    Returns
    -------
    pandas.DataFrame
        Whole numbers and booleans keep their gaps; mixed columns become text.

    Examples
    --------
    >>> rows = with_uniform_columns(pd.DataFrame({"divides": [True, None], "phase": [1, "G1"]}))
    >>> rows["divides"].dtype, rows["phase"].tolist()
    (BooleanDtype, ['1', 'G1'])
    """
    return pd.DataFrame({name: _uniform(rows[name]) for name in rows}, rows.index)


def as_text(column: pd.Series) -> pd.Series:
    """Return a column as text, None where a value is missing."""
    column = column.astype(object)
    return column.map(str, na_action="ignore").where(column.notna(), None)


def _uniform(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        is_one = infer_dtype(column.cat.categories) in _KINDS
        return column if is_one else _uniform(column.astype(object))
    if column.dtype != object and not isinstance(column.dtype, pd.ArrowDtype):
        return column
    kind = _KINDS.get(infer_dtype(column.astype(object), skipna=True))
    return as_text(column) if kind is None else column.astype(kind)
