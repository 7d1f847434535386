"""A view of the maps alone, docked in the window."""

from napari.components import ViewerModel
from napari.qt import QtViewer
from qtpy.QtCore import QSize, QTimer
from qtpy.QtGui import QResizeEvent

from latentmap.napari_plugin.scene.canvas import Canvas


class MapView(QtViewer):
    """A second canvas of napari's, for maps without the images.

    Attributes
    ----------
    map_canvas : Canvas
    """

    def __init__(self) -> None:
        model = ViewerModel(title="Maps")
        super().__init__(model)
        self.map_canvas = Canvas(model, self)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.timeout.connect(model.reset_view)

    def sizeHint(self) -> QSize:
        """Return the size that Qt is to give it."""
        return QSize(500, 400)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Bring all maps into view, once the canvas within has its new size, too."""
        super().resizeEvent(event)
        self._settled.start()
