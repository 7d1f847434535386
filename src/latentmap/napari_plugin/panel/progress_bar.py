"""The progress bar of the panel."""

from time import perf_counter

from magicgui.widgets import ProgressBar
from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtWidgets import QVBoxLayout
from superqt import QElidingLabel

from latentmap.display.progress_text import ProgressText
from latentmap.napari_plugin.qt.font_size import follow_font, line_height
from latentmap.presenters.progress import NOTHING

# The height of napari's bars, in pixels.
_LEAST = 18
PACE = 0.25
"""The shortest time between two redraws of a bar, in seconds: with each, Qt redraws the whole window and the canvas."""


class _SlowAnimation(QObject):
    """Lets a bar move only so often while the total is unknown; Qt would redraw it many times a second."""

    def __init__(self, bar: QObject) -> None:
        super().__init__(bar)
        self._next = 0.0
        bar.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.StyleAnimationUpdate:
            return False
        event.accept()  # otherwise Qt ends the animation
        is_early = (now := perf_counter()) < self._next
        self._next = self._next if is_early else now + PACE
        return is_early


class RunProgressBar(ProgressBar):
    """A bar that names the stage of a run and, if it has iterations, counts them."""

    def __init__(self) -> None:
        super().__init__(value=0, max=1)
        # Qt does not draw its own text while the total is unknown.
        self.native.setTextVisible(False)
        _SlowAnimation(self.native)
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
