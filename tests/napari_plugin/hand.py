"""A hand on the mouse and the keys, for tests: real events through Qt."""

from itertools import pairwise

import numpy as np
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent, QWheelEvent
from qtpy.QtWidgets import QApplication

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier

# vispy passes over moves that follow one another in less than 10 ms.
_PAUSE = 12


class Hand:
    """Acts on a viewer's canvas at world coordinates, and on widgets.

    Parameters
    ----------
    qtbot : pytestqt.qtbot.QtBot
    viewer : napari.Viewer
        It is shown.
    """

    def __init__(self, qtbot, viewer):
        self._qtbot, self._viewer = qtbot, viewer

    @property
    def canvas(self):
        """The widget that takes the mouse."""
        return self._viewer.window._qt_viewer.canvas.native

    def pixel(self, place):
        """Where a place in the world is on the canvas now; a pixel stays what it is."""
        if isinstance(place, QPoint):
            return place
        camera = self._viewer.scene.camera
        centre = np.array([self.canvas.height(), self.canvas.width()]) / 2
        row, column = centre + (np.asarray(place) - np.asarray(camera.center)[-2:]) * camera.zoom
        return QPoint(round(column), round(row))

    def hover(self, place):
        """Move the mouse, with no button held."""
        self._qtbot.mouseMove(self.canvas, self.pixel(place))
        self._qtbot.wait(_PAUSE)

    def click(self, place, keys=NONE, button=LEFT):
        """Go to a place and click."""
        self.hover(place)
        self.press(place, keys, button)
        self.release(place, keys, button)
        self.rest()

    def rest(self):
        """Wait longer than between the clicks of a double click."""
        self._qtbot.wait(QApplication.doubleClickInterval() + 20)

    def press(self, place, keys=NONE, button=LEFT):
        """Hold a button down."""
        self._qtbot.mousePress(self.canvas, button, keys, self.pixel(place))
        self._qtbot.wait(_PAUSE)

    def move(self, *places, keys=NONE):
        """Move the mouse, with the left button held."""
        for place in places:
            # Not by the bot: its moves know of no keys and no buttons.
            self._send_move(place, keys)
            self._qtbot.wait(_PAUSE)

    def release(self, place, keys=NONE, button=LEFT):
        """Let the button go."""
        self._qtbot.mouseRelease(self.canvas, button, keys, self.pixel(place))
        self._qtbot.wait(_PAUSE)

    def drag(self, *places, keys=NONE):
        """Press at the first place, go along all others, release at the last."""
        # The view may move meanwhile.
        start, *pixels = [self.pixel(place) for place in [places[0], *along(places)]]
        self.hover(start)
        self.press(start, keys)
        self.move(*pixels, keys=keys)
        self.release(pixels[-1], keys)
        self.rest()

    def double_click(self, place):
        """Click twice in quick succession."""
        pixel = self.pixel(place)
        self.hover(pixel)
        self.press(pixel)
        self.release(pixel)
        self._qtbot.mouseDClick(self.canvas, LEFT, pos=pixel)
        self.rest()

    def turn_wheel(self, place, notches=1):
        """Turn the wheel over a place, and wait for the redraw, in which napari learns the new zoom."""
        pixel = QPointF(self.pixel(place))
        event = QWheelEvent(
            pixel,
            QPointF(self.canvas.mapToGlobal(self.pixel(place))),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            NONE,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        with self._qtbot.waitSignal(self.canvas.frameSwapped):
            QApplication.sendEvent(self.canvas, event)
        self._qtbot.wait(_PAUSE)

    def press_button(self, widget, at=None):
        """Click on a button of the panel."""
        native = getattr(widget, "native", widget)
        assert native.isEnabled()
        self._qtbot.mouseClick(native, LEFT, pos=at or native.rect().center())

    def _send_move(self, place, keys):
        pixel = self.pixel(place)
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(pixel),
            QPointF(self.canvas.mapToGlobal(pixel)),
            Qt.MouseButton.NoButton,
            LEFT,
            keys,
        )
        QApplication.sendEvent(self.canvas, event)


def along(places, steps=4):
    """Places on the straight lines between places, without the first one."""
    corners = [np.asarray(place, dtype=float) for place in places]
    return [start + (end - start) * step / steps for start, end in pairwise(corners) for step in range(1, steps + 1)]


def around(places, margin):
    """The corners of a rectangle around places, the first one once more at the end."""
    (top, left), (bottom, right) = np.min(places, axis=0) - margin, np.max(places, axis=0) + margin
    return [(top, left), (top, right), (bottom, right), (bottom, left), (top, left)]
