"""Everything the plugin uses of napari beyond its public interface.

The private names used here exist in napari 0.9.2. Besides `latentmap.napari_layers.changed_together`, no other module
uses a private name of napari, so these are the two to check against a new version.
"""

from typing import Any
from weakref import ref

import numpy as np
from napari._vispy import create_vispy_layer
from napari.components import ViewerModel
from napari.layers import Layer, Points
from napari.qt import QtViewer
from napari.utils.events import EventEmitter
from napari.viewer import Viewer
from qtpy.QtWidgets import QMainWindow


def unwrapped(viewer: Viewer) -> Viewer:
    """Return the viewer itself: plugins get a proxy, whose layers are proxies, too, and equal no real layer."""
    return getattr(viewer, "__wrapped__", viewer)


def main_window(viewer: Viewer) -> QMainWindow | None:
    """Return the window of a viewer; None once it has been closed."""
    window: QMainWindow | None = getattr(viewer.window, "_qt_window", None)
    return window


def qt_viewer(viewer: Viewer) -> QtViewer:
    """Return the widget that draws a viewer in its main window, as no public one leads to the canvas."""
    return viewer.window._qt_viewer


def draw_text_when_there_is_any(qt_viewer: QtViewer, points: Points) -> None:
    """Have no text of a layer of points drawn until it has some.

    napari draws an empty one, for which vispy makes ten letters first: a tenth of a second for each new layer.
    """
    _draw_no_empty_text(qt_viewer.canvas.layer_to_visual[points], points)


def _draw_no_empty_text(visual: Any, points: Points) -> None:
    drawn, layer = ref(visual.node.text), ref(points)

    def show(*_: object) -> None:
        if (text := drawn()) is not None and (points := layer()) is not None:
            text.visible = bool(np.any(np.asarray(points.text.values) != ""))

    show()
    points.text.events.connect(show)


class DrawnAbove:
    """Draws a layer right above another one, or right below it, but without listing it among the viewer's layers.

    napari's own visual draws it, so it looks the same as if it were listed: in 2-D and 3-D, in slices, at all scales
    and in the grid, where it is in the tile of that other layer.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    qt_viewer : napari.qt.QtViewer
        Draws this viewer.
    layer : napari.layers.Layer
        Not among the viewer's layers.
    below : napari.layers.Layer
        One of the viewer's layers.
    by : float
        How far above it, where the layers of the viewer are 1 apart; below it, if this is negative.
    """

    def __init__(self, viewer: ViewerModel, qt_viewer: QtViewer, layer: Layer, below: Layer, by: float = 0.5) -> None:
        self._viewer, self._canvas, self.layer, self.below = viewer, qt_viewer.canvas, layer, below
        self._by = by
        viewer._layer_slicer.submit(layers=[layer], dims=viewer.dims)
        self._visual = create_vispy_layer(layer, font_info=self._canvas.font_info())
        if isinstance(layer, Points):
            _draw_no_empty_text(self._visual, layer)
        for event in self._slicing_events():
            event.connect(self._slice)
        layer.events.reload.connect(self._slice_again)
        drawn = self._canvas._scene_canvas.events.draw
        drawn.connect(self._follow, position="first")
        drawn.connect(self._choose_scale, position="last")
        self._follow()

    def close(self) -> None:
        """Draw the layer no more."""
        for event in self._slicing_events():
            event.disconnect(self._slice)
        self.layer.events.reload.disconnect(self._slice_again)
        for callback in (self._follow, self._choose_scale):
            self._canvas._scene_canvas.events.draw.disconnect(callback)
        self._visual.close()

    def _slicing_events(self) -> list[EventEmitter]:
        events = self._viewer.dims.events
        names = ("ndisplay", "order", "point", "current_step", "margin_left", "margin_right")
        return [getattr(events, name) for name in names]

    def _slice(self, *_: object) -> None:
        self._viewer._layer_slicer.submit(layers=[self.layer], dims=self._viewer.dims)

    def _slice_again(self, *_: object) -> None:
        self._viewer._layer_slicer.submit(layers=[self.layer], dims=self._viewer.dims, force=True)

    def _follow(self, *_: object) -> None:
        """Take the place of the other layer, which napari may have moved to another tile or in the order."""
        below, own = self._canvas.layer_to_visual.get(self.below), self._visual
        if below is None:
            return
        if own.node.parent is not below.node.parent:
            own.node.parent = below.node.parent
            own._on_matrix_change()
        if own.world_units != below.world_units:
            own.world_units = below.world_units
        if own.order != below.order + self._by:
            own.order = below.order + self._by
            self._canvas._scene_canvas._draw_order.clear()

    def _choose_scale(self, *_: object) -> None:
        """Have a multiscale layer load what is in view, as napari does for the layers that are listed."""
        # While the user switches between 2-D and 3-D, the layer may still have the axes of before.
        displayed = sorted(self.layer._slice_input.displayed)
        if len(displayed) <= self._viewer.dims.ndisplay:
            displayed = list(self._viewer.dims.displayed[-len(displayed) :])
        if self.layer.visible:
            self.layer._update_draw(
                scale_factor=1 / self._viewer.scene.camera.zoom,
                corner_pixels_displayed=self._canvas._viewbox_corners_in_world[:, displayed],
                shape_threshold=self._canvas._current_viewbox_size[::-1],
            )
