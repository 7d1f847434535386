"""Rows of a panel: widgets side by side, with or without a label."""

from magicgui.widgets import Container, Label
from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QSizePolicy, QWidget

from latentmap.napari_plugin.qt.accessibility import name_controls
from latentmap.napari_plugin.qt.font_size import follow_font
from latentmap.napari_plugin.qt.wrapping_layout import wrap

# The longest usual label: all labels are at least as wide, so that what they label is aligned.
_LONGEST = "Missing values"
_SPARE = 8


def align_label(label: QWidget) -> None:
    """Make a label as wide as those of other rows."""
    follow_font(label, lambda metrics: label.setMinimumWidth(metrics.horizontalAdvance(_LONGEST) + _SPARE))
    label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)


def label_row(text: str, widget: Widget) -> Container[Widget]:
    """Put a widget to the right of its label, or below it where there is no room; all labels have the same width."""
    label = Label(value=text, tooltip=widget.tooltip)
    align_label(label.native)
    name_controls(widget.native, text)
    return in_row(label, widget)


def in_row(*widgets: Widget) -> Container[Widget]:
    """Put widgets side by side, in several lines where there is no room."""
    row: Container[Widget] = Container(widgets=widgets, layout="horizontal", labels=False)
    row.margins = (0, 0, 0, 0)
    wrap(row.native)
    return row
