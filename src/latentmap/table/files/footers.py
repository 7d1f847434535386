"""Rows below the cells of a table that are no cells: sums, remarks, and a last row that is cut off."""

from collections.abc import Sequence
from typing import NamedTuple

from latentmap.table.files.sums import begins_like_sum, names_sum, names_sum_alone
from latentmap.table.files.text_layout import columns_of_numbers, is_gap, is_number
from latentmap.table.wording import counted, listed

N_LAST = 200
"""How many of the last records tell where a table ends."""

# Fewer rows do not tell what all rows have in common.
_FEWEST_CELLS = 3
# A remark has no more parts, such as a name and its value.
_MOST_PARTS = 2


class Footer(NamedTuple):
    """The last records of a table that are no cells.

    Attributes
    ----------
    n_records : int
        How many there are, empty ones included.
    notes : list of str
        Which rows are left out, and why.
    """

    n_records: int = 0
    notes: Sequence[str] = ()


def footer_of(
    last: Sequence[Sequence[str]], names: Sequence[str], sample: Sequence[Sequence[str]], *, is_cut: bool = False
) -> Footer:
    """Find the rows below the cells.

    Parameters
    ----------
    last : sequence of sequence of str
        The last records of the table.
    names : sequence of str
        The columns' names.
    sample : sequence of sequence of str
        The first rows of cells.
    is_cut : bool
        Whether the table ends within a line.

    Examples
    --------
    >>> cells = [["1", "3.5", "7"], ["2", "4.5", "8"], ["3", "4.1", "9"]]
    >>> footer_of([*cells, [], ["Mean", "4.0", "8"]], ["label", "area", "DNA"], cells)
    Footer(n_records=2, notes=['The last row left out, as it sums up the others: "label" is "Mean".'])
    """
    last, sample = _stripped(last), _stripped(sample)
    # In a short table, the first rows reach to the last ones.
    first = sample[: max(_FEWEST_CELLS, len(sample) // 2)]
    shape = _Shape.of(first) if len(first) >= _FEWEST_CELLS else None
    if shape is None or not shape.numbers:
        return Footer()
    is_cut = is_cut and _is_cut_off(last, shape)
    rest = last[: len(last) - is_cut]
    n_cells = _n_cells(rest, shape, sample)
    # Without a cell among them, nothing tells where the cells end.
    if not any(map(any, rest[:n_cells])):
        return Footer()
    notes = _notes([record for record in rest[n_cells:] if any(record)], names)
    if is_cut:
        notes.append(
            f"The last row left out, as it is cut off after {counted(len(last[-1]), 'value')} of {len(names)}: the "
            "file is not complete, and more rows may be missing. Export it again."
        )
    return Footer(len(last) - n_cells, notes)


class _Shape(NamedTuple):
    """What the cells of a table have in common: the columns of numbers, the columns that are filled in all of them,
    and the length of the shortest row.
    """

    numbers: list[int]
    filled: list[int]
    length: int

    @classmethod
    def of(cls, cells: Sequence[Sequence[str]]) -> "_Shape":
        length = min(map(len, cells))
        filled = [place for place in range(length) if all(row[place] for row in cells)]
        return cls(columns_of_numbers(cells), filled, length)


def _is_cut_off(last: Sequence[Sequence[str]], shape: _Shape) -> bool:
    """Whether the last row begins like a cell and has fewer values than all others."""
    *others, row = last or [[]]
    rows = [other for other in others if any(other)]
    if len(rows) < _FEWEST_CELLS or not any(others[-1]) or not any(row):
        return False
    begin, text = _first(row)
    is_short = len(row) < min(shape.length, *map(len, rows))
    return is_short and (begin not in shape.numbers or is_number(text))


def _n_cells(last: Sequence[Sequence[str]], shape: _Shape, sample: Sequence[Sequence[str]]) -> int:
    """How many of the last records come before those that are no cells."""
    blocks, end = _blocks(last), len(last)
    while len(blocks) > 1 and all(_is_doubtful(last[place], shape) for place in blocks[-1]):
        end = blocks.pop()[0]
    while end and (not any(last[end - 1]) or _is_no_cell(last[end - 1], shape)):
        end -= 1
    return end - _n_sums(last[:end], shape, sample)


def _blocks(records: Sequence[Sequence[str]]) -> list[list[int]]:
    """The places of records that are not empty, divided by empty ones."""
    blocks: list[list[int]] = [[]]
    for place, record in enumerate(records):
        if any(record):
            blocks[-1].append(place)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _is_no_cell(record: Sequence[str], shape: _Shape) -> bool:
    """Whether a row begins with words where cells have a number, and has no number or is named as a sum."""
    begin, text = _first(record)
    if begin in shape.numbers and _is_word(text):
        return begins_like_sum(text) or not _has_number(record, shape)
    return len(record) <= _MOST_PARTS < shape.length and _is_word(text) and not _has_number(record, shape)


def _is_doubtful(record: Sequence[str], shape: _Shape) -> bool:
    """Whether a row below an empty one is no cell."""
    begin, text = _first(record)
    begins_like_cell = begin == 0 or 0 not in {*shape.filled} & {*shape.numbers}
    is_named = _is_word(text) and (begin in shape.numbers or begins_like_sum(text))
    is_remark = sum(map(bool, record)) <= _MOST_PARTS and not _has_number(record, shape)
    return is_named or is_remark or not begins_like_cell


def _n_sums(records: Sequence[Sequence[str]], shape: _Shape, sample: Sequence[Sequence[str]]) -> int:
    """How many of the last rows are named as sums in a column of words, such as that of ImageJ's *Summarize*."""
    for place in set(range(shape.length)) - {*shape.numbers}:
        named: list[str] = []
        for record in reversed(records):
            text = record[place] if place < len(record) else ""
            if not names_sum(text) or text in named:
                break
            named.append(text)
        # A cell may have such a name of its own.
        known = {row[place] for row in sample[: len(sample) // 2] if place < len(row)}
        is_alone = place == 0 and len(named) == 1 and names_sum_alone(named[0])
        is_alone = is_alone and not any(record[:1] == named for record in records[:-1])
        if (len(named) > 1 or is_alone) and not known & {*named}:
            return len(named)
    return 0


def _notes(left_out: Sequence[Sequence[str]], names: Sequence[str]) -> list[str]:
    """Say which rows are left out: sums, and others."""
    sums: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for record in left_out:
        place, text = next(((place, part) for place, part in enumerate(record) if _is_word(part)), _first(record))
        (sums if begins_like_sum(text) else others).append((place, text))
    notes = []
    if sums:
        column = names[sums[0][0]] if sums[0][0] < len(names) else ""
        rows, they, sum_ = ("row", "it", "sums") if len(sums) == 1 else (f"{len(sums)} rows", "they", "sum")
        what = f'"{column}" is {listed([text for _, text in sums])}'
        notes.append(f"The last {rows} left out, as {they} {sum_} up the others: {what}.")
    if others:
        hold = "it holds" if len(others) == 1 else "they hold"
        what = listed([text for _, text in others])
        notes.append(f"{counted(len(others), 'row')} below the cells left out, as {hold} no cell: {what}.")
    return notes


def _has_number(record: Sequence[str], shape: _Shape) -> bool:
    return any(is_number(record[place]) for place in shape.numbers if place < len(record))


def _is_word(text: str) -> bool:
    return not is_number(text) and not is_gap(text)


def _stripped(records: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[part.strip() for part in record] for record in records]


def _first(record: Sequence[str]) -> tuple[int, str]:
    """The first value of a row and its place."""
    return next(((place, part) for place, part in enumerate(record) if part), (0, ""))
