"""The objects that the user has dropped because they are not cells: bad segmentations, debris."""

from collections.abc import Iterable, Sequence

import numpy as np
from psygnal import Signal

from latentmap.session.cell_index import CellIndex
from latentmap.session.selection import SelectionStep
from latentmap.session.wording import counted
from latentmap.table import CellTable
from latentmap.table.number_sets import distinct


class Dropped:
    """A set of cells that later maps leave out.

    They stay in the register, so that they can be restored. Existing maps do not change, but the points of dropped
    cells are hidden, and tables are saved without them (:meth:`latentmap.session.Session.map_table`).

    Parameters
    ----------
    cell_index : CellIndex
        The numbers of the session's cells.

    Attributes
    ----------
    story : tuple of SelectionStep
        How the cells dropped last were selected.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = CellTable.read(pd.DataFrame({"label": [3, 7, 8], "area": [40.0, 2.0, 50.0]}), layer="nuclei")
    >>> cell_index = CellIndex()
    >>> dropped = Dropped(cell_index)
    >>> dropped.drop(cell_index.add([("nuclei", 0, 7)]))
    >>> dropped.without(cells).notes
    ('1 cell dropped by hand left out.',)
    """

    changed = Signal(np.ndarray, np.ndarray)
    """Emitted as ``(dropped, restored)``, the numbers of the cells that were dropped and restored."""

    def __init__(self, cell_index: CellIndex) -> None:
        self._cell_index = cell_index
        self._numbers = np.empty(0, dtype=np.int64)
        self.story: tuple[SelectionStep, ...] = ()

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"<Dropped: {len(self)} cells>"

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the dropped cells, ascending."""
        return self._numbers

    def is_dropped(self, numbers: np.ndarray) -> np.ndarray:
        """Return which of these cells are dropped.

        Parameters
        ----------
        numbers : ndarray of int, shape (n,)
            The rows of a view; -1 for rows that are not cells.

        Returns
        -------
        ndarray of bool, shape (n,)
            True for dropped cells.
        """
        is_dropped: np.ndarray = self._cell_index.mask_of(self._numbers)[numbers]
        return is_dropped

    def drop(self, numbers: Iterable[int], story: Sequence[SelectionStep] = ()) -> None:
        """Drop cells.

        Parameters
        ----------
        numbers : iterable of int
            The cells. If all of them are dropped already, nothing happens.
        story : sequence of SelectionStep
            How they were selected.
        """
        after = distinct(self._numbers, numbers)
        if len(after) > len(self):
            self.set_dropped(after, story)

    def restore(self, numbers: Iterable[int] | None = None) -> None:
        """Restore dropped cells.

        Parameters
        ----------
        numbers : iterable of int, optional
            The cells; by default all that are dropped.
        """
        back = self._numbers if numbers is None else np.asarray(numbers, dtype=np.int64)
        after = np.setdiff1d(self._numbers, back)
        if len(after) < len(self):
            self.set_dropped(after, self.story if len(after) else ())

    def set_dropped(self, numbers: Iterable[int], story: Sequence[SelectionStep] = ()) -> None:
        """Drop these cells, and restore all others.

        Parameters
        ----------
        numbers : iterable of int
            The cells.
        story : sequence of SelectionStep
            How the cells dropped last were selected.
        """
        before, self._numbers = self._numbers, distinct(numbers)
        self.story = tuple(story)
        dropped = np.setdiff1d(self._numbers, before, assume_unique=True)
        restored = np.setdiff1d(before, self._numbers, assume_unique=True)
        if len(dropped) or len(restored):
            self.changed.emit(dropped, restored)

    def without(self, table: CellTable) -> CellTable:
        """Leave the dropped cells out of a table.

        Parameters
        ----------
        table : CellTable
            Cells of the session, or others.

        Returns
        -------
        CellTable
            With a note on how many cells were left out; the table itself if none were.

        Raises
        ------
        ValueError
            If no cell is left.
        """
        if not len(self._numbers):
            return table
        out = self.is_dropped(self._cell_index.numbers_of(table.features.index))
        if not out.any():
            return table
        if out.all():
            raise ValueError("All of these cells are dropped: restore some of them.")
        return table.select(~out, f"{counted(int(out.sum()), 'cell')} dropped by hand left out.")
