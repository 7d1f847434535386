"""Columns of text that hold numbers, and what is said of those that do not."""

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from latentmap.table.decimals import TextSummary, fixed_mark, numbers_of, texts_of, to_python
from latentmap.table.wording import listed, shortened_list

MISSING = (
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "nan", "NaN", "-nan", "-NaN", "NULL", "null", "None"),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""What pandas takes for a missing value unless it is told otherwise."""
EXACT: Mapping[str, Any] = MappingProxyType(
    {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}
)
"""What ``pandas.read_csv`` has to be given to read numbers to the last digit; from 3.1 on it does so by itself."""
SPREADSHEET_ERRORS = (
    "#NV",
    "#N/A",
    "#DIV/0!",
    "#WERT!",
    "#VALUE!",
    "#ZAHL!",
    "#NUM!",
    "#BEZUG!",
    "#REF!",
    "#NAME?",
    "#NULL!",
)
"""What spreadsheets show where a number cannot be computed."""


# Numbers from here on have more than 15 digits, and a few rows.
_NOT_EXACT, _FIRST = 1e15, 1000
_MIXED = "some numbers have a decimal point and others a decimal comma. Save the table with a decimal point."


class Unreadable(ValueError):
    """A table cannot be read; the message says why, and what to do."""


def texts_in(rows: pd.DataFrame, words: Collection[str]) -> dict[str, TextSummary]:
    """Inspect the columns of text, except those that stay text."""
    found = {
        name: texts_of(rows[name]) for name in rows if not is_numeric_dtype(rows[name].dtype) and name not in words
    }
    return {str(name): texts for name, texts in found.items() if texts is not None}


def marks_in(texts: Iterable[TextSummary]) -> set[str]:
    """Return the decimal marks in columns of numbers."""
    return {mark for one in texts if one.are_numbers for mark in one.marks}


def with_numbers(
    rows: pd.DataFrame,
    texts: Mapping[str, TextSummary],
    mark_of: Callable[[TextSummary], str | None],
    *,
    keys: Collection[str],
    name_of_file: str,
    is_certain: bool,
) -> list[str]:
    """Turn columns of text into numbers, in place.

    Parameters
    ----------
    rows : pandas.DataFrame
    texts : mapping of str to TextSummary
        The columns of text.
    mark_of : callable
        Returns a column's decimal mark, or None if it is unknown.
    keys : collection of str
        Columns that stay text, with a decimal point, so that no digit is lost.
    name_of_file : str
        For messages.
    is_certain : bool
        Whether the table shows its decimal mark; if not, the notes say how ambiguous numbers were read.

    Returns
    -------
    list of str
        Notes: which columns do not hold numbers, and how ambiguous numbers were read.

    Raises
    ------
    Unreadable
        If a key is ambiguous, or has both decimal marks.
    """
    taken, unclear, odd, mixed = [], {}, [], []
    fixed = fixed_mark(found for name, found in texts.items() if name not in keys)
    for name, found in texts.items():
        if not found.are_numbers:
            odd += (
                [f'"{name}" (such as "{found.not_numbers}")'] if found.starts_like_number and name not in keys else []
            )
            continue
        if len(found.marks) > 1:
            mixed.append(name)
            continue
        mark = mark_of(found)
        guess = found.fixed_mark if mark is None and found.fixed_mark == fixed and name not in keys else None
        mark = mark or guess
        if mark is None and found.ambiguous:
            unclear[name] = found.ambiguous
            continue
        rows[name] = numbers_of(rows[name], mark or ".", as_text=name in keys)
        plain = to_python(found.ambiguous, mark or ".") if found.ambiguous else None
        if guess or (plain != found.ambiguous and not is_certain):
            taken.append(f'"{found.ambiguous}" as {plain} in "{name}"')
    if ambiguous_keys := [name for name in unclear if name in keys]:
        raise Unreadable(_ambiguous(f'"{name_of_file}", column "{ambiguous_keys[0]}"', unclear[ambiguous_keys[0]]))
    if mixed_keys := [name for name in mixed if name in keys]:
        raise Unreadable(f'"{name_of_file}", column "{mixed_keys[0]}": {_MIXED}')
    notes = [f"Not numbers, so no features: {shortened_list(odd)}."] if odd else []
    if mixed:
        notes.append(f"Not read as numbers: {listed(mixed)}: {_MIXED}")
    if unclear:
        notes.append(_ambiguous(f"Not read as numbers: {listed(list(unclear))}", next(iter(unclear.values()))))
    if taken:
        notes.append(f"Read, though it could be another number: {shortened_list(taken)}.")
    return notes


def may_hold_identifiers(column: pd.Series) -> bool:
    """Return whether a column that was read as numbers or text may hold digits alone.

    Examples
    --------
    >>> [may_hold_identifiers(pd.Series(values)) for values in ([1, 2], [1.0, None], [1.5, 2.0], ["12", None], ["a"])]
    [True, True, False, True, False]
    """
    if is_bool_dtype(column.dtype):
        return False
    if is_float_dtype(column.dtype):
        numbers = column.to_numpy()
        # Measurements are told by their first numbers.
        return all((np.isnan(part) | (part == np.trunc(part))).all() for part in (numbers[:_FIRST], numbers))
    known = column.dropna()
    return is_numeric_dtype(column.dtype) or (len(known) > 0 and str(known.iloc[0]).strip().isdecimal())


def is_rounded(column: pd.Series) -> bool:
    """Return whether numbers are so large that they may have lost digits, or are still text."""
    return not is_numeric_dtype(column.dtype) or bool((column.abs() >= _NOT_EXACT).any())


def distinct_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return distinct names of columns, and a note on those that had to be changed."""
    taken: dict[str, None] = {}
    repeated: list[str] = []
    for place, name in enumerate(names):
        new, number = name or f"Unnamed: {place}", 1
        while new in taken:
            new, number = f"{name}.{number}", number + 1
        repeated += [name] if new != name and name else []
        taken[new] = None
    note = f"Several columns are named {listed(sorted(set(repeated)))}: all but the first get a number after the name."
    return [*taken], [note] if repeated else []


def _ambiguous(what: str, text: str) -> str:
    readings = " or ".join(str(to_python(text, mark)) for mark in (".", ","))
    return f'{what}: "{text}" may be {readings}. Save the table with a decimal point, and without thousands separators.'
