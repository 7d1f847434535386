"""Lines from the cell under the mouse to its true neighbours."""

from collections.abc import Generator
from functools import partial
from typing import Protocol

from latentmap.presenters.trust.work import Work
from latentmap.session import Result, Run
from latentmap.session.true_neighbors import with_neighbors
from latentmap.session.trust import Steps, keep


class LinesView(Protocol):
    """A tick."""

    def show_lines(self, on: bool) -> None:
        """Show whether lines are drawn."""


class LinesPresenter:
    """Has lines drawn to the true neighbours of the cell under the mouse, and finds them where a map has none.

    Parameters
    ----------
    work : Work
    view : LinesView
    """

    def __init__(self, work: Work, view: LinesView) -> None:
        self._work, self._session, self._view = work, work.session, view
        self._session.runs.changed.connect(self.refresh)
        self._session.display_settings.events.neighbor_lines.connect(self.refresh, max_args=0)

    def close(self) -> None:
        """Stop following the display settings; the session drops the presenter itself."""
        self._session.display_settings.events.neighbor_lines.disconnect(self.refresh)

    def refresh(self) -> None:
        """Show whether lines are drawn; a map from a file has its neighbours found if they are."""
        on = self._session.display_settings.neighbor_lines
        self._view.show_lines(on)
        run = self._session.runs.current
        if (
            on
            and run is not None
            and run.result is not None
            and run.result.neighbors is None
            and not self._work.running
        ):
            self._work.start(
                "Looking for the true neighbours", iter_neighbors(run.result), partial(self._found, run, run.result)
            )

    def draw(self, on: bool) -> None:
        """Draw lines from now on, or no more."""
        self._session.display_settings.neighbor_lines = on

    def _found(self, run: Run, before: Result, found: Result) -> None:
        keep(self._session.runs, run, before, found)


def iter_neighbors(result: Result) -> Generator[Steps, bool | None, Result]:
    """Find the true neighbours of the cells of a map, as the steps of a job."""
    yield Steps("Looking for the true neighbours")
    return with_neighbors(result)
