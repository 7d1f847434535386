"""Number fields that magicgui does not have."""

from typing import Any

from magicgui.widgets import ComboBox
from magicgui.widgets.bases import ValuedContainerWidget
from qtpy.QtCore import QSignalBlocker, Qt
from qtpy.QtWidgets import QComboBox, QDoubleSpinBox, QSlider, QSpinBox, QWidget

from latentmap.methods.fields import Field
from latentmap.napari_plugin.qt.font_size import follow_font

# The longest usual number, and how wide the buttons beside it are.
_LONGEST, _BUTTONS = "0000", 42


def fit_number(field: QWidget) -> None:
    """Make a field as wide as the numbers that it usually holds."""
    follow_font(field, lambda metrics: field.setFixedWidth(metrics.horizontalAdvance(_LONGEST) + _BUTTONS))


class NumberSlider(ValuedContainerWidget[int]):
    """A whole number: a slider over the usual range, and a spin box for the full range.

    Parameters
    ----------
    value : int
    minimum, slider_maximum, maximum : int
        The slider runs from `minimum` to `slider_maximum`, the spin box from `minimum` to `maximum`. Setting a value
        beyond this range extends the range of the spin box.
    tooltip : str
    """

    def __init__(self, value: int, *, minimum: int, slider_maximum: int, maximum: int, tooltip: str = "") -> None:
        super().__init__(layout="horizontal", labels=False, tooltip=tooltip)
        self.margins = (0, 0, 0, 0)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(minimum, slider_maximum)
        self.number = QSpinBox()
        self.number.setRange(minimum, maximum)
        fit_number(self.number)
        self.native.layout().addWidget(self.slider)
        self.native.layout().addWidget(self.number)
        self.value = value
        self._follow(value)
        self.slider.valueChanged.connect(self.number.setValue)
        self.number.valueChanged.connect(self._follow)

    def get_value(self) -> int:
        """Return the number."""
        return self.number.value()

    def set_value(self, value: Any) -> None:
        """Set the number."""
        self.number.setRange(min(self.number.minimum(), value), max(self.number.maximum(), value))
        self.number.setValue(value)

    def _follow(self, value: int) -> None:
        # The slider stops at its end, and must not pull the number back to it.
        with QSignalBlocker(self.slider):
            self.slider.setValue(value)
        self.changed.emit(value)


class WordOrNumber(ValuedContainerWidget[Any]):
    """A word, such as "auto", or a number in a spin box."""

    def __init__(self, field: Field) -> None:
        super().__init__(layout="horizontal", labels=False, tooltip=field.about)
        self.margins = (0, 0, 0, 0)
        self._values = [value for _, value in field.special_values]
        self._is_whole = field.is_whole
        self.kind = QComboBox()
        self.kind.addItems([*(word for word, _ in field.special_values), "number"])
        self.number = QDoubleSpinBox(
            decimals=field.decimals,
            minimum=field.minimum,
            maximum=field.maximum,
            singleStep=field.step,
        )
        self.number.setValue(field.initial_number)
        fit_number(self.number)
        self.native.layout().addWidget(self.kind)
        self.native.layout().addWidget(self.number)
        self._choose()
        self.kind.currentIndexChanged.connect(self._choose)
        self.number.valueChanged.connect(self._choose)

    def get_value(self) -> Any:
        """Return the value that the word stands for, or the number."""
        choice, number = self.kind.currentIndex(), self.number.value()
        return self._values[choice] if choice < len(self._values) else int(number) if self._is_whole else number

    def set_value(self, value: Any) -> None:
        """Show the word that stands for the value, or else the number."""
        with QSignalBlocker(self.kind), QSignalBlocker(self.number):
            is_word = value in self._values
            self.kind.setCurrentIndex(self._values.index(value) if is_word else len(self._values))
            if not is_word:
                self.number.setRange(min(self.number.minimum(), value), max(self.number.maximum(), value))
                self.number.setValue(value)
        self._choose()

    def _choose(self) -> None:
        self.number.setVisible(self.kind.currentIndex() == len(self._values))
        self.changed.emit(self.value)


class NumberList(ComboBox):
    """A word, such as "auto", or one of a few whole numbers, in one drop-down list."""

    def __init__(self, field: Field) -> None:
        self._word, self._stands_for = field.special_values[0]
        self._text = self._word
        self._minimum, self._slider_maximum = int(field.minimum), int(field.slider_maximum)
        self._maximum = self._slider_maximum
        super().__init__(choices=self._offered, tooltip=field.about)

    def reach(self, value: Any) -> None:
        """Offer the usual numbers, and those beyond up to this value."""
        self._maximum = self._slider_maximum if value == self._stands_for else max(self._slider_maximum, value)
        self.reset_choices()

    def show_found(self, found: int | None) -> None:
        """Show the number that the word stood for; None if unknown."""
        self._text = self._word if found is None else f"{self._word} ({found})"
        self.native.setItemText(0, self._text)

    def _offered(self, _: object) -> list[tuple[str, Any]]:
        numbers = range(self._minimum, self._maximum + 1)
        return [(self._text, self._stands_for), *((str(number), number) for number in numbers)]
