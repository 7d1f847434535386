"""The mouse wheel over a panel that scrolls."""

from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtWidgets import QAbstractSpinBox, QComboBox, QSlider, QWidget


class WheelGuard(QObject):
    """Scrolls the panel instead of changing the field that happens to be under the mouse.

    A field that has been clicked, or reached with the keyboard, still takes the wheel. Fields added to the panel later
    must be guarded with `watch`.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self.watch(panel)

    def watch(self, panel: QWidget) -> None:
        """Guard all fields in a part of the panel."""
        for kind in (QAbstractSpinBox, QComboBox, QSlider):
            for field in panel.findChildren(kind):
                field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                field.installEventFilter(self)

    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        """Take the wheel away from a field without focus."""
        if event.type() == QEvent.Type.Wheel and isinstance(field, QWidget) and not field.hasFocus():
            event.ignore()
            return True
        return False
