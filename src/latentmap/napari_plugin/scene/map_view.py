"""A view of the maps alone, docked in the window."""

from typing import Any

from napari.components import ViewerModel
from napari.qt import QtViewer
from qtpy.QtCore import QSize, Qt, QTimer
from qtpy.QtGui import QResizeEvent

from latentmap.napari_plugin.napari_private import main_window
from latentmap.napari_plugin.scene.canvas import Canvas

_CORNERS = (
    (Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea),
    (Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea),
)
# The share of the window's height that the maps get.
_SHARE = 0.45


class MapView(QtViewer):
    """A second canvas of napari's, for maps without the images."""

    def __init__(self) -> None:
        model = ViewerModel(title="Maps")
        super().__init__(model)
        self.map_canvas = Canvas(model, self)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.timeout.connect(model.reset_view)

    def dock(self, viewer: Any) -> None:
        """Take a place in a viewer's window, below the images and between the docks at the sides.

        Below these docks too, it would be a strip as low as they leave, which on a small screen is not much.
        """
        if (window := main_window(viewer)) is None:
            return
        self._corners = [(corner, window.corner(corner)) for corner, _ in _CORNERS]
        for corner, area in _CORNERS:
            window.setCorner(corner, area)
        self._dock: Any = viewer.window.add_dock_widget(self, name="Maps", area="bottom")
        window.resizeDocks([self._dock], [round(_SHARE * window.height())], Qt.Orientation.Vertical)

    def undock(self, viewer: Any) -> None:
        """Leave the window as it was, unless it has been closed."""
        if (window := main_window(viewer)) is None:
            return
        viewer.window.remove_dock_widget(self._dock)
        self._dock = None
        for corner, area in self._corners:
            window.setCorner(corner, area)

    def sizeHint(self) -> QSize:
        """Return the size that Qt is to give it."""
        return QSize(500, 400)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Bring all maps into view, once the canvas within has its new size, too."""
        super().resizeEvent(event)
        self._settled.start()
