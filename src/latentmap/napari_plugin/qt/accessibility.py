"""What screen readers call the controls of a panel."""

import re

from qtpy.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QWidget,
)

CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)
"""The types of widgets that a user can change something with."""


def name_controls(widget: QWidget, name: str) -> None:
    """Give a name to those controls in a widget that have neither a name nor a text of their own."""
    for control in (widget, *widget.findChildren(QWidget)):
        if isinstance(control, CONTROLS) and not name_of(control):
            control.setAccessibleName(name)


def name_all(panel: QWidget) -> None:
    """Name all controls that are still without a name: after what they say of themselves in their tooltips."""
    for control in panel.findChildren(QWidget):
        if isinstance(control, CONTROLS) and not name_of(control) and (about := _about(control)):
            control.setAccessibleName(about)


def name_of(control: QWidget) -> str:
    """Return what a screen reader calls a control; empty if it has no name."""
    texts = [control.accessibleName()]
    if isinstance(control, QAbstractButton):
        texts.append(control.text())
    if isinstance(control, QLineEdit):
        texts.append(control.placeholderText())
    return next((text for text in texts if text.strip()), "")


def _about(control: QWidget) -> str:
    """The first sentence of the nearest tooltip."""
    widget: QWidget | None = control
    while widget is not None and not widget.toolTip():
        widget = widget.parentWidget()
    text = "" if widget is None else re.sub("<[^>]*>", "", widget.toolTip())
    return text.split(". ")[0].rstrip(".")
