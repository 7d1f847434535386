"""Clusters of the current map: what can be set, and looking for them."""

from collections.abc import Callable
from typing import Protocol

from latentmap.session import Post, Session
from latentmap.session.cluster_search import ClusterSearch
from latentmap.session.clustering import Method

_NUMBER: dict[str, str] = {"hdbscan": "least", "k-means": "parts"}


class ClusterView(Protocol):
    """A choice of method, a field for its number, and a button."""

    def show_clustering(self, number: str, *, can_find: bool) -> None:
        """Show the field "least" or "parts" and not the other; let the button work or not."""


class ClusterPresenter:
    """Finds clusters on the current map, and puts their cells into classes.

    Parameters
    ----------
    session : Session
    view : ClusterView
    post : callable
        Has a function called soon in the thread of the front end.
    tell : callable
        Takes a sentence for the user.

    Attributes
    ----------
    method : {"hdbscan", "k-means"}
    """

    def __init__(self, session: Session, view: ClusterView, post: Post, tell: Callable[[str], None]) -> None:
        self._session, self._view = session, view
        self._search = ClusterSearch(session, post, tell)
        self.method: Method = "hdbscan"
        session.runs.changed.connect(self.refresh)

    @property
    def running(self) -> bool:
        """Whether clusters are being looked for."""
        return self._search.running

    def refresh(self) -> None:
        """Show what can be set, and whether there is a map to search."""
        self._view.show_clustering(_NUMBER[self.method], can_find=self._session.runs.current is not None)

    def choose(self, method: Method) -> None:
        """Look for clusters by another method from now on."""
        self.method = method
        self.refresh()

    def find(self, *, least: int, parts: int) -> None:
        """Look for clusters in a thread, and put the cells into classes once they are found."""
        self._search.start(self.method, {"least": least, "parts": parts}[_NUMBER[self.method]])

    def stop(self) -> None:
        """Give up the search."""
        self._search.stop()
