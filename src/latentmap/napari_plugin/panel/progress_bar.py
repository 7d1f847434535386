"""The progress bar of the panel."""

from magicgui.widgets import ProgressBar
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QVBoxLayout
from superqt import QElidingLabel

from latentmap.display.progress_text import ProgressText
from latentmap.napari_plugin.qt.font_size import follow_font, line_height
from latentmap.presenters.progress import NOTHING

# The height of napari's bars, in pixels.
_LEAST = 18


class RunProgressBar(ProgressBar):
    """A bar that names the stage of a run and, if it has iterations, counts them."""

    def __init__(self) -> None:
        super().__init__(value=0, max=1)
        # Qt does not draw its own text while the total is unknown.
        self.native.setTextVisible(False)
        self._words = QElidingLabel(self.native)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setStyleSheet("background: transparent; padding: 0px")
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = QVBoxLayout(self.native)
        inside.setContentsMargins(4, 0, 4, 0)
        inside.addWidget(self._words)
        follow_font(self._words, lambda _: self.native.setMinimumHeight(line_height(self._words, _LEAST)))
        self.draw(NOTHING)

    @property
    def text(self) -> str:
        """The text on the bar; if there is too little room for it, the tooltip has it in full."""
        return self._words.text()

    def draw(self, progress_text: ProgressText) -> None:
        """Show this progress."""
        # Otherwise Qt redraws the window at once, canvas included.
        self.native.setUpdatesEnabled(False)
        self.native.setRange(0, progress_text.total)
        self.native.setValue(progress_text.done)
        self.native.setUpdatesEnabled(True)
        self.native.setFormat(progress_text.text)
        self.native.setToolTip(progress_text.text)
        self._words.setText(progress_text.text)
