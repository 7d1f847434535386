"""The toolbar: what dragging on the map and the images does, and a button that shows everything."""

from typing import get_args

from napari.utils.theme import get_theme
from psygnal import Signal
from qtpy.QtCore import QSize
from qtpy.QtWidgets import QButtonGroup, QLabel, QPushButton, QSizePolicy, QWidget

from latentmap.display.region import Tool
from latentmap.napari_plugin.panel.shortcuts import with_key
from latentmap.napari_plugin.qt.line_icon import line_icon
from latentmap.napari_plugin.qt.wrapping_layout import WrappingLayout

_KEYS = "Hold Shift to add to the selection, Ctrl (Cmd) to remove from it, both to keep only what is in both."
_TOOLTIPS: dict[Tool, str] = {
    "move": "Drag to move the view. Click a cell, on the map or in the image, to select it.",
    "lasso": f"Drag around points on the map or cells in the image. {_KEYS}",
    "polygon": "Click to set corners; right-click or click the first corner to close the polygon, press Escape to "
    f"discard it. {_KEYS}",
    "rectangle": f"Drag a rectangle around points on the map or cells in the image. {_KEYS}",
    "brush": f"Paint over points on the map or cells in the image. {_KEYS}",
}
_SHOW_ALL = "Show all", "Bring images and maps into view, with the cells that are drawn at the edge of the map."
_MARGIN = 12


class ToolSection(QWidget):
    """A row of buttons, one for each tool, in the order of the notebook; the name of the chosen one is beside them."""

    changed = Signal(str)
    """Emitted with the chosen tool."""
    pressed = Signal()
    """Emitted when the user presses the button of a tool, even of the one that is chosen already."""

    def __init__(self) -> None:
        super().__init__()
        layout = WrappingLayout(self, gap=2)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QPushButton] = {}
        for tool in get_args(Tool):
            button = _button(tool.capitalize(), with_key(_TOOLTIPS[tool], tool))
            button.setCheckable(True)
            button.setChecked(tool == "move")
            self._group.addButton(button)
            layout.addWidget(button)
            self.buttons[tool] = button
        self.fit = _button(*_SHOW_ALL)
        layout.addWidget(self.fit)
        self.name = QLabel()
        layout.addWidget(self.name)
        self._group.buttonToggled.connect(self._toggled)
        self._group.buttonClicked.connect(self._clicked)
        self._show_name()

    @property
    def value(self) -> str:
        """The chosen tool."""
        return next(tool for tool, button in self.buttons.items() if button.isChecked())

    @value.setter
    def value(self, tool: str) -> None:
        self.buttons[tool].setChecked(True)

    def dress(self, theme: str) -> None:
        """Draw the icons in the colour that text has in one of napari's themes."""
        colour, size = get_theme(theme).text.as_hex(format="long"), self.name.fontMetrics().height()
        for name, button in {**self.buttons, "fit": self.fit}.items():
            button.setIcon(line_icon(name, colour, size))
            button.setIconSize(QSize(size, size))
            button.setFixedWidth(size + 2 * _MARGIN)

    def _toggled(self, _: object, checked: bool) -> None:
        if checked:
            self._show_name()
            self.changed.emit(self.value)

    def press(self, tool: str) -> None:
        """Choose a tool as its button does."""
        self.buttons[tool].click()

    def _clicked(self, *_: object) -> None:
        self.pressed.emit()

    def _show_name(self) -> None:
        self.name.setText(self.value.capitalize())
        self.name.setToolTip(self.buttons[self.value].toolTip())


def _button(name: str, about: str) -> QPushButton:
    button = QPushButton()
    button.setAccessibleName(name)
    button.setToolTip(f"{name}: {about}")
    button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return button
