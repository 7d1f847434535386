"""The form in which the user chooses features and sets the parameters."""

from collections.abc import Sequence

from magicgui.widgets import ComboBox

from latentmap.display.fields import FIELDS
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.panel.feature_list import FeatureList
from latentmap.napari_plugin.panel.more_section import MoreSection
from latentmap.napari_plugin.panel.preparation_section import PreparationSection
from latentmap.napari_plugin.qt.fields import number_slider
from latentmap.napari_plugin.qt.rows import beside, labelled
from latentmap.napari_plugin.qt.wheel import WheelGuard
from latentmap.session import CUSTOM, PRESETS, Parameters

__all__ = ["ParameterForm", "beside", "labelled"]

_LEVELS = 3


class ParameterForm(BoundSection):
    """Shows parameters and lets the user set them; both sides follow each other.

    Parameters
    ----------
    parameters : Parameters
        What the form shows and sets.
    """

    def __init__(self, parameters: Parameters) -> None:
        # The levels offered depend on them.
        self._parameters = parameters
        self._auto = "auto"
        self._offered: tuple[str, ...] = ()
        self.features = FeatureList(tooltip=FIELDS["features"].about)
        self.preparation = PreparationSection(parameters)
        self.preset = ComboBox(choices=[*PRESETS, CUSTOM], tooltip=FIELDS["preset"].about)
        self.n_neighbors = number_slider("n_neighbors", parameters.n_neighbors)
        self.n_steps = number_slider("n_steps", parameters.n_steps)
        self.n_levels = ComboBox(choices=self._levels, tooltip=FIELDS["n_levels"].about)
        self.n_components = number_slider("n_components", parameters.n_components)
        self.more = MoreSection(parameters)
        super().__init__(
            parameters,
            ("n_neighbors", "n_steps", "n_levels", "n_components"),
            [
                self.features,
                self.preparation,
                *(
                    labelled(FIELDS[name].label, getattr(self, name))
                    for name in ("preset", "n_neighbors", "n_steps", "n_levels", "n_components")
                ),
                self.more,
            ],
        )
        WheelGuard(self.native)
        self.features.changed.connect(self._features_chosen)
        parameters.events.features.connect(self._show_features, max_args=0)
        self.preset.changed.connect(self._take)
        parameters.events.connect(self._show_preset, max_args=0)
        self._show_preset()

    def offer(self, names: Sequence[str]) -> None:
        """Offer these features.

        When they are others than before, those that were chosen and are still there stay chosen. All of them are
        chosen where all were before, or where none of those chosen is there. While nothing is offered, the
        parameters remember what was chosen.

        Parameters
        ----------
        names : sequence of str
        """
        names = tuple(names)
        if names == self.features.choices:
            return
        with self.features.changed.blocked():
            self.features.choices = names
        if names:
            self._parameters.choose_among(names, self._offered)
            self._offered = names
        self._show_features()

    def show_levels(self, n_levels: int | None) -> None:
        """Say how many levels "auto" stood for in the last run.

        Parameters
        ----------
        n_levels : int or None
            None where there was none.
        """
        self._auto = "auto" if n_levels is None else f"auto ({n_levels})"
        self.n_levels.native.setItemText(0, self._auto)

    def _levels(self, _: object) -> list[tuple[str, int | str]]:
        chosen = self._parameters.n_levels
        most = _LEVELS if chosen == "auto" else max(_LEVELS, chosen)
        return [(self._auto, "auto"), *((str(number), number) for number in range(most + 1))]

    def _features_chosen(self, names: Sequence[str]) -> None:
        self._parameters.features = tuple(names)

    def _show_features(self) -> None:
        # Features that are not offered stay among the parameters: a session may be restored before its layers.
        with self.features.changed.blocked():
            self.features.value = list(self._parameters.features)

    def _take(self, preset: str) -> None:
        if preset in PRESETS:
            self._parameters.take(preset)
        self._show_preset()

    def _show_preset(self) -> None:
        with self.preset.changed.blocked():
            self.preset.value = self._parameters.preset
