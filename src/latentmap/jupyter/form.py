"""The form in which the user chooses features and sets the parameters."""

from collections.abc import Sequence
from functools import partial

from traitlets.utils.bunch import Bunch

from latentmap.display.fields import FIELDS, PREPARATION, harmony_choices, scale_choices
from latentmap.jupyter import widgets as w
from latentmap.jupyter.feature_list import FeatureList
from latentmap.jupyter.fields import FieldWidget, labelled, offer, row_of, show, widget_of
from latentmap.jupyter.options_section import OptionsSection
from latentmap.methods import METHODS
from latentmap.presenters.feature_choice import FEATURE_CHOICE, FeatureChoice
from latentmap.session import Parameters


class ParameterForm(w.VBox):
    """Shows parameters and lets the user set them; the form and the parameters follow each other.

    Attributes
    ----------
    preparation : dict of str to ipywidgets.Widget
        The widgets of the parameters of the preparation.
    sections : dict of str to OptionsSection
        The sections of the methods that have been chosen so far, by name; only that of the current method is shown.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._n_levels: int | None = None
        self.choice = FeatureChoice(parameters, self)
        self.features = FeatureList(self.choice.choose)
        about = FEATURE_CHOICE["source"]
        self.source = w.Dropdown(tooltip=about.about, layout=w.look(flex="1", min_width="0"))
        self._source_row = labelled(about.label, self.source, about.about)
        w.set_visible(self._source_row, False)
        self.method = w.Dropdown(
            options=[(method.title, name) for name, method in METHODS.items()],
            layout=w.look(flex="1", min_width="0"),
        )
        self.preparation = {name: widget_of(FIELDS[name]) for name in PREPARATION}
        self.sections: dict[str, OptionsSection] = {}
        rows = {name: row_of(FIELDS[name], widget) for name, widget in self.preparation.items()}
        self._cofactor = rows["cofactor"]
        self._groups: tuple[str, ...] = ()
        self.scale_within = w.Dropdown(tooltip=FIELDS["scale_within"].about, layout=w.look(flex="1", min_width="0"))
        self._within = row_of(FIELDS["scale_within"], self.scale_within)
        self.harmony_by = w.Dropdown(tooltip=FIELDS["harmony_by"].about, layout=w.look(flex="1", min_width="0"))
        self._batches = row_of(FIELDS["harmony_by"], self.harmony_by)
        self._of_method = w.VBox()
        super().__init__(
            [
                self._source_row,
                labelled(FIELDS["features"].label, self.features, FIELDS["features"].about),
                *rows.values(),
                self._within,
                self._batches,
                labelled("Method", self.method),
                self._of_method,
            ]
        )
        for name, widget in self.preparation.items():
            widget.observe(partial(self._set, name), "value")
        self.source.observe(self._set_source, "value")
        parameters.events.connect(self._changed)
        self.scale_within.observe(self._set_within, "value")
        self.harmony_by.observe(self._set_batches, "value")
        self.method.observe(lambda change: setattr(parameters, "method", change.new), "value")
        self._changed()

    @property
    def section(self) -> OptionsSection:
        """The section of the current method."""
        return self.sections[self._parameters.method]

    @property
    def fields(self) -> dict[str, FieldWidget]:
        """The widgets of the parameters of the current method, by name."""
        return self.section.fields

    def offer(self, names: Sequence[str], n_cells: int) -> None:
        """Offer these features of so many cells; see :class:`~latentmap.presenters.feature_choice.FeatureChoice`."""
        self.choice.offer(names, n_cells)

    def show_sources(self, labels: Sequence[str], chosen: int) -> None:
        """Offer these sets of features; hide the list if there are none."""
        options = [(label, place) for place, label in enumerate(labels)]
        offer(self.source, options, chosen if labels else None, self._set_source)
        w.set_visible(self._source_row, labels)

    def show_names(self, names: Sequence[str]) -> None:
        """List these features, and tick those among the parameters."""
        self.features.show(names, self._parameters.features)

    def offer_groups(self, groups: Sequence[str]) -> None:
        """Offer to scale the features within these groups of cells, and to correct for these batches."""
        self._groups = tuple(groups)
        self._show_groups()

    def close(self) -> None:
        """Stop following the parameters."""
        self._parameters.events.disconnect(self._changed)
        self.choice.close()
        self.features.close()
        # Only the one shown is a child, which the widget itself would close.
        for section in self.sections.values():
            w.close_widgets(section)
        super().close()

    def show_levels(self, n_levels: int | None) -> None:
        """Show how many levels "auto" stood for in the last run; None if there was none."""
        self._n_levels = n_levels
        for section in self.sections.values():
            section.show_levels(n_levels)

    def _set(self, name: str, change: Bunch) -> None:
        setattr(self._parameters, name, change.new)

    def _changed(self) -> None:
        for name, widget in self.preparation.items():
            show(widget, getattr(self._parameters, name))
        w.set_visible(self._cofactor, self._parameters.transform == "arcsinh")
        self._show_groups()
        self._show_method()

    def _show_groups(self) -> None:
        choices = scale_choices(self._groups, self._parameters)
        if choices:
            offer(self.scale_within, choices, self._parameters.scale_within, self._set_within)
        w.set_visible(self._within, choices)
        batches = harmony_choices(self._groups, self._parameters)
        if batches:
            offer(self.harmony_by, batches, self._parameters.harmony_by, self._set_batches)
        w.set_visible(self._batches, batches)

    def _set_batches(self, _: object) -> None:
        self._parameters.harmony_by = self.harmony_by.value

    def _set_source(self, _: object) -> None:
        if self.source.value is not None:
            self.choice.choose_source(self.source.value)

    def _set_within(self, _: object) -> None:
        self._parameters.scale_within = self.scale_within.value

    def _show_method(self) -> None:
        method = self.method.value = self._parameters.method
        self.method.tooltip = METHODS[method].about
        if method not in self.sections:
            self.sections[method] = OptionsSection(self._parameters, method)
            self.sections[method].show_levels(self._n_levels)
        self.section.show_values()
        if self._of_method.children != (self.section,):
            self._of_method.children = (self.section,)
