"""The part of the panel for choosing a mouse tool."""

from typing import get_args

from psygnal import Signal
from qtpy.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from latentmap.napari_plugin.panel.shortcuts import with_key
from latentmap.napari_plugin.scene.mouse import Tool

_KEYS = "Hold Shift to add to the selection, Ctrl (Cmd) to remove from it, both to keep only what is in both."
_TOOLTIPS: dict[Tool, str] = {
    "move": "Drag to move the view. Click a cell, on the map or in the image, to select it.",
    "lasso": f"Drag around points on the map or cells in the image. {_KEYS}",
    "polygon": "Click to set corners; right-click or click the first corner to close the polygon, press Escape to "
    f"discard it. {_KEYS}",
    "rectangle": f"Drag a rectangle around points on the map or cells in the image. {_KEYS}",
    "brush": f"Paint over points on the map or cells in the image. {_KEYS}",
}


class ToolSection(QWidget):
    """A row of buttons, one for each tool."""

    changed = Signal(str)
    """Emitted with the chosen tool."""

    def __init__(self) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QPushButton] = {}
        for tool in get_args(Tool):
            button = QPushButton(tool.capitalize())
            button.setCheckable(True)
            button.setToolTip(with_key(_TOOLTIPS[tool], tool))
            button.setChecked(tool == "move")
            self._group.addButton(button)
            layout.addWidget(button)
            self.buttons[tool] = button
        self._group.buttonToggled.connect(self._toggled)

    @property
    def value(self) -> str:
        """The chosen tool."""
        return next(tool for tool, button in self.buttons.items() if button.isChecked())

    @value.setter
    def value(self, tool: str) -> None:
        self.buttons[tool].setChecked(True)

    def _toggled(self, _: object, checked: bool) -> None:
        if checked:
            self.changed.emit(self.value)
