"""The form in which the user chooses features and sets the parameters."""

from functools import partial
from typing import Any

import ipywidgets as w

from latentmap.display.fields import FIELDS, PREPARATION
from latentmap.display.methods import METHODS
from latentmap.jupyter.closing import close_all
from latentmap.jupyter.feature_list import FeatureList
from latentmap.jupyter.fields import labelled, offer, row_of, show, widget_of
from latentmap.jupyter.options_section import OptionsSection
from latentmap.methods import available
from latentmap.session import CUSTOM, PRESETS, Parameters

_LEVELS = 3


class ParameterForm(w.VBox):
    """Shows parameters and lets the user set them; both sides follow each other.

    Parameters
    ----------
    parameters : Parameters
        What the form shows and sets.

    Attributes
    ----------
    fields : dict of str to ipywidgets.Widget
        The widget of each parameter of the preparation and of the latent variable model.
    others : dict of str to OptionsSection
        Those of the other methods that have been chosen, by the methods' names; that of the method of now is shown.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._auto = "auto"
        self.features = FeatureList(parameters)
        self.preset = w.Dropdown(
            options=[*PRESETS, CUSTOM], tooltip=FIELDS["preset"].about, layout=w.Layout(flex="1", min_width="0")
        )
        self.method = w.Dropdown(
            options=[(method.title, name) for name, method in available().items()],
            layout=w.Layout(flex="1", min_width="0"),
        )
        self.fields: dict[str, Any] = {
            **{name: widget_of(FIELDS[name]) for name in (*PREPARATION, *METHODS["lvm"].fields) if name != "n_levels"},
            "n_levels": w.Dropdown(tooltip=FIELDS["n_levels"].about, layout=w.Layout(flex="1", min_width="0")),
        }
        self.others: dict[str, OptionsSection] = {}
        self._cofactor = row_of("cofactor", self.fields["cofactor"])
        self.more = w.Accordion([w.VBox(self._rows_of_lvm(is_seldom=True))], titles=("More",))
        self._lvm = w.VBox([row_of("preset", self.preset), *self._rows_of_lvm(is_seldom=False), self.more])
        self._of_method = w.VBox([self._lvm])
        super().__init__(self._rows())
        self._watchers = {name: partial(self._set, name) for name in self.fields}
        for name, field in self.fields.items():
            field.observe(self._watchers[name], "value")
        parameters.events.connect(self._changed)
        self.preset.observe(self._take, "value")
        self.method.observe(lambda change: setattr(parameters, "method", change.new), "value")
        self._changed()

    def close(self) -> None:
        """Let go of the parameters."""
        self._parameters.events.disconnect(self._changed)
        self.features.close()
        # Those that are not shown now are no children.
        for section in (self._lvm, *self.others.values()):
            close_all(section)
        super().close()

    def show_levels(self, n_levels: int | None) -> None:
        """Say how many levels "auto" stood for in the last run.

        Parameters
        ----------
        n_levels : int or None
            None where there was none.
        """
        self._auto = "auto" if n_levels is None else f"auto ({n_levels})"
        self._show("n_levels")

    def _rows(self) -> list[w.Widget]:
        return [
            labelled(FIELDS["features"].label, self.features, FIELDS["features"].about),
            *(self._cofactor if name == "cofactor" else row_of(name, self.fields[name]) for name in PREPARATION),
            labelled("Method", self.method),
            self._of_method,
        ]

    def _rows_of_lvm(self, is_seldom: bool) -> list[w.Widget]:
        fields = METHODS["lvm"].fields
        return [row_of(name, self.fields[name]) for name in fields if fields[name].is_seldom == is_seldom]

    def _set(self, name: str, change: Any) -> None:
        setattr(self._parameters, name, change.new)

    def _changed(self) -> None:
        for name in self.fields:
            self._show(name)
        self._cofactor.layout.display = None if self._parameters.transform == "arcsinh" else "none"
        self.preset.value = self._parameters.preset
        self._show_method()

    def _show_method(self) -> None:
        method = self.method.value = self._parameters.method
        self.method.tooltip = METHODS[method].about
        if method not in self.others and method != "lvm":
            self.others[method] = OptionsSection(self._parameters, method)
        for section in self.others.values():
            section.show_values()
        shown = self.others.get(method, self._lvm)
        if self._of_method.children != (shown,):
            self._of_method.children = (shown,)

    def _show(self, name: str) -> None:
        value, field = getattr(self._parameters, name), self.fields[name]
        if name == "n_levels":
            most = _LEVELS if value == "auto" else max(_LEVELS, value)
            options = ((self._auto, "auto"), *((str(number), number) for number in range(most + 1)))
            if field.options != options:
                offer(field, options, value, self._watchers[name])
        show(field, value)

    def _take(self, change: Any) -> None:
        if change.new in PRESETS and change.new != self._parameters.preset:
            self._parameters.take(change.new)
        self.preset.value = self._parameters.preset
