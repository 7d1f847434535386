"""A canvas of napari's: a viewer, and where its pixels are."""

from typing import Any
from weakref import ref

import numpy as np
from napari.layers import Points
from vispy.scene import Node


class Canvas:
    """A viewer and the vispy canvas that it is drawn on.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    qt_viewer : napari.qt.QtViewer
        What draws it. There is no public way to the pixels of napari's main window.
    """

    def __init__(self, viewer: Any, qt_viewer: Any) -> None:
        self.viewer = viewer
        # Weakly, because what knows of canvases may be known longer than a window is open.
        self._qt_viewer: ref[Any] = ref(qt_viewer)

    def node(self) -> Node:
        """Return what can be drawn on in pixels of the screen."""
        return self._vispy.view

    def pixels(self, layer: Points, places: np.ndarray) -> np.ndarray:
        """Return where places of a layer are on the screen.

        Parameters
        ----------
        layer : napari.layers.Points
            In the viewer, without a transform of its own.
        places : ndarray of float, shape (n, 3)

        Returns
        -------
        ndarray of float, shape (n, 2)
            In pixels of the canvas, from the left and from the top.
        """
        node = self._vispy.layer_to_visual[layer].node
        mapped = node.get_transform("visual", "canvas").map(places[:, ::-1])
        return mapped[:, :2] / mapped[:, 3:]

    @property
    def _vispy(self) -> Any:
        qt_viewer = self._qt_viewer()
        if qt_viewer is None:
            raise RuntimeError("The window of this canvas is closed.")
        return qt_viewer.canvas
