"""Which columns of a table a map can be made of, and why not of the others."""

import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

_ADDED = r"variance|lost_neighbors|is_sure|neighbor_stability|start_\d+|start_variance|cells_represented"
# What a map that was written into ``obs`` has added there.
_IN_OBS = re.compile(rf"latentmap_(?:{_ADDED})")
# What a saved map has added to its table.
_OF_A_MAP = re.compile(rf"map_\d+|{_ADDED}|{_IN_OBS.pattern}")
# Columns of so many values together are read at once: to open each of 2000 genes takes longer than to look at it.
_VALUES_AT_ONCE = 100_000
# What is added to ``obs`` beside a map in ``obsm``, after its name.
_BESIDE_A_MAP = re.compile(r"(.+)_(?:variance|lost_neighbors|is_sure|neighbor_stability)")


class Columns(NamedTuple):
    """The columns of a table, each in one of these lists.

    Attributes
    ----------
    mappable : list of str
        Columns that a map can be made of.
    not_numbers : list of str
        Columns of text, categories, dates or True and False.
    of_a_map : list of str
        Coordinates of an earlier map and what is known of them: a map of these would be a map of a map.
    empty : list of str
        Columns without a finite number in any cell.
    partial : list of str
        Columns without a finite number in all cells of some layer.
    """

    mappable: list[str]
    not_numbers: list[str]
    of_a_map: list[str]
    empty: list[str]
    partial: list[str]


def numeric(features: pd.DataFrame) -> list[str]:
    """Return the names of the columns that are numbers; True and False are none."""
    return [str(name) for name, dtype in features.dtypes.items() if _is_number(dtype)]


def _is_number(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):  # what pandas does for all types takes 2000 genes 20 ms
        return dtype.kind in "iuf"
    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype) and not is_complex_dtype(dtype)


def left_of_a_map(names: Iterable[Hashable]) -> list[str]:
    """Return the columns of a table that were saved with an earlier map of its cells.

    Examples
    --------
    >>> left_of_a_map(["area", "map_1", "map_2", "variance", "class"]), left_of_a_map(["area", "variance"])
    (['map_1', 'map_2', 'variance'], [])
    >>> left_of_a_map(["map_1", "latentmap_variance", "latentmap_class"])
    ['map_1', 'latentmap_variance']
    """
    known = [str(name) for name in names]
    return [name for name in known if _OF_A_MAP.fullmatch(name)] if "map_1" in known else []


def sort_columns(features: pd.DataFrame) -> Columns:
    """Sort the columns of a table by whether a map can be made of them.

    Parameters
    ----------
    features : pandas.DataFrame, shape (n_cells, n_columns)
        One row for each cell; a level of the index is called ``layer``.

    Returns
    -------
    Columns
        If no column has a number in every layer, all columns of numbers are mappable.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_arrays([["a", "a", "b"], [1, 2, 1]], names=["layer", "label"])
    >>> rows = pd.DataFrame({"area": 4.0, "DNA": [1, np.nan, np.nan], "blank": np.nan, "type": "T"}, keys)
    >>> sort_columns(rows)
    Columns(mappable=['area'], not_numbers=['type'], of_a_map=[], empty=['blank'], partial=['DNA'])
    """
    numbers = numeric(features)
    there, left = {*numbers}, {*left_of_a_map(numbers)}
    of_a_map = [
        name
        for name in numbers
        if name in left
        or _IN_OBS.fullmatch(name)
        or ((beside := _BESIDE_A_MAP.fullmatch(name)) and f"X_{beside[1]}_1" in there)
    ]
    layer = cast(pd.MultiIndex, features.index).codes[features.index.names.index("layer")]
    sizes = np.bincount(layer) > 0
    mappable, empty, partial = list[str](), list[str](), list[str]()
    known = {*of_a_map}
    candidates = [name for name in numbers if name not in known]
    for name, finite in _finite(features, candidates):
        # Counting a million takes 5 ms, for each column.
        has_some = finite.all(keepdims=True) or np.bincount(layer, finite, len(sizes))[sizes] > 0
        (mappable if has_some.all() else partial if has_some.any() else empty).append(name)
    if not mappable:
        mappable, empty, partial = candidates, [], []
    not_numbers = [str(name) for name in features if str(name) not in there]
    return Columns(mappable, not_numbers, of_a_map, empty, partial)


def _finite(features: pd.DataFrame, names: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each of these columns, and where it is finite."""
    at_once = max(1, _VALUES_AT_ONCE // max(1, len(features)))
    for start in range(0, len(names), at_once):
        some = names[start : start + at_once]
        columns = features[some if at_once > 1 else some[0]]  # a single one is not copied
        finite = np.isfinite(columns.to_numpy(dtype=float, na_value=np.nan))
        yield from zip(some, np.atleast_2d(finite.T), strict=True)
