"""The part of the panel that turns clusters of the map into classes."""

from collections.abc import Callable

from magicgui.widgets import ComboBox, Container, PushButton, SpinBox
from magicgui.widgets.bases import Widget

from latentmap.display.actions import ACTIONS, CLUSTER_METHODS
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.presenters.clusters import ClusterPresenter
from latentmap.session import Session


class ClusterSection(Container[Widget]):
    """Draws what `ClusterPresenter` decides."""

    def __init__(self, session: Session, tell: Callable[[str], None]) -> None:
        self.presenter = ClusterPresenter(session, self, main_thread(), tell)
        self.method = ComboBox(
            choices=lambda _: list(CLUSTER_METHODS), value="hdbscan", tooltip=ACTIONS["clusters"].about
        )
        self.least = SpinBox(min=0, max=1_000_000, value=0, tooltip=ACTIONS["least"].about)
        self.parts = SpinBox(min=2, max=500, value=8, tooltip=ACTIONS["parts"].about)
        self.button = PushButton(text=ACTIONS["cluster"].label, tooltip=ACTIONS["cluster"].about)
        self._rows = {name: label_row(ACTIONS[name].label, getattr(self, name)) for name in ("least", "parts")}
        super().__init__(
            widgets=[label_row(ACTIONS["clusters"].label, self.method), *self._rows.values(), in_row(self.button)],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.method.changed.connect(self.presenter.choose)
        self.button.changed.connect(self._find)
        self.presenter.refresh()

    def show_clustering(self, number: str, *, can_find: bool) -> None:
        """Show the number field that the method needs."""
        for name, row in self._rows.items():
            row.visible = name == number
        self.button.enabled = can_find

    def _find(self) -> None:
        self.presenter.find(least=self.least.value, parts=self.parts.value)
