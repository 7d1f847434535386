"""Fields for numbers that magicgui has no widget for."""

from typing import Any, Literal

import numpy as np
from magicgui.widgets.bases import ValuedContainerWidget
from qtpy.QtCore import QSignalBlocker, Qt
from qtpy.QtWidgets import QComboBox, QDoubleSpinBox, QSlider, QSpinBox

_NUMBER_WIDTH = 70


class NumberSlider(ValuedContainerWidget[int]):
    """A whole number: a slider over the usual ones, and a field beside it for all others.

    Parameters
    ----------
    value : int
    least, usual, most : int
        The slider goes from `least` to `usual`, the field to `most`. A value from elsewhere that lies beyond widens
        the field's range.
    tooltip : str
    """

    def __init__(self, value: int, *, least: int, usual: int, most: int, tooltip: str = "") -> None:
        super().__init__(layout="horizontal", labels=False, tooltip=tooltip)
        self.margins = (0, 0, 0, 0)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(least, usual)
        self.number = QSpinBox()
        self.number.setRange(least, most)
        self.number.setFixedWidth(_NUMBER_WIDTH)
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
        # The slider stops at its end, and must not take the number with it.
        with QSignalBlocker(self.slider):
            self.slider.setValue(value)
        self.changed.emit(value)


class DofField(ValuedContainerWidget[float | Literal["auto"]]):
    """The degrees of freedom: "auto", infinite, or a number.

    Parameters
    ----------
    value : float or "auto"
    tooltip : str
    """

    _KINDS = ("auto", "Gaussian (∞)", "number")

    def __init__(self, value: float | Literal["auto"], tooltip: str = "") -> None:
        super().__init__(layout="horizontal", labels=False, tooltip=tooltip)
        self.margins = (0, 0, 0, 0)
        self.kind = QComboBox()
        self.kind.addItems(self._KINDS)
        self.number = QDoubleSpinBox(minimum=0.1, maximum=100, value=2, singleStep=0.5)
        self.number.setFixedWidth(_NUMBER_WIDTH)
        self.native.layout().addWidget(self.kind)
        self.native.layout().addWidget(self.number)
        self.value = value
        self._choose()
        self.kind.currentIndexChanged.connect(self._choose)
        self.number.valueChanged.connect(self._choose)

    def get_value(self) -> float | Literal["auto"]:
        """Return "auto" or the number, which may be infinite."""
        choice = self.kind.currentIndex()
        return "auto" if choice == 0 else np.inf if choice == 1 else self.number.value()

    def set_value(self, value: Any) -> None:
        """Set it to "auto" or a number, which may be infinite."""
        with QSignalBlocker(self.kind), QSignalBlocker(self.number):
            self.kind.setCurrentIndex(0 if value == "auto" else 1 if np.isinf(value) else 2)
            if self.kind.currentIndex() == 2:
                self.number.setRange(min(self.number.minimum(), value), max(self.number.maximum(), value))
                self.number.setValue(value)
        self._choose()

    def _choose(self) -> None:
        self.number.setVisible(self.kind.currentIndex() == 2)
        self.changed.emit(self.value)
