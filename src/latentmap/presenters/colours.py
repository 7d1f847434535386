"""What the points are coloured by: what is offered, and what the colours of a map mean."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from latentmap.session import VARIANCE, By, Groups, Run, Scale, Session, choices, colouring
from latentmap.table import CellTable


def meaning(session: Session, cells: CellTable, numbers: np.ndarray, variances: np.ndarray) -> Scale | Groups:
    """Say what the colours of a map mean; a map of cells without the feature chosen is coloured by the variance.

    Parameters
    ----------
    session : Session
        What the user has chosen, and the classes.
    cells : CellTable
        Those on the map.
    numbers : ndarray of int, shape (n_cells,)
        Their numbers in the session.
    variances : ndarray of float, shape (n_cells,)
        How uncertain their places are.
    """
    by, features = session.look.colour_by, cells.features
    known = by if by == VARIANCE or by in choices(features) else VARIANCE
    return colouring(known, features, variances, session.classes, numbers)


class ColourView(Protocol):
    """A list of what the points can be coloured by, and a box to tick for their size."""

    def offer(self, names: Sequence[tuple[str, By]], chosen: By) -> None:
        """Offer these, each under its name."""

    def show_chosen(self, chosen: By) -> None:
        """Show what is chosen of them."""

    def show_sized(self, sized: bool) -> None:
        """Show whether points of uncertain place are drawn larger."""


class ColourPresenter:
    """Offers what the cells of the map in view can be coloured by.

    Parameters
    ----------
    session : Session
        Its look is shown and set.
    view : ColourView
    """

    def __init__(self, session: Session, view: ColourView) -> None:
        self._session, self._view, self.look = session, view, session.look
        self._offered: list[By] = []
        self._is_showing = False
        session.look.events.connect(self.refresh, max_args=0)
        session.runs.progressed.connect(self._progressed)
        session.runs.changed.connect(self._map_changed)

    def close(self) -> None:
        """Let go of the look; the session lets go of the presenter."""
        self.look.events.disconnect(self.refresh)

    def refresh(self) -> None:
        """Show what is chosen, if the view offers it."""
        if self.look.colour_by in self._offered:
            self._view.show_chosen(self.look.colour_by)
        self._view.show_sized(self.look.sized_by_variance)

    def offer(self, offered: Sequence[By]) -> None:
        """Offer these; if what is chosen is not among them, choose the variance."""
        chosen = self.look.colour_by if self.look.colour_by in offered else VARIANCE
        if self._offered != list(offered):
            self._offered, self._is_showing = list(offered), True
            try:
                self._view.offer([(by.name or by.kind, by) for by in offered], chosen)
            finally:
                self._is_showing = False
        self.look.colour_by = chosen

    def choose(self, by: By) -> None:
        """Colour the points by something else; what a view says while it is given other choices is an echo."""
        if not self._is_showing:
            self.look.colour_by = by

    def size(self, sized: bool) -> None:
        """Draw points of uncertain place larger, or all alike."""
        self.look.sized_by_variance = sized

    def _progressed(self, run: Run) -> None:
        if run.progress is not None and run.progress.iteration == 0:
            self.offer(choices(run.progress.cells.features))

    def _map_changed(self) -> None:
        current = self._session.runs.current
        if current is not None and current.result is not None and not self._session.runs.running:
            self.offer(choices(current.result.cells.features))
