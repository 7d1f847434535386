"""Everything the plugin uses of napari beyond its public interface.

The private names used here exist in napari 0.6.0 to 0.9.2. No other module of this package uses a private name of
napari, so this is the one to check against a new version.
"""

from collections.abc import Generator
from contextlib import contextmanager

from napari.layers import Points
from napari.qt import QtViewer
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


@contextmanager
def changed_together(points: Points) -> Generator[None, None, None]:
    """Apply several changes to points at once, which takes napari a quarter of the time."""
    with points._block_refresh(), points._face.events.blocker_all(), points.events.face_color.blocker():
        yield
    points.refresh()
