"""A widget that outlives its dock."""

from qtpy.compat import isalive
from qtpy.QtCore import QEvent, QTimer
from qtpy.QtWidgets import QDockWidget, QMainWindow, QWidget


class DockableWidget(QWidget):
    """A widget that becomes a child of the main window when its dock is closed, and can be docked again."""

    def changeEvent(self, event: QEvent) -> None:
        """Notice that the dock has been closed, or that the widget has been docked."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ParentChange:
            if self.parent() is None:
                self.dock_closed()
                # Later, because Qt is still changing the parent; by a lambda, because a bound method would not keep
                # the widget alive.
                QTimer.singleShot(0, lambda: self._stay())
            elif isinstance(self.parent(), QDockWidget):
                self.docked()

    def main_window(self) -> QMainWindow | None:
        """Return the window to stay with; None once it has been closed."""
        raise NotImplementedError

    def dock_closed(self) -> None:
        """Get ready to be out of sight."""

    def docked(self) -> None:
        """Get ready to be seen."""

    def _stay(self) -> None:
        if isalive(self) and self.parent() is None:
            if (window := self.main_window()) is None:
                self.deleteLater()
            else:
                self.setParent(window)
