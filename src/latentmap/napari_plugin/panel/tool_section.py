"""The part of the panel where the user chooses what a drag with the mouse does."""

from typing import get_args

from psygnal import Signal
from qtpy.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from latentmap.napari_plugin.scene.mouse import Tool

_KEYS = "Shift adds to the selection, Ctrl (Cmd) takes away from it, both keep what is in both."
_TOOLTIPS: dict[Tool, str] = {
    "move": "Drag to move the view. A click selects the cell under the mouse, on the map as in the image.",
    "lasso": f"Drag around points of the map, or around cells in the image. {_KEYS}",
    "polygon": "Click the corners; the right button, or a click on the first corner, closes it; Escape gives it up. "
    + _KEYS,
    "rectangle": f"Drag a rectangle over points of the map, or over cells in the image. {_KEYS}",
    "brush": f"Paint over points of the map, or over cells in the image. {_KEYS}",
}


class ToolSection(QWidget):
    """A row of buttons, one for each tool.

    Attributes
    ----------
    changed : psygnal.Signal
        Emitted with the tool chosen.
    """

    changed = Signal(str)

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
            button.setToolTip(_TOOLTIPS[tool])
            button.setChecked(tool == "move")
            self._group.addButton(button)
            layout.addWidget(button)
            self.buttons[tool] = button
        self._group.buttonToggled.connect(self._toggled)

    @property
    def value(self) -> str:
        """The tool chosen."""
        return next(tool for tool, button in self.buttons.items() if button.isChecked())

    @value.setter
    def value(self, tool: str) -> None:
        self.buttons[tool].setChecked(True)

    def _toggled(self, _: object, checked: bool) -> None:
        if checked:
            self.changed.emit(self.value)
