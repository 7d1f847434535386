"""The part of the panel where the user says which cells are more alike."""

from html import escape

import ipywidgets as w

from latentmap.display.actions import ACTIONS
from latentmap.display.comparing_words import comparing_words
from latentmap.session import Session


class CompareSection(w.VBox):
    """Comparisons by three clicks each; seen while the method learns from them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.on = w.Checkbox(description=ACTIONS["compare"].label, tooltip=ACTIONS["compare"].about, indent=False)
        self.undo, self.forget = (
            w.Button(
                description=ACTIONS[name].label, tooltip=ACTIONS[name].about, layout=w.Layout(width="auto", flex="1")
            )
            for name in ("uncompare", "forget")
        )
        self.words = w.HTML()
        super().__init__([self.on, w.HBox([self.undo, self.forget]), self.words])
        self.on.observe(lambda change: setattr(session.comparing, "on", change.new), "value")
        self.undo.on_click(lambda _: session.comparing.undo())
        self.forget.on_click(lambda _: session.comparing.clear())
        session.comparing.changed.connect(self.refresh)
        session.parameters.events.method.connect(self.refresh, max_args=0)
        self.refresh()

    def close(self) -> None:
        """Let go of the session."""
        self._session.comparing.changed.disconnect(self.refresh)
        self._session.parameters.events.method.disconnect(self.refresh)
        super().close()

    def refresh(self) -> None:
        """Show what has been said, and what to click next."""
        comparing = self._session.comparing
        is_seen = self._session.parameters.method == "comparisons"
        self.layout.display = None if is_seen else "none"
        if not is_seen and comparing.on:
            comparing.on = False
        self.on.value = comparing.on
        self.undo.disabled = not (comparing.picked or comparing.triplets)
        self.forget.disabled = not comparing.triplets
        self.words.value = f"<div style='line-height:1.4'>{escape(comparing_words(self._session))}</div>"
