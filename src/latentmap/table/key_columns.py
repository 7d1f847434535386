"""Which columns of a table from another program hold the cells' keys."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from latentmap.table.whole_numbers import whole_numbers

LABELS = (
    "label",
    "cell_id",
    "instance_id",
    "label_id",
    "object_number",
    "object_id",
    "cell_label",
    "cell_label_in_image",
    "cell_number",
    "object",
)
"""Names of the column that holds a cell's number in the labels image, the most explicit first.

Case, spaces, points, hyphens and underscores do not matter: "CellID" and "Object Number" are among them.
"""

# What else a number of cells is called, without spaces and the like.
_MAY_COUNT = {"cellnumber", "cellcount"}
# The share of the rows in which numbers that run up do so.
_MOSTLY = 0.8


class KeyMissing(ValueError):
    """A table does not say which cell each row belongs to.

    Parameters
    ----------
    sentence : str
        What is wrong, and what the user can do.
    candidates : sequence of str
        The columns that could hold the labels, the likeliest first: one may be given as ``columns={"label": name}``.
    reason : str
        What is wrong, without the advice; by default the sentence.
    """

    def __init__(self, sentence: str, candidates: tuple[str, ...] = (), reason: str = "") -> None:
        super().__init__(sentence)
        self.candidates, self.reason = candidates, reason or sentence


def key_columns(rows: pd.DataFrame, given: Mapping[str, str]) -> dict[str, str]:
    """Return which columns hold parts of the key.

    Parameters
    ----------
    rows : pandas.DataFrame
    given : mapping of str to str
        Columns known already: ``{"label": "Nucleus"}``.

    Returns
    -------
    dict of str to str
        As `CellTable.read` takes it. Only unambiguous names are taken for the column of labels.

    Examples
    --------
    >>> key_columns(pd.DataFrame({"CellID": [3, 7], "area": [4.0, 9.0]}), {})
    {'label': 'CellID'}
    """
    exact = [name for name in LABELS[:3] if name in rows]
    plain = [(_plain(str(name)), str(name)) for name in rows]
    named = [*exact, *(name for label in LABELS for alike, name in plain if alike == _plain(label))]
    # ImageJ writes the image's name into a column "Label"; other programs write barcodes into "cell_id".
    label = next((name for name in named if not len(rows) or _says_which(rows, name)), next(iter(exact), None))
    return {**({"label": label} if label else {}), **given}


def is_key(name: str) -> bool:
    """Return whether a name clearly stands for a part of the key.

    Examples
    --------
    >>> is_key("frame"), is_key("CellID"), is_key("barcode")
    (True, True, False)
    """
    return name in ("layer", "frame") or _plain(name) in map(_plain, LABELS)


def label_candidates(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that could hold the cells' numbers in the labels image, the likeliest first.

    Returns
    -------
    tuple of str
        Columns of whole numbers: first those with a fitting name, then by how many distinct numbers they hold.

    Examples
    --------
    >>> rows = pd.DataFrame({"site": [1, 1, 2], "Nucleus": [1, 2, 3], "count": [1, 2, 2], "area": [4.5, 5.0, 9.0]})
    >>> label_candidates(rows)
    ('Nucleus', 'site', 'count')
    """
    found = []
    for place, name in enumerate(rows.columns):
        column = rows.iloc[:, place]
        if _is_whole(column):
            is_named = re.search(r"label|object|cell|nucle|id$|number", str(name).lower()) is not None
            found.append((is_named and not is_count(rows, str(name)), column.nunique(), -place, str(name)))
    return tuple(name for *_, name in sorted(found, reverse=True))


def check_key_is_whole(rows: pd.DataFrame, source: str = "") -> None:
    """Check that no column says which cell a row is in most rows only: numbered anew, these would be other cells.

    Parameters
    ----------
    rows : pandas.DataFrame
    source : str
        What the message begins with: where the rows come from.

    Raises
    ------
    ValueError
        If one does; the message says in which rows it has no number.

    Examples
    --------
    >>> check_key_is_whole(pd.DataFrame({"CellID": ["a-1", "b-1"]}))
    >>> check_key_is_whole(pd.DataFrame({"CellID": ["3", "7", "mean"]}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: Column "CellID" says which cell a row is, but not in 1 of 3 rows, which is row 3 ("mean"). Correct ...
    """
    if name := _partial_key(rows):
        column = f'{source}: column "{name}"' if source else f'Column "{name}"'
        raise ValueError(
            f"{column} says which cell a row is, but not in {_which_are_partial(rows, name)}. Correct these rows, or "
            "take them out if they are no cells; or rename the column to have the rows numbered."
        )


def _partial_key(rows: pd.DataFrame) -> str:
    """Return the column, named as a key, that has a whole number in most rows but not in all; "" if there is none."""
    labels = [*map(_plain, LABELS)]
    named = sorted(
        (labels.index(_plain(str(name))), place) for place, name in enumerate(rows) if _plain(str(name)) in labels
    )
    names = [str(rows.columns[place]) for _, place in named]
    return next((name for name in names if 1 / 2 <= _are_whole(rows[name]).mean() < 1), "")


def _which_are_partial(rows: pd.DataFrame, name: str) -> str:
    """Say which rows of a column have no whole number: "1 of 2 rows, which is row 2"."""
    others = np.flatnonzero(~_are_whole(rows[name]))
    value = rows[name].iloc[others[0]]
    says = f' ("{value}")' if pd.notna(value) and str(value).strip() else ""
    which = "which is" if len(others) == 1 else "the first of which is"
    return f"{len(others)} of {len(rows)} rows, {which} row {others[0] + 1}{says}"


def may_count(name: str) -> bool:
    """Return whether a column's name may say how many cells there are, as well as which one this is."""
    return _plain(name) in _MAY_COUNT


def is_count(rows: pd.DataFrame, name: str) -> bool:
    """Return whether a column with a name such as "Cell Number" says how many cells there are, and not which one it is.

    A cell's own numbers are different ones, also within each image or frame, or run up from 1 again and again.

    Examples
    --------
    >>> is_count(pd.DataFrame({"Cell Number": [1, 3, 1, 2, 2]}), "Cell Number")
    True
    >>> is_count(pd.DataFrame({"image": ["a", "a", "b", "b"], "Cell Number": [2, 7, 7, 2]}), "Cell Number")
    False
    """
    if not may_count(name) or not _is_whole(rows[name]):
        return False
    numbers = pd.Series(whole_numbers(rows[name], ""))
    begins = numbers <= 1
    runs_up = begins.mean() <= 1 / 2 and (begins | (numbers.diff() == 1)).mean() > _MOSTLY
    if numbers.is_unique or runs_up:
        return False
    others = [rows[other] for other in rows if other != name and not is_float_dtype(rows[other].dtype)]
    groups = [other.astype(str).reset_index(drop=True) for other in others if other.nunique() <= len(rows) / 2]
    return not any(pd.MultiIndex.from_arrays([group, numbers]).is_unique for group in groups)


def _says_which(rows: pd.DataFrame, name: str) -> bool:
    return _is_whole(rows[name]) and not is_count(rows, name)


def _is_whole(column: pd.Series) -> bool:
    try:
        whole_numbers(column, "")
    except ValueError:
        return False
    return True


def _are_whole(column: pd.Series) -> np.ndarray:
    numbers = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    whole: np.ndarray = np.isfinite(numbers) & (np.floor(numbers) == numbers)
    return whole


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).lower()
