"""The part of the panel for the colours of the points, with a legend."""

from collections.abc import Sequence

from magicgui.widgets import CheckBox, ComboBox, Container
from magicgui.widgets.bases import Widget
from qtpy.QtCore import QSize, Qt, Signal
from qtpy.QtGui import QColor, QLinearGradient, QMouseEvent, QPainter, QPaintEvent
from qtpy.QtWidgets import QSizePolicy, QWidget

from latentmap.display.actions import ACTIONS, PICK_GROUP
from latentmap.display.colours import legend
from latentmap.napari_plugin.qt.rows import label_row
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.napari_plugin.scene.mouse import mode_of
from latentmap.presenters.colours import ColourPresenter
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session

_LINE = 18
_SWATCH = 12
_STOPS = 16


class ColourSection(Container[Widget]):
    """Draws what `ColourPresenter` decides, and the legend."""

    def __init__(self, session: Session) -> None:
        self.presenter, self._names = ColourPresenter(session, self), [("variance", VARIANCE)]
        # A function, because napari resets the choices of all widgets whenever its layers change.
        self.by = ComboBox(choices=lambda _: self._names, tooltip=ACTIONS["colour"].about)
        self.sized = CheckBox(text=ACTIONS["sized"].label, tooltip=ACTIONS["sized"].about)
        super().__init__(widgets=[label_row(ACTIONS["colour"].label, self.by), self.sized], labels=False)
        self.margins = (0, 0, 0, 0)
        self.legend = Legend()
        self.native.layout().addWidget(self.legend)
        self.legend.picked.connect(self.presenter.select_group)
        self.by.changed.connect(self.presenter.choose)
        self.sized.changed.connect(self.presenter.size)
        self.presenter.offer([VARIANCE])
        self.presenter.refresh()

    def offer(self, names: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these quantities by name."""
        self._names = list(names)
        self.by.reset_choices()
        self.by.value = chosen

    def show_chosen(self, chosen: ColourBy) -> None:
        """Show which of them is chosen."""
        self.by.value = chosen

    def show_sized(self, sized: bool) -> None:
        """Show whether uncertain cells are drawn larger."""
        self.sized.value = sized


class Legend(QWidget):
    """Explains the colours: a bar with the values at its ends, or the list of groups."""

    picked = Signal(str, str)
    """Emitted with the name of the group that was clicked, and what becomes of the selection."""

    def __init__(self) -> None:
        super().__init__()
        self._colouring: ColourScale | ColourGroups | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_colouring(self, colouring: ColourScale | ColourGroups | None) -> None:
        """Explain these colours; None empties the legend."""
        self._colouring = colouring
        keys = "Hold Shift to add them to the selection, Ctrl or Alt to remove them."
        self.setToolTip(f"{PICK_GROUP} {keys}" if self._groups else "")
        self.setCursor(Qt.CursorShape.PointingHandCursor if self._groups else Qt.CursorShape.ArrowCursor)
        self.updateGeometry()
        self.update()

    @property
    def text(self) -> list[str]:
        """The lines of the legend."""
        return legend(self._colouring)

    @property
    def _groups(self) -> tuple[str, ...]:
        return self._colouring.names if isinstance(self._colouring, ColourGroups) else ()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell which group was clicked."""
        line = int(event.position().y()) // _LINE
        if event.button() == Qt.MouseButton.LeftButton and 0 <= line < len(self._groups):
            keys = {"shift": "ShiftModifier", "control": "ControlModifier", "alt": "AltModifier"}
            held = [key for key, name in keys.items() if event.modifiers() & Qt.KeyboardModifier[name]]
            self.picked.emit(self._groups[line], mode_of(held))

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        lines = len(self.text) + isinstance(self._colouring, ColourScale)
        return QSize(100, _LINE * lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the legend."""
        painter = QPainter(self)
        if isinstance(self._colouring, ColourScale):
            gradient = QLinearGradient(0, 0, self.width(), 0)
            for stop in range(_STOPS + 1):
                red, green, blue, _ = SCALE.map(stop / _STOPS).ravel()
                gradient.setColorAt(stop / _STOPS, QColor.fromRgbF(float(red), float(green), float(blue)))
            painter.fillRect(0, 3, self.width(), _LINE - 6, gradient)
        colours = self._colouring.colours if isinstance(self._colouring, ColourGroups) else ()
        top = _LINE if isinstance(self._colouring, ColourScale) else 0
        for line, words in enumerate(self.text):
            if line < len(colours):
                painter.fillRect(0, top + 3, _SWATCH, _SWATCH, QColor(colours[line]))
            left = _SWATCH + 6 if colours else 0
            painter.setPen(self.palette().windowText().color())
            painter.drawText(left, top, self.width() - left, _LINE, Qt.AlignmentFlag.AlignVCenter, words)
            top += _LINE
        painter.end()
