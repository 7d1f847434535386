"""Widgets for the fields of a form."""

from typing import Any

from magicgui.widgets import CheckBox, ComboBox, FloatSpinBox, SpinBox
from magicgui.widgets.bases import BaseValueWidget, RangedWidget

from latentmap.methods.fields import Field
from latentmap.napari_plugin.qt.number_fields import NumberList, NumberSlider, WordOrNumber


def widget_of(field: Field) -> BaseValueWidget[Any]:
    """Return the widget that shows and sets a parameter.

    This is a drop-down list for choices; a check box for a switch; a slider with a spin box for whole numbers with a
    usual range, and a plain spin box for other numbers. If words such as "auto" can replace the number, it is a
    drop-down list of words and numbers, or, if the numbers have no usual range, of words beside a spin box.
    """
    if field.choices:
        return ComboBox(choices=list(field.choices), tooltip=field.about)
    if field.special_values:
        return NumberList(field) if field.slider_maximum else WordOrNumber(field)
    if field.is_switch:
        return CheckBox(text="", tooltip=field.about)
    if field.slider_maximum:
        least, usual, most = (int(end) for end in (field.minimum, field.slider_maximum, field.maximum))
        return NumberSlider(least, minimum=least, slider_maximum=usual, maximum=most, tooltip=field.about)
    kind = SpinBox if field.is_whole else FloatSpinBox
    return kind(min=field.minimum, max=field.maximum, step=field.step, tooltip=field.about)


def show(widget: BaseValueWidget[Any], value: Any) -> None:
    """Show a value in a widget of `widget_of` without emitting a signal; a value out of range extends the range."""
    with widget.changed.blocked():
        if isinstance(widget, RangedWidget):
            widget.range = (min(widget.min, value), max(widget.max, value))
        elif isinstance(widget, NumberList):
            widget.reach(value)
        widget.value = value
