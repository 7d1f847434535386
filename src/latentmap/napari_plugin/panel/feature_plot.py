"""The plot of features: cells, axes, gates, and the mouse on them."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from qtpy.QtCore import QPointF, QRectF, QSize, Qt
from qtpy.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from qtpy.QtWidgets import QSizePolicy, QWidget

from latentmap.display.feature_plot import Limits
from latentmap.napari_plugin.scene.mouse import mode_of
from latentmap.presenters.gate_view import DRAWN_COLOUR, PlotTool
from latentmap.presenters.gating import GatePresenter
from latentmap.presenters.plotting import NO_FEATURE
from latentmap.session.selection import Mode

_HEIGHT = 300
_LEFT, _BOTTOM, _TOP, _RIGHT = 62, 38, 6, 10
_TICK = 4
_HANDLE = 4.0
# How near the mouse must be to a point or a line, and how far a drag must go not to be a click, in window pixels.
_REACH, _SHORTEST = 7.0, 3.0
# A click within this distance of the first corner closes a polygon, in window pixels.
_CLOSE = 10.0
_KEYS = {
    "shift": Qt.KeyboardModifier.ShiftModifier,
    "control": Qt.KeyboardModifier.ControlModifier,
    "alt": Qt.KeyboardModifier.AltModifier,
}


@dataclass
class _Drag:
    """A drag of the mouse under way.

    `grabbed` says whether it moves the current gate, by its `handle`, or as a whole if that is None.
    """

    path: list[QPointF]
    limits: Limits
    mode: Mode
    grabbed: bool = False
    handle: int | None = None


class FeaturePlotWidget(QWidget):
    """Draws what `GatePresenter` decides, and tells it what the user draws."""

    def __init__(self, presenter: GatePresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self.tool: PlotTool = "rectangle"
        self._limits: Limits | None = None
        self._image: tuple[object, QImage, np.ndarray] | None = None
        self._drag: _Drag | None = None
        # The corners of a polygon that is being clicked, as positions along the axes, and where the mouse is.
        self._corners: list[tuple[float, float]] = []
        self._mouse = QPointF()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Plot of features")

    def use(self, tool: PlotTool) -> None:
        """Change the tool, and give up what is being drawn."""
        self.tool = tool
        self._give_up()

    @property
    def limits(self) -> Limits:
        """The part of the plot in view."""
        return self._limits or self._presenter.plot.plot.limits

    def redraw(self, *, fit: bool) -> None:
        """Draw the cells again; `fit` brings all of them into view."""
        self._image = None
        if fit:
            self._limits = None
            self._corners = []
        self.update()

    def fit(self) -> None:
        """Bring all cells into view."""
        self.redraw(fit=True)

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(300, _HEIGHT)

    def to_pixel(self, across: float, up: float) -> QPointF:
        """Return where a position along the axes lies in the widget."""
        limits, area = self.limits, self._area
        x = area.left() + (across - limits.left) / (limits.right - limits.left) * area.width()
        y = area.bottom() - (up - limits.bottom) / (limits.top - limits.bottom) * area.height()
        return QPointF(float(np.clip(x, -1e5, 1e5)), float(np.clip(y, -1e5, 1e5)))

    def to_position(self, point: QPointF, limits: Limits | None = None) -> tuple[float, float]:
        """Return the position along the axes at a point of the widget."""
        limits, area = limits or self.limits, self._area
        across = limits.left + (point.x() - area.left()) / area.width() * (limits.right - limits.left)
        up = limits.bottom + (area.bottom() - point.y()) / area.height() * (limits.top - limits.bottom)
        return across, up

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to draw, or to move the plot or a gate."""
        is_left, is_right = (event.button() == button for button in (Qt.MouseButton.LeftButton, _RIGHT_BUTTON))
        if not self._presenter.plot.axes or not (is_left or (is_right and self._corners)):
            return
        held = [name for name, key in _KEYS.items() if event.modifiers() & key]
        drag = _Drag([event.position()], self.limits, mode_of(held))
        if self.tool in ("move", "threshold") or not (held or self._corners):
            drag.grabbed, drag.handle = self._grip(event.position())
        if self.tool == "polygon" and not drag.grabbed:
            self._set_corner(event.position(), drag.mode, closes=is_right)
        else:
            self._drag = drag
            self._follow()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw, or move the plot or a gate."""
        self._mouse = event.position()
        if self._drag is None:
            if self._corners:
                self.setCursor(Qt.CursorShape.CrossCursor)
                self.update()
                return
            grabbed, handle = self._grip(event.position())
            idle = Qt.CursorShape.OpenHandCursor if self.tool == "move" else Qt.CursorShape.CrossCursor
            shape = Qt.CursorShape.SizeAllCursor if grabbed else idle
            self.setCursor(Qt.CursorShape.PointingHandCursor if handle is not None else shape)
            return
        self._drag.path.append(event.position())
        self._follow()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take up what was drawn."""
        drag, self._drag = self._drag, None
        if drag is None or event.button() != Qt.MouseButton.LeftButton:
            return
        drag.path.append(event.position())
        moved = max(np.hypot(at.x() - drag.path[0].x(), at.y() - drag.path[0].y()) for at in drag.path)
        points = np.array([self.to_position(at) for at in drag.path])
        if drag.grabbed and moved > _SHORTEST:
            self._presenter.drop()
        elif self.tool in ("threshold", "quadrant"):
            if not drag.grabbed:
                self._presenter.draw(self.tool, points, drag.mode)
        elif moved <= _SHORTEST:
            if not drag.grabbed or self.tool != "move":
                width, height = self._spans
                reach = (_REACH * width / self._area.width(), _REACH * height / self._area.height())
                self._presenter.click(cast(tuple[float, float], tuple(points[0])), reach, drag.mode)
        elif self.tool != "move":
            self._presenter.draw(self.tool, points, drag.mode)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Close a polygon, or bring all cells into view."""
        self._drag = None
        if self._corners:
            held = [name for name, key in _KEYS.items() if event.modifiers() & key]
            self._set_corner(event.position(), mode_of(held), closes=True)
        else:
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse; the counts of a histogram stay in view."""
        factor = float(np.exp(-event.angleDelta().y() / 600))
        across, up = self.to_position(event.position())
        left, right, bottom, top = self.limits
        ends = [across + (end - across) * factor for end in (left, right)]
        heights = [up + (end - up) * factor for end in (bottom, top)]
        if self._presenter.plot.plot.is_histogram:
            heights = [bottom, top]
        self._limits = Limits(*ends, *heights)
        self.redraw(fit=False)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give up what is being drawn on Escape; close a polygon on Enter."""
        if event.key() == Qt.Key.Key_Escape and (self._drag is not None or self._corners):
            self._give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._corners:
            held = [name for name, key in _KEYS.items() if event.modifiers() & key]
            self._set_corner(self.to_pixel(*self._corners[-1]), mode_of(held), closes=True)
        else:
            super().keyPressEvent(event)

    def _give_up(self) -> None:
        self._drag, self._corners = None, []
        self.update()

    def _set_corner(self, point: QPointF, mode: Mode, *, closes: bool) -> None:
        """Add a corner to the polygon, or close it; one of two corners is given up."""
        at = [self.to_pixel(*corner) for corner in self._corners]
        self._mouse = point
        if closes or (len(at) > 2 and _distance(at[0], point) <= _CLOSE):
            corners = self._corners
            self._give_up()
            if len(corners) > 2:
                self._presenter.draw("polygon", np.array(corners), mode)
        elif not at or _distance(at[-1], point) > _SHORTEST:
            self._corners.append(self.to_position(point))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the plot."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        text = self.palette().windowText().color()
        painter.setPen(text)
        if not self._presenter.plot.axes:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "no features yet")
            return
        painter.drawImage(self._area, self._cells())
        self._draw_axes(painter)
        painter.setClipRect(self._area)
        self._draw_gates(painter)
        self._draw_sketch(painter)
        painter.end()

    @property
    def _area(self) -> QRectF:
        metrics = self.fontMetrics()
        # Room for the numbers at the ticks and the names of the features.
        left = max(_LEFT, metrics.horizontalAdvance("00000") + metrics.height() + 3 * _TICK)
        bottom = max(_BOTTOM, 2 * metrics.height() + 2 * _TICK)
        return QRectF(left, _TOP, max(1, self.width() - left - _RIGHT), max(1, self.height() - _TOP - bottom))

    @property
    def _spans(self) -> tuple[float, float]:
        left, right, bottom, top = self.limits
        return right - left, top - bottom

    def _grip(self, point: QPointF) -> tuple[bool, int | None]:
        """Return whether the current gate is under the mouse, and the index of the handle that is.

        A threshold and a cross are moved with any tool, other gates with the tool Move.
        """
        current = next((one for one in self._presenter.outlines(self.limits) if one.is_current), None)
        if current is None:
            return False, None
        for handle, at in enumerate(current.shape.handles):
            if (self.to_pixel(*at) - point).manhattanLength() <= 1.5 * _REACH:
                return True, handle if current.shape.is_closed else None
        if current.shape.is_closed:
            outline = QPolygonF([self.to_pixel(*at) for at in current.shape.paths[0]])
            return self.tool == "move" and outline.containsPoint(point, Qt.FillRule.OddEvenFill), None
        ends = [[self.to_pixel(*at) for at in path] for path in current.shape.paths]
        near = [min(abs(a.x() - point.x()) if a.x() == b.x() else abs(a.y() - point.y()), 1e5) for a, b in ends]
        return min(near) <= _REACH, None

    def _follow(self) -> None:
        """Move the plot or the gate with the mouse."""
        drag = self._drag
        if drag is None:
            return
        start, now = (self.to_position(at, drag.limits) for at in (drag.path[0], drag.path[-1]))
        by = now[0] - start[0], now[1] - start[1]
        if drag.grabbed:
            if len(drag.path) > 1:
                self._presenter.drag(drag.handle, by)
        elif self.tool == "move" and len(drag.path) > 1:
            left, right, bottom, top = drag.limits
            up = 0.0 if self._presenter.plot.plot.is_histogram else by[1]
            self._limits = Limits(left - by[0], right - by[0], bottom - up, top - up)
            self.redraw(fit=False)
        self.update()

    def _cells(self) -> QImage:
        ratio, area = self.devicePixelRatioF(), self._area
        key = self.limits, area.width(), area.height(), ratio
        if self._image is None or self._image[0] != key:
            size = max(1, round(area.width() * ratio)), max(1, round(area.height() * ratio))
            pixels = np.ascontiguousarray(self._presenter.plot.picture(self.limits, size, ratio))
            image = QImage(pixels.data, *size, 4 * size[0], QImage.Format.Format_RGBA8888)
            self._image = key, image, pixels  # the image does not copy the pixels
        return self._image[1]

    def _draw_axes(self, painter: QPainter) -> None:
        area, plot, metrics = self._area, self._presenter.plot.plot, painter.fontMetrics()
        painter.drawRect(area)
        across, up = plot.ticks(self.limits, (5, 6))
        for at, text in across:
            x, width = self.to_pixel(at, self.limits.bottom).x(), metrics.horizontalAdvance(text)
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + _TICK))
            left = min(x - width / 2, self.width() - width)
            painter.drawText(QPointF(left, area.bottom() + _TICK + metrics.ascent()), text)
        for at, text in up:
            y, width = self.to_pixel(self.limits.left, at).y(), metrics.horizontalAdvance(text)
            painter.drawLine(QPointF(area.left() - _TICK, y), QPointF(area.left(), y))
            painter.drawText(QPointF(area.left() - 2 * _TICK - width, y + metrics.ascent() / 2 - 1), text)
        titles = [axis.text for axis in plot.axes] + ([NO_FEATURE] if plot.is_histogram else [])
        below = QRectF(area.left(), self.height() - metrics.height(), area.width(), metrics.height())
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, metrics.elidedText(titles[0], _ELIDED, int(area.width())))
        painter.save()
        painter.translate(0, area.center().y())
        painter.rotate(-90)
        beside = QRectF(-area.height() / 2, 0, area.height(), metrics.height())
        painter.drawText(
            beside, Qt.AlignmentFlag.AlignCenter, metrics.elidedText(titles[1], _ELIDED, int(area.height()))
        )
        painter.restore()

    def _draw_gates(self, painter: QPainter) -> None:
        text = self.palette().windowText().color()
        for outline in self._presenter.outlines(self.limits):
            colour, shape = QColor(outline.colour), outline.shape
            painter.setPen(QPen(colour, 2.5 if outline.is_current else 1.5))
            fill = QColor(colour)
            fill.setAlphaF(0.1 if outline.is_current and shape.is_closed else 0)
            painter.setBrush(fill)
            paths = [[self.to_pixel(*at) for at in path] for path in shape.paths]
            for path in paths:
                (painter.drawPolygon if shape.is_closed else painter.drawPolyline)(path)
            if outline.is_current:
                painter.setBrush(self.palette().window().color())
                for at in shape.handles:
                    painter.drawEllipse(self.to_pixel(*at), _HANDLE, _HANDLE)
            if outline.name and len(outline.name) < 40:
                painter.setPen(text)
                corner = QPolygonF(paths[0]).boundingRect().intersected(self._area).topLeft()
                painter.drawText(corner + QPointF(4, painter.fontMetrics().ascent() + 2), outline.name)

    def _draw_sketch(self, painter: QPainter) -> None:
        drag = self._drag
        painter.setPen(QPen(QColor(DRAWN_COLOUR), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._corners:
            corners = [self.to_pixel(*at) for at in self._corners]
            painter.drawPolyline([*corners, self._mouse])
            for at in corners:
                painter.drawEllipse(at, _HANDLE, _HANDLE)
            return
        if drag is None or drag.grabbed or self.tool == "move":
            return
        first, last, area = drag.path[0], drag.path[-1], self._area
        if self.tool == "lasso":
            painter.drawPolygon(drag.path)
        elif self.tool == "rectangle":
            is_band = self._presenter.plot.plot.is_histogram
            top, bottom = (area.top(), area.bottom()) if is_band else (first.y(), last.y())
            painter.drawRect(QRectF(QPointF(first.x(), top), QPointF(last.x(), bottom)).normalized())
        else:
            painter.drawLine(QPointF(last.x(), area.top()), QPointF(last.x(), area.bottom()))
            if self.tool == "quadrant":
                painter.drawLine(QPointF(area.left(), last.y()), QPointF(area.right(), last.y()))


def _distance(one: QPointF, other: QPointF) -> float:
    return float(np.hypot(one.x() - other.x(), one.y() - other.y()))


_ELIDED = Qt.TextElideMode.ElideMiddle
_RIGHT_BUTTON = Qt.MouseButton.RightButton
