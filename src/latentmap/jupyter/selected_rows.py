"""The selection as rows of the widget's table: a trait that other widgets and code can follow and set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from latentmap.session import Selection
from latentmap.session.linked_selections import LinkedSelections
from latentmap.table.files.numbered_rows import NUMBERED
from latentmap.table.number_sets import distinct
from latentmap.table.same_rows import differ

if TYPE_CHECKING:
    from latentmap.jupyter.explorer import Explorer


class Rows(traitlets.Tuple):
    """Numbers of rows, from 0 and ascending. A mask with one True or False for each row is taken, too."""

    info_text = "the numbers of rows, from 0, or a mask of the rows"

    def validate(self, obj: Any, value: Any) -> tuple[int, ...]:
        """Return the rows as a tuple of int, or raise TraitError."""
        rows = np.asarray(list(value) if isinstance(value, (set, frozenset, range)) else value)
        n = obj.n_rows
        if rows.dtype == bool and rows.shape == (n,):
            rows = np.flatnonzero(rows)
        elif rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n):
            raise traitlets.TraitError(
                f"selected holds the numbers of rows of the widget's table, from 0 to {n - 1}, or a mask of {n} "
                f"values, but is {repr(value)[:100]}."
            )
        return tuple(distinct(rows).tolist())


class SelectedRows:
    """Keeps ``shown.selected`` and the selection of its session the same.

    Parameters
    ----------
    shown : Explorer
        Whose trait it is.
    """

    def __init__(self, shown: Explorer) -> None:
        self._shown: Explorer | None = shown
        self._selection: Selection = shown.session.selection
        self._known = (-1, np.empty(0, dtype=np.int64))
        self._selection.changed.connect(self._tell, max_args=0)
        shown.observe(self._take, "selected")

    def close(self) -> None:
        """Stop."""
        if self._shown is not None:
            self._shown.unobserve(self._take, "selected")
        self._selection.changed.disconnect(self._tell, missing_ok=True)
        self._shown = None

    def _tell(self) -> None:
        """Tell the rows that are selected now."""
        if (shown := self._shown) is not None:
            numbers = self._numbers(shown)
            is_selected = np.zeros(len(numbers), dtype=bool)
            known = numbers >= 0
            is_selected[known] = self._selection.is_selected(numbers[known])
            shown.selected = tuple(np.flatnonzero(is_selected).tolist())

    def _take(self, change: Any) -> None:
        """Select the rows that were set."""
        if (shown := self._shown) is None:
            return
        shown.session.cell_index.add(shown.cells.features.index)
        numbers = self._numbers(shown)[np.asarray(change["new"], dtype=np.int64)]
        wanted = np.sort(numbers[~shown.session.dropped.is_dropped(numbers)])
        if not np.array_equal(wanted, self._selection.numbers):
            self._selection.select(wanted, how="code")
        self._tell()  # without those that are dropped

    def _numbers(self, shown: Explorer) -> np.ndarray:
        """The number of each row in the session; -1 if it has none yet."""
        n = len(shown.session.cell_index)
        if self._known[0] != n:
            self._known = n, shown.session.cell_index.numbers_of(shown.cells.features.index)
        return self._known[1]


def link(*shown: Explorer) -> LinkedSelections:
    """Link the selections of explorers by the keys of their cells: layer, frame and label.

    Parameters
    ----------
    *shown : Explorer
        At least two, of tables that have cells in common.

    Returns
    -------
    LinkedSelections
        Its ``unlink`` ends the link.

    Raises
    ------
    ValueError
        If there are fewer than two different explorers, or rows that were numbered are not the same cells.
    """
    tables = [one.cells for one in shown]
    numbered = any(NUMBERED in table.notes for table in tables)
    if numbered and any(differ(tables[0].features, table.features).any() for table in tables[1:]):
        raise ValueError(
            "The rows of these tables were numbered, and rows of the same number have other features: give all tables "
            'a column "label" that says which cell a row is, and run explore() again.'
        )
    for one in shown:
        one.session.cell_index.add(one.cells.features.index)
    return LinkedSelections(*(one.session for one in shown))
