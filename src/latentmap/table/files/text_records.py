"""The records of a text: its lines, each in parts, and what stands between these."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from latentmap.table.files.text_layout import MOST_RECORDS, columns_of_numbers, is_number, n_above

SPACES = r"\s+"
"""The separator of a text whose columns stand below one another, with spaces between them."""

# In a tie the first one wins, because commas are common within names and numbers.
_SEPARATORS = ("\t", ";", ",")
_PART = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
# Remarks above and below the table have other lengths.
_MOST_ROWS = 0.8


def iter_records(lines: Iterable[str], separator: str) -> Iterator[tuple[list[str], int]]:
    """Divide lines into records.

    Yields
    ------
    record : list of str
    n_lines : int
        How many lines there are to the end of this record.

    Examples
    --------
    >>> list(iter_records(['"a', 'b";3'], ";")), list(iter_records(['"a b"   3'], SPACES))
    ([(['ab', '3'], 2)], [(['a b', '3'], 1)])
    """
    if separator == SPACES:
        for number, line in enumerate(lines):
            yield [quoted.replace('""', '"') or plain for quoted, plain in _PART.findall(line)], number + 1
        return
    reader = csv.reader(lines, delimiter=separator)
    for record in reader:
        yield record, reader.line_num


def first_records(text: str, separator: str) -> list[list[str]]:
    """Divide the first lines of a text into records."""
    lines = io.StringIO(text, newline="")
    records = [record for record, _ in islice(iter_records(lines, separator), MOST_RECORDS + 1)]
    filled = [place for place, record in enumerate(records) if record]
    if separator == SPACES and len(filled) > 1:
        # R gives no name to the rows' names.
        names = records[filled[0]]
        are_longer = all(len(records[place]) == len(names) + 1 for place in filled[1:])
        is_of_r = are_longer and any(map(is_number, records[filled[1]])) and not any(map(is_number, names))
        records[filled[0]] = ["", *names] if is_of_r else names
    return records


def separator_of(text: str) -> str:
    r"""Return what separates the columns of a text.

    Examples
    --------
    >>> separator_of("label;area, mean\n3;4,5\n"), separator_of("label  area\n    3   4.5\n") == SPACES
    (';', True)
    """
    scores = {one: _score_of(text, one) for one in _SEPARATORS}
    best = max(scores, key=scores.__getitem__)
    return SPACES if not scores[best][-1] and _are_spaced(first_records(text, SPACES)) else best


def _score_of(text: str, separator: str) -> tuple[float, int, int, int]:
    try:
        return _score(first_records(text, separator))
    except csv.Error:
        # Without the right separator, a line with the names of 20 000 genes is one value, too long for a reader.
        return 0.0, 0, 1, 0


def _score(records: list[list[str]]) -> tuple[float, int, int, int]:
    """How well a separator divides records into a table; an extra separator at the end of a row is common."""
    header, *rows = _table(records)
    if len(header) < 2:
        return 0.0, 0, len(header), 0
    fitting = [len(row) == len(header) or (len(row) > len(header) and not any(row[len(header) :])) for row in rows]
    # Lists within a column are divided by what is not in its name: the names then seem to stand above the table.
    n_lines_above = sum(map(bool, records[: n_above(records)]))
    return (sum(fitting) / len(rows) if rows else 1.0), -n_lines_above, len(header), 1


def _are_spaced(records: list[list[str]]) -> bool:
    """Whether records in parts between spaces are a table: names, and as many values with numbers among them."""
    header, *rows = _table(records)
    fitting = [row for row in rows if len(row) == len(header)]
    are_names = len(header) > 1 and len({*header}) == len(header) and not any(map(is_number, header))
    return are_names and len(fitting) > _MOST_ROWS * len(rows) and bool(columns_of_numbers(fitting))


def _table(records: list[list[str]]) -> list[list[str]]:
    return [record for record in records[n_above(records) :] if record] or [[]]
