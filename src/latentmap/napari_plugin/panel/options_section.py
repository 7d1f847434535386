"""The part of the form for the parameters of one method."""

from functools import partial
from typing import Any

from magicgui.widgets import ComboBox, Container
from magicgui.widgets.bases import Widget

from latentmap.display.fields import PRESET
from latentmap.methods import METHODS
from latentmap.napari_plugin.qt.collapsible import Collapsible
from latentmap.napari_plugin.qt.fields import show, widget_of
from latentmap.napari_plugin.qt.number_fields import NumberList
from latentmap.napari_plugin.qt.rows import label_row
from latentmap.session import CUSTOM, Parameters


class OptionsSection(Container[Widget]):
    """The presets and parameters of one method; rarely used ones are folded away under "More".

    Attributes
    ----------
    preset : ComboBox or None
        None if the method has no presets.
    fields : dict of str to magicgui.widgets.bases.BaseValueWidget
        The widgets by parameter.
    """

    def __init__(self, parameters: Parameters, method: str) -> None:
        self._parameters, self._method = parameters, method
        shown, presets = METHODS[method].fields, METHODS[method].presets
        about = METHODS[method].about_presets
        self.preset = ComboBox(choices=[*presets, CUSTOM], tooltip=about) if presets else None
        self.fields = {name: widget_of(field) for name, field in shown.items()}
        rows = {name: label_row(shown[name].label, widget) for name, widget in self.fields.items()}
        self._depending = [(shown[name], row) for name, row in rows.items() if shown[name].depends_on]
        usual = [row for name, row in rows.items() if not shown[name].is_advanced]
        seldom = Container(widgets=[row for name, row in rows.items() if shown[name].is_advanced], labels=False)
        first = [] if self.preset is None else [label_row(PRESET, self.preset)]
        super().__init__(widgets=[*first, *usual], labels=False)
        self.margins = seldom.margins = (0, 0, 0, 0)
        self.fold = Collapsible("More", seldom)
        self.native.layout().addWidget(self.fold)
        self.show_values()
        if self.preset is not None:
            self.preset.changed.connect(self._take)
        for name, widget in self.fields.items():
            widget.changed.connect(partial(self._set, name))
        parameters.events.connect(self.show_values, max_args=0)

    def show_values(self) -> None:
        """Show the current parameters, if this method is the chosen one."""
        if self._parameters.method != self._method:
            return
        self._show_preset()
        # The current value, not the signal's: another listener may have changed the parameter in response.
        for name, widget in self.fields.items():
            show(widget, self._parameters.of_method(name))
        for field, row in self._depending:
            row.visible = field.has_effect(self._parameters.of_method)

    def show_levels(self, n_levels: int | None) -> None:
        """Show how many levels "auto" stood for in the last run; None if that is unknown."""
        widget = self.fields.get("n_levels")
        if isinstance(widget, NumberList):
            widget.show_found(n_levels)

    def _set(self, name: str, value: Any) -> None:
        self._parameters.set_of_method(name, value)

    def _take(self, preset: str) -> None:
        if preset != CUSTOM:
            self._parameters.take(preset)
        self._show_preset()

    def _show_preset(self) -> None:
        if self.preset is not None:
            show(self.preset, self._parameters.preset)
