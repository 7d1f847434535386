"""The part of the panel that shows which features set the selected cells apart."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from psygnal import Signal
from qtpy.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from qtpy.QtGui import QColor, QPainter, QPaintEvent, QPolygonF
from qtpy.QtWidgets import QAbstractButton, QLabel, QSizePolicy, QVBoxLayout, QWidget

from latentmap.napari_plugin.qt.font_size import line_height
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.presenters.distinctive import SHOWN, Cells, DistinctivePresenter, Feature
from latentmap.session import BackgroundJob, Selection
from latentmap.session.distinctive_features import FeatureDifference

WAIT = 60
"""How long to wait for further changes of the selection, in milliseconds."""

_ROW_HEIGHT = 26
_PLOT = QSize(76, 18)
_WORDS_WIDTH = 92
_GAP = 6
_INSIDE = QColor("#e69f00")
_ABOUT = (
    "Numbers: the difference of the medians, in spreads of the other cells (about one standard deviation). "
    "Percentages: how many of the selected cells are of this kind. Plots: selected cells in orange, others in grey."
)


class DistinctiveSection(QWidget):
    """The features that set the selected cells apart from the others on the map, with small plots.

    Parameters
    ----------
    cells : callable
        As for :class:`~latentmap.presenters.distinctive.DistinctivePresenter`.

    Attributes
    ----------
    headline : QLabel
        What is compared, or why nothing can be.
    rows : tuple of DistinctiveRow
        The features, the most distinctive first.
    """

    feature_clicked = Signal(str)
    """Emitted with a feature's name when the user clicks on it."""

    def __init__(self, selection: Selection, cells: Cells) -> None:
        super().__init__()
        self._job = BackgroundJob(main_thread())
        self._presenter = DistinctivePresenter(selection, cells, self, self._job)
        self.headline = QLabel()
        self.headline.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.headline.setToolTip(_ABOUT)
        self.rows = tuple(DistinctiveRow() for _ in range(SHOWN))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.headline)
        for row in self.rows:
            layout.addWidget(row)
            row.clicked.connect(self._clicked)
        # A child of the section, so that Qt deletes both together.
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT)
        self._timer.timeout.connect(self.refresh)
        self.destroyed.connect(partial(_drop, self._job))
        selection.changed.connect(self._selection_changed)
        self.refresh()

    @property
    def waiting(self) -> bool:
        """Whether the features on screen are about to change."""
        return self._timer.isActive() or self._job.running

    def refresh(self) -> None:
        """Compare again; to be called when the map has changed."""
        self._timer.stop()
        self._presenter.refresh()

    def show_distinctive(self, headline: str, features: Sequence[Feature]) -> None:
        """Show what is compared, or why nothing can be, and the features."""
        self.headline.setText(headline)
        for number, row in enumerate(self.rows):
            row.show_difference(*features[number]) if number < len(features) else row.hide()

    def _selection_changed(self, *_: object) -> None:
        # One answer for changes in quick succession, but without putting it off for as long as they go on.
        if not self._timer.isActive():
            self._timer.start()

    def _clicked(self) -> None:
        row = self.sender()
        if isinstance(row, DistinctiveRow) and row.difference is not None:
            self.feature_clicked.emit(row.difference.name)


class DistinctiveRow(QAbstractButton):
    """One feature: its name, how the cells differ in it, and two overlaid histograms."""

    def __init__(self) -> None:
        super().__init__()
        self.difference: FeatureDifference | None = None
        self._profile: tuple[np.ndarray, np.ndarray] | None = None
        # So that it is redrawn when the mouse enters and leaves.
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_difference(self, difference: FeatureDifference, profile: tuple[np.ndarray, np.ndarray]) -> None:
        """Show how cells differ in a feature; the profile is the share of the selected and other cells in each bin."""
        self.difference, self._profile = difference, profile
        self.setText(f"{difference.name}  {difference.words}")
        self.setToolTip(f"{difference.sentence} Click to colour the map by this feature.")
        self.show()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(_PLOT.width() + _WORDS_WIDTH + 80, line_height(self, _ROW_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the name, the difference and the histograms."""
        if self.difference is None or self._profile is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = self.palette().windowText().color()
        if self.underMouse() or self.hasFocus():
            painter.fillRect(self.rect(), _faint(ink, 25))
        painter.setPen(ink)
        plot_left = self.width() - _PLOT.width() - 2
        words_left = plot_left - _WORDS_WIDTH - _GAP
        self._write(painter, self.difference.name, _GAP, words_left - 2 * _GAP)
        self._write(painter, self.difference.words, words_left, _WORDS_WIDTH)
        box = QRectF(plot_left, (self.height() - _PLOT.height()) / 2, _PLOT.width(), _PLOT.height())
        inside, outside = self._profile
        highest = max(inside.max(initial=0), outside.max(initial=0)) or 1.0
        grey, orange = _faint(ink, 110), _INSIDE
        _draw_steps(painter, outside / highest, box, None, grey)
        _draw_steps(painter, inside / highest, box, orange, _faint(orange, 90))
        painter.fillRect(QRectF(box.left(), box.bottom(), box.width(), 1), _faint(ink, 160))
        painter.end()

    def _write(self, painter: QPainter, words: str, left: int, width: int) -> None:
        # In the middle, because names of features often differ only at the end.
        elided = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(left, 0, width, self.height(), Qt.AlignmentFlag.AlignVCenter, elided)


def _draw_steps(painter: QPainter, heights: np.ndarray, box: QRectF, line: QColor | None, fill: QColor) -> None:
    """Draw a histogram as one outline; heights range from 0 to 1."""
    if not len(heights):
        return
    edges = np.linspace(box.left(), box.right(), len(heights) + 1)
    xs = np.repeat(edges, 2)
    ys = np.concatenate([[0], np.repeat(heights, 2), [0]])
    outline = QPolygonF([QPointF(x, box.bottom() - y * box.height()) for x, y in zip(xs, ys, strict=True)])
    painter.save()
    painter.setPen(line if line is not None else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawPolygon(outline)
    painter.restore()


def _faint(colour: QColor, opacity: int) -> QColor:
    faint = QColor(colour)
    faint.setAlpha(opacity)
    return faint


def _drop(job: BackgroundJob, *_: object) -> None:
    job.drop()
