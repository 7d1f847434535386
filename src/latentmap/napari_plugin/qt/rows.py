"""Rows of a panel: widgets side by side, with a label before them."""

from magicgui.widgets import Container, Label
from magicgui.widgets.bases import Widget

LABEL_WIDTH = 110
"""The width of the labels, in pixels."""


def labelled(text: str, widget: Widget) -> Container:
    """Put a widget beside its label; all labels are equally wide.

    Parameters
    ----------
    text : str
        The label.
    widget : magicgui.widgets.bases.Widget
    """
    label = Label(value=text, tooltip=widget.tooltip)
    label.min_width = label.max_width = LABEL_WIDTH
    return beside(label, widget)


def beside(*widgets: Widget) -> Container:
    """Put widgets side by side."""
    row = Container(widgets=widgets, layout="horizontal", labels=False)
    row.margins = (0, 0, 0, 0)
    return row
