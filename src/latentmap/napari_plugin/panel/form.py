"""The form in which the user chooses features and sets the parameters."""

from collections.abc import Sequence
from typing import Any

from magicgui.widgets import ComboBox
from magicgui.widgets.bases import BaseValueWidget
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QComboBox

from latentmap.display.fields import FIELDS
from latentmap.methods import METHODS
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.panel.feature_list import FeatureList
from latentmap.napari_plugin.panel.options_section import OptionsSection
from latentmap.napari_plugin.panel.preparation_section import PreparationSection
from latentmap.napari_plugin.qt.rows import label_row
from latentmap.napari_plugin.qt.wheel import WheelGuard
from latentmap.presenters.feature_choice import FEATURE_CHOICE, FeatureChoice
from latentmap.session import Parameters

_TITLE = 18


class ParameterForm(BoundSection):
    """Shows the parameters and lets the user set them.

    Attributes
    ----------
    sections : dict of str to OptionsSection
        One for each method chosen so far, by name; only that of the current method is visible.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.features = FeatureList(tooltip=FIELDS["features"].about)
        about = FEATURE_CHOICE["source"]
        self.source = ComboBox(choices=[("", 0)], tooltip=about.about)
        self._source_row = label_row(about.label, self.source)
        self.preparation = PreparationSection(parameters)
        self.method = ComboBox(choices=[(method.title, name) for name, method in METHODS.items()])
        # As wide as most titles: the longest would make the whole panel wide.
        self.method.native.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.method.native.setMinimumContentsLength(_TITLE)
        for index, method in enumerate(METHODS.values()):
            self.method.native.setItemData(index, method.about, Qt.ItemDataRole.ToolTipRole)
        self.sections: dict[str, OptionsSection] = {}
        self._n_levels: int | None = None
        super().__init__(
            parameters,
            ("method",),
            [self._source_row, self.features, self.preparation, label_row("Method", self.method)],
        )
        self._guard = WheelGuard(self.native)
        self.choice = FeatureChoice(parameters, self)
        self.features.changed.connect(self.choice.choose)
        self.source.changed.connect(self.choice.choose_source)
        self._source_row.visible = False
        parameters.events.method.connect(self._show_method, max_args=0)
        self._show_method()

    @property
    def section(self) -> OptionsSection:
        """The section of the current method."""
        return self.sections[self._parameters.method]

    @property
    def fields(self) -> dict[str, BaseValueWidget[Any]]:
        """The widgets for the parameters of the current method, by name."""
        return self.section.fields

    def offer(self, names: Sequence[str], n_cells: int) -> None:
        """Offer these features of so many cells.

        Chosen features that are still on offer stay chosen. If all were chosen before, or none of the chosen ones is
        left, all of the new ones are chosen. An empty list leaves the choice as it is.
        """
        self.choice.offer(names, n_cells)

    def show_sources(self, labels: Sequence[str], chosen: int) -> None:
        """Offer these sets of features; hide the list if there are none."""
        with self.source.changed.blocked():
            self.source.choices = [(label, place) for place, label in enumerate(labels)] or [("", 0)]
            self.source.value = chosen
        self._source_row.visible = bool(labels)

    def show_names(self, names: Sequence[str]) -> None:
        """List these features, and tick those among the parameters."""
        # Features not on offer stay among the parameters: a session may be restored before its layers.
        with self.features.changed.blocked():
            if tuple(names) != self.features.choices:
                self.features.choices = tuple(names)
            self.features.value = list(self._parameters.features)

    def show_levels(self, n_levels: int | None) -> None:
        """Show how many levels "auto" stood for in the last run; None if that is unknown."""
        self._n_levels = n_levels
        for section in self.sections.values():
            section.show_levels(n_levels)

    def _show_method(self) -> None:
        method = self._parameters.method
        if method not in self.sections:
            self.sections[method] = OptionsSection(self._parameters, method)
            self.sections[method].show_levels(self._n_levels)
            self.append(self.sections[method])
            self._guard.watch(self.sections[method].native)
        for name, section in self.sections.items():
            section.visible = name == method
        self.method.tooltip = METHODS[method].about
