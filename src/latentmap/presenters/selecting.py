"""The selection and the user's classes: what can be done with them, and the messages about it."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from latentmap.display.actions import RESTORED, assigned, dropped, selected
from latentmap.session import Session
from latentmap.session.selection import Mode


class ClassLine(NamedTuple):
    """A line in the list of classes.

    Attributes
    ----------
    name, colour : str
        The colour is ``"#rrggbb"``.
    n_cells : int
        How many cells are in the class, without those that were dropped.
    how : str
        How these cells were selected; empty if that is not known.
    """

    name: str
    colour: str
    n_cells: int
    how: str


class SelectionView(Protocol):
    """A summary, buttons that act on the selection, and a list of classes."""

    def show_selection(self, summary: str, possible: Mapping[str, bool], restore: str) -> None:
        """Show the summary, enable the buttons that can be pressed, and label "restore", or hide it if empty."""

    def show_classes(self, lines: Sequence[ClassLine]) -> None:
        """Show the classes."""


class SelectionPresenter:
    """Lets the user change the selection, and put selected cells into classes.

    Parameters
    ----------
    session : Session
    view : SelectionView
    everyone : callable
        Returns the numbers of the cells on the maps.
    embed_alone : callable
        Makes a map of the selected cells only.
    tell : callable
        Shows the user a sentence.

    Attributes
    ----------
    actions : dict of str to callable
        What each button does, by its name in :data:`latentmap.display.actions.ACTIONS`.
    """

    def __init__(
        self,
        session: Session,
        view: SelectionView,
        everyone: Callable[[], np.ndarray],
        embed_alone: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._view, self._everyone, self._tell = view, everyone, tell
        self._session = session
        self._selection, self._classes, self._dropped = session.selection, session.classes, session.dropped
        self.actions: dict[str, Callable[[], None]] = {
            "undo": session.selection.undo,
            "redo": session.selection.redo,
            "invert": self._invert,
            "clear": session.selection.clear,
            "unassign": self._unassign,
            "alone": embed_alone,
            "drop": self._drop,
            "restore": self._restore,
        }
        for signal in (session.selection.changed, session.dropped.changed, session.runs.changed):
            signal.connect(self.refresh, max_args=0)
        for signal in (session.classes.changed, session.dropped.changed):
            signal.connect(self.list_classes, max_args=0)

    def refresh(self) -> None:
        """Show how many cells are selected, and what can be done with them."""
        selection, n_dropped = self._selection, len(self._dropped)
        possible = dict.fromkeys(("clear", "assign", "unassign", "alone", "drop"), len(selection) > 0)
        possible |= {"undo": selection.can_undo, "redo": selection.can_redo, "invert": len(self._everyone()) > 0}
        self._view.show_selection(selected(len(selection)), possible, f"Bring {n_dropped} back" if n_dropped else "")

    def list_classes(self) -> None:
        """Show the classes."""
        self._view.show_classes(
            [
                ClassLine(
                    one.name,
                    one.colour,
                    len(self._session.members(one.name)),
                    "; ".join(f"{choice.mode} by {choice.how}" for choice in one.story if choice.how),
                )
                for one in self._classes
            ]
        )

    def assign(self, name: str) -> None:
        """Put the selected cells into a class."""
        try:
            self._classes.assign(name, self._selection.numbers, self._selection.story)
        except ValueError as error:
            self._tell(str(error))
        else:
            self._tell(assigned(len(self._selection), name))

    def choose_class(self, name: str, mode: Mode = "replace") -> None:
        """Select the cells of a class that are not dropped, or add them to the selection."""
        self._selection.select(self._session.members(name), mode, how=f'class "{name}"')

    def rename_class(self, name: str, new: str) -> None:
        """Rename a class; if that is not possible, say why and show the old name again."""
        try:
            self._classes.rename(name, new)
        except ValueError as error:
            self._tell(str(error))
            self.list_classes()

    def recolour_class(self, name: str, colour: str) -> None:
        """Give a class another colour."""
        self._classes.recolour(name, colour)

    def delete_class(self, name: str) -> None:
        """Delete a class, but not its cells."""
        self._classes.delete(name)

    def _invert(self) -> None:
        self._selection.invert(self._everyone())

    def _unassign(self) -> None:
        self._classes.unassign(self._selection.numbers)

    def _drop(self) -> None:
        count = len(self._selection)
        self._dropped.drop(self._selection.numbers, self._selection.story)
        self._tell(dropped(count))

    def _restore(self) -> None:
        self._dropped.restore()
        self._tell(RESTORED)
