"""The part of the form for a method other than the latent variable model."""

from functools import partial
from typing import Any

import ipywidgets as w

from latentmap.display.methods import METHODS
from latentmap.jupyter.fields import labelled, show, widget_of
from latentmap.session import Parameters


class OptionsSection(w.VBox):
    """The parameters that a method has, and no others; what is seldom set is folded away.

    Parameters
    ----------
    parameters : Parameters
        What the section shows and sets.
    method : str
        The method's name.

    Attributes
    ----------
    fields : dict of str to ipywidgets.Widget
        The widget of each parameter.
    """

    def __init__(self, parameters: Parameters, method: str) -> None:
        self._parameters, self._method = parameters, method
        shown = METHODS[method].fields
        self.fields = {name: widget_of(field) for name, field in shown.items()}
        rows = {name: labelled(shown[name].label, field, shown[name].about) for name, field in self.fields.items()}
        self._depending = [(shown[name], row) for name, row in rows.items() if shown[name].with_name]
        seldom = w.VBox([row for name, row in rows.items() if shown[name].is_seldom])
        usual = [row for name, row in rows.items() if not shown[name].is_seldom]
        super().__init__([*usual, w.Accordion([seldom], titles=("More",))])
        self.show_values()
        for name, field in self.fields.items():
            field.observe(partial(self._set, name), "value")

    def show_values(self) -> None:
        """Show what the parameters are now, if they are of this method."""
        if self._parameters.method == self._method:
            for name, field in self.fields.items():
                show(field, self._parameters.of_method(name))
            for said, row in self._depending:
                row.layout.display = None if said.counts(self._parameters.of_method) else "none"

    def _set(self, name: str, change: Any) -> None:
        if self._parameters.method == self._method:
            self._parameters.set_of_method(name, change.new)
