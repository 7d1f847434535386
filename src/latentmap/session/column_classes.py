"""Classes of cells from a column of their table."""

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_datetime64_any_dtype, is_float_dtype, is_numeric_dtype

from latentmap.session.cell_index import CellIndex
from latentmap.session.classes import Classes
from latentmap.session.selection import SelectionStep

MOST_WORDS = 100
"""A column with more different words is a list of names rather than of classes."""

MOST_NUMBERS = 30
"""A column with more different numbers is a measurement rather than a list of classes."""

_GLANCE = 100


def class_columns(features: pd.DataFrame) -> list[str]:
    """List the columns whose values can be classes: words, True and False, and few whole numbers.

    Parameters
    ----------
    features : pandas.DataFrame
        One row per cell.

    Examples
    --------
    >>> class_columns(pd.DataFrame({"type": ["B", "T"], "cluster": [1.0, 2.0], "area": [4.5, 5.5]}))
    ['type', 'cluster']
    """
    return [str(name) for name in features if _is_nominal(features[name])]


def classes_from_column(classes: Classes, cell_index: CellIndex, features: pd.DataFrame, name: str) -> int:
    """Put cells into classes named like their values in a column.

    Parameters
    ----------
    classes : Classes
        The user's classes; existing ones of these names get the cells, too.
    cell_index : CellIndex
        The numbers of the session's cells.
    features : pandas.DataFrame
        One row per cell, with the keys (layer, frame, label) as index.
    name : str
        The column.

    Returns
    -------
    int
        How many cells have no value; they stay in the class that they are in.

    Raises
    ------
    ValueError
        If there is no such column, or its values are not words or few whole numbers.

    Examples
    --------
    >>> cell_index = CellIndex()
    >>> numbers = cell_index.add([("cells", 0, label) for label in range(1, 5)])
    >>> classes = Classes(cell_index)
    >>> table = pd.DataFrame({"type": ["B", "T", None, "B"]}, cell_index.keys(numbers))
    >>> classes_from_column(classes, cell_index, table, "type")
    1
    >>> classes.names, classes.members("B")
    (('B', 'T'), array([0, 3]))
    """
    if name not in features:
        raise ValueError(f'The cells have no column "{name}".')
    if not _is_nominal(features[name]):
        raise ValueError(
            f'The values of "{name}" are no classes: these are at most {MOST_WORDS} different words, or at most '
            f"{MOST_NUMBERS} different whole numbers. To divide a feature into classes, draw a gate."
        )
    numbers = cell_index.add(features.index)
    indices, values = pd.factorize(_values(features[name]), sort=True)
    with classes.changed.blocked():
        for index, value in enumerate(values):
            chosen = numbers[indices == index]
            step = SelectionStep("replace", f'column "{name}"', len(chosen), len(chosen))
            classes.assign(_text(value), chosen, (step,))
    classes.changed.emit()
    return int(np.sum(indices < 0))


def _is_nominal(column: pd.Series) -> bool:
    column = _of_numbers(column)
    if is_datetime64_any_dtype(column) or is_complex_dtype(column):
        return False
    if is_float_dtype(column):
        # Of thousands of measurements, the first rows tell most that they are no whole numbers.
        first = column.iloc[:_GLANCE].to_numpy(dtype=float, na_value=np.nan)
        if (first[np.isfinite(first)] % 1 != 0).any():
            return False
    found = _values(column).dropna().unique()
    if not is_numeric_dtype(column) or is_bool_dtype(column):
        return 0 < len(found) <= MOST_WORDS and all(isinstance(value, str | bool | int | np.bool) for value in found)
    numbers = np.asarray(found, dtype=float)
    return 0 < len(numbers) <= MOST_NUMBERS and bool((np.isfinite(numbers) & (numbers == np.rint(numbers))).all())


def _values(column: pd.Series) -> pd.Series:
    """The values, without spaces around words; empty words are no value."""
    column = _of_numbers(column)
    if is_numeric_dtype(column):
        return column
    plain = column.astype(object)
    return plain.map(lambda value: (value.strip() or None) if isinstance(value, str) else value)


def _of_numbers(column: pd.Series) -> pd.Series:
    """A column of numbers, if it has these as categories."""
    categories = column.dtype.categories if isinstance(column.dtype, pd.CategoricalDtype) else None
    is_number = categories is not None and is_numeric_dtype(categories) and not is_bool_dtype(categories)
    return pd.Series(np.asarray(column), column.index) if is_number else column


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float | np.floating) else str(value)
