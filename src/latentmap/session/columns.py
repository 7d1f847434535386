"""Columns and tables of any pandas type, as arrays of numbers."""

import json
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from latentmap.table import KEY


@dataclass(frozen=True, eq=False)
class StoredColumn:
    """A column as arrays of numbers.

    Attributes
    ----------
    kind : {"numbers", "nullable", "categories", "objects", "text"}
        numpy's numbers, booleans and times; pandas' nullable numbers and booleans; categories; Python objects, such as
        words; pandas' type of text.
    values : ndarray, shape (n,)
        The numbers; or the index of each row's category or word, -1 for none.
    gaps : ndarray of bool, shape (n,), or None
        Where a nullable number is missing.
    words : ndarray of uint8 or None
        The distinct objects, as JSON.
    categories : StoredColumn or None
        The categories.
    ordered : bool
        Whether the categories have an order.
    storage, missing : str
        For pandas' type of text: its storage, and its missing value, "NA" or "nan".

    Examples
    --------
    >>> column = StoredColumn.of(pd.Series(["B", None, "T", "B"], dtype=object))
    >>> column.kind, column.values, bytes(column.words)
    ('objects', array([0, 1, 2, 0], dtype=int32), b'["B", null, "T"]')
    >>> column.array()
    array(['B', None, 'T', 'B'], dtype=object)
    """

    kind: Literal["numbers", "nullable", "categories", "objects", "text"]
    values: np.ndarray
    gaps: np.ndarray | None = None
    words: np.ndarray | None = None
    categories: "StoredColumn | None" = None
    ordered: bool = False
    storage: str = ""
    missing: str = ""

    def __post_init__(self) -> None:
        if self.values.ndim != 1 or self.values.dtype.kind not in "biufcmM":
            raise ValueError("a column is not made of numbers")

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(cls, column: pd.Series | pd.Index) -> "StoredColumn":
        """Take a column apart.

        Raises
        ------
        ValueError
            If its type is none of the kinds, or it holds objects other than words, numbers and booleans.
        """
        dtype: Any = column.dtype
        array: Any = column.array
        if isinstance(dtype, np.dtype) and not dtype.hasobject:
            return cls("numbers", column.to_numpy())
        if isinstance(dtype, pd.CategoricalDtype):
            return cls("categories", array.codes, categories=cls.of(dtype.categories), ordered=bool(dtype.ordered))
        if isinstance(array, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
            plain = dtype.numpy_dtype
            return cls("nullable", array.to_numpy(plain, na_value=plain.type(0)), gaps=np.asarray(array.isna()))
        if isinstance(dtype, pd.StringDtype):
            missing = "NA" if dtype.na_value is pd.NA else "nan"
            words = np.array(array, dtype=object)
            words[array.isna()] = pd.NA
            return cls("text", *_codes(words, column.name), storage=dtype.storage, missing=missing)
        if isinstance(dtype, np.dtype):
            return cls("objects", *_codes(column.to_numpy(), column.name))
        raise ValueError(
            f'The column "{column.name}" is of the type {dtype}, which a session file cannot hold: turn it into '
            "numbers, words or categories."
        )

    def array(self) -> Any:
        """Put the column together again.

        Raises
        ------
        ValueError
            If the parts do not belong together.
        """
        if self.kind == "numbers":
            return self.values
        if self.kind == "nullable":
            kinds = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}
            return kinds.get(self.values.dtype.kind, pd.arrays.IntegerArray)(self.values, self.gaps)
        if self.kind == "categories":
            return pd.Categorical.from_codes(self.values, self._names(), ordered=self.ordered)
        words = _objects(self.values, self.words)
        return pd.array(words, dtype=_text(self.storage, self.missing)) if self.kind == "text" else words

    def _names(self) -> Any:
        if self.categories is None:
            raise ValueError("the categories of a column are missing")
        return self.categories.array()


@dataclass(frozen=True, eq=False)
class StoredKeys:
    """The keys of cells, as columns."""

    layers: StoredColumn
    frames: StoredColumn
    labels: StoredColumn

    @classmethod
    def of(cls, index: pd.MultiIndex) -> "StoredKeys":
        """Take keys apart.

        Parameters
        ----------
        index : pandas.MultiIndex of (layer, frame, label)
        """
        return cls(*(StoredColumn.of(index.get_level_values(part)) for part in KEY))

    def index(self) -> pd.MultiIndex:
        """Put the keys together again.

        Returns
        -------
        pandas.MultiIndex of (layer, frame, label)

        Raises
        ------
        ValueError
            If they are not keys, or a cell has two rows.
        """
        layers, frames, labels = (column.array() for column in (self.layers, self.frames, self.labels))
        numbered = frames.dtype.kind in "iu" and labels.dtype.kind in "iu"
        if not numbered or not all(isinstance(layer, str) for layer in pd.unique(layers)):
            raise ValueError("the keys are not made of a layer's name and two whole numbers")
        index = pd.MultiIndex.from_arrays([layers, frames, labels], names=KEY)
        if not index.is_unique:
            raise ValueError("a cell has two rows")
        return index


@dataclass(frozen=True, eq=False)
class StoredTable:
    """A table of cells, as columns.

    Attributes
    ----------
    keys : StoredKeys
        The keys of the rows.
    names : StoredColumn
        The names of the columns.
    columns : tuple of StoredColumn
        The columns.
    """

    keys: StoredKeys
    names: StoredColumn
    columns: tuple[StoredColumn, ...]

    @classmethod
    def of(cls, table: pd.DataFrame) -> "StoredTable":
        """Take a table apart.

        Parameters
        ----------
        table : pandas.DataFrame
            Its index holds keys (layer, frame, label).

        Raises
        ------
        ValueError
            If a column cannot be written.
        """
        columns = tuple(StoredColumn.of(table.iloc[:, place]) for place in range(table.shape[1]))
        return cls(StoredKeys.of(cast(pd.MultiIndex, table.index)), StoredColumn.of(table.columns), columns)

    def table(self) -> pd.DataFrame:
        """Put the table together again.

        Raises
        ------
        ValueError
            If the parts do not belong together.
        """
        index, names = self.keys.index(), pd.Index(self.names.array())
        if len(names) != len(self.columns) or any(len(column) != len(index) for column in self.columns):
            raise ValueError("the columns of a table are not equally long")
        arrays = {place: column.array() for place, column in enumerate(self.columns)}
        # From objects, pandas 3 would make words.
        series = {place: pd.Series(array, index, dtype=array.dtype) for place, array in arrays.items()}
        return pd.DataFrame(series, index).set_axis(names, axis=1)


def _codes(objects: np.ndarray, name: Any) -> tuple[np.ndarray, None, np.ndarray]:
    """The index of each object among the distinct ones, -1 for pandas' NA, and the distinct ones as JSON."""
    places: dict[Any, int] = {}
    codes = np.empty(len(objects), dtype=np.int32)
    for row, value in enumerate(objects):
        if isinstance(value, np.generic):
            value = value.item()
        if not (value is pd.NA or value is None or isinstance(value, str | int | float)):
            raise ValueError(
                f'The column "{name}" holds {type(value).__name__} objects, which a session file cannot hold: turn '
                "them into numbers or words."
            )
        # NaN does not equal itself, 1 equals True and 1.0, and 0.0 equals -0.0.
        key = (type(value), repr(value) if isinstance(value, float) else value)
        codes[row] = -1 if value is pd.NA else places.setdefault(key, len(places))
    words = [float(value) if kind is float else value for kind, value in places]
    return codes, None, np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)


def _objects(codes: np.ndarray, words: np.ndarray | None) -> np.ndarray:
    known = json.loads(words.tobytes()) if words is not None and words.dtype == np.uint8 else None
    if not isinstance(known, list) or not all(word is None or isinstance(word, str | int | float) for word in known):
        raise ValueError("the words of a column are missing")
    if len(codes) and not -1 <= codes.min() <= codes.max() < len(known):
        raise ValueError("a column names words that are not there")
    lookup = np.empty(len(known) + 1, dtype=object)
    lookup[:] = [*known, pd.NA]
    objects: np.ndarray = lookup[codes]
    return objects


def _text(storage: str, missing: str) -> Any:
    if storage not in ("python", "pyarrow"):
        raise ValueError("a column of words is of no known type")
    options = {} if missing == "NA" else {"na_value": np.nan}
    try:
        return pd.StringDtype(storage, **options)
    except ImportError:
        return pd.StringDtype("python", **options)
