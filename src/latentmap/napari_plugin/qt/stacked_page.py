"""Widgets one below the other, in a page that scrolls."""

from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QScrollArea, QVBoxLayout, QWidget


def stacked_page(*widgets: Widget | QWidget, fills: bool = False) -> QScrollArea:
    """Stack widgets in a page; they fill it, or take only the height that they need."""
    page, area = QWidget(), QScrollArea()
    layout = QVBoxLayout(page)
    for widget in widgets:
        layout.addWidget(widget.native if isinstance(widget, Widget) else widget)
    if not fills:
        layout.addStretch()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    return area
