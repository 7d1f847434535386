"""The mouse wheel over a panel that can be scrolled."""

from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtWidgets import QAbstractSpinBox, QComboBox, QSlider, QWidget


class WheelGuard(QObject):
    """Keeps the wheel from changing a field that it only passes over; the panel scrolls instead.

    A field that was clicked, or reached by the keyboard, still takes the wheel.

    Parameters
    ----------
    panel : QWidget
        Whose fields are guarded, those that it has now.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self.watch(panel)

    def watch(self, panel: QWidget) -> None:
        """Guard the fields of a part that the panel got later."""
        for kind in (QAbstractSpinBox, QComboBox, QSlider):
            for field in panel.findChildren(kind):
                field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                field.installEventFilter(self)

    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        """Keep the wheel from a field without the focus."""
        if event.type() == QEvent.Type.Wheel and isinstance(field, QWidget) and not field.hasFocus():
            event.ignore()
            return True
        return False
