"""A card with a cell's picture, name and measurements."""

import numpy as np
from qtpy.QtCore import QRect, QSize, Qt
from qtpy.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from qtpy.QtWidgets import QSizePolicy, QWidget

from latentmap.display.cell_facts import NOTHING_KNOWN, CellFacts
from latentmap.napari_plugin.qt.pictures import pixmap
from latentmap.table import Key

PICTURE = 72
"""The side of the picture, in pixels."""
SHOWN = 12
"""The number of features shown."""

_GAP = 8
_PALE = 160


class CellCard(QWidget):
    """Shows one cell; always of the same size, and fast enough to follow the mouse.

    Attributes
    ----------
    key : (layer, frame, label) or None
        The cell shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.key: Key | None = None
        self._picture = QPixmap()
        self._head: tuple[str, ...] = ()
        self._values: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clear()

    def show_cell(self, known: CellFacts, picture: np.ndarray | None) -> None:
        """Show a cell.

        Parameters
        ----------
        known : CellFacts
            The card shows the first 12 values, the tooltip all of them.
        picture : ndarray of uint8, shape (n_rows, n_columns, 3), or None
            None leaves the space empty.
        """
        self.key = known.key
        self._picture = pixmap(picture, PICTURE)
        self._head, self._values = known.headlines, known.values[:SHOWN]
        self._tell("; ".join(self._head), "\n".join(f"{name}: {value}" for name, value in known.values))

    def clear(self) -> None:
        """Show no cell."""
        self.key, self._picture, self._head, self._values = None, QPixmap(), (), ()
        self._tell(NOTHING_KNOWN, "")

    @property
    def text(self) -> tuple[str, ...]:
        """The lines of the card."""
        return (*self._head, *(f"{name} {value}" for name, value in self._values)) or (NOTHING_KNOWN,)

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        n_lines = 1 + SHOWN // 2
        return QSize(4 * PICTURE, PICTURE + n_lines * self._line())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        painter = QPainter(self)
        ink = self.palette().windowText().color()
        pale = QColor(ink)
        pale.setAlpha(_PALE)
        painter.setPen(pale)
        if self.key is None:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, NOTHING_KNOWN)
            painter.end()
            return
        painter.drawPixmap(QRect(0, 0, PICTURE, PICTURE), self._picture)
        line, left = self._line(), PICTURE + _GAP
        for number, words in enumerate(self._head):
            painter.setPen(ink if number == 0 else pale)
            self._write(painter, words, left, number * line, self.width() - left)
        top, width = PICTURE + line // 2, (self.width() - 2 * _GAP) // 2
        for number, (name, value) in enumerate(self._values):
            down, across = number % (SHOWN // 2), number // (SHOWN // 2)
            x, y = across * (width + 2 * _GAP), top + down * line
            # One more pixel, so that rounding does not cut off a digit.
            value_width = min(self.fontMetrics().horizontalAdvance(value) + 1, width // 2)
            painter.setPen(pale)
            self._write(painter, name, x, y, width - value_width - _GAP)
            painter.setPen(ink)
            self._write(painter, value, x + width - value_width, y, value_width)
        painter.end()

    def _tell(self, description: str, tooltip: str) -> None:
        self.setAccessibleDescription(description)
        self.setToolTip(tooltip)
        self.update()

    def _line(self) -> int:
        return self.fontMetrics().height() + 2

    def _write(self, painter: QPainter, words: str, left: int, top: int, width: int) -> None:
        # In the middle, because names of features often differ only at the end.
        elided = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(left, top, width, self._line(), Qt.AlignmentFlag.AlignVCenter, elided)
