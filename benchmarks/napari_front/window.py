"""A real window of napari with the panel in it, and clocks for what happens there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import napari
import numpy as np
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtTest import QTest
from qtpy.QtWidgets import QApplication
from vispy.gloo import gl

SIZE = (1500, 1100)
# What stands still for so long has settled; nothing in the panel waits longer than half of it.
_SETTLED = 0.4


class Took(NamedTuple):
    """How long something took, in seconds.

    Attributes
    ----------
    answer : float
        Until what was asked for is done: the front end can take the next event, and every view knows.
    redraw : float
        Until the window has drawn it.
    """

    answer: float
    redraw: float


class Window:
    """A window with the panel open, and nothing in it yet.

    Attributes
    ----------
    viewer : napari.Viewer
    panel : latentmap.napari_plugin.panel.panel.MapPanel
    """

    def __init__(self) -> None:
        self.viewer = napari.Viewer(show=True)
        self.viewer.window.resize(*SIZE)
        _, panel = self.viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
        self.panel: Any = panel
        self.settle()

    def close(self) -> None:
        """Close it, and let go of what it held."""
        self.viewer.close()
        QApplication.processEvents()

    def time(self, act: Callable[[], object]) -> Took:
        """Do something in the window, once it has settled.

        Parameters
        ----------
        act : callable

        Returns
        -------
        Took
        """
        self.settle()
        start = time.perf_counter()
        act()
        done = time.perf_counter()
        self.draw()
        return Took(done - start, time.perf_counter() - done)

    def draw(self) -> None:
        """Draw all that is to be drawn, and wait until that is done."""
        for _ in range(3):
            QApplication.processEvents()
        gl.glFinish()

    def settle(self) -> None:
        """Wait until whatever was put off is done."""
        special = self.panel.explore.distinctive
        until = time.perf_counter() + _SETTLED
        while time.perf_counter() < until or special.waiting or self.panel.gallery.waiting:
            QApplication.processEvents()
            time.sleep(0.005)
        self.draw()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Let Qt work until something is true."""
        while not condition():
            QApplication.processEvents()
            time.sleep(0.001)

    def click(self, place: np.ndarray) -> None:
        """Press and release the mouse at a place of the world."""
        QTest.mouseClick(self._canvas, Qt.MouseButton.LeftButton, pos=self._pixel(place))

    def hover(self, place: np.ndarray) -> None:
        """Move the mouse to a place of the world."""
        # That of QTest would only be answered later.
        where, none = QPointF(self._pixel(place)), Qt.MouseButton.NoButton
        there = self._canvas.mapToGlobal(where)
        move = QMouseEvent(QEvent.Type.MouseMove, where, there, none, none, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self._canvas, move)

    def _pixel(self, place: np.ndarray) -> QPoint:
        camera, canvas = self.viewer.scene.camera, self._canvas
        centre = np.array([canvas.height(), canvas.width()]) / 2
        row, column = centre + (np.asarray(place) - camera.center[-2:]) * camera.zoom
        return QPoint(round(column), round(row))

    @property
    def _canvas(self) -> Any:
        return self.viewer.window._qt_viewer.canvas.native
