"""The legend: what the colours of the points mean."""

from collections.abc import Sequence

from qtpy.QtCore import QSize, Qt, Signal
from qtpy.QtGui import QColor, QKeyEvent, QLinearGradient, QMouseEvent, QPainter, QPaintEvent
from qtpy.QtWidgets import QLineEdit, QSizePolicy, QWidget

from latentmap.display.colours import legend
from latentmap.napari_plugin.qt.font_size import follow_font, line_height
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.napari_plugin.scene.mouse import mode_of
from latentmap.session import ColourGroups, ColourScale

_LINE = 18
_SWATCH = 12
_STOPS = 16


class Legend(QWidget):
    """Explains the colours: a bar with the values at its ends, or the list of groups."""

    picked = Signal(str, str)
    """Emitted with the name of the group that was clicked, and what becomes of the selection."""
    renamed = Signal(str, str)
    """Emitted with the name of a group, and the name that the user gives it."""

    def __init__(self) -> None:
        super().__init__()
        self._colouring: ColourScale | ColourGroups | None = None
        self._others: Sequence[str] = ()
        self.can_rename = False
        self.editor: _NameField | None = None
        self._was_double = False
        self._line = _LINE
        follow_font(self, self._fit)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_colouring(
        self,
        colouring: ColourScale | ColourGroups | None,
        about: str = "",
        can_rename: bool = False,
        others: Sequence[str] = (),
    ) -> None:
        """Explain these colours; None empties the legend.

        `about` says what a click on a group does, `others` are lines on maps with another scale.
        """
        self._colouring, self.can_rename, self._others = colouring, can_rename, others
        self.setToolTip(about if self._groups else "")
        self.setCursor(Qt.CursorShape.PointingHandCursor if self._groups else Qt.CursorShape.ArrowCursor)
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def _fit(self, _: object) -> None:
        self._line = line_height(self, _LINE)
        self.setFixedHeight(self.sizeHint().height())

    @property
    def text(self) -> list[str]:
        """The lines of the legend."""
        return [*legend(self._colouring), *self._others]

    @property
    def _groups(self) -> tuple[str, ...]:
        return self._colouring.names if isinstance(self._colouring, ColourGroups) else ()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell which group was clicked."""
        was_double, self._was_double = self._was_double, False
        line = self._line_at(event)
        if line is not None and not was_double:
            keys = {"shift": "ShiftModifier", "control": "ControlModifier", "alt": "AltModifier"}
            held = [key for key, name in keys.items() if event.modifiers() & Qt.KeyboardModifier[name]]
            self.picked.emit(self._groups[line], mode_of(held))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Let the user rename a group."""
        self._was_double = True
        line = self._line_at(event)
        if line is not None and self.can_rename:
            self.edit(line)

    def edit(self, line: int) -> None:
        """Open a field for the new name of a group."""
        if self.editor is not None:
            self.editor.deleteLater()
        self.editor = editor = _NameField(self._groups[line], self)
        left = _SWATCH + 4
        editor.setGeometry(left, self._line * line - 2, self.width() - left, self._line + 4)
        editor.editingFinished.connect(self._rename)
        editor.show()
        editor.setFocus()

    def _rename(self) -> None:
        editor, self.editor = self.editor, None
        if editor is not None:
            editor.hide()
            editor.deleteLater()
            if not editor.is_given_up and editor.text() != editor.before:
                self.renamed.emit(editor.before, editor.text())

    def _line_at(self, event: QMouseEvent) -> int | None:
        line = int(event.position().y()) // self._line
        return line if event.button() == Qt.MouseButton.LeftButton and 0 <= line < len(self._groups) else None

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        lines = len(self.text) + isinstance(self._colouring, ColourScale)
        return QSize(100, self._line * lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines of the legend that are in view."""
        painter = QPainter(self)
        if isinstance(self._colouring, ColourScale):
            gradient = QLinearGradient(0, 0, self.width(), 0)
            for stop in range(_STOPS + 1):
                red, green, blue, _ = SCALE.map(stop / _STOPS).ravel()
                gradient.setColorAt(stop / _STOPS, QColor.fromRgbF(float(red), float(green), float(blue)))
            painter.fillRect(0, 3, self.width(), self._line - 6, gradient)
        colours = self._colouring.colours if isinstance(self._colouring, ColourGroups) else ()
        above = self._line if isinstance(self._colouring, ColourScale) else 0
        seen = event.rect()
        for line, words in enumerate(self.text):
            top = above + self._line * line
            if top + self._line < seen.top() or top > seen.bottom():
                continue
            if line < len(colours):
                painter.fillRect(0, top + 3, _SWATCH, _SWATCH, QColor(colours[line]))
            left = _SWATCH + 6 if line < len(colours) else 0
            painter.setPen(self.palette().windowText().color())
            painter.drawText(left, top, self.width() - left, self._line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


class _NameField(QLineEdit):
    """A name to change; Escape gives up."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self.before, self.is_given_up = name, False
        self.setAccessibleName(f'New name of "{name}"')
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the field when Escape is pressed."""
        if event.key() == Qt.Key.Key_Escape:
            self.is_given_up = True
            self.clearFocus()
        else:
            super().keyPressEvent(event)
