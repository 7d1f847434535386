"""The form in which the user chooses features and sets the parameters."""

from functools import partial
from typing import Any

import ipywidgets as w

from latentmap.display.fields import FIELDS
from latentmap.jupyter.feature_list import FeatureList
from latentmap.jupyter.fields import DofField, NumberSlider, choice, decimal, labelled, offer, row_of, whole
from latentmap.session import CUSTOM, PRESETS, Parameters

_LEVELS = 3
_MORE = ("metric", "dof", "repulsion", "similarity_scale", "solver", "max_iter", "random_state")


class ParameterForm(w.VBox):
    """Shows parameters and lets the user set them; both sides follow each other.

    Parameters
    ----------
    parameters : Parameters
        What the form shows and sets.

    Attributes
    ----------
    fields : dict of str to ipywidgets.Widget
        The widget of each parameter.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._auto = "auto"
        self.features = FeatureList(parameters)
        self.preset = w.Dropdown(
            options=[*PRESETS, CUSTOM], tooltip=FIELDS["preset"].about, layout=w.Layout(flex="1", min_width="0")
        )
        self.fields: dict[str, Any] = {
            **{name: choice(name) for name in ("transform", "scaling", "missing", "metric", "solver")},
            **{name: decimal(name) for name in ("cofactor", "repulsion", "similarity_scale")},
            **{name: whole(name) for name in ("n_pca", "max_iter", "random_state")},
            **{name: NumberSlider(name) for name in ("n_neighbors", "n_steps", "n_components")},
            "n_levels": w.Dropdown(tooltip=FIELDS["n_levels"].about, layout=w.Layout(flex="1", min_width="0")),
            "dof": DofField(),
        }
        self._cofactor = row_of("cofactor", self.fields["cofactor"])
        self._pca = row_of("n_pca", self.fields["n_pca"])
        self.more = w.Accordion([w.VBox([row_of(name, self.fields[name]) for name in _MORE])], titles=("More",))
        super().__init__(self._rows())
        self._watchers = {name: partial(self._set, name) for name in self.fields}
        for name, field in self.fields.items():
            field.observe(self._watchers[name], "value")
        parameters.events.connect(self._changed)
        self.preset.observe(self._take, "value")
        self._changed()

    def close(self) -> None:
        """Let go of the parameters."""
        self._parameters.events.disconnect(self._changed)
        self.features.close()
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
            row_of("transform", self.fields["transform"]),
            self._cofactor,
            row_of("scaling", self.fields["scaling"]),
            self._pca,
            row_of("missing", self.fields["missing"]),
            row_of("preset", self.preset),
            *(row_of(name, self.fields[name]) for name in ("n_neighbors", "n_steps", "n_levels", "n_components")),
            self.more,
        ]

    def _set(self, name: str, change: Any) -> None:
        setattr(self._parameters, name, change.new)

    def _changed(self) -> None:
        for name in self.fields:
            self._show(name)
        self._cofactor.layout.display = None if self._parameters.transform == "arcsinh" else "none"
        self.preset.value = self._parameters.preset

    def _show(self, name: str) -> None:
        value, field = getattr(self._parameters, name), self.fields[name]
        if name == "n_levels":
            most = _LEVELS if value == "auto" else max(_LEVELS, value)
            options = ((self._auto, "auto"), *((str(number), number) for number in range(most + 1)))
            if field.options != options:
                offer(field, options, value, self._watchers[name])
        elif isinstance(field, w.BoundedIntText | w.BoundedFloatText):
            field.min, field.max = min(field.min, value), max(field.max, value)
        if field.value != value:
            field.value = value

    def _take(self, change: Any) -> None:
        if change.new in PRESETS and change.new != self._parameters.preset:
            self._parameters.take(change.new)
        self.preset.value = self._parameters.preset
