"""The canvas of a viewer, and coordinates on it."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import ref

import numpy as np
from napari.components import ViewerModel
from napari.layers import Layer, Points
from napari.qt import QtViewer
from napari.utils.events import Event
from qtpy.compat import isalive
from qtpy.QtCore import QTimer
from vispy.gloo import gl
from vispy.scene import Node

from latentmap.napari_plugin.napari_private import DrawnAbove, draw_text_when_there_is_any

# The names under which OpenGL on the processor is known: those of Mesa, Windows, macOS, and Google.
_SOFTWARE = re.compile(r"llvmpipe|softpipe|gdi generic|basic render|software|swiftshader", re.IGNORECASE)


class Canvas:
    """A viewer and the vispy canvas that it is drawn on."""

    def __init__(self, viewer: ViewerModel, qt_viewer: QtViewer) -> None:
        self.viewer = viewer
        # A weak reference, because those who hold a canvas may outlive the window.
        self._qt_viewer: ref[QtViewer] = ref(qt_viewer)
        self._drawn_above: dict[Layer, DrawnAbove] = {}
        self._renderer: str | None = None
        viewer.scene.camera.events.zoom.connect(self._tell_zoom)
        viewer.layers.events.removing.connect(self._make_current)
        viewer.layers.events.removed.connect(self._layer_removed)

    def close(self) -> None:
        """Disconnect from the viewer, and stop drawing layers that are not listed."""
        self.viewer.scene.camera.events.zoom.disconnect(self._tell_zoom)
        self.viewer.layers.events.removing.disconnect(self._make_current)
        self.viewer.layers.events.removed.disconnect(self._layer_removed)
        for layer in list(self._drawn_above):
            self.draw_no_more(layer)

    def node(self) -> Node:
        """Return the vispy view, whose coordinates are screen pixels."""
        return self._vispy.view

    def pixels(self, positions: np.ndarray) -> np.ndarray:
        """Project world coordinates to the canvas.

        Parameters
        ----------
        positions : ndarray of float, shape (n, 2 or 3)
            World coordinates along the displayed axes.

        Returns
        -------
        ndarray of float, shape (n, 2)
            In pixels from the left and the top of the canvas.
        """
        seen = self._vispy.view.scene.transform.map(positions[:, ::-1])
        pixels: np.ndarray = seen[:, :2] / seen[:, 3:]
        return pixels

    @property
    def is_software(self) -> bool:
        """Whether the canvas is known to be drawn without a graphics card, which takes many times as long."""
        if self._renderer is None:
            self._make_current()
            # vispy's words for a window that has no context of OpenGL yet.
            with suppress(AttributeError):
                self._renderer = str(gl.glGetParameter(gl.GL_RENDERER))
        return _SOFTWARE.search(self._renderer or "") is not None

    def draw_soon(self) -> None:
        """Redraw the canvas in the next turn of the event loop, even if nothing asks for it."""
        QTimer.singleShot(1, self._vispy.native.repaint)

    @contextmanager
    def drawn_later(self, drawn: Callable[[], object] = lambda: None) -> Generator[None, None, None]:
        """Have changes drawn in a later turn of the event loop, so that they block the window twice, but not as long.

        After that, `drawn` is called. In a window that has been closed, nothing is drawn.
        """
        qt_viewer = self._qt_viewer()
        if qt_viewer is None or not isalive(qt_viewer):
            yield
            return
        native = qt_viewer.canvas.native

        def draw() -> None:
            if isalive(native):
                vars(native).pop("update", None)
                native.update()
                QTimer.singleShot(1, drawn)

        # vispy asks for each redraw by this. With updates disabled, Qt may leave the canvas out of the window for good.
        native.update = lambda *_: None
        try:
            yield
        finally:
            QTimer.singleShot(1, draw)

    def draw_above(self, layer: Layer, below: Layer, by: float = 0.5) -> None:
        """Draw a layer right above one of the viewer's layers, until that is removed, without listing it.

        Layers of the viewer are 1 apart; with a negative distance `by`, the layer is drawn below that one.
        """
        self.draw_no_more(layer)
        qt_viewer = self._qt_viewer()
        if qt_viewer is not None and isalive(qt_viewer):
            self._drawn_above[layer] = DrawnAbove(self.viewer, qt_viewer, layer, below, by)

    def draw_text_when_there_is_any(self, points: Points) -> None:
        """Have no text of one of the viewer's layers drawn until it has some, so that it is sooner drawn at first."""
        qt_viewer = self._qt_viewer()
        if qt_viewer is not None and isalive(qt_viewer):
            draw_text_when_there_is_any(qt_viewer, points)

    def is_drawn_above(self, layer: Layer) -> bool:
        """Whether a layer is drawn without being listed."""
        return layer in self._drawn_above

    def draw_no_more(self, layer: Layer) -> None:
        """Stop drawing a layer that is not listed."""
        if (drawn := self._drawn_above.pop(layer, None)) is not None:
            self._make_current()
            drawn.close()

    def window(self) -> np.ndarray | None:
        """Return the part of the world in view.

        Returns
        -------
        ndarray of float, shape (2, 2), or None
            The lowest and the highest world coordinates along the two displayed axes; None in 3-D.
        """
        camera, scene = self.viewer.scene.camera, self._vispy.view
        if self.viewer.dims.ndisplay != 2:
            return None
        centre, reach = np.array(camera.center[-2:]), np.array(scene.size)[::-1] / (2 * camera.zoom)
        return np.array([centre - reach, centre + reach])

    def _tell_zoom(self) -> None:
        """Tell points the new zoom; napari would tell them while it draws, and then draw everything once more."""
        for layer in (*self.viewer.layers, *self._drawn_above):
            if isinstance(layer, Points):
                layer.scale_factor = 1 / self.viewer.scene.camera.zoom
                layer.events.highlight()

    def _layer_removed(self, event: Event) -> None:
        for layer, drawn in list(self._drawn_above.items()):
            if drawn.below is event.value:
                self.draw_no_more(layer)

    def _make_current(self) -> None:
        # When a layer is removed, vispy deletes its OpenGL programs in whatever context is current. If that is one of
        # Qt's own, Mesa crashes at the second redraw after it.
        qt_viewer = self._qt_viewer()
        if qt_viewer is not None and isalive(qt_viewer):
            self._vispy.native.makeCurrent()

    @property
    def _vispy(self) -> Any:  # napari's VispyCanvas, whose module is private
        qt_viewer = self._qt_viewer()
        if qt_viewer is None:
            raise RuntimeError("The window of this canvas has been closed.")
        return qt_viewer.canvas
