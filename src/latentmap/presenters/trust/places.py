"""Where else on the current map the selected cell could lie: a list of places, and a faint field on the map."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np

from latentmap.presenters.trust.field import field_box
from latentmap.presenters.trust.work import Finding, Work
from latentmap.quality import Field, OtherPlaces
from latentmap.session import Run
from latentmap.session.map_comparison import iter_places, why_no_places
from latentmap.session.true_neighbors import N_TRUE

SELECT_ONE = "Select a single cell, and ask where else on the map it could lie."
"""Shown unless one cell is selected."""

# Places with smaller odds are none to speak of, as in docs/trust.md.
_LEAST_ODDS = 0.05


class PlacesView(Protocol):
    """A button, a sentence, a list of sentences to be clicked, and a tick."""

    def show_places(self, sentence: str, findings: Sequence[str], *, can_ask: bool) -> None:
        """Show the places of the selected cell; each can be clicked."""

    def show_field(self, on: bool, *, can_draw: bool) -> None:
        """Show whether the field is drawn on the map."""


class PlacesPresenter:
    """Asks the model where else the selected cell could lie, on request.

    Parameters
    ----------
    work : Work
    view : PlacesView
    """

    def __init__(self, work: Work, view: PlacesView) -> None:
        self._work, self._session, self._view = work, work.session, view
        self._findings: list[Finding] = []
        self._is_picking = False
        self._session.runs.changed.connect(self.refresh)
        self._session.selection.changed.connect(self._selected, max_args=0)
        self._session.cell_field.changed.connect(self._view_field)

    def refresh(self) -> None:
        """Forget the places of the cell before, and say what can be asked."""
        self._findings = []
        self._session.cell_field.forget()
        run = self._session.runs.current
        why = "" if run is None or run.result is None else why_no_places(run.result)
        can_ask = not why and self._row() is not None
        self._view.show_places(why or ("" if can_ask else SELECT_ONE), [], can_ask=can_ask)
        self._view_field()

    def ask(self) -> None:
        """Ask where else the selected cell could lie, in a thread."""
        run, row = self._session.runs.current, self._row()
        if run is not None and row is not None:
            done = partial(self._found, run, row, run.finished().embedding)
            steps = iter_places(run, row, field_box(run.finished()))
            self._work.start("Asking the model where else the cell could lie", steps, done)

    def draw(self, on: bool) -> None:
        """Draw the field on the map, or draw it no more."""
        self._session.cell_field.is_drawn = on

    def select(self, index: int) -> None:
        """Select the cells around a place; the places stay listed."""
        if index < len(self._findings):
            self._is_picking = True
            try:
                self._work.select(self._findings[index])
            finally:
                self._is_picking = False

    def _found(self, run: Run, row: int, embedding: np.ndarray, value: tuple[OtherPlaces, Field | None]) -> None:
        places, field = value
        is_same = run is self._session.runs.current and run.finished().embedding is embedding
        if not is_same or run.numbers is None or self._row() != row:
            return
        self._findings = place_findings(places, embedding, run.numbers, row)
        if field is not None:
            self._session.cell_field.show(run, field)
        sentence = places_sentence(len(self._findings) - 1, has_field=field is not None)
        self._work.tell(sentence.split(".")[0] + ".")
        self._view.show_places(sentence, [one.text for one in self._findings], can_ask=True)

    def _view_field(self) -> None:
        field = self._session.cell_field
        self._view.show_field(field.is_drawn, can_draw=field.is_known)

    def _selected(self) -> None:
        if not self._is_picking:
            self.refresh()

    def _row(self) -> int | None:
        """The row of the selected cell on the current map, if one is selected."""
        run, numbers = self._session.runs.current, self._session.selection.numbers
        if run is None or run.result is None or run.numbers is None or len(numbers) != 1:
            return None
        rows = np.flatnonzero(run.numbers == numbers[0])
        return int(rows[0]) if len(rows) else None


def places_sentence(n_others: int, *, has_field: bool) -> str:
    """Say how many other places there are, and what their odds mean."""
    there = {0: "The model knows no other place for this cell.", 1: "There is one other place."}
    said = [there.get(n_others, f"There are {n_others} other places.")]
    if has_field:
        said.append("The stronger the field at a spot, the likelier the cell is there.")
    if n_others:
        said.append(
            "These are the model's odds, with all other cells held in place, not the odds that it is right. Click a "
            "place to select the cells around it."
        )
    return " ".join(said)


def place_findings(places: OtherPlaces, embedding: np.ndarray, numbers: np.ndarray, row: int) -> list[Finding]:
    """Return the places of a cell, where it lies first, each with the cells around it."""
    own = int(np.linalg.norm(places.positions - embedding[row], axis=1).argmin())
    others = [at for at in range(len(places.odds)) if at != own and places.odds[at] >= _LEAST_ODDS]
    findings = []
    for at in [own, *others]:
        near = np.argsort(np.linalg.norm(embedding - places.positions[at], axis=1), kind="stable")[:N_TRUE]
        spot = ", ".join(f"{value:.3g}" for value in places.positions[at])
        what = "where it lies" if at == own else f"another place, at ({spot})"
        odds = f": odds {places.odds[at]:.0%}" if others else ""
        findings.append(Finding(f"{what}{odds}", np.sort(numbers[near]), f"cells around {what}"))
    return findings
