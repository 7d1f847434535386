"""Qt's widgets for the fields of a form."""

from typing import Any

from magicgui.widgets import CheckBox, ComboBox, FloatSpinBox, SpinBox
from magicgui.widgets.bases import BaseValueWidget, RangedWidget

from latentmap.methods.fields import Field
from latentmap.napari_plugin.qt.number_fields import NumberList, NumberSlider, WordOrNumber


def widget_of(field: Field) -> BaseValueWidget[Any]:
    """Return the widget that shows and sets a parameter.

    Returns
    -------
    magicgui.widgets.bases.BaseValueWidget
        A list to choose from where there are choices; a list of words and a field for a number where there are words;
        a list of words and numbers where few numbers are usual beside them; a box to tick; a slider over the usual
        whole numbers with a field beside it; or a field for a number.
    """
    if field.choices:
        return ComboBox(choices=list(field.choices), tooltip=field.about)
    if field.words:
        return NumberList(field) if field.usual else WordOrNumber(field)
    if field.is_switch:
        return CheckBox(text="", tooltip=field.about)
    if field.usual:
        least, usual, most = (int(end) for end in (field.least, field.usual, field.most))
        return NumberSlider(least, least=least, usual=usual, most=most, tooltip=field.about)
    kind = SpinBox if field.is_whole else FloatSpinBox
    return kind(min=field.least, max=field.most, step=field.step, tooltip=field.about)


def show(widget: BaseValueWidget[Any], value: Any) -> None:
    """Have a parameter's widget show a value, and tell no one; one beyond its range widens that.

    Parameters
    ----------
    widget : magicgui.widgets.bases.BaseValueWidget
        From :func:`widget_of`.
    value : object
    """
    with widget.changed.blocked():
        if isinstance(widget, RangedWidget):
            widget.range = (min(widget.min, value), max(widget.max, value))
        elif isinstance(widget, NumberList):
            widget.reach(value)
        widget.value = value
