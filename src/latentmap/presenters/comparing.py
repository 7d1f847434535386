"""Comparisons of cells by clicking: when they are offered, what to click next, and what can be taken back."""

from typing import Protocol

from latentmap.display.comparing_words import comparing_words
from latentmap.methods import METHODS
from latentmap.session import Session


class ComparisonView(Protocol):
    """A box to tick, two buttons and a line of words."""

    def show_comparing(self, words: str, *, offered: bool, on: bool, can_undo: bool, can_forget: bool) -> None:
        """Show what has been said and what to click next, or hide it all if it is not offered."""


class ComparisonPresenter:
    """Lets the user compare cells by three clicks each, while the method learns from that.

    Parameters
    ----------
    session : Session
    view : ComparisonView
    """

    def __init__(self, session: Session, view: ComparisonView) -> None:
        self._session, self._view = session, view
        session.comparing.changed.connect(self.refresh)
        session.parameters.events.method.connect(self.refresh, max_args=0)

    def close(self) -> None:
        """Let go of the session."""
        self._session.comparing.changed.disconnect(self.refresh)
        self._session.parameters.events.method.disconnect(self.refresh)

    def refresh(self) -> None:
        """Show what has been said, and what to click next."""
        comparing = self._session.comparing
        offered = METHODS[self._session.parameters.method].learns_from == "comparisons"
        if comparing.on and not offered:
            comparing.on = False
        self._view.show_comparing(
            comparing_words(self._session),
            offered=offered,
            on=comparing.on,
            can_undo=bool(comparing.picked or comparing.triplets),
            can_forget=bool(comparing.triplets),
        )

    def switch(self, on: bool) -> None:
        """Have clicks compare cells, or no longer."""
        self._session.comparing.on = on

    def undo(self) -> None:
        """Take the last click back, or the last comparison."""
        self._session.comparing.undo()

    def forget(self) -> None:
        """Forget all comparisons."""
        self._session.comparing.clear()
