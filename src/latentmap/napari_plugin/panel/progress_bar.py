"""How far a run is."""

from magicgui.widgets import ProgressBar
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QVBoxLayout
from superqt import QElidingLabel

from latentmap.display.run_words import Told
from latentmap.presenters.progress import NOTHING


class RunProgressBar(ProgressBar):
    """A bar that names the stage of a run, and counts its iterations where there are any."""

    def __init__(self) -> None:
        super().__init__(value=0, max=1)
        # Qt's own text is not drawn while no one knows how long it takes.
        self.native.setTextVisible(False)
        self._words = QElidingLabel(self.native)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setStyleSheet("background: transparent; padding: 0px; font-size: 9pt")
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = QVBoxLayout(self.native)
        inside.setContentsMargins(4, 0, 4, 0)
        inside.addWidget(self._words)
        self.draw(NOTHING)

    @property
    def text(self) -> str:
        """What the bar says; where there is too little room for it, the tooltip has it all."""
        return self._words.text()

    def draw(self, told: Told) -> None:
        """Show how much is done, and say it."""
        # Or else Qt draws the window at once, and with it the canvas.
        self.native.setUpdatesEnabled(False)
        self.native.setRange(0, told.total)
        self.native.setValue(told.done)
        self.native.setUpdatesEnabled(True)
        self.native.setFormat(told.text)
        self.native.setToolTip(told.text)
        self._words.setText(told.text)
