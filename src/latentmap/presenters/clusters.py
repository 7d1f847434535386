"""Finding clusters on the current map."""

from collections.abc import Callable
from typing import Protocol

from latentmap.session import Schedule, Session
from latentmap.session.cluster_search import ClusterSearch
from latentmap.session.clustering import Method

_NUMBER: dict[str, str] = {"hdbscan": "least", "k-means": "parts"}


class ClusterView(Protocol):
    """A list of methods, a number field for each, and a button."""

    def show_clustering(self, number: str, *, can_find: bool) -> None:
        """Show the field "least" or "parts" and hide the other; enable the button if clusters can be found."""


class ClusterPresenter:
    """Finds clusters on the current map, and puts their cells into classes.

    `schedule` schedules a function in the thread of the front end; `tell` shows the user a sentence.
    """

    def __init__(self, session: Session, view: ClusterView, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self._session, self._view = session, view
        self._search = ClusterSearch(session, schedule, tell)
        self.method: Method = "hdbscan"
        session.runs.changed.connect(self.refresh)

    @property
    def running(self) -> bool:
        """Whether a search for clusters is under way."""
        return self._search.running

    def refresh(self) -> None:
        """Show the field of the method, and whether there is a map to search."""
        self._view.show_clustering(_NUMBER[self.method], can_find=self._session.runs.current is not None)

    def choose(self, method: Method) -> None:
        """Use another method from now on."""
        self.method = method
        self.refresh()

    def find(self, *, least: int, parts: int) -> None:
        """Search for clusters in a thread, and put the cells into classes once they are found."""
        self._search.start(self.method, {"least": least, "parts": parts}[_NUMBER[self.method]])

    def stop(self) -> None:
        """Cancel the search."""
        self._search.stop()
