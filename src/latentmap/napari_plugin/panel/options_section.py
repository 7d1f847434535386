"""The part of the form for a method other than the latent variable model."""

from functools import partial
from typing import Any

from magicgui.widgets import Container
from magicgui.widgets.bases import RangedWidget

from latentmap.display.methods import METHODS
from latentmap.napari_plugin.qt.fields import widget_of
from latentmap.napari_plugin.qt.fold import Fold
from latentmap.napari_plugin.qt.rows import labelled
from latentmap.session import Parameters


class OptionsSection(Container):
    """The parameters that a method has, and no others; what is seldom set is folded away.

    Parameters
    ----------
    parameters : Parameters
        What the section shows and sets.
    method : str
        The method's name.

    Attributes
    ----------
    fields : dict of str to magicgui.widgets.bases.BaseValueWidget
        The widget of each parameter.
    fold : Fold
    """

    def __init__(self, parameters: Parameters, method: str) -> None:
        self._parameters, self._method = parameters, method
        shown = METHODS[method].fields
        self.fields = {name: widget_of(field) for name, field in shown.items()}
        rows = {name: labelled(shown[name].label, widget) for name, widget in self.fields.items()}
        self._depending = [(shown[name], row) for name, row in rows.items() if shown[name].with_name]
        super().__init__(widgets=[row for name, row in rows.items() if not shown[name].is_seldom], labels=False)
        seldom = Container(widgets=[row for name, row in rows.items() if shown[name].is_seldom], labels=False)
        self.margins = seldom.margins = (0, 0, 0, 0)
        self.fold = Fold("More", seldom)
        self.native.layout().addWidget(self.fold)
        self.show_values()
        for name, widget in self.fields.items():
            widget.changed.connect(partial(self._set, name))
        parameters.events.connect(self.show_values, max_args=0)

    def show_values(self) -> None:
        """Show what the parameters are now, if they are of this method."""
        if self._parameters.method != self._method:
            return
        for name, widget in self.fields.items():
            value = self._parameters.of_method(name)
            with widget.changed.blocked():
                if isinstance(widget, RangedWidget):
                    widget.range = (min(widget.min, value), max(widget.max, value))
                widget.value = value
        for said, row in self._depending:
            row.visible = said.counts(self._parameters.of_method)

    def _set(self, name: str, value: Any) -> None:
        self._parameters.set_of_method(name, value)
