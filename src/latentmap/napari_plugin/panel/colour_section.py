"""The part of the panel where the user chooses what the colours mean, and reads it."""

from magicgui.widgets import CheckBox, ComboBox, Container
from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from qtpy.QtWidgets import QSizePolicy, QWidget

from latentmap.display.actions import ACTIONS
from latentmap.display.colours import legend
from latentmap.napari_plugin.panel.form import labelled
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.session import VARIANCE, By, Groups, Look, Scale

_LINE = 18
_SWATCH = 12
_STOPS = 16


class ColourSection(Container):
    """What the points are coloured by, with the legend.

    Parameters
    ----------
    look : Look
        What the section shows and sets.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._offered = [VARIANCE]
        self.by = ComboBox(
            # A function, because napari has all choices made anew whenever its layers change.
            choices=lambda _: [(by.name or by.kind, by) for by in self._offered],
            tooltip=ACTIONS["colour"].about,
        )
        self.sized = CheckBox(
            text=ACTIONS["sized"].label,
            value=look.sized_by_variance,
            tooltip=ACTIONS["sized"].about,
        )
        super().__init__(widgets=[labelled(ACTIONS["colour"].label, self.by), self.sized], labels=False)
        self.margins = (0, 0, 0, 0)
        self.legend = Legend()
        self.native.layout().addWidget(self.legend)
        self.by.changed.connect_setattr(look, "colour_by", maxargs=1)
        self.sized.changed.connect_setattr(look, "sized_by_variance", maxargs=1)
        look.events.colour_by.connect_setattr(self.by, "value", maxargs=1)
        look.events.sized_by_variance.connect_setattr(self.sized, "value", maxargs=1)

    def offer(self, choices: list[By]) -> None:
        """Offer these; what is no longer there gives way to the variance."""
        if self._offered != choices:
            chosen = self._look.colour_by
            self._offered = choices
            with self.by.changed.blocked():
                self.by.reset_choices()
                self.by.value = chosen if chosen in choices else VARIANCE
            self._look.colour_by = self.by.value


class Legend(QWidget):
    """Shows what colours mean: a bar with its ends, or the groups."""

    def __init__(self) -> None:
        super().__init__()
        self._colouring: Scale | Groups | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_colouring(self, colouring: Scale | Groups | None) -> None:
        """Show these colours, or nothing."""
        self._colouring = colouring
        self.updateGeometry()
        self.update()

    @property
    def text(self) -> list[str]:
        """What the legend says, line by line."""
        return legend(self._colouring)

    def sizeHint(self) -> QSize:
        """Return the size that Qt is to give it."""
        lines = len(self.text) + isinstance(self._colouring, Scale)
        return QSize(100, _LINE * lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it."""
        painter = QPainter(self)
        if isinstance(self._colouring, Scale):
            gradient = QLinearGradient(0, 0, self.width(), 0)
            for stop in range(_STOPS + 1):
                red, green, blue, _ = SCALE.map(stop / _STOPS).ravel()
                gradient.setColorAt(stop / _STOPS, QColor.fromRgbF(float(red), float(green), float(blue)))
            painter.fillRect(0, 3, self.width(), _LINE - 6, gradient)
        colours = self._colouring.colours if isinstance(self._colouring, Groups) else ()
        top = _LINE if isinstance(self._colouring, Scale) else 0
        for line, words in enumerate(self.text):
            if line < len(colours):
                painter.fillRect(0, top + 3, _SWATCH, _SWATCH, QColor(colours[line]))
            left = _SWATCH + 6 if colours else 0
            painter.setPen(self.palette().windowText().color())
            painter.drawText(left, top, self.width() - left, _LINE, Qt.AlignmentFlag.AlignVCenter, words)
            top += _LINE
        painter.end()
