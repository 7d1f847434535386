"""Tables in Excel workbooks."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd

from latentmap.table.decimals import TextSummary
from latentmap.table.files.footers import N_LAST, footer_of
from latentmap.table.files.repeated_names import repeats_note
from latentmap.table.files.sheet_markup import SheetMarkup
from latentmap.table.files.text_layout import MOST_RECORDS, are_identifiers, layout_of
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
    """The first sheet of a workbook that is not empty; hidden ones come last.

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
    _not_calculated: frozenset[str] = frozenset()

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
            # Hidden sheets hold lists and sums of their own.
            for sheet in sorted(book.worksheets, key=lambda one: one.sheet_state != "visible"):
                # Some programs store a wrong size of the sheet.
                sheet.reset_dimensions()
                records = list(_records(sheet.iter_rows(values_only=True)))
                if any(records):
                    others = [title for title in titles if title != sheet.title]
                    return cls._of(path, sheet.title, others, records, _markup(path, sheet))
        finally:
            book.close()
        raise Unreadable(f'"{path.name}" is empty: there is no cell in it.')

    @classmethod
    def _of(cls, path: Path, title: str, others: list[str], sheet: list[list[Any]], markup: SheetMarkup) -> "Workbook":
        markup.fill(sheet)
        margin = _margin(sheet)
        records = [row[margin:] for row in sheet]
        layout = layout_of(_as_text(records[:MOST_RECORDS]))
        names, notes = distinct_names(_without_end(layout.names, ""))
        below = records[layout.n_before :]
        footer = footer_of(_as_text(below[-N_LAST:]), names, layout.sample)
        cells = [row for row in below[: len(below) - footer.n_records] if row]
        rows = [row for row, text in zip(cells, _as_text(cells), strict=True) if text != layout.names]
        notes = [*layout.notes, *footer.notes, *repeats_note(len(cells) - len(rows)), *notes]
        for place, row in enumerate(rows):
            if len(row) > len(names):
                raise Unreadable(
                    f'"{path.name}", sheet "{title}", row {place + 1} of the cells: {len(row)} values, but the first '
                    f"row names {len(names)} columns. Give every column a name."
                )
        places = dict(enumerate(names, start=margin))
        notes += markup.notes(sheet, layout.n_before, places)
        if others:
            notes.append(f'Read from the sheet "{title}"; not read: {listed(others)}.')
        filled = [row + [None] * (len(names) - len(row)) for row in rows]
        return cls(path, names, notes, filled, frozenset(places[at] for at in markup.without_result if at in places))

    def read(self, *, words: Collection[str], keys: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
        """Return the rows. Numbers that are stored as text become numbers, whatever their decimal mark.

        Parameters
        ----------
        words, keys : collection of str
            As for :meth:`~latentmap.table.files.delimited_text.DelimitedText.read`.

        Returns
        -------
        rows : pandas.DataFrame
        notes : list of str

        Raises
        ------
        Unreadable
            If a key is ambiguous, or a formula without a result.
        """
        if missing := [name for name in keys if name in self._not_calculated]:
            raise Unreadable(
                f'"{self.path.name}": column "{missing[0]}" says which cell a row is, but its formulas have no '
                "results. Open the workbook in Excel or LibreOffice, and save it again: this calculates them."
            )
        columns = list(zip(*self._records, strict=True)) if self._records else [() for _ in self.names]
        given = dict(zip(self.names, columns, strict=True))
        digits = {name for name, values in given.items() if name not in (*words, *keys) and _are_digits(values)}
        rows = pd.DataFrame({name: _column(values, name in words, name in digits) for name, values in given.items()})
        words = {*words, *digits}
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
    """Rows without the blank cells at their ends; blank rows are empty."""
    for row in rows:
        yield _without_end([None if value in SPREADSHEET_ERRORS or value == "" else value for value in row], None)


def _without_end(record: list[Any], blank: Any) -> list[Any]:
    n_filled = next((place + 1 for place in reversed(range(len(record))) if record[place] != blank), 0)
    return record[:n_filled]


def _margin(records: list[list[Any]]) -> int:
    """How many columns to the left of the table are blank."""
    return min(next(place for place, value in enumerate(row) if value is not None) for row in records if row)


def _markup(path: Path, sheet: Any) -> SheetMarkup:
    """What the sheet says beside its values, which openpyxl does not read where it reads row by row."""
    with ZipFile(path) as archive:
        return SheetMarkup.of(archive.read(sheet._worksheet_path))


def _as_text(records: list[list[Any]]) -> list[list[str]]:
    """Rows as a text would have them; those of the table are of one length, as if no cell at their ends were blank."""
    width = max(map(len, records), default=0)
    texts = [["" if value is None else _text(value, ".") for value in row] for row in records]
    return [text + [""] * (width - len(text)) if len(text) > width / 2 else text for text in texts]


def _are_digits(values: Collection[Any]) -> bool:
    """Whether a column holds identifiers; those stored as numbers have lost their digits before."""
    return any(isinstance(value, str) for value in values) and are_identifiers(
        "" if value is None else _text(value, ".") for value in values
    )


def _column(values: Collection[Any], is_words: bool, is_digits: bool) -> pd.Series:
    """A column of numbers if all are, otherwise of text."""
    known = [value for value in values if value is not None]
    as_text = is_words or is_digits
    if not as_text and all(type(value) in (int, float) for value in known):
        return pd.Series(list(values), dtype="float64" if len(known) < len(values) or not known else None)
    if not as_text and all(type(value) is bool for value in known):
        return pd.Series(list(values))
    missing = "" if is_words else None
    # Numbers among text are written as the text writes them.
    mark = "," if TextSummary.of(value for value in known if isinstance(value, str)).marks == {","} else "."
    return pd.Series([missing if value is None else _text(value, mark) for value in values], dtype=object)


def _text(value: Any, mark: str) -> str:
    if isinstance(value, float):
        return repr(value).replace(".", mark)
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)
