"""A sentence in one line, which can be opened."""

from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

_GAP = 6


class StatusLine(QWidget):
    """Shows as much of a text as fits in one line; "more" shows all of it, until "less" is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self._text, self._is_open = "", False
        self._line = QLabel()
        self._line.setTextFormat(Qt.TextFormat.PlainText)
        self._line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.button = QToolButton()
        self.button.setAutoRaise(True)
        self.button.clicked.connect(self._switch)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP)
        layout.addWidget(self._line, stretch=1)
        layout.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignTop)
        self._show()

    @property
    def value(self) -> str:
        """The whole text."""
        return self._text

    @value.setter
    def value(self, text: str) -> None:
        self._text = text
        self.setToolTip(f"<qt>{text}</qt>" if text else "")
        self._line.setAccessibleName(text)
        self._show()

    @property
    def shown(self) -> str:
        """What of the text is in view."""
        return self._line.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the text to the new width."""
        super().resizeEvent(event)
        self._show()

    def minimumSizeHint(self) -> QSize:
        """Return a size that holds the button, so that showing it moves nothing."""
        return super().minimumSizeHint().expandedTo(QSize(0, self.button.sizeHint().height()))

    def _switch(self) -> None:
        self._is_open = not self._is_open
        self._show()

    def _show(self) -> None:
        room = self.width() - self.button.sizeHint().width() - _GAP
        is_long = self._line.fontMetrics().horizontalAdvance(self._text) > room
        self.button.setText("less" if self._is_open else "more")
        self.button.setAccessibleName(f"{self.button.text()} of the message")
        self.button.setVisible(is_long)
        elided = self._line.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, max(room, 50))
        self._line.setWordWrap(self._is_open)
        self._line.setText(self._text if self._is_open or not is_long else elided)
