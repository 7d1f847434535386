"""Finding clusters on the current map, and turning them into classes."""

from collections.abc import Callable
from functools import partial

import numpy as np

from latentmap.session.clustering import Method, as_classes, cluster, default_min_size
from latentmap.session.job import BackgroundJob, Schedule, as_single_step
from latentmap.session.session import Session
from latentmap.session.wording import counted

PREFIX = "cluster"
"""The start of the classes' names."""


class ClusterSearch:
    """Finds clusters on the current map in a thread, and turns them into classes.

    Parameters
    ----------
    session : Session
    schedule : callable
        Schedules a function in the front end's thread.
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(self, session: Session, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self._session, self._tell = session, tell
        self._job = BackgroundJob(schedule)

    @property
    def running(self) -> bool:
        """Whether a search is under way."""
        return self._job.running

    def start(self, method: Method, number: int = 0) -> None:
        """Start a search, if there is a map.

        Parameters
        ----------
        method : {"hdbscan", "k-means"}
        number : int
            For "hdbscan" the fewest cells of a cluster, 0 for the square root of their number; for "k-means" the number
            of clusters.
        """
        current = self._session.runs.current
        if current is None or current.result is None or current.numbers is None:
            return
        there = ~self._session.dropped.is_dropped(current.numbers)
        positions = current.result.embedding[there]
        if method == "k-means":
            settings, how = {"n_clusters": number}, f"k-means with {number} clusters"
        else:
            least = number or default_min_size(len(positions))
            settings, how = {"min_size": least}, f"HDBSCAN, at least {least} cells"
        self._tell("Looking for clusters …")
        self._job.start(
            as_single_step(cluster, positions, method, **settings),
            yielded=lambda _: None,
            returned=partial(self._found, current.numbers, there, f"{how}, on the map {current.name}"),
            failed=self._failed,
        )

    def stop(self) -> None:
        """Drop the search under way."""
        self._job.drop()

    def _found(self, numbers: np.ndarray, there: np.ndarray, how: str, clusters: np.ndarray) -> None:
        # Those dropped leave the clusters of an earlier search, whose names others get.
        of_all = np.full(len(numbers), -1)
        of_all[there] = clusters
        classes = self._session.classes
        # Classes named by the user outrank those found by a method.
        named = [at for at, name in enumerate(classes.names) if not name.startswith(f"{PREFIX} ")]
        free = ~np.isin(classes.indices_of(numbers), named)
        as_classes(classes, numbers[free], of_all[free], PREFIX, how=how)
        made, none = len(np.unique(of_all[free & (of_all >= 0)])), int((clusters < 0).sum())
        count = int(clusters.max(initial=-1)) + 1
        left = f"; {counted(none, 'cell')} in no cluster" if none else ""
        if stay := int((~free & there).sum()):
            left += f"; {counted(stay, 'cell')} left in the classes that you named"
        if not count:
            self._tell(f"No clusters found{left}.")
            return
        are = (
            "each a class now"
            if made == count
            else f"{made or 'none'} of them {'a class' if made == 1 else 'classes'} now"
        )
        self._tell(f"{counted(count, 'cluster')} found, {are}{left}.")

    def _failed(self, error: Exception) -> None:
        self._tell(str(error))
        if not isinstance(error, ValueError):
            raise error
