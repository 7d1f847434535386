"""A histogram of a map's variances, with which the user selects uncertain cells."""

from typing import NamedTuple

import numpy as np
from psygnal import Signal
from qtpy.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from qtpy.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from qtpy.QtWidgets import QSizePolicy, QWidget

from latentmap.display.axis_ticks import log_ticks
from latentmap.display.colours import scale_end_text
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.session import by_variance

_AXIS = "variance σ² (squared map units, logarithmic)"
_HEIGHT = 130
_SIDE = 10
_LINE = 17
_TICK = 4
_BARS = 48
# Half the length of the axis if all variances are equal, in decades.
_HALF_DECADE = 0.5


class _Histogram(NamedTuple):
    """A histogram of the decimal logarithms of variances."""

    counts: np.ndarray
    edges: np.ndarray
    colours: np.ndarray
    median: float


class VariancePlot(QWidget):
    """A histogram of variances, in the colours of the points when they are coloured by variance.

    A click, or the end of a drag, sets the threshold above which cells count as uncertain.
    """

    threshold = Signal(float)
    """Emitted with the variance that the user has clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._variances = np.empty(0)
        self._made: _Histogram | None = None
        self._is_made = True
        self._line: float | None = None
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Click to select the cells to the right, whose positions are the most uncertain.")

    def show_variances(self, variances: np.ndarray | None) -> None:
        """Show these variances; None empties the plot.

        Parameters
        ----------
        variances : ndarray of float, shape (n_cells,), or None
            Only finite, positive ones enter the histogram; the share above the line is one of all cells.
        """
        if variances is not self._variances:
            self._variances = np.empty(0) if variances is None else variances
            # That of a million cells takes a tenth of a second: it is made when the plot is drawn.
            self._made, self._is_made, self._line = None, False, None
            self.update()

    @property
    def _histogram(self) -> _Histogram | None:
        if not self._is_made:
            self._made, self._is_made = _histogram(self._variances), True
        return self._made

    @property
    def text(self) -> list[str]:
        """The text above the bars: the median, and the share of the cells to the right of the line."""
        if self._histogram is None:
            return []
        words = [f"median {scale_end_text(10**self._histogram.median)}"]
        if self._line is not None:
            above, n = int(np.count_nonzero(self._variances > self._line)), len(self._variances)
            words.append(f"above {scale_end_text(self._line)}: {above} cells ({100 * above / n:.2g} %)")
        return words

    def x_of(self, variance: float) -> float:
        """Return the position of a variance on the axis, in pixels from the left.

        Raises
        ------
        ValueError
            If no variances are shown.
        """
        low, high = self._ends()
        return _SIDE + (self.width() - 2 * _SIDE) * float((np.log10(variance) - low) / (high - low))

    def variance_at(self, x: float) -> float:
        """Return the variance at a position on the axis, in pixels from the left; beyond its ends, that at the end.

        Raises
        ------
        ValueError
            If no variances are shown.
        """
        low, high = self._ends()
        return float(10 ** (low + (high - low) * np.clip((x - _SIDE) / (self.width() - 2 * _SIDE), 0, 1)))

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(200, _HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the line under the mouse."""
        self._point_at(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line with the mouse."""
        self._point_at(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit the variance at the line."""
        if self._histogram is not None and event.button() == Qt.MouseButton.LeftButton:
            self._point_at(event)
            self.threshold.emit(self._line)

    def leaveEvent(self, event: QEvent) -> None:
        """Remove the line."""
        self._line = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the histogram."""
        if self._histogram is None:
            return
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        self._draw_words(painter)
        self._draw_bars(painter, self._histogram)
        self._draw_axis(painter)
        self._draw_line(painter, 10**self._histogram.median, Qt.PenStyle.DashLine)
        if self._line is not None:
            self._draw_line(painter, self._line, Qt.PenStyle.SolidLine)
        painter.end()

    @property
    def _floor(self) -> int:
        """The lower edge of the bars, in pixels from the top."""
        return self.height() - 2 * _LINE - _TICK

    def _ends(self) -> tuple[float, float]:
        if self._histogram is None:
            raise ValueError("There are no variances to show.")
        return float(self._histogram.edges[0]), float(self._histogram.edges[-1])

    def _point_at(self, event: QMouseEvent) -> None:
        if self._histogram is not None:
            self._line = self.variance_at(event.position().x())
            self.update()

    def _draw_words(self, painter: QPainter) -> None:
        for words, side in zip(self.text, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=False):
            painter.drawText(QRectF(_SIDE, 0, self.width() - 2 * _SIDE, _LINE), side, words)

    def _draw_bars(self, painter: QPainter, histogram: _Histogram) -> None:
        lefts = _SIDE + (self.width() - 2 * _SIDE) * np.linspace(0, 1, _BARS + 1)
        heights = (self._floor - _LINE - 2) * histogram.counts / histogram.counts.max()
        # A bin with a single cell is visible, too.
        heights = np.where(histogram.counts > 0, np.maximum(heights, 1), 0)
        for left, right, height, colour in zip(lefts, lefts[1:], heights, histogram.colours, strict=False):
            bar = QRectF(left, self._floor - height, right - left, height)
            painter.fillRect(bar, QColor.fromRgbF(*map(float, colour[:3])))

    def _draw_axis(self, painter: QPainter) -> None:
        floor = self._floor
        painter.drawLine(QPointF(_SIDE, floor), QPointF(self.width() - _SIDE, floor))
        for value in log_ticks(*self._ends()):
            x, words = self.x_of(value), f"{value:g}"
            painter.drawLine(QPointF(x, floor), QPointF(x, floor + _TICK))
            width = painter.fontMetrics().horizontalAdvance(words)
            left = np.clip(x - width / 2, 0, self.width() - width)
            painter.drawText(QPointF(left, floor + _TICK + painter.fontMetrics().ascent()), words)
        below = QRectF(0, self.height() - _LINE, self.width(), _LINE)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, _AXIS)

    def _draw_line(self, painter: QPainter, value: float, style: Qt.PenStyle) -> None:
        painter.setPen(QPen(self.palette().windowText().color(), 1, style))
        x = self.x_of(value)
        painter.drawLine(QPointF(x, _LINE), QPointF(x, self._floor))


def _histogram(variances: np.ndarray) -> _Histogram | None:
    logarithms = np.log10(variances[np.isfinite(variances) & (variances > 0)], dtype=np.float64)
    if not len(logarithms):
        return None
    low, high = logarithms.min(), logarithms.max()
    if low == high:
        low, high = low - _HALF_DECADE, high + _HALF_DECADE
    counts, edges = np.histogram(logarithms, _BARS, (low, high))
    scale = by_variance(variances)
    start, end = np.log10(scale.low), np.log10(scale.high)
    shares = np.clip(((edges[:-1] + edges[1:]) / 2 - start) / ((end - start) or 1), 0, 1)
    return _Histogram(counts, edges, SCALE.map(shares), float(np.median(logarithms)))
