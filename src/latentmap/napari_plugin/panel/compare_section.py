"""The part of the panel where the user says which cells are more similar."""

from magicgui.widgets import CheckBox, Container, PushButton
from magicgui.widgets.bases import Widget

from latentmap.display.actions import ACTIONS
from latentmap.napari_plugin.qt.rows import in_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.comparing import ComparisonPresenter
from latentmap.session import Session


class CompareSection(Container[Widget]):
    """Draws what `ComparisonPresenter` decides."""

    def __init__(self, session: Session) -> None:
        self._presenter = ComparisonPresenter(session, self)
        self.on = CheckBox(text=ACTIONS["compare"].label, tooltip=ACTIONS["compare"].about)
        self.undo = PushButton(text=ACTIONS["uncompare"].label, tooltip=ACTIONS["uncompare"].about)
        self.forget = PushButton(text=ACTIONS["forget"].label, tooltip=ACTIONS["forget"].about)
        self.words = wrapped_label()
        super().__init__(widgets=[in_row(self.on, self.undo, self.forget), self.words], labels=False)
        self.margins = (0, 0, 0, 0)
        self.on.changed.connect(self._presenter.switch)
        self.undo.changed.connect(self._presenter.undo, max_args=0)
        self.forget.changed.connect(self._presenter.forget, max_args=0)
        self._presenter.refresh()

    def show_comparing(self, words: str, *, offered: bool, on: bool, can_undo: bool, can_forget: bool) -> None:
        """Show how many comparisons there are, and what to click next."""
        self.visible = offered
        with self.on.changed.blocked():
            self.on.value = on
        self.undo.enabled, self.forget.enabled = can_undo, can_forget
        self.words.value = words
