"""What the first rows of a table tell: where the names are, and which columns hold identifiers."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise, zip_longest
from statistics import mode
from typing import NamedTuple

from latentmap.table.wording import counted

_NUMBER = re.compile(r"[+-]?(\d[\d.,' ]*|[.,]\d+)(e[+-]?\d+)?%?", re.IGNORECASE)
_GAPS = {"", "na", "n/a", "#n/a", "nan", "null", "none", "n.d.", "-"}
# TrackMate writes three such rows, and ZEN one, of units.
_MOST_DESCRIBING = 3
# What stands above a table has no more parts, such as a name and its value.
_MOST_ABOVE = 2
# Fewer rows do not tell what kind a column is.
_FEWEST_CELLS = 3
# Numbers of more digits are rounded.
_EXACT_DIGITS = 15
# Names that are numbers may have one distance from one to the next, or rise or fall, as a few do by chance.
_FEWEST_STEPS, _MOST_BY_CHANCE = 2, 5
_MOSTLY = 0.8
# By how much of a column's range the first cell may be beyond the others.
_BEYOND = 0.2
# How many rows tell what kind a column is.
_ROWS = 200
MOST_RECORDS = 2 * _ROWS
"""How many records tell where a table begins."""


class TableLayout(NamedTuple):
    """Where in its records a table begins.

    Attributes
    ----------
    names : list of str
        The columns' names, as they are written; "" for none.
    n_before : int
        How many records stand before the cells.
    sample : list of list of str
        The first rows of cells.
    notes : list of str
        Which rows are left out.
    """

    names: list[str]
    n_before: int
    sample: list[list[str]]
    notes: list[str]


def layout_of(records: Sequence[Sequence[str]]) -> TableLayout:
    """Find out where a table begins, from its first records, of which empty ones count as no rows.

    Parameters
    ----------
    records : sequence of sequence of str
        No more than `MOST_RECORDS`; at least one is not empty.

    Examples
    --------
    >>> layout = layout_of([["Plate", "P1"], [], ["Row", "Label", "Area"], *[["1", "2", "3.5"]] * 4])
    >>> layout.names, layout.n_before, layout.notes
    (['Row', 'Label', 'Area'], 3, ['1 line above the names of the columns left out.'])
    """
    n_first = n_above(records)
    names = [name.strip() for name in records[n_first]]
    places = [place for place, record in enumerate(records) if record and place > n_first][:_ROWS]
    rows = [list(records[place]) for place in places]
    n_more = n_describing(rows)
    joined = joined_names(names, [name.strip() for name in rows[0]]) if n_more else None
    n_before = 1 + (places[n_more - 1] if n_more else n_first)
    notes = []
    if n_lines := sum(any(record) for record in records[:n_first]):
        notes.append(f"{counted(n_lines, 'line')} above the names of the columns left out.")
    if n_units := n_more - bool(joined):
        why = "it holds no cell" if n_units == 1 else "they hold no cells"
        said = f"{counted(n_units, 'row')} below the names of the columns left out"
        notes.append(f"{said}, as {why} (such as units).")
    if example := _looks_like_cell(joined or names, rows[n_more:]):
        notes.append(
            "The first line was taken for the names of the columns, though it holds numbers such as "
            f'"{example}": if it is a cell, write a line of names above it.'
        )
    return TableLayout(joined or names, n_before, rows[n_more:], notes)


def _looks_like_cell(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a number among the names if most are numbers as their columns hold: it may be a cell; "" otherwise."""
    numbers = {place: number for place, name in enumerate(names) if (number := _number(name)) is not None}
    steps = {round(after - before, 9) for before, after in pairwise(numbers.values())}
    is_series = len(numbers) > _MOST_BY_CHANCE and (min(steps) >= 0 or max(steps) <= 0)
    # pandas calls columns 0, 1, 2, and spectra are called by wavelengths or masses.
    if len(numbers) <= len(names) / 2 or len(steps) < _FEWEST_STEPS or is_series:
        return ""
    columns = list(zip_longest(*rows, fillvalue=""))
    n_alike = 0
    for place, number in numbers.items():
        values = [value for text in columns[place] if (value := _number(text)) is not None] if columns[place:] else []
        beyond = _BEYOND * (max(values) - min(values)) if values else 0.0
        n_alike += bool(values) and min(values) - beyond <= number <= max(values) + beyond
    return str(names[[*numbers][-1]]) if n_alike >= _MOSTLY * len(numbers) else ""


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def n_describing(sample: Sequence[Sequence[str]]) -> int:
    """Return how many rows below the names describe the columns, such as their units, and are no cells.

    Parameters
    ----------
    sample : sequence of sequence of str
        The first rows below the names.

    Examples
    --------
    >>> n_describing([["Label", "Area"], ["", "(µm²)"], ["1", "3.5"], ["2", "4.5"], ["3", "n.d."], ["4", "4.1"]])
    2
    """
    cells = sample[_MOST_DESCRIBING:]
    if len(cells) < _FEWEST_CELLS:
        return 0
    numeric = columns_of_numbers(cells)
    for number, row in enumerate(sample[:_MOST_DESCRIBING]):
        said = [row[place].strip() for place in numeric if place < len(row)]
        if any(map(is_number, said)) or all(map(is_gap, said)):
            return number
    return _MOST_DESCRIBING


def n_above(records: Sequence[Sequence[str]]) -> int:
    """Return how many of the first records stand above the names: empty ones, and others that are no table.

    Parameters
    ----------
    records : sequence of sequence of str
        The first lines of a text, in their parts.

    Examples
    --------
    >>> n_above([["Plate", "P1"], [], ["[Data]"], ["Row", "Column", "Area"], *[["1", "2", "3.5"]] * 4])
    3
    """
    first = next((number for number, record in enumerate(records) if any(record)), 0)
    lengths = [len(record) for record in records if record]
    usual = mode(lengths) if lengths else 0
    if usual <= _MOST_ABOVE or lengths.count(usual) <= len(lengths) / 2:
        return first
    names = next((number for number, record in enumerate(records) if not _is_above(record, usual)), first)
    parts = [part.strip() for part in records[names]]
    # Programs end rows with separators. The first columns may be blank, and the rows' numbers have no name.
    filled = [place for place, part in enumerate(parts) if part]
    named = parts[filled[0] : filled[-1] + 1] if filled else []
    are_names = len(named) > 1 and all(part and not is_number(part) for part in named)
    return names if len(parts) >= usual and are_names else first


def _is_above(record: Sequence[str], usual: int) -> bool:
    """Whether a record may stand above the names of columns, of which there are usually so many."""
    filled = [place for place, part in enumerate(record) if part.strip()]
    n_parts = filled[-1] + 1 if filled else 0
    # A spreadsheet ends all rows with separators. Names of groups of columns have gaps between them.
    is_padded, has_gaps = n_parts < len(record), len(filled) < n_parts
    return n_parts <= max(_MOST_ABOVE, usual // 2) and not (is_padded and has_gaps)


def joined_names(above: Sequence[str], below: list[str]) -> list[str] | None:
    """Return the names of columns that stand in two rows, as CellProfiler writes them; None if these are none.

    Examples
    --------
    >>> joined_names(["Image", "Cells", "Cells", "Nuclei"], ["ImageNumber", "Area", "Form", "Area"])
    ['ImageNumber', 'Cells_Area', 'Form', 'Nuclei_Area']
    >>> joined_names(["label", "Area"], ["", "µm²"])

    A name of merged cells in a spreadsheet stands in the first of them.

    >>> joined_names(["", "DAPI", "", "GFP"], ["Label", "Mean", "SD", "Mean", "SD"])
    ['Label', 'DAPI_Mean', 'DAPI_SD', 'GFP_Mean', 'GFP_SD']
    """
    n_missing = len(below) - len(above)
    padded = [*above, *[""] * n_missing]
    if len(set(padded)) == len(padded) or n_missing < 0 or not all(below):
        return None
    merged: Iterable[str] = accumulate(padded, lambda before, name: name or before)
    return [f"{one}_{two}" if below.count(two) > 1 and one else two for one, two in zip(merged, below, strict=True)]


def identifiers(names: Sequence[str], sample: Sequence[Sequence[str]]) -> set[str]:
    """Return the columns of digits that numbers would not keep: with zeros in front, or too many to be exact.

    Examples
    --------
    >>> sorted(identifiers(["patient", "EntityID", "area"], [["0001", "110883424764611924", "10"], ["0023", "", "7"]]))
    ['EntityID', 'patient']
    """
    columns = zip(names, zip_longest(*sample, fillvalue=""), strict=False)
    return {name for name, values in columns if are_identifiers(values)}


def are_identifiers(values: Iterable[str]) -> bool:
    """Return whether the values of a column are digits that numbers would not keep.

    Examples
    --------
    >>> are_identifiers(["0001", "", "0023"]), are_identifiers(["0.5", "0001"]), are_identifiers(["0", "10"])
    (True, False, False)
    """
    known = [value.strip() for value in values if not is_gap(value.strip())]
    are_digits = bool(known) and all(value.isdecimal() for value in known)
    return are_digits and any(len(value) > _EXACT_DIGITS or (len(value) > 1 and value[0] == "0") for value in known)


def columns_of_numbers(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of the columns that hold numbers, with a few words or gaps among them.

    Examples
    --------
    >>> columns_of_numbers([["1", "a", "3.5"], ["2", "b", ""], ["3", "", "1e-3"]])
    [0, 2]
    """
    return [place for place, values in enumerate(zip_longest(*rows, fillvalue="")) if _holds_numbers(values)]


def is_number(text: str) -> bool:
    """Return whether a text is a number, whatever its decimal mark."""
    return _NUMBER.fullmatch(text) is not None


def is_gap(text: str) -> bool:
    """Return whether a text stands for no value."""
    return text.lower() in _GAPS


def _holds_numbers(values: Sequence[str]) -> bool:
    known = [value.strip() for value in values if not is_gap(value.strip())]
    return len(known) > len(values) / 2 and sum(map(is_number, known)) > 0.9 * len(known)
