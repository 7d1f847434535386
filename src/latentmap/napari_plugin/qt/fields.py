"""Qt's widgets for the fields of a form."""

from magicgui.widgets import ComboBox, FloatSpinBox, SpinBox

from latentmap.display.fields import FIELDS
from latentmap.napari_plugin.qt.number_fields import NumberSlider


def number_slider(name: str, value: int) -> NumberSlider:
    """Return a slider over a parameter's usual values, with a field beside it for all others.

    Parameters
    ----------
    name : str
        The parameter's, in `~latentmap.display.fields.FIELDS`.
    value : int
    """
    field = FIELDS[name]
    least, usual, most = (int(end) for end in (field.least, field.usual, field.most))
    return NumberSlider(value, least=least, usual=usual, most=most, tooltip=field.about)


def whole(name: str) -> SpinBox:
    """Return a field for whole numbers.

    Parameters
    ----------
    name : str
    """
    field = FIELDS[name]
    return SpinBox(min=field.least, max=field.most, step=field.step, tooltip=field.about)


def decimal(name: str) -> FloatSpinBox:
    """Return a field for decimal numbers.

    Parameters
    ----------
    name : str
    """
    field = FIELDS[name]
    return FloatSpinBox(min=field.least, max=field.most, step=field.step, tooltip=field.about)


def choice(name: str) -> ComboBox:
    """Return a list to choose from.

    Parameters
    ----------
    name : str
    """
    field = FIELDS[name]
    return ComboBox(choices=list(field.choices), tooltip=field.about)
