"""What the first rows of a table as text tell: where the names are, and which columns hold identifiers."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from statistics import mode

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
    columns = list(zip_longest(*cells, fillvalue=""))
    numeric = [place for place, values in enumerate(columns) if _holds_numbers(values)]
    for number, row in enumerate(sample[:_MOST_DESCRIBING]):
        said = [row[place].strip() for place in numeric if place < len(row)]
        if any(_NUMBER.fullmatch(one) for one in said) or all(one.lower() in _GAPS for one in said):
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
    first = next((number for number, record in enumerate(records) if record), 0)
    lengths = [len(record) for record in records if record]
    usual = mode(lengths) if lengths else 0
    if usual <= _MOST_ABOVE or lengths.count(usual) <= len(lengths) / 2:
        return first
    names = next(number for number, record in enumerate(records) if len(record) >= usual)
    are_short = all(len(record) <= max(_MOST_ABOVE, usual // 2) for record in records[first:names])
    parts = [part.strip() for part in records[names]]
    # Programs end rows with separators.
    named = parts[: 1 + max((place for place, part in enumerate(parts) if part), default=-1)]
    are_names = bool(named) and all(part and not _NUMBER.fullmatch(part) for part in named)
    return names if are_short and are_names else first


def joined_names(above: Sequence[str], below: list[str]) -> list[str] | None:
    """Return the names of columns that stand in two rows, as CellProfiler writes them; None if these are none.

    Examples
    --------
    >>> joined_names(["Image", "Cells", "Cells", "Nuclei"], ["ImageNumber", "Area", "Form", "Area"])
    ['ImageNumber', 'Cells_Area', 'Form', 'Nuclei_Area']
    >>> joined_names(["label", "Area"], ["", "µm²"])
    """
    if len(set(above)) == len(above) or len(below) != len(above) or not all(below):
        return None
    return [two if below.count(two) == 1 else f"{one}_{two}" for one, two in zip(above, below, strict=True)]


def identifiers(names: Sequence[str], sample: Sequence[Sequence[str]]) -> set[str]:
    """Return the columns of digits that numbers would not keep: with zeros in front, or too many to be exact.

    Examples
    --------
    >>> sorted(identifiers(["patient", "EntityID", "area"], [["0001", "110883424764611924", "10"], ["0023", "", "7"]]))
    ['EntityID', 'patient']
    """
    found = set()
    for name, values in zip(names, zip_longest(*sample, fillvalue=""), strict=False):
        known = [value.strip() for value in values if value.strip().lower() not in _GAPS]
        are_digits = bool(known) and all(value.isdecimal() for value in known)
        if are_digits and any(len(value) > _EXACT_DIGITS or (len(value) > 1 and value[0] == "0") for value in known):
            found.add(name)
    return found


def _holds_numbers(values: Sequence[str]) -> bool:
    known = [value.strip() for value in values if value.strip().lower() not in _GAPS]
    return len(known) > len(values) / 2 and sum(bool(_NUMBER.fullmatch(value)) for value in known) > 0.9 * len(known)
