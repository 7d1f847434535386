"""The part of the form with the parameters of one method."""

from functools import partial

from traitlets.utils.bunch import Bunch

from latentmap.display.fields import PRESET
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import NumberList, labelled, row_of, show, widget_of
from latentmap.methods import METHODS
from latentmap.session import CUSTOM, Parameters


class OptionsSection(w.VBox):
    """The presets and parameters of one method; those that are rarely set are folded away.

    Attributes
    ----------
    preset : ipywidgets.Dropdown or None
        None if the method has no presets.
    fields : dict of str to ipywidgets.Widget
        The widget of each parameter.
    more : ipywidgets.Accordion
        The parameters that are rarely set.
    """

    def __init__(self, parameters: Parameters, method: str) -> None:
        self._parameters, self._method = parameters, method
        shown = METHODS[method].fields
        self.preset = self._presets()
        self.fields = {name: widget_of(field) for name, field in shown.items()}
        rows = {name: row_of(shown[name], widget) for name, widget in self.fields.items()}
        self._depending = [(shown[name], row) for name, row in rows.items() if shown[name].depends_on]
        seldom = w.VBox([row for name, row in rows.items() if shown[name].is_advanced])
        usual = [row for name, row in rows.items() if not shown[name].is_advanced]
        first = [] if self.preset is None else [labelled(PRESET, self.preset, METHODS[method].about_presets)]
        self.more = w.Accordion([seldom], titles=("More",))
        super().__init__([*first, *usual, self.more])
        self.show_values()
        if self.preset is not None:
            self.preset.observe(self._take, "value")
        for name, widget in self.fields.items():
            widget.observe(partial(self._set, name), "value")

    def show_values(self) -> None:
        """Show the parameters as they are now, if this is the current method."""
        if self._parameters.method != self._method:
            return
        if self.preset is not None:
            self.preset.value = self._parameters.preset
        for name, widget in self.fields.items():
            show(widget, self._parameters.of_method(name))
        for field, row in self._depending:
            w.set_visible(row, field.has_effect(self._parameters.of_method))

    def show_levels(self, n_levels: int | None) -> None:
        """Show how many levels "auto" stood for in the last run, if the method has levels; None without a run."""
        widget = self.fields.get("n_levels")
        if isinstance(widget, NumberList):
            widget.show_found(n_levels)

    def _presets(self) -> w.Dropdown | None:
        method = METHODS[self._method]
        if not method.presets:
            return None
        return w.Dropdown(
            options=[*method.presets, CUSTOM],
            tooltip=method.about_presets,
            layout=w.look(flex="1", min_width="0"),
        )

    def _set(self, name: str, change: Bunch) -> None:
        if self._parameters.method == self._method:
            self._parameters.set_of_method(name, change.new)

    def _take(self, change: Bunch) -> None:
        if change.new != CUSTOM and change.new != self._parameters.preset:
            self._parameters.take(change.new)
        change.owner.value = self._parameters.preset
