"""A feature of the plot and how it is scaled."""

from collections.abc import Sequence

from psygnal import Signal
from qtpy.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QWidget
from superqt import QSearchableComboBox

from latentmap.display.gate_words import GATE_ACTIONS, SCALINGS
from latentmap.napari_plugin.qt.rows import align_label
from latentmap.napari_plugin.qt.wrapping_layout import WrappingLayout
from latentmap.session import Axis


class AxisRow(QWidget):
    """A list of features to search, the scaling, and the cofactor of arcsinh."""

    chosen = Signal()
    """Emitted when the user has chosen a feature."""
    scaled = Signal(str, float)
    """Emitted with the scaling and the cofactor that the user has set."""

    def __init__(self, name: str) -> None:
        super().__init__()
        words = GATE_ACTIONS[name]
        self.feature: QComboBox = QSearchableComboBox()
        self.scaling, self.cofactor = QComboBox(), QDoubleSpinBox()
        self.scaling.addItems(SCALINGS)
        self.cofactor.setRange(1e-6, 1e9)
        self.cofactor.setDecimals(4)
        self.cofactor.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.cofactor.setValue(Axis("").cofactor)
        self.cofactor.setKeyboardTracking(False)
        self.feature.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.feature.setMinimumContentsLength(8)
        layout = WrappingLayout(self)
        layout.addWidget(row_label(words.label))
        for widget, about in (
            (self.feature, words),
            (self.scaling, GATE_ACTIONS["scaling"]),
            (self.cofactor, GATE_ACTIONS["cofactor"]),
        ):
            widget.setToolTip(about.about)
            widget.setAccessibleName(f"{words.label}: {about.label}" if about is not words else words.label)
            layout.addWidget(widget)
        self.feature.activated.connect(lambda _: self.chosen.emit())
        if (typed := self.feature.lineEdit()) is not None:
            typed.editingFinished.connect(self._forget_typed)
        self.scaling.activated.connect(lambda _: self._scale())
        self.cofactor.valueChanged.connect(lambda _: self._scale())
        self.show_axis(None)

    def offer(self, names: Sequence[str]) -> None:
        """Offer these features."""
        self.feature.clear()
        self.feature.addItems(list(names))

    def show_axis(self, axis: Axis | None, otherwise: str = "") -> None:
        """Show a feature and its scaling, or what is chosen in place of a feature."""
        self.feature.setCurrentText(axis.feature if axis else otherwise)
        self._forget_typed()
        self.scaling.setVisible(axis is not None)
        self.cofactor.setVisible(axis is not None and axis.scaling == "arcsinh")
        if axis is not None:
            self.scaling.setCurrentText(axis.scaling)
            self.cofactor.blockSignals(True)
            self.cofactor.setValue(axis.cofactor)
            self.cofactor.blockSignals(False)

    def _forget_typed(self) -> None:
        """Show the feature chosen, from the start of its name, whatever was typed."""
        typed = self.feature.lineEdit()
        if typed is not None:
            if self.feature.findText(typed.text()) < 0:
                typed.setText(self.feature.itemText(self.feature.currentIndex()))
            typed.setCursorPosition(0)

    def _scale(self) -> None:
        self.scaled.emit(self.scaling.currentText(), self.cofactor.value())


def row_label(text: str) -> QLabel:
    """Return a label in front of a field; all of the tab have the same width."""
    label = QLabel(text)
    align_label(label)
    return label
