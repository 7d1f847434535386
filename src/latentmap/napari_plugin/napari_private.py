"""All that the plugin uses of napari beyond its public interface.

The private names here are the same from napari 0.6.0 to 0.9.2. Nothing else in this package touches a name of napari's
that begins with an underscore, so this is the module to check against a new version.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from napari.layers import Points
from qtpy.QtWidgets import QMainWindow


def unwrapped(viewer: Any) -> Any:
    """Return the viewer itself: a plugin gets a proxy, whose layers are proxies too, and equal no layer."""
    return getattr(viewer, "__wrapped__", viewer)


def main_window(viewer: Any) -> QMainWindow | None:
    """Return the window of a viewer, or None once it has been closed."""
    return getattr(viewer.window, "_qt_window", None)


def qt_viewer(viewer: Any) -> Any:
    """Return what draws a viewer in its main window; there is no public way to the pixels of its canvas."""
    return viewer.window._qt_viewer


@contextmanager
def changed_together(points: Points) -> Generator[None, None, None]:
    """Have napari take up several changes to points at once: one by one they take it four times as long."""
    with points._block_refresh(), points._face.events.blocker_all(), points.events.face_color.blocker():
        yield
    points.refresh()
