"""The part of the panel that turns clusters of the map into classes."""

from collections.abc import Callable

from latentmap.display.actions import ACTIONS, CLUSTER_METHODS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.presenters.clusters import ClusterPresenter
from latentmap.session import Schedule, Session

_WIDE = {"flex": "1", "min_width": "0"}


class ClusterSection(w.VBox):
    """Draws what `ClusterPresenter` decides."""

    def __init__(self, session: Session, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self.presenter = ClusterPresenter(session, self, schedule, tell)
        self.method = w.Dropdown(options=CLUSTER_METHODS, tooltip=ACTIONS["clusters"].about, layout=w.look(**_WIDE))
        self.least = w.BoundedIntText(0, 0, 1_000_000, tooltip=ACTIONS["least"].about, layout=w.look(**_WIDE))
        self.parts = w.BoundedIntText(8, 2, 500, tooltip=ACTIONS["parts"].about, layout=w.look(**_WIDE))
        self.button = w.Button(
            description=ACTIONS["cluster"].label,
            tooltip=ACTIONS["cluster"].about,
            layout=w.look(width="auto"),
        )
        fields = {"clusters": self.method, "least": self.least, "parts": self.parts}
        self._rows = {name: labelled(ACTIONS[name].label, field, ACTIONS[name].about) for name, field in fields.items()}
        super().__init__([*self._rows.values(), self.button])
        self.method.observe(lambda change: self.presenter.choose(change.new), "value")
        self.button.on_click(lambda _: self.presenter.find(least=self.least.value, parts=self.parts.value))
        self.presenter.refresh()

    def close(self) -> None:
        """Cancel a search that is under way."""
        self.presenter.stop()
        super().close()

    def show_clustering(self, number: str, *, can_find: bool) -> None:
        """Show the number field of the method, and enable the button if there is a map."""
        for name in ("least", "parts"):
            w.set_visible(self._rows[name], name == number)
        self.button.disabled = not can_find
