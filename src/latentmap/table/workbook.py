"""Tables in Excel workbooks."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pandas as pd

from latentmap.table.decimals import TextSummary
from latentmap.table.text_numbers import (
    SPREADSHEET_ERRORS,
    Unreadable,
    distinct_names,
    marks_in,
    texts_in,
    with_numbers,
)
from latentmap.table.wording import listed


@dataclass(frozen=True)
class Workbook:
    """The first sheet of a workbook that is not empty.

    Attributes
    ----------
    path : pathlib.Path
    names : list of str
        The columns' names, all different; columns without a name are called "Unnamed: 0" and so on.
    notes : list of str
        Sentences for the user.
    """

    path: Path
    names: list[str]
    notes: list[str]
    _records: list[list[Any]]

    @classmethod
    def open(cls, path: Path) -> "Workbook":
        """Read a sheet.

        Raises
        ------
        Unreadable
            If all sheets are empty, or a row has more values than there are columns.
        """
        from openpyxl import load_workbook

        book = load_workbook(path, read_only=True, data_only=True)
        try:
            titles = [sheet.title for sheet in book.worksheets]
            for sheet in book.worksheets:
                # Some programs store a wrong size of the sheet.
                sheet.reset_dimensions()
                if records := list(_records(sheet.iter_rows(values_only=True))):
                    return cls._of(path, sheet.title, [title for title in titles if title != sheet.title], records)
        finally:
            book.close()
        raise Unreadable(f'"{path.name}" is empty: there is no cell in it.')

    @classmethod
    def _of(cls, path: Path, title: str, others: list[str], records: list[list[Any]]) -> "Workbook":
        header, *rows = records
        names, notes = distinct_names(["" if name is None else str(name).strip() for name in header])
        for place, row in enumerate(rows):
            if len(row) > len(names):
                raise Unreadable(
                    f'"{path.name}", sheet "{title}", row {place + 1} of the cells: {len(row)} values, but the first '
                    f"row names {len(names)} columns. Give every column a name."
                )
        if others:
            notes.append(f'Read from the sheet "{title}"; not read: {listed(others)}.')
        return cls(path, names, notes, [row + [None] * (len(names) - len(row)) for row in rows])

    def read(self, *, words: Collection[str], keys: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
        """Return the rows. Numbers that are stored as text become numbers, whatever their decimal mark.

        Parameters
        ----------
        words, keys : collection of str
            As for :meth:`~latentmap.table.delimited_text.DelimitedText.read`.

        Returns
        -------
        rows : pandas.DataFrame
        notes : list of str

        Raises
        ------
        Unreadable
            If a key is ambiguous.
        """
        columns = zip(*self._records, strict=True) if self._records else ([] for _ in self.names)
        rows = pd.DataFrame(
            {name: _column(values, name in words) for name, values in zip(self.names, columns, strict=True)}
        )
        texts = texts_in(rows, words)
        marks = marks_in(texts.values())

        def mark_of(found: Any) -> str | None:
            known = found.marks or marks
            return next(iter(known)) if len(known) == 1 else None

        notes = with_numbers(
            rows, texts, mark_of, keys=set(keys) - set(words), name_of_file=self.path.name, is_certain=bool(marks)
        )
        return rows, [*self.notes, *notes]


def _records(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[Any]]:
    """Rows that are not blank, without the blank cells at their ends."""
    for row in rows:
        record = [None if value in SPREADSHEET_ERRORS or value == "" else value for value in row]
        while record and record[-1] is None:
            record.pop()
        if record:
            yield record


def _column(values: Collection[Any], is_words: bool) -> pd.Series:
    """A column of numbers if all are, otherwise of text."""
    known = [value for value in values if value is not None]
    if not is_words and all(type(value) in (int, float) for value in known):
        return pd.Series(list(values), dtype="float64" if len(known) < len(values) or not known else None)
    if not is_words and all(type(value) is bool for value in known):
        return pd.Series(list(values))
    missing = "" if is_words else None
    # Numbers among text are written as the text writes them.
    mark = "," if TextSummary.of(value for value in known if isinstance(value, str)).marks == {","} else "."
    return pd.Series([missing if value is None else _text(value, mark) for value in values], dtype=object)


def _text(value: Any, mark: str) -> str:
    if isinstance(value, float):
        return repr(value).replace(".", mark)
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)
