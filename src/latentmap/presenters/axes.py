"""The axes of the maps that are drawn, where a map has more than two."""

from collections.abc import Sequence
from typing import Protocol

from latentmap.display.actions import axis_names
from latentmap.session import Session

FLAT = ("flat", -1)
"""The choice of no axis into the depth."""


class AxesView(Protocol):
    """Three lists to choose from: the axis to the right, upwards, and into the depth."""

    def show_axes(self, names: Sequence[tuple[str, int]], chosen: tuple[int, int, int], *, offered: bool) -> None:
        """Offer these axes, for the depth also `FLAT`, and show those chosen; hide it all if there is no choice."""


class AxesPresenter:
    """Lets the user choose which axes of the maps are drawn.

    Parameters
    ----------
    session : Session
        Its look is shown and set.
    view : AxesView
    """

    def __init__(self, session: Session, view: AxesView) -> None:
        self._session, self._view = session, view
        self._n_axes, self._is_showing = 2, False
        session.look.events.axes.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)

    def close(self) -> None:
        """Let go of the session."""
        self._session.look.events.axes.disconnect(self.refresh)
        self._session.runs.changed.disconnect(self.refresh)

    def refresh(self) -> None:
        """Show what can be chosen for the current map."""
        current = self._session.runs.current
        self._n_axes = 2 if current is None else max(2, int(current.parameters["n_components"]))
        across, up, *depth = self._session.look.axes_of(self._n_axes)
        self._is_showing = True
        try:
            chosen = (across, up, depth[0] if depth else FLAT[1])
            self._view.show_axes(axis_names(self._n_axes), chosen, offered=self._n_axes > 2)
        finally:
            self._is_showing = False

    def choose(self, across: int, up: int, depth: int) -> None:
        """Draw these axes; what a view says while it is being brought up to date is an echo."""
        if self._n_axes > 2 and not self._is_showing:
            self._session.look.axes = (across, up) if depth == FLAT[1] else (across, up, depth)
