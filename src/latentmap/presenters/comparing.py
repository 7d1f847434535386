"""Comparing cells by clicking: when it is offered, what to click next, and what can be undone."""

from typing import Protocol

from latentmap.display.comparison_help import comparison_help
from latentmap.methods import METHODS
from latentmap.session import Session


class ComparisonView(Protocol):
    """A check box, two buttons and a line of text."""

    def show_comparing(self, words: str, *, offered: bool, on: bool, can_undo: bool, can_forget: bool) -> None:
        """Show the comparisons made and what to click next, or hide everything if comparing is not offered."""


class ComparisonPresenter:
    """Lets the user make comparisons by three clicks each, if the method learns from them."""

    def __init__(self, session: Session, view: ComparisonView) -> None:
        self._session, self._view = session, view
        session.comparisons.changed.connect(self.refresh)
        session.parameters.events.method.connect(self.refresh, max_args=0)

    def close(self) -> None:
        """Stop following the session."""
        self._session.comparisons.changed.disconnect(self.refresh)
        self._session.parameters.events.method.disconnect(self.refresh)

    def refresh(self) -> None:
        """Show the comparisons made, and what to click next."""
        comparing = self._session.comparisons
        offered = METHODS[self._session.parameters.method].learns_from == "comparisons"
        if comparing.on and not offered:
            comparing.on = False
        self._view.show_comparing(
            comparison_help(self._session),
            offered=offered,
            on=comparing.on,
            can_undo=bool(comparing.picked or comparing.triplets),
            can_forget=bool(comparing.triplets),
        )

    def switch(self, on: bool) -> None:
        """Turn comparing by clicks on or off."""
        self._session.comparisons.on = on

    def undo(self) -> None:
        """Undo the last click or, between comparisons, the last comparison."""
        self._session.comparisons.undo()

    def forget(self) -> None:
        """Delete all comparisons."""
        self._session.comparisons.clear()
