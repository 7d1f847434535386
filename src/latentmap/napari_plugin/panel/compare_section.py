"""The part of the panel where the user says which cells are more alike."""

from magicgui.widgets import CheckBox, Container, PushButton

from latentmap.display.actions import ACTIONS
from latentmap.display.comparing_words import comparing_words
from latentmap.napari_plugin.qt.rows import beside
from latentmap.napari_plugin.qt.words import words
from latentmap.session import Session


class CompareSection(Container):
    """Comparisons by three clicks each; seen while the method learns from them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.on = CheckBox(text=ACTIONS["compare"].label, tooltip=ACTIONS["compare"].about)
        self.undo = PushButton(text=ACTIONS["uncompare"].label, tooltip=ACTIONS["uncompare"].about)
        self.forget = PushButton(text=ACTIONS["forget"].label, tooltip=ACTIONS["forget"].about)
        self.words = words()
        super().__init__(widgets=[beside(self.on, self.undo, self.forget), self.words], labels=False)
        self.margins = (0, 0, 0, 0)
        self.on.changed.connect_setattr(session.comparing, "on", maxargs=1)
        self.undo.changed.connect(session.comparing.undo, max_args=0)
        self.forget.changed.connect(session.comparing.clear, max_args=0)
        session.comparing.changed.connect(self.refresh)
        session.parameters.events.method.connect(self.refresh, max_args=0)
        self.refresh()

    def refresh(self) -> None:
        """Show what has been said, and what to click next."""
        comparing = self._session.comparing
        self.visible = self._session.parameters.method == "comparisons"
        if not self.visible and comparing.on:
            comparing.on = False
        with self.on.changed.blocked():
            self.on.value = comparing.on
        self.undo.enabled = bool(comparing.picked or comparing.triplets)
        self.forget.enabled = bool(comparing.triplets)
        self.words.value = comparing_words(self._session)
