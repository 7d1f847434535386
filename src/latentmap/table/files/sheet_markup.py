"""What a sheet of a workbook says beside its values: merged cells, hidden rows, and formulas that have no result."""

import re
from collections import Counter
from typing import Any, NamedTuple

from latentmap.table.wording import counted, listed, shortened_list

_TAG = rb"<(?:\w+:)?"
_ROW = re.compile(_TAG + rb"row\b[^>]*>")
_MERGED = re.compile(_TAG + rb'mergeCell\b[^>]*\bref="([A-Z]+\d+:[A-Z]+\d+)"')
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_NUMBER = re.compile(rb'\br="[A-Z]*(\d+)"')
_LETTERS = re.compile(rb'\br="([A-Z]+)\d+"')
# A formula whose result is an empty text has a result.
_FORMULA = re.compile(
    _TAG
    + rb'c\b(?![^>]*\bt="str")([^>]*)>\s*'
    + _TAG
    + rb"f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*(?:"
    + _TAG
    + rb"v\s*/>|"
    + _TAG
    + rb"v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)


class SheetMarkup(NamedTuple):
    """What a sheet says beside its values; rows and columns count from 0.

    Attributes
    ----------
    merged : list of tuple of int
        Cells of one column that are merged: the column, the first and the last row.
    hidden : set of int
        The rows that are hidden.
    without_result : dict of int to int
        How many formulas of a column have no result.
    """

    merged: list[tuple[int, int, int]]
    hidden: set[int]
    without_result: dict[int, int]

    @classmethod
    def of(cls, text: bytes) -> "SheetMarkup":
        """Read the XML of a sheet.

        Examples
        --------
        >>> markup = SheetMarkup.of(b'<row r="2" hidden="1"><c r="B2"><f>A2/2</f></c></row><mergeCell ref="A2:A4"/>')
        >>> markup.merged, markup.hidden, markup.without_result
        ([(0, 1, 3)], {1}, {1: 1})
        """
        from openpyxl.utils import column_index_from_string, range_boundaries

        # To look for a word takes a tenth of the time, and most sheets hold none of these.
        cells_merged = _MERGED.findall(text) if b"mergeCell" in text else []
        rows = _ROW.findall(text) if b"hidden=" in text else []
        formulas = _FORMULA.findall(text) if b"<f" in text or b":f" in text else []
        ranges = (range_boundaries(found.decode()) for found in cells_merged)
        merged = [(left - 1, top - 1, bottom - 1) for left, top, right, bottom in ranges if left == right]
        hidden = {
            int(number[1]) - 1 if (number := _NUMBER.search(row)) else place
            for place, row in enumerate(rows)
            if _HIDDEN.search(row)
        }
        found = (_LETTERS.search(cell) for cell in formulas)
        columns = (column_index_from_string(letters[1].decode()) - 1 for letters in found if letters)
        return cls(merged, hidden, dict(Counter(columns)))

    def fill(self, records: list[list[Any]]) -> None:
        """Give the value of merged cells to all of their rows that hold something, in place."""
        for column, top, bottom in self.merged:
            value = records[top][column] if top < len(records) and column < len(records[top]) else None
            for record in records[top + 1 : bottom + 1]:
                if record and value is not None:
                    record += [None] * (column + 1 - len(record))
                    record[column] = value

    def notes(self, records: list[list[Any]], first: int, names: dict[int, str]) -> list[str]:
        """Say what of the cells is more, or less, than the sheet shows.

        Parameters
        ----------
        records : list of list
            All rows of the sheet.
        first : int
            The first row of the cells.
        names : dict of int to str
            The names of the columns by their places in the sheet.
        """
        notes = []
        if n_hidden := sum(row >= first and row < len(records) and bool(records[row]) for row in self.hidden):
            was, them, they = ("was", "it", "it does") if n_hidden == 1 else ("were", "them", "they do")
            rows = counted(n_hidden, "hidden row")
            notes.append(f"{rows} of the sheet {was} read, too: delete {them} if {they} not belong on the map.")
        merged = {column for column, top, _ in self.merged if top >= first}
        if columns := [name for column, name in names.items() if column in merged]:
            notes.append(f"Merged cells in {listed(columns)}: each of their rows has their value.")
        empty = [
            f'{counted(self.without_result[column], "formula")} in "{name}"'
            for column, name in names.items()
            if column in self.without_result
        ]
        if empty:
            notes.append(
                f"Formulas without a result are missing values: {shortened_list(empty)}. Open the workbook in Excel or "
                "LibreOffice, and save it again: this calculates them."
            )
        return notes
