"""The part of the panel where clusters of the map become classes."""

from collections.abc import Callable

import ipywidgets as w

from latentmap.display.actions import ACTIONS, METHODS
from latentmap.jupyter.fields import labelled
from latentmap.session import Post, Session
from latentmap.session.cluster_search import ClusterSearch

_WIDE = {"flex": "1", "min_width": "0"}


class ClusterSection(w.VBox):
    """Finds clusters on the current map, and puts their cells into classes.

    Parameters
    ----------
    session : Session
    post : callable
        Has a function called soon in the kernel's thread.
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(self, session: Session, post: Post, tell: Callable[[str], None]) -> None:
        self._session = session
        self._search = ClusterSearch(session, post, tell)
        self.method = w.Dropdown(options=METHODS, tooltip=ACTIONS["clusters"].about, layout=w.Layout(**_WIDE))
        self.least = w.BoundedIntText(0, 0, 1_000_000, tooltip=ACTIONS["least"].about, layout=w.Layout(**_WIDE))
        self.parts = w.BoundedIntText(8, 2, 500, tooltip=ACTIONS["parts"].about, layout=w.Layout(**_WIDE))
        self.button = w.Button(
            description=ACTIONS["cluster"].label,
            tooltip=ACTIONS["cluster"].about,
            layout=w.Layout(width="auto"),
        )
        fields = {"clusters": self.method, "least": self.least, "parts": self.parts}
        self._rows = {name: labelled(ACTIONS[name].label, field, ACTIONS[name].about) for name, field in fields.items()}
        super().__init__([*self._rows.values(), self.button])
        self.method.observe(lambda _: self.refresh(), "value")
        self.button.on_click(lambda _: self._find())
        session.runs.changed.connect(self.refresh)
        self.refresh()

    def close(self) -> None:
        """Let go of what is being looked for."""
        self._search.stop()
        super().close()

    def refresh(self) -> None:
        """Show what can be set."""
        self._rows["least"].layout.display = None if self.method.value == "hdbscan" else "none"
        self._rows["parts"].layout.display = None if self.method.value == "k-means" else "none"
        self.button.disabled = self._session.runs.current is None

    def _find(self) -> None:
        field = self.parts if self.method.value == "k-means" else self.least
        self._search.start(self.method.value, field.value)
