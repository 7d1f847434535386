"""The selected cells, and how they were selected."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from psygnal import Signal

from latentmap.model.data_warnings import warn_user
from latentmap.session.cell_index import CellIndex, as_keys
from latentmap.session.wording import counted
from latentmap.table import Key
from latentmap.table.number_sets import distinct

Mode = Literal["replace", "add", "subtract", "intersect"]
"""How a choice of cells changes the selection."""

# How many selections can be undone.
_REMEMBERED = 100


@dataclass(frozen=True)
class SelectionStep:
    """One change of the selection.

    Attributes
    ----------
    mode : {"replace", "add", "subtract", "intersect", "invert"}
        What was done with the cells chosen.
    how : str
        How the user chose them: "lasso on the map", "click in the image", ...
    n_chosen : int
        How many cells were chosen.
    n_selected : int
        How many cells were selected afterwards.
    """

    mode: str
    how: str
    n_chosen: int
    n_selected: int


class Selection:
    """A set of cells that informs every view of its changes, which can be undone.

    Parameters
    ----------
    cell_index : CellIndex
        The numbers of the session's cells, which all views share.
    left_out : callable, optional
        Takes numbers of cells, and returns which of them are not to be selected, whatever a view asks for.

    Examples
    --------
    >>> cell_index = CellIndex()
    >>> cells = cell_index.add([("cells", 0, 3), ("cells", 0, 7), ("cells", 0, 1000)])
    >>> selection = Selection(cell_index)
    >>> _ = selection.changed.connect(lambda added, removed: print("+", added, "-", removed))
    >>> selection.select(cells[:2], how="lasso on the map")
    + [0 1] - []
    >>> selection.select(cells[1:], "subtract", how="click in the image")
    + [] - [1]
    >>> selection.undo()
    + [1] - []
    >>> selection.keys.tolist()
    [('cells', 0, 3), ('cells', 0, 7)]
    """

    changed = Signal(np.ndarray, np.ndarray, reemission="queued")
    """Emitted once per change as ``(added, removed)``, the cells' numbers. If a listener changes the selection in turn,
    that change is emitted after all listeners have received the first one."""

    chosen = Signal(np.ndarray, str, str)
    """Emitted as ``(numbers, mode, how)`` whenever cells are chosen, even if that changes nothing; not when a change is
    undone or redone."""

    def __init__(
        self, cell_index: CellIndex, left_out: Callable[[np.ndarray], np.ndarray] = lambda numbers: numbers < 0
    ) -> None:
        self._cell_index, self._left_out = cell_index, left_out
        self._states: list[tuple[np.ndarray, tuple[SelectionStep, ...]]] = [(np.empty(0, dtype=np.int64), ())]
        self._now = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Selection of {len(self)} cells>"

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the selected cells, ascending."""
        return self._states[self._now][0]

    @property
    def keys(self) -> pd.MultiIndex:
        """The keys of the selected cells."""
        return self._cell_index.keys(self.numbers)

    @property
    def story(self) -> tuple[SelectionStep, ...]:
        """The choices that led to the selection, since the last one that replaced it."""
        return self._states[self._now][1]

    def is_selected(self, numbers: np.ndarray) -> np.ndarray:
        """Return which of these cells are selected.

        Parameters
        ----------
        numbers : ndarray of int, shape (n,)
            The rows of a view; -1 for rows that are not cells.

        Returns
        -------
        ndarray of bool, shape (n,)
            True for selected cells.
        """
        is_selected: np.ndarray = self._cell_index.mask_of(self.numbers)[numbers]
        return is_selected

    def select(self, numbers: Iterable[int], mode: Mode = "replace", *, how: str = "") -> None:
        """Choose cells, and change the selection accordingly.

        Parameters
        ----------
        numbers : iterable of int
            The cells. If the selection stays the same, nothing happens.
        mode : {"replace", "add", "subtract", "intersect"}
            Whether these cells become the selection, are added to it, are removed from it, or are the only ones to stay
            in it.
        how : str
            How the user chose them.
        """
        chosen = self._open(numbers)
        before = self.numbers
        operations: dict[Mode, Callable[[], np.ndarray]] = {
            "replace": lambda: chosen,
            "add": lambda: distinct(before, chosen),
            "subtract": lambda: np.setdiff1d(before, chosen, assume_unique=True),
            "intersect": lambda: np.intersect1d(before, chosen, assume_unique=True),
        }
        self._become(operations[mode](), mode, how, len(chosen))
        self.chosen.emit(chosen, mode, how)

    def select_keys(self, keys: Iterable[Key], mode: Mode = "replace", *, how: str = "") -> None:
        """Choose cells by their keys, and change the selection accordingly.

        Parameters
        ----------
        keys : iterable of (layer, frame, label)
            The cells. Those that the session does not know are ignored, and a warning counts them.
        mode, how
            As for :meth:`select`.

        Raises
        ------
        ValueError
            If one of them is not a key: a label alone, for instance.
        """
        keys = as_keys(keys)
        numbers = self._cell_index.numbers_of(keys)
        if len(unknown := keys[numbers < 0]):
            layer, _, label = unknown[0]
            such = f'label {label} of "{layer}"'
            warn_user(f"{len(unknown)} of {counted(len(keys), 'cell')} are unknown here, such as {such}.")
        self.select(numbers[numbers >= 0], mode, how=how)

    def invert(self, numbers: Iterable[int]) -> None:
        """Invert the selection among some cells, and select no others.

        Parameters
        ----------
        numbers : iterable of int
            The cells, such as those on the map.
        """
        everyone = self._open(numbers)
        self._become(np.setdiff1d(everyone, self.numbers, assume_unique=True), "invert", "", len(everyone))

    def clear(self) -> None:
        """Clear the selection."""
        self.select(())

    def discard_cells(self, numbers: Iterable[int]) -> None:
        """Remove cells that no longer exist from the selection and from its history.

        Parameters
        ----------
        numbers : iterable of int
            The cells.
        """
        before, gone = self.numbers, distinct(numbers)
        self._states = [(np.setdiff1d(cells, gone, assume_unique=True), story) for cells, story in self._states]
        self._tell(before)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return self._now > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to redo."""
        return self._now < len(self._states) - 1

    def undo(self) -> None:
        """Undo the last change, if there is one."""
        self._move(-1)

    def redo(self) -> None:
        """Redo the change undone last, if there is one."""
        self._move(+1)

    @property
    def history(self) -> tuple[tuple[np.ndarray, tuple[SelectionStep, ...]], ...]:
        """The history of selections, the oldest first: the cells' numbers and the choices that led to each."""
        return tuple(self._states)

    @property
    def history_index(self) -> int:
        """The index of the current selection in :attr:`history`."""
        return self._now

    def restore(self, states: Sequence[tuple[np.ndarray, tuple[SelectionStep, ...]]], state: int) -> None:
        """Replace the history of selections.

        Parameters
        ----------
        states : sequence of (ndarray of int, tuple of SelectionStep)
            The cells' numbers, ascending, and the choices that led to each selection; at least one.
        state : int
            The index of the current selection.
        """
        before = self.numbers
        self._states, self._now = list(states), state
        self._tell(before)

    def _open(self, numbers: Iterable[int]) -> np.ndarray:
        """The cells that may be selected, ascending."""
        chosen = distinct(numbers)
        may_be: np.ndarray = chosen[~self._left_out(chosen)]
        return may_be

    def _become(self, after: np.ndarray, mode: str, how: str, n_chosen: int) -> None:
        before = self.numbers
        if np.array_equal(before, after):
            return
        earlier = () if mode == "replace" else self.story
        story = (*earlier, SelectionStep(mode, how, n_chosen, len(after))) if len(after) else ()
        self._states = [*self._states[: self._now + 1], (after, story)][-_REMEMBERED:]
        self._now = len(self._states) - 1
        self._tell(before)

    def _move(self, steps: int) -> None:
        if 0 <= self._now + steps < len(self._states):
            before = self.numbers
            self._now += steps
            self._tell(before)

    def _tell(self, before: np.ndarray) -> None:
        after = self.numbers
        added = np.setdiff1d(after, before, assume_unique=True)
        removed = np.setdiff1d(before, after, assume_unique=True)
        if len(added) or len(removed):
            self.changed.emit(added, removed)
