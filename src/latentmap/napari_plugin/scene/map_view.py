"""A separate view of the maps, docked in the window."""

from collections.abc import Callable

from napari.components import ViewerModel
from napari.qt import QtViewer
from napari.utils.events import Event
from napari.viewer import Viewer
from qtpy.compat import isalive
from qtpy.QtCore import QEvent, QSize, Qt, QTimer
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QDockWidget

from latentmap.napari_plugin.napari_private import main_window
from latentmap.napari_plugin.scene.canvas import Canvas

_CORNERS = (
    (Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea),
    (Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea),
)
_HIDDEN = "The maps are hidden: Window > Maps shows them again."
# The share of the window's height given to the maps.
_SHARE = 0.45


class MapView(QtViewer):  # type: ignore[misc]  # napari has no types
    """A second canvas, for maps without the images.

    Parameters
    ----------
    closed : callable
        Called after the user has closed the dock.
    tell : callable
        Shows a sentence to the user.
    """

    def __init__(self, closed: Callable[[], None], tell: Callable[[str], None]) -> None:
        model = ViewerModel(title="Maps")
        super().__init__(model)
        self.map_canvas = Canvas(model, self)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.timeout.connect(model.reset_view)
        self._closed, self._tell = closed, tell
        self._dock: QDockWidget | None = None
        self._is_hidden = False

    def dock(self, viewer: Viewer) -> None:
        """Dock in a viewer's window, below the images and between the docks at the sides.

        Below these docks as well, only a low strip would be left for it on a small screen.
        """
        self._follow_theme(viewer)
        viewer.events.theme.connect(self._theme_changed)
        if (window := main_window(viewer)) is None:
            return
        self._corners = [(corner, window.corner(corner)) for corner, _ in _CORNERS]
        for corner, area in _CORNERS:
            window.setCorner(corner, area)
        self._dock = viewer.window.add_dock_widget(self, name="Maps", area="bottom", menu=viewer.window.window_menu)
        self._dock.toggleViewAction().toggled.connect(self._toggled)
        window.resizeDocks([self._dock], [round(_SHARE * window.height())], Qt.Orientation.Vertical)

    def undock(self, viewer: Viewer) -> None:
        """Restore the window, unless it has been closed."""
        viewer.events.theme.disconnect(self._theme_changed)
        if (window := main_window(viewer)) is None:
            return
        dock, self._dock = self._dock, None
        if dock is not None:
            viewer.window.remove_dock_widget(dock)
        for corner, area in self._corners:
            window.setCorner(corner, area)

    def changeEvent(self, event: QEvent) -> None:
        """Notice that the dock was closed, which gives back what was in it."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ParentChange and self.parent() is None and self._dock is not None:
            self._dock = None
            # napari is still at it.
            QTimer.singleShot(0, self._closed)

    def _toggled(self, is_shown: bool) -> None:
        if is_shown and self._is_hidden:
            self._is_hidden = False
            self._tell("")
        elif not is_shown:
            # Later, as a dock that is closed is hidden first.
            QTimer.singleShot(0, self._tell_hidden)

    def _tell_hidden(self) -> None:
        if self._dock is not None and isalive(self._dock) and self._dock.isHidden():
            self._is_hidden = True
            self._tell(_HIDDEN)

    def _theme_changed(self, event: Event) -> None:
        self._follow_theme(event.source)

    def _follow_theme(self, viewer: Viewer) -> None:
        """Have the background of the viewer's canvas."""
        self.viewer.theme = viewer.theme

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(500, 400)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Bring all maps into view once the canvas has its new size."""
        super().resizeEvent(event)
        self._settled.start()
