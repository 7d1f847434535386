"""Which axes of a map are drawn, if it has more than two."""

from collections.abc import Sequence
from typing import Protocol

from latentmap.display.actions import axis_names
from latentmap.session import Session

FLAT = ("flat", -1)
"""The choice to draw no axis into the screen."""


class AxesView(Protocol):
    """Three lists to choose from: the axis that points right, the one that points up, the one into the screen."""

    def show_axes(self, names: Sequence[tuple[str, int]], chosen: tuple[int, int, int], *, offered: bool) -> None:
        """Offer these axes, and `FLAT` for the third, and show those chosen; hide everything if nothing is offered."""


class AxesPresenter:
    """Lets the user choose which axes of the maps are drawn."""

    def __init__(self, session: Session, view: AxesView) -> None:
        self._session, self._view = session, view
        self._n_axes, self._is_showing = 2, False
        session.display_settings.events.axes.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)

    def close(self) -> None:
        """Stop following the session."""
        self._session.display_settings.events.axes.disconnect(self.refresh)
        self._session.runs.changed.disconnect(self.refresh)

    def refresh(self) -> None:
        """Offer the axes of the current map."""
        current = self._session.runs.current
        self._n_axes = 2 if current is None else max(2, int(current.parameters["n_components"]))
        across, up, *depth = self._session.display_settings.axes_of(self._n_axes)
        self._is_showing = True
        try:
            chosen = (across, up, depth[0] if depth else FLAT[1])
            self._view.show_axes(axis_names(self._n_axes), chosen, offered=self._n_axes > 2)
        finally:
            self._is_showing = False

    def choose(self, across: int, up: int, depth: int) -> None:
        """Draw these axes; ignored during `refresh`, because some views report what they are told to show."""
        if self._n_axes > 2 and not self._is_showing:
            self._session.display_settings.axes = (across, up) if depth == FLAT[1] else (across, up, depth)
