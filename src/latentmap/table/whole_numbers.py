"""Numbers of cells and frames: whole numbers, read exactly as they were written."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import (
    infer_dtype,
    is_bool_dtype,
    is_complex_dtype,
    is_float_dtype,
    is_integer_dtype,
    is_numeric_dtype,
)

from latentmap.table.text_numbers import Unreadable
from latentmap.table.wording import counted

LARGEST = 2**63 - 1
"""The largest number that a cell can have."""

_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?|inf(inity)?)", re.IGNORECASE)
# Numbers with more decimal digits are not converted exactly.
_MOST_DIGITS = 40
# infer_dtype's names for columns of objects that may hold numbers; dates and booleans do not.
_MAY_BE = {"string", "integer", "floating", "mixed-integer", "mixed-integer-float", "mixed", "decimal", "empty"}


def whole_numbers(column: pd.Series, layer: str) -> np.ndarray:
    """Return the whole numbers in a column, exactly as they were written.

    Parameters
    ----------
    column : pandas.Series
        Whole numbers, floats that are whole, or either as text.
    layer : str
        The layer that the table belongs to, for error messages.

    Returns
    -------
    ndarray of int64, shape (n,)

    Raises
    ------
    ValueError
        If a row has no number, or one that is not whole or too large to be exact.

    Examples
    --------
    >>> whole_numbers(pd.Series(["3", "9007199254740993.0"]), "nuclei").tolist()
    [3, 9007199254740993]
    >>> whole_numbers(pd.Series([3, 1e19], name="label"), "nuclei")
    Traceback (most recent call last):
    ValueError: In the table of "nuclei" column "label" holds 1e+19: a cell's number is at most 9223372036854775807.
    """
    said = f'In the table of "{layer}" column "{column.name}"'
    if not _may_be_numbers(column):
        raise ValueError(f"{said} must hold whole numbers, not {_example(column)}.")
    if (numbers := _if_all_exact(column)) is not None:
        return numbers
    codes, values = pd.factorize(column.astype(object))
    exact: list[Any] = [_exact(value) for value in values]
    no_number = np.array([*(number is None for number in exact), True])[codes]
    if n_missing := int(no_number.sum()):
        example = next((f' (such as "{value}")' for value, one in zip(values, exact, strict=True) if one is None), "")
        raise ValueError(
            f'In the table of "{layer}" {counted(n_missing, "row")} without a number in column '
            f'"{column.name}"{example}: every row must say which cell it belongs to.'
        )
    digits = _digits(column)
    for number, value in zip(exact, values, strict=True):
        if abs(number) > LARGEST:
            raise ValueError(f"{said} holds {value}: a cell's number is at most {LARGEST}.")
        if not isinstance(number, int):
            raise ValueError(f"{said} must hold whole numbers, not {value}.")
        if isinstance(value, float | np.floating) and abs(number) >= 2**digits:
            raise ValueError(
                f"{said} holds {number} as a decimal number of {digits} binary digits, which may be rounded: write the "
                "column as whole numbers."
            )
    return np.array(exact, dtype=np.int64)[codes]


def whole_or_none(column: pd.Series) -> np.ndarray:
    """Return the whole numbers in a column, and 0, which is no cell's number, where there is no exact one.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> whole_or_none(pd.Series([3, None, 1e19, float("inf"), "no"])).tolist()
    [3, 0, 0, 0, 0]
    """
    if not _may_be_numbers(column):
        return np.zeros(len(column), dtype=np.int64)
    if (numbers := _if_all_exact(column)) is not None:
        return numbers
    codes, values = pd.factorize(column.astype(object))
    most = 2 ** _digits(column)
    exact = [_exact(value) for value in values]
    kept = [
        number if isinstance(number, int) and abs(number) <= (most if isinstance(value, float) else LARGEST) else 0
        for number, value in zip(exact, values, strict=True)
    ]
    return np.array([*kept, 0], dtype=np.int64)[codes]


def whole_labels(pixels: Any, layer: str) -> np.ndarray:
    """Return labels as an array, after checking that every number in them is whole and fits int64.

    Parameters
    ----------
    pixels : array_like of int, or of float that holds whole numbers
        Each cell's number at the pixels it covers.
    layer : str
        The name of the labels, for error messages.

    Returns
    -------
    ndarray of int
        Of the type given; of floats, as some programs keep labels, int64.

    Raises
    ------
    Unreadable
        If they are not whole numbers, or one is too large.

    Examples
    --------
    >>> whole_labels(np.array([[0, 1000]], dtype=np.uint64), "nuclei")
    array([[   0, 1000]], dtype=uint64)
    """
    labels: np.ndarray = np.asarray(pixels)
    if labels.dtype.kind == "f":
        return _of_floats(labels, layer)
    if labels.dtype.kind not in "iub":
        raise Unreadable(f'"{layer}" does not hold whole numbers ({labels.dtype}): labels are the cells\' numbers.')
    if labels.dtype.kind == "u" and labels.dtype.itemsize == 8 and labels.size and (most := labels.max()) > LARGEST:
        raise Unreadable(
            f'"{layer}" holds label {most}, but a cell\'s number is at most {LARGEST}: renumber the cells, for '
            "instance with skimage.segmentation.relabel_sequential."
        )
    return labels


def _of_floats(labels: np.ndarray, layer: str) -> np.ndarray:
    """Labels that a program keeps as floats, as whole numbers, if all of them are."""
    if (odd := labels[~(labels == np.trunc(labels)) | np.isinf(labels)]).size:
        raise Unreadable(
            f'"{layer}" holds {odd[0]:g}, which is no whole number, so cells cannot be told apart: number them first, '
            "for instance with skimage.measure.label."
        )
    digits = np.finfo(labels.dtype).nmant + 1
    if labels.size and (most := np.abs(labels).max()) >= 2.0**digits:
        raise Unreadable(
            f'"{layer}" holds label {most:.0f} as a decimal number of {digits} binary digits ({labels.dtype}), which '
            "may be rounded: save the labels as whole numbers."
        )
    whole: np.ndarray = labels.astype(np.int64)
    return whole


def _may_be_numbers(column: pd.Series) -> bool:
    """Whether a column's type can hold numbers; pandas would convert dates and booleans, too."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _may_be_numbers(pd.Series(dtype.categories))
    if isinstance(dtype, pd.StringDtype):
        return True
    if is_numeric_dtype(dtype):
        return not (is_bool_dtype(dtype) or is_complex_dtype(dtype))
    return infer_dtype(column.astype(object), skipna=True) in _MAY_BE


def _if_all_exact(column: pd.Series) -> np.ndarray | None:
    """The numbers of a column that holds nothing else, if all of them are exact."""
    numbers = pd.to_numeric(column if is_numeric_dtype(column.dtype) else column.astype(object), errors="coerce")
    if numbers.isna().any() or infer_dtype(column, skipna=True).startswith("mixed"):
        return None
    if is_float_dtype(numbers.dtype):
        # Text is parsed in double precision, however many digits it has.
        known = numbers.to_numpy(dtype=float)
        exact = (known == np.trunc(known)) & (np.abs(known) < 2 ** _digits(numbers))
        return known.astype(np.int64) if exact.all() else None
    if is_integer_dtype(numbers.dtype):
        kind = np.uint64 if numbers.dtype.name.lower() == "uint64" else np.int64
        whole = numbers.to_numpy(dtype=kind)
        return whole.astype(np.int64, copy=False) if kind == np.int64 or (whole <= LARGEST).all() else None
    return None


def _digits(column: pd.Series) -> int:
    """How many binary digits the decimal numbers of a column have; longer whole numbers are rounded."""
    dtype = getattr(column.dtype, "numpy_dtype", column.dtype)
    is_real = isinstance(dtype, np.dtype) and dtype.kind == "f"
    return int(np.finfo(dtype if is_real else float).nmant) + 1


def _exact(value: Any) -> int | Decimal | None:
    """A value as an exact number: an int if it is whole, None if it is not a number."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer):
        return int(value)
    written = repr(float(value)) if isinstance(value, float | np.floating) else str(value).strip()
    if not _NUMBER.fullmatch(written):
        return None
    number = Decimal(written)
    small = number.is_finite() and number.adjusted() < _MOST_DIGITS
    return int(number) if small and number == number.to_integral_value() else number


def _example(column: pd.Series) -> str:
    known = column.dropna()
    return f'"{known.iloc[0]}"' if len(known) else str(column.dtype)
