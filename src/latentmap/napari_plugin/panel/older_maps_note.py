"""The sentence on maps in view that were made of other values than their cells have now."""

from collections.abc import Callable

from superqt.utils import qdebounced

from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.older_maps import older_maps
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import Runs
from latentmap.table import CellTable

# How long nothing must change before the sentence follows, in milliseconds.
_SETTLED = 100


class OlderMapsNote:
    """Says which maps in view were made of other values than their cells have now.

    Parameters
    ----------
    runs : Runs
        The maps of the session.
    side_by_side : SideBySide
        Says which of them are in view.
    cells : callable
        Returns the cells as they are now; None if there are none.

    Attributes
    ----------
    label : Label
        Shows the sentence; hidden if there is nothing to say.
    """

    def __init__(self, runs: Runs, side_by_side: SideBySide, cells: Callable[[], CellTable | None]) -> None:
        self._runs, self._side_by_side, self._cells = runs, side_by_side, cells
        self.label = wrapped_label()
        self.refresh = qdebounced(self._say, timeout=_SETTLED)
        side_by_side.shown_changed.connect(self.refresh, max_args=0)
        runs.ended.connect(self.refresh, max_args=0)

    def stop(self) -> None:
        """Follow no longer."""
        self.refresh.cancel()

    def _say(self) -> None:
        if self._runs.running:
            return  # of a million cells in several layers it takes as long as several steps; it is asked for at the end
        cells = self._cells()
        self.label.value = "" if cells is None else older_maps(self._side_by_side.shown, cells)
        self.label.visible = bool(self.label.value)
