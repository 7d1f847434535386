"""The part of the panel where the user compares cells."""

from latentmap.display.actions import ACTIONS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import paragraph
from latentmap.presenters.comparing import ComparisonPresenter
from latentmap.session import Session


class CompareSection(w.VBox):
    """Draws what `ComparisonPresenter` decides."""

    def __init__(self, session: Session) -> None:
        self._presenter = ComparisonPresenter(session, self)
        self.on = w.Checkbox(description=ACTIONS["compare"].label, tooltip=ACTIONS["compare"].about, indent=False)
        self.undo, self.forget = (
            w.Button(
                description=ACTIONS[name].label, tooltip=ACTIONS[name].about, layout=w.look(width="auto", flex="1")
            )
            for name in ("uncompare", "forget")
        )
        self.words = w.HTML()
        super().__init__([self.on, w.HBox([self.undo, self.forget]), self.words])
        self.on.observe(lambda change: self._presenter.switch(change.new), "value")
        self.undo.on_click(lambda _: self._presenter.undo())
        self.forget.on_click(lambda _: self._presenter.forget())
        self._presenter.refresh()

    def close(self) -> None:
        """Stop following the session."""
        self._presenter.close()
        super().close()

    def show_comparing(self, words: str, *, offered: bool, on: bool, can_undo: bool, can_forget: bool) -> None:
        """Show the comparisons made, and what to click next."""
        w.set_visible(self, offered)
        self.on.value = on
        self.undo.disabled, self.forget.disabled = not can_undo, not can_forget
        self.words.value = paragraph(words)
