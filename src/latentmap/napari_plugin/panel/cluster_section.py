"""The part of the panel where clusters of the map become classes."""

from collections.abc import Callable

from magicgui.widgets import ComboBox, Container, PushButton, SpinBox

from latentmap.display.actions import ACTIONS, METHODS
from latentmap.napari_plugin.panel.form import beside, labelled
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.session import Session
from latentmap.session.cluster_search import ClusterSearch


class ClusterSection(Container):
    """Finds clusters on the current map, and puts their cells into classes.

    Parameters
    ----------
    session : Session
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(self, session: Session, tell: Callable[[str], None]) -> None:
        self._session = session
        self._search = ClusterSearch(session, main_thread(), tell)
        self.method = ComboBox(choices=lambda _: list(METHODS), value="hdbscan", tooltip=ACTIONS["clusters"].about)
        self.least = SpinBox(min=0, max=1_000_000, value=0, tooltip=ACTIONS["least"].about)
        self.parts = SpinBox(min=2, max=500, value=8, tooltip=ACTIONS["parts"].about)
        self.button = PushButton(text=ACTIONS["cluster"].label, tooltip=ACTIONS["cluster"].about)
        self._least_row = labelled(ACTIONS["least"].label, self.least)
        self._parts_row = labelled(ACTIONS["parts"].label, self.parts)
        super().__init__(
            widgets=[
                labelled(ACTIONS["clusters"].label, self.method),
                self._least_row,
                self._parts_row,
                beside(self.button),
            ],
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
        return self._search.running

    def find(self) -> None:
        """Look for clusters in a thread, and put the cells into classes when they are found."""
        self._search.start(self.method.value, (self.parts if self.method.value == "k-means" else self.least).value)

    def stop(self) -> None:
        """Let go of what is being looked for."""
        self._search.stop()

    def _refresh(self) -> None:
        self._least_row.visible = self.method.value == "hdbscan"
        self._parts_row.visible = self.method.value == "k-means"
        self.button.enabled = self._session.runs.current is not None
