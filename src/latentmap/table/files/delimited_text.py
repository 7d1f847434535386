"""Tables as text, as spreadsheets and programs write them in all countries."""

import codecs
import io
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from latentmap.table.decimals import TextSummary, has_decimal_points
from latentmap.table.files.footers import N_LAST, Footer, footer_of
from latentmap.table.files.leading_zeros import may_have_leading_zeros
from latentmap.table.files.repeated_names import line_of_names, n_repeats, repeats_note, without_repeats
from latentmap.table.files.text_layout import TableLayout, are_identifiers, identifiers, layout_of
from latentmap.table.files.text_records import SPACES, first_records, iter_records, separator_of
from latentmap.table.text_numbers import (
    EXACT,
    MISSING,
    SPREADSHEET_ERRORS,
    Unreadable,
    distinct_names,
    is_rounded,
    marks_in,
    may_hold_identifiers,
    texts_in,
    with_numbers,
)

# Excel may declare the separator in the first line.
_DECLARED = re.compile(r'"?sep=(.)"?[,;\t]*\s*', re.IGNORECASE)
# How many characters are read to find the separator.
_LETTERS = 1 << 22
# How many bytes tell where the table ends.
_BYTES_AT_END = 1 << 16
# All whole numbers up to this one are floats, too.
_LARGEST_WHOLE = 2**53
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class _Layout(NamedTuple):
    """How a text is written, how many lines stand before the cells of its table, what stands below them, and the line
    of names, if others repeat it.
    """

    encoding: str
    separator: str
    table: TableLayout
    n_before: int
    below: str = ""
    repeated: bytes = b""
    notes: Sequence[str] = ()

    @property
    def sample(self) -> list[list[str]]:
        return self.table.sample


@dataclass(frozen=True)
class DelimitedText:
    """A table as text.

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
    _layout: _Layout

    @classmethod
    def open(cls, path: Path) -> "DelimitedText":
        """Find out the layout of a text: its encoding, its separator and the names of its columns.

        Raises
        ------
        Unreadable
            If it is empty, or spaces separate its columns and a row has a gap.
        UnicodeDecodeError
            If it is not text.
        """
        encoding, notes = _encoding(path)
        layout = _layout(path, encoding)
        names, renamed = distinct_names(layout.table.names)
        text = cls(path, names, [*notes, *layout.notes, *renamed], layout)
        if layout.separator == SPACES:
            text._check_gaps()
        return text

    def read(self, *, words: Collection[str], keys: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
        """Read the rows, and their numbers whatever the decimal mark.

        Parameters
        ----------
        words : collection of str
            Columns that stay text, whatever they look like.
        keys : collection of str
            Columns whose numbers must keep every digit: they stay text, with a decimal point.

        Returns
        -------
        rows : pandas.DataFrame
        notes : list of str
            Which columns do not hold numbers, and how ambiguous numbers were read.

        Raises
        ------
        Unreadable
            If a row has more values than the table has columns, or a key is ambiguous.
        """
        digits = identifiers(self.names, self._layout.sample) - {*keys, *words}
        words = {*words, *digits}
        exact = set(keys) - words
        columns = zip(self.names, zip_longest(*self._layout.sample, fillvalue=""), strict=False)
        mark = (
            "," if marks_in(TextSummary.of(column) for name, column in columns if name not in words) == {","} else "."
        )
        rows = self._parsed(mark, words, exact)
        late = self._late_identifiers(rows, {*words, *exact})
        digits, words = {*digits, *late}, {*words, *late}
        for name, column in late.items():
            rows[name] = column
        texts = texts_in(rows, words)
        marks = marks_in(texts.values())
        floats = [str(name) for name, dtype in rows.dtypes.items() if is_float_dtype(dtype)]
        if mark == "," or any(has_decimal_points(rows[name]) for name in floats):
            marks.add(mark)
        # Parsed numbers no longer show how they were written, so they are read again.
        if marks == {","} and mark == ".":
            rows = self._parsed(",", words, exact)
            texts = texts_in(rows, words)
            marks |= marks_in(texts.values())
        may_mislead = bool(floats) or any(one.ambiguous for one in texts.values())
        if may_mislead and (len(marks) == 2 or (not marks and self._layout.separator != ",")):
            rows = self._parsed(".", words, {*exact, *floats, *texts})
            texts = texts_in(rows, words)
            marks |= marks_in(texts.values())
        rows, notes = self._as_numbers(rows, texts, exact, marks)
        for name in digits:
            rows[name] = rows[name].replace("", None)
        return rows.reset_index(drop=True), notes

    def _late_identifiers(self, rows: pd.DataFrame, known: Collection[str]) -> dict[str, pd.Series]:
        """The columns that only later rows show to be identifiers, as text."""
        numbers = [name for name in self.names if name not in known and may_hold_identifiers(rows[name])]
        is_of_bytes, separator = _is_of_bytes(self._layout.encoding), self._layout.separator
        separators = "" if separator == SPACES else separator
        if numbers and is_of_bytes and not may_have_leading_zeros(self.path, separator=separators):
            numbers = [name for name in numbers if is_rounded(rows[name])]
        if not numbers:
            return {}
        parsed = self._as_text(numbers)
        return {name: parsed[name] for name in numbers if are_identifiers(parsed[name].unique())}

    def _as_text(self, names: Collection[str]) -> pd.DataFrame:
        places = [self.names.index(name) for name in names]
        # Of some columns alone, pandas takes as many as the first row has, and mistakes them if it has too few.
        if len(next(iter(self._layout.sample), [])) < len(self.names):
            rows = self._parsed(".", names, ())
        else:
            rows = self._read_csv(usecols=places, dtype=str, keep_default_na=False)
        return rows.rename(columns=dict(enumerate(self.names))).fillna("")

    def _read_csv(self, **settings: Any) -> pd.DataFrame:
        layout = self._layout
        rows: pd.DataFrame = pd.read_csv(
            _of_cells(self.path, layout) if layout.below or layout.repeated else self.path,
            sep=layout.separator,
            encoding=layout.encoding,
            header=None,
            skiprows=layout.n_before,
            index_col=False,
            low_memory=False,
            # By its name, pandas would unpack what a browser has unpacked before.
            compression=None,
            **settings,
        )
        return rows

    def _parsed(self, mark: str, words: Collection[str], texts: Collection[str]) -> pd.DataFrame:
        layout = self._layout
        n = len(self.names)
        # A separator at the end of each row makes one more column.
        n_beyond = 1 + max([0, *(len(record) - n for record in layout.sample)])
        beyond = [f"beyond {number}" for number in range(n_beyond)]
        no_words = [place for place, name in enumerate(self.names) if name not in words]
        try:
            with warnings.catch_warnings():
                # pandas would drop the end of a first row that is too long.
                warnings.simplefilter("error", pd.errors.ParserWarning)
                rows = self._read_csv(
                    decimal=mark,
                    names=[*range(n), *beyond],
                    dtype={place: str for place, name in enumerate(self.names) if name in {*words, *texts}},
                    # A layer or a class may be called "NA".
                    keep_default_na=False,
                    na_values={key: [*MISSING, *SPREADSHEET_ERRORS] for key in (*no_words, *beyond)},
                    **EXACT,
                )
        except pd.errors.ParserError as error:
            if wide := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error)):
                raise self._unequal(f"line {wide[2]}", int(wide[3])) from error
            raise
        for name in reversed(beyond):
            if (filled := rows[name].notna()).any():
                row = int(filled.to_numpy().argmax())
                raise self._unequal(f"row {row + 1} of the cells", n + 1 + beyond.index(name))
        return _without_blank_rows(rows.drop(columns=beyond).set_axis(self.names, axis=1))

    def _check_gaps(self) -> None:
        """Refuse rows with fewer values than columns, as a gap between spaces shifts all values after it."""
        lines = io.TextIOWrapper(_of_cells(self.path, self._layout), self._layout.encoding, newline="")
        for record, number in iter_records(lines, SPACES):
            if record and number > self._layout.n_before and len(record) != len(self.names):
                raise self._unequal(f"line {number}", len(record))

    def _unequal(self, where: str, n: int) -> Unreadable:
        why = {
            ",": "If the comma is the decimal mark, separate the columns by semicolons.",
            SPACES: "Separate the columns by tabs or commas, so that gaps show.",
        }.get(self._layout.separator, "Give every column a name.")
        return Unreadable(
            f'"{self.path.name}", {where}: {n} values, but the first line names {len(self.names)} columns, so it is '
            f"unclear which value belongs to which column. {why}"
        )

    def _as_numbers(
        self, rows: pd.DataFrame, texts: dict[str, TextSummary], exact: Collection[str], marks: set[str]
    ) -> tuple[pd.DataFrame, list[str]]:
        """Turn text into numbers; note which columns are not numbers, and how ambiguous ones were read."""
        notes = with_numbers(
            rows,
            texts,
            lambda found: self._mark(found, marks),
            keys=exact,
            name_of_file=self.path.name,
            is_certain=bool(marks),
        )
        return rows, [*self.notes, *notes]

    def _mark(self, found: TextSummary, marks: set[str]) -> str | None:
        """The decimal mark of a column: shown by its own numbers, by those of other columns, or by the separator."""
        for known in (found.marks, marks):
            if known:
                return next(iter(known)) if len(known) == 1 else None
        # Files with commas as separators use decimal points, and so do programs that separate by spaces; those with
        # semicolons use decimal commas; a point in a file with semicolons may be either.
        if self._layout.separator == "," or (self._layout.separator == SPACES and "," not in (found.ambiguous or "")):
            return "."
        return "," if self._layout.separator == ";" and "." not in (found.ambiguous or ".") else None


def _without_blank_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out rows of separators alone, which a spreadsheet writes for rows left blank between cells.

    The others keep their index.
    """
    is_blank = np.ones(len(rows), dtype=bool)
    for name in rows:
        is_blank &= (rows[name].isna() | (rows[name] == "")).to_numpy(dtype=bool)
        if not is_blank.any():
            return rows
    kept = rows[~is_blank]
    # Numbers whose only gaps were there may be whole.
    floats = [name for name in kept if is_float_dtype(kept[name])]
    is_whole = (kept[floats] % 1 == 0).all() & (kept[floats].abs() <= _LARGEST_WHOLE).all()
    return kept.astype(dict.fromkeys(is_whole.index[is_whole], "int64"))


def _encoding(path: Path) -> tuple[str, list[str]]:
    """The encoding of a text, and a note where it had to be guessed."""
    with path.open("rb") as file:
        start = file.read(4)
    for bom, encoding in _BOMS.items():
        if start.startswith(bom):
            return encoding, []
    try:
        _decode(path, "utf-8")
    except UnicodeDecodeError as error:
        try:
            # The encoding of Excel's plain "CSV" in Western Europe and America.
            _decode(path, "cp1252")
        except UnicodeDecodeError:
            raise error from None
        note = "Not in UTF-8, so read as Windows-1252: check that letters such as ä and µ are right."
        return "cp1252", [note]
    return "utf-8", []


def _decode(path: Path, encoding: str) -> None:
    """Raise UnicodeDecodeError unless a file is text in this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            decoder.decode(piece)
            if b"\0" in piece:
                raise UnicodeDecodeError(encoding, piece[:1], 0, 1, "no text has this")
        decoder.decode(b"", final=True)


def _layout(path: Path, encoding: str) -> _Layout:
    with path.open(encoding=encoding, newline="") as file:
        text = file.read(_LETTERS)
        # To the end of the line, so that no line is cut.
        text += file.readline() if text else ""
    first = text.split("\n", 1)[0].rstrip("\r")
    said = _DECLARED.fullmatch(first)
    body = text[len(first) :].lstrip("\r\n") if said else text
    if not body.strip():
        raise Unreadable(f'"{path.name}" is empty: there is no cell in it.')
    separator = said[1] if said else separator_of(body)
    table = layout_of(first_records(body, separator))
    n_before = table.n_before + bool(said)
    below, footer = _below(path, encoding, _Layout(encoding, separator, table, n_before))
    # Of a short text, the first rows are read without the last ones.
    body = body.removesuffix(below)
    line = line_of_names(body, table.names, separator) if _is_of_bytes(encoding) else ""
    repeated = line.encode(_without_bom(encoding, b""))
    n_again = n_repeats(path, repeated) if line else 0
    if n_again:
        body = without_repeats(body.encode(), line.encode()).decode()
    if n_again or below:
        table = layout_of(first_records(body, separator))
    notes = [*table.notes, *footer.notes, *repeats_note(n_again)]
    return _Layout(encoding, separator, table, n_before, below, repeated if n_again else b"", notes)


def _below(path: Path, encoding: str, layout: _Layout) -> tuple[str, Footer]:
    """What stands below the cells."""
    text, is_whole = _end(path, encoding)
    lines = list(io.StringIO(text, newline=""))[layout.n_before if is_whole else 0 :]
    found = list(iter_records(lines, layout.separator))
    records, ends = [record for record, _ in found], [0, *(n_lines for _, n_lines in found)]
    n_skipped = max(0, len(records) - N_LAST)
    is_cut = not text.endswith(("\n", "\r"))
    footer = footer_of(records[n_skipped:], layout.table.names, layout.sample, is_cut=is_cut)
    return "".join(lines[ends[len(records) - footer.n_records] :]), footer


def _end(path: Path, encoding: str) -> tuple[str, bool]:
    """The last lines of a text, and whether these are all of it."""
    with path.open("rb") as file:
        start = file.read(4)
        # An even number, as letters of UTF-16 have two bytes.
        begin = max(0, path.stat().st_size - _BYTES_AT_END) // 2 * 2
        if not begin:
            return path.read_bytes().decode(encoding), True
        file.seek(begin)
        text = file.read().decode(_without_bom(encoding, start), errors="replace")
    # The first line may be cut.
    return text.split("\n" if "\n" in text else "\r", 1)[-1], False


def _without_bom(encoding: str, start: bytes) -> str:
    """The encoding of a part of a text whose first bytes say in which order those of a letter stand."""
    order = "le" if start.startswith(codecs.BOM_UTF16_LE) else "be"
    return {"utf-8-sig": "utf-8", "utf-16": f"utf-16-{order}"}.get(encoding, encoding)


def _of_cells(path: Path, layout: _Layout) -> io.BytesIO:
    """The text to the end of its last cell, without lines that repeat the names."""
    n_bytes = len(layout.below.encode(_without_bom(layout.encoding, b"")))
    with path.open("rb") as file:
        content = file.read(path.stat().st_size - n_bytes)
    return io.BytesIO(without_repeats(content, layout.repeated) if layout.repeated else content)


def _is_of_bytes(encoding: str) -> bool:
    """Whether one byte is one letter of ASCII."""
    return not encoding.startswith("utf-16")
