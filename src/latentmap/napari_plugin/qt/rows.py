"""Rows of a panel: widgets side by side, with or without a label."""

from magicgui.widgets import Container, Label
from magicgui.widgets.bases import Widget

from latentmap.napari_plugin.qt.accessibility import name_controls

LABEL_WIDTH = 110
"""The width of the labels, in pixels."""


def label_row(text: str, widget: Widget) -> Container[Widget]:
    """Put a widget to the right of its label; all labels have the same width."""
    label = Label(value=text, tooltip=widget.tooltip)
    label.min_width = label.max_width = LABEL_WIDTH
    name_controls(widget.native, text)
    return in_row(label, widget)


def in_row(*widgets: Widget) -> Container[Widget]:
    """Put widgets side by side."""
    row: Container[Widget] = Container(widgets=widgets, layout="horizontal", labels=False)
    row.margins = (0, 0, 0, 0)
    return row
