"""Numbers written with a decimal point or a decimal comma."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

DECIMAL_MARKS = (".", ",")
"""The decimal marks."""

# Thousands are rarely separated in each one of so many numbers.
_FEWEST_FIXED = 10

_GROUPS = " '’\u00a0\u202f"


def _pattern(mark: str) -> re.Pattern[str]:
    """Numbers with this decimal mark; another sign may separate thousands."""
    (other,) = set(DECIMAL_MARKS) - {mark}
    grouped = rf"[1-9]\d{{0,2}}([{other}{_GROUPS}])\d{{3}}(?:\1\d{{3}})*"
    return re.compile(rf"[+−-]?(?=[{re.escape(mark)}]?\d)(?:{grouped}|\d*)(?:[{mark}]\d*)?(?:[eE][+-]?\d+)?")


_PATTERNS = {mark: _pattern(mark) for mark in DECIMAL_MARKS}


def to_python(text: str, mark: str) -> str | None:
    """Rewrite a number as Python would.

    Parameters
    ----------
    text : str
    mark : {".", ","}
        The decimal mark; the other sign, a space or an apostrophe may separate thousands.

    Returns
    -------
    str or None
        None if the text is not a number.

    Examples
    --------
    >>> to_python("1.234,5", ","), to_python("1,234", "."), to_python("1,234", ","), to_python("0.123", ",")
    ('1234.5', '1234', '1.234', None)
    """
    if text.isdecimal():
        return text
    if not _PATTERNS[mark].fullmatch(text):
        return text if text.lower().lstrip("+-") in ("inf", "infinity") else None
    return "".join(_IN_PYTHON.get(sign, sign) for sign in text.replace(mark, "_")).replace("_", ".")


_IN_PYTHON = {"−": "-"} | dict.fromkeys([*DECIMAL_MARKS, *_GROUPS], "")


class TextSummary(NamedTuple):
    """What the distinct texts of a column tell about its numbers.

    Attributes
    ----------
    n : int
        How many texts there are.
    marks : frozenset of {".", ","}
        The decimal marks that at least one number requires.
    ambiguous : str or None
        A number that is read differently with either mark.
    not_numbers : str or None
        A text that is not a number.
    n_not_numbers : int
        How many are not numbers.
    starts_like_number : bool
        Whether some text starts like a number.
    n_ambiguous : int
        How many numbers are read differently with either mark, and have the same sign there, or are a mere 0.
    """

    n: int
    marks: frozenset[str]
    ambiguous: str | None
    not_numbers: str | None
    n_not_numbers: int
    starts_like_number: bool
    n_ambiguous: int = 0

    @classmethod
    def of(cls, texts: Iterable[str]) -> "TextSummary":
        """Inspect texts.

        Examples
        --------
        >>> TextSummary.of(["812", "1.234,5"]).marks, TextSummary.of(["812", "1.234"]).ambiguous
        (frozenset({','}), '1.234')
        """
        marks, unclear, odd, n, n_odd, n_unclear, starts = set(), None, None, 0, 0, 0, False
        for text in map(str.strip, texts):
            if not text:
                continue
            n += 1
            starts = starts or _STARTS.match(text) is not None
            if text.isdecimal():
                n_unclear += text == "0"
                continue
            point, comma = (to_python(text, mark) for mark in DECIMAL_MARKS)
            if point is None and comma is None:
                odd, n_odd = odd or text, n_odd + 1
            elif point is None or comma is None:
                marks.add(DECIMAL_MARKS[point is None])
            elif float(point) != float(comma):
                unclear = unclear or text
                n_unclear += _sign_in(text) == _sign_in(unclear)
        return cls(n, frozenset(marks), unclear, odd, n_odd, starts, n_unclear)

    @property
    def are_numbers(self) -> bool:
        """Whether all are numbers."""
        return self.n > 0 and not self.n_not_numbers

    @property
    def fixed_mark(self) -> str | None:
        """The mark of numbers that may all have three decimals; None if some have none, so that thousands are likelier.

        Examples
        --------
        >>> TextSummary.of(["812.250", "6.125"]).fixed_mark, TextSummary.of(["812", "6.125"]).fixed_mark
        ('.', None)
        """
        return _sign_in(self.ambiguous) if self.ambiguous and self.n == self.n_ambiguous else None


def fixed_mark(texts: Iterable[TextSummary]) -> str | None:
    """Return the decimal mark of a table whose numbers have three decimals behind points, as ImageJ writes them.

    None if they are few, or if columns contradict each other. Three digits behind a comma may as well be thousands.

    Examples
    --------
    >>> fixed_mark([TextSummary.of(f"{size}.250" for size in range(1, 20))])
    '.'
    """
    fixed = [one for one in texts if one.fixed_mark]
    is_one = {one.fixed_mark for one in fixed} == {"."}
    return "." if is_one and max(one.n for one in fixed) >= _FEWEST_FIXED else None


def _sign_in(text: str) -> str:
    return next(mark for mark in DECIMAL_MARKS if mark in text)


_STARTS = re.compile(r"[<>~≈±+−-]?\s*[.,]?\d")


def texts_of(column: pd.Series) -> TextSummary | None:
    """Inspect the texts of a column; None if it does not hold text."""
    if pd.api.types.infer_dtype(column, skipna=True) != "string":
        return None
    return TextSummary.of(column.dropna().unique())


def numbers_of(column: pd.Series, mark: str, *, as_text: bool) -> pd.Series:
    """Turn a column of text into numbers.

    Parameters
    ----------
    column : pandas.Series of str
        Numbers with this decimal mark, or missing values.
    mark : {".", ","}
    as_text : bool
        Whether to keep them as text, as Python would write them.

    Examples
    --------
    >>> numbers_of(pd.Series(["1.234,5", None, "7"]), ",", as_text=False).tolist()
    [1234.5, nan, 7.0]
    >>> numbers_of(pd.Series(["1.234", "7"]), ",", as_text=False).tolist()
    [1234, 7]
    """
    codes, values = pd.factorize(column.str.strip())
    known = [to_python(value, mark) for value in values]
    if as_text:
        return pd.Series(np.array([*known, None], dtype=object)[codes], column.index, dtype=object, name=column.name)
    numbers = np.array([*(np.nan if value is None else float(value) for value in known), np.nan])[codes]
    are_whole = all(value is not None and value.lstrip("+-").isdecimal() for value in known)
    if are_whole and (codes >= 0).all() and (np.abs(numbers) < 2**53).all():
        numbers = numbers.astype(np.int64)
    return pd.Series(numbers, column.index, name=column.name)


def has_decimal_points(column: pd.Series) -> bool:
    """Return whether the points in these numbers must be decimal points, and cannot separate thousands.

    Examples
    --------
    >>> has_decimal_points(pd.Series([1.234, 12.0])), has_decimal_points(pd.Series([0.25, 12.0]))
    (False, True)
    """
    sizes = column.abs().to_numpy()
    sizes = sizes[np.isfinite(sizes)]
    broken = sizes[sizes != np.trunc(sizes)]
    thousandths = np.abs(broken * 1000 - np.round(broken * 1000)) <= 1e-9 * np.abs(broken * 1000)
    return bool(((broken < 1) | (broken >= 1000) | ~thousandths).any())
