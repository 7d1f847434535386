"""A canvas of napari's: a viewer, and where its pixels are."""

from typing import Any
from weakref import ref

import numpy as np
from qtpy.compat import isalive
from vispy.scene import Node


class Canvas:
    """A viewer and the vispy canvas that it is drawn on.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    qt_viewer : napari.qt.QtViewer
        What draws it.
    """

    def __init__(self, viewer: Any, qt_viewer: Any) -> None:
        self.viewer = viewer
        # Weakly, because what knows of canvases may be known longer than a window is open.
        self._qt_viewer: ref[Any] = ref(qt_viewer)
        viewer.layers.events.removing.connect(self._make_current)

    def close(self) -> None:
        """Let go of the viewer."""
        self.viewer.layers.events.removing.disconnect(self._make_current)

    def node(self) -> Node:
        """Return what can be drawn on in pixels of the screen."""
        return self._vispy.view

    def pixels(self, places: np.ndarray) -> np.ndarray:
        """Return where places in the view are on the screen.

        Parameters
        ----------
        places : ndarray of float, shape (n, 3)
            World coordinates of the axes in view.

        Returns
        -------
        ndarray of float, shape (n, 2)
            In pixels of the canvas, from the left and from the top.
        """
        seen = self._vispy.view.scene.transform.map(places[:, ::-1])
        return seen[:, :2] / seen[:, 3:]

    def draw(self) -> None:
        """Draw all that is in view at once, not when the window comes to it."""
        self._vispy.native.repaint()

    def window(self) -> np.ndarray | None:
        """Return which part of the world is in view.

        Returns
        -------
        ndarray of float, shape (2, 2), or None
            The lowest and the highest coordinates of the two axes in view; there are none where three are.
        """
        camera, scene = self.viewer.scene.camera, self._vispy.view
        if self.viewer.dims.ndisplay != 2:
            return None
        centre, reach = np.array(camera.center[-2:]), np.array(scene.size)[::-1] / (2 * camera.zoom)
        return np.array([centre - reach, centre + reach])

    def _make_current(self) -> None:
        # As a layer is removed, vispy deletes its OpenGL programs, in whatever context is current. Where that is one of
        # Qt's own, Mesa crashes at the second drawing thereafter.
        qt_viewer = self._qt_viewer()
        if qt_viewer is not None and isalive(qt_viewer):
            self._vispy.native.makeCurrent()

    @property
    def _vispy(self) -> Any:
        qt_viewer = self._qt_viewer()
        if qt_viewer is None:
            raise RuntimeError("The window of this canvas is closed.")
        return qt_viewer.canvas
