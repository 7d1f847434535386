"""The part of the panel where clusters of the map become classes."""

from collections.abc import Callable
from functools import partial

import numpy as np
from magicgui.widgets import ComboBox, Container, PushButton, SpinBox

from latentmap.napari_plugin.panel.form import beside, labelled
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.session import Job, Run, Session
from latentmap.session.clustering import as_classes, cluster, fewest
from latentmap.session.job import in_one_step

PREFIX = "cluster"
"""What the classes' names begin with."""


class ClusterSection(Container):
    """Finds clusters on the current map, and puts their cells into classes.

    Parameters
    ----------
    session : Session
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(self, session: Session, tell: Callable[[str], None]) -> None:
        self._session, self._tell = session, tell
        self._job = Job(main_thread())
        self.method = ComboBox(
            choices=lambda _: [("dense clumps (HDBSCAN)", "hdbscan"), ("k parts (k-means)", "k-means")],
            value="hdbscan",
            tooltip="HDBSCAN finds dense clumps, and leaves cells between them in no class; k-means divides all cells "
            "into so many parts.",
        )
        self.least = SpinBox(
            min=0,
            max=1_000_000,
            value=0,
            tooltip="The fewest cells that are a clump; 0 for the square root of their number.",
        )
        self.parts = SpinBox(min=2, max=500, value=8, tooltip="How many parts.")
        self.button = PushButton(
            text="Cluster the map",
            tooltip='Puts the cells into classes "cluster 1", "cluster 2" ..., the largest first. The cells leave the '
            "classes that they are in.",
        )
        self._least_row, self._parts_row = labelled("fewest cells", self.least), labelled("parts", self.parts)
        super().__init__(
            widgets=[labelled("Clusters", self.method), self._least_row, self._parts_row, beside(self.button)],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.method.changed.connect(self._refresh)
        self.button.changed.connect(self.find)
        session.runs.changed.connect(self._refresh)
        self._refresh()

    @property
    def running(self) -> bool:
        """Whether clusters are being looked for."""
        return self._job.running

    def find(self) -> None:
        """Look for clusters on the current map, in a thread of its own."""
        current = self._session.runs.current
        if current is None or current.result is None:
            return
        method, places = self.method.value, current.result.embedding
        settings = {"n_clusters": self.parts.value} if method == "k-means" else {"min_size": self.least.value or None}
        how = (
            f"k-means with {self.parts.value} parts"
            if method == "k-means"
            else f"HDBSCAN, {self.least.value or fewest(len(places))} cells at least"
        )
        self._tell("Looking for clusters …")
        self._job.start(
            in_one_step(cluster, places.copy(), method, **settings),
            yielded=lambda _: None,
            returned=partial(self._found, current, f"{how}, on the map {current.name}"),
            failed=self._failed,
        )

    def stop(self) -> None:
        """Let go of what is being looked for."""
        self._job.drop()

    def _found(self, run: Run, how: str, clusters: np.ndarray) -> None:
        if run.numbers is None:
            return
        classes = self._session.classes
        # What the user has named is not given up for what a method has found.
        named = [at for at, name in enumerate(classes.names) if not name.startswith(f"{PREFIX} ")]
        free = ~np.isin(classes.places_of(run.numbers), named)
        as_classes(classes, run.numbers[free], clusters[free], PREFIX, how=how)
        count, none = int(clusters.max(initial=-1)) + 1, int((clusters < 0).sum())
        left = f"; {none} cells are in none" if none else ""
        if stay := int((~free).sum()):
            left += f"; {stay} cells stay in the classes that you have named"
        self._tell(f"{count} cluster{'s' * (count != 1)} found, each a class now{left}.")

    def _failed(self, error: Exception) -> None:
        self._tell(str(error))
        if not isinstance(error, ValueError):
            raise error

    def _refresh(self) -> None:
        self._least_row.visible = self.method.value == "hdbscan"
        self._parts_row.visible = self.method.value == "k-means"
        self.button.enabled = self._session.runs.current is not None
