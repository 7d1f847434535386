"""A part of a panel that can be collapsed."""

from typing import cast

from magicgui.widgets.bases import Widget
from qtpy.QtCore import QSize
from qtpy.QtWidgets import QLayout
from superqt import QCollapsible


class Collapsible(QCollapsible):
    """Holds rarely used widgets; collapsed at first."""

    def __init__(self, title: str, widget: Widget) -> None:
        super().__init__()
        self._title, self._widget = title, widget
        # superqt's arrows keep their first colour, which is invisible in a dark theme; the title has its own.
        self.toggleButton().setIconSize(QSize(0, 0))
        self.toggleButton().setStyleSheet("text-align: left; border: none; background: transparent;")
        for part in (self, self.content()):
            cast(QLayout, part.layout()).setContentsMargins(0, 0, 0, 0)
        self.setDuration(0)
        self.addWidget(widget.native)
        self.toggled.connect(self._name)
        self._name(False)

    def _name(self, is_open: bool) -> None:
        self.setText(f"{'▾' if is_open else '▸'} {self._title}")
