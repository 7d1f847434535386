"""The cells that the user has selected, and how that came about."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from psygnal import Signal

from latentmap.model.sentences import warn
from latentmap.session.register import Register, as_keys
from latentmap.session.wording import counted
from latentmap.table import Key

Mode = Literal["replace", "add", "subtract", "intersect"]
"""What becomes of the cells selected already."""

_REMEMBERED = 100


@dataclass(frozen=True)
class Choice:
    """One change of the selection.

    Attributes
    ----------
    mode : {"replace", "add", "subtract", "intersect", "invert"}
        What was done with the cells chosen.
    how : str
        By what the user chose them: "lasso on the map", "click in the image", ...
    n_chosen : int
        How many cells that were.
    n_selected : int
        How many cells are selected since.
    """

    mode: str
    how: str
    n_chosen: int
    n_selected: int


class Selection:
    """A set of cells that tells every view when it changes, and can be taken back step by step.

    Parameters
    ----------
    register : Register
        The cells' numbers, which all views share.

    Examples
    --------
    >>> register = Register()
    >>> cells = register.enter([("cells", 0, 3), ("cells", 0, 7), ("cells", 0, 1000)])
    >>> selection = Selection(register)
    >>> _ = selection.changed.connect(lambda added, removed: print("+", added, "-", removed))
    >>> selection.choose(cells[:2], how="lasso on the map")
    + [0 1] - []
    >>> selection.choose(cells[1:], "subtract", how="click in the image")
    + [] - [1]
    >>> selection.undo()
    + [1] - []
    >>> selection.keys.tolist()
    [('cells', 0, 3), ('cells', 0, 7)]
    """

    changed = Signal(np.ndarray, np.ndarray, reemission="queued")
    """Emitted once a change as ``(added, removed)``, the cells' numbers. When a listener changes the selection in turn,
    its change is told after all listeners have heard of the first one."""

    chosen = Signal(np.ndarray, str, str)
    """Emitted as ``(numbers, mode, how)`` whenever cells are chosen, also where that changes nothing; not when a change
    is taken back or made again."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._states: list[tuple[np.ndarray, tuple[Choice, ...]]] = [(np.empty(0, dtype=np.int64), ())]
        self._now = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Selection of {len(self)} cells>"

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the cells selected, ascending."""
        return self._states[self._now][0]

    @property
    def keys(self) -> pd.MultiIndex:
        """The keys of the cells selected."""
        return self._register.keys(self.numbers)

    @property
    def story(self) -> tuple[Choice, ...]:
        """How the selection came about, from when it last was begun anew."""
        return self._states[self._now][1]

    def among(self, numbers: np.ndarray) -> np.ndarray:
        """Say of each of these cells whether it is selected.

        Parameters
        ----------
        numbers : ndarray of int, shape (n,)
            A view's rows; -1 for rows that are no cell.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        return self._register.mask(self.numbers)[numbers]

    def choose(self, numbers: Iterable[int], mode: Mode = "replace", *, how: str = "") -> None:
        """Change the selection by some cells.

        Parameters
        ----------
        numbers : iterable of int
            The cells. If the selection stays the same, nothing happens.
        mode : {"replace", "add", "subtract", "intersect"}
            Whether these cells become the selection, join it, leave it, or are all that may stay of it.
        how : str
            By what the user chose them.
        """
        chosen = np.unique(np.asarray(numbers, dtype=np.int64))
        before = self.numbers
        after = {
            "replace": lambda: chosen,
            "add": lambda: np.union1d(before, chosen),
            "subtract": lambda: np.setdiff1d(before, chosen, assume_unique=True),
            "intersect": lambda: np.intersect1d(before, chosen, assume_unique=True),
        }[mode]()
        self._become(after, mode, how, len(chosen))
        self.chosen.emit(chosen, mode, how)

    def choose_keys(self, keys: Iterable[Key], mode: Mode = "replace", *, how: str = "") -> None:
        """Change the selection by some cells, given by their keys.

        Parameters
        ----------
        keys : iterable of (layer, frame, label)
            Cells that the session does not know are passed over, and a warning counts them.
        mode, how
            As for :meth:`choose`.

        Raises
        ------
        ValueError
            If one of them names no cell: a label alone, for instance.
        """
        keys = as_keys(keys)
        numbers = self._register.find(keys)
        if len(unknown := keys[numbers < 0]):
            layer, _, label = unknown[0]
            such = f'label {label} of "{layer}"'
            warn(f"{len(unknown)} of {counted(len(keys), 'cell')} are not known here, such as {such}.")
        self.choose(numbers[numbers >= 0], mode, how=how)

    def invert(self, numbers: Iterable[int]) -> None:
        """Select those of some cells that are not selected, and no others.

        Parameters
        ----------
        numbers : iterable of int
            The cells there are, such as those on the map.
        """
        everyone = np.unique(np.asarray(numbers, dtype=np.int64))
        self._become(np.setdiff1d(everyone, self.numbers, assume_unique=True), "invert", "", len(everyone))

    def clear(self) -> None:
        """Select no cell."""
        self.choose(())

    def forget(self, numbers: Iterable[int]) -> None:
        """Let go of cells that there are no more, now and in what can be undone.

        Parameters
        ----------
        numbers : iterable of int
        """
        before, gone = self.numbers, np.unique(np.asarray(numbers, dtype=np.int64))
        self._states = [(np.setdiff1d(cells, gone, assume_unique=True), story) for cells, story in self._states]
        self._tell(before)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return self._now > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a change that was taken back."""
        return self._now < len(self._states) - 1

    def undo(self) -> None:
        """Take the last change back, if there is one."""
        self._move(-1)

    def redo(self) -> None:
        """Make the change again that was taken back last, if there is one."""
        self._move(+1)

    @property
    def states(self) -> tuple[tuple[np.ndarray, tuple[Choice, ...]], ...]:
        """The selections that can be undone and redone to, the oldest first: the cells' numbers, and the story."""
        return tuple(self._states)

    @property
    def state(self) -> int:
        """The place of the selection of now among :attr:`states`."""
        return self._now

    def fill(self, states: Sequence[tuple[np.ndarray, tuple[Choice, ...]]], state: int) -> None:
        """Have other selections to undo and redo to, and one of them now.

        Parameters
        ----------
        states : sequence of (ndarray of int, tuple of Choice)
            The cells' numbers, ascending, and the story; at least one.
        state : int
            The place of the selection of now.
        """
        before = self.numbers
        self._states, self._now = list(states), state
        self._tell(before)

    def _become(self, after: np.ndarray, mode: str, how: str, n_chosen: int) -> None:
        before = self.numbers
        if np.array_equal(before, after):
            return
        earlier = () if mode == "replace" else self.story
        story = (*earlier, Choice(mode, how, n_chosen, len(after))) if len(after) else ()
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
