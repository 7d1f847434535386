"""The form in which the user chooses features and sets the parameters."""

from collections.abc import Sequence
from dataclasses import replace

from magicgui.widgets import ComboBox

from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.panel.feature_list import FeatureList
from latentmap.napari_plugin.panel.more_section import MoreSection
from latentmap.napari_plugin.panel.preparation_section import PreparationSection
from latentmap.napari_plugin.qt.number_fields import NumberSlider
from latentmap.napari_plugin.qt.rows import beside, labelled
from latentmap.napari_plugin.qt.wheel import WheelGuard
from latentmap.session import PRESETS, Parameters

__all__ = ["ParameterForm", "beside", "labelled", "preset_of"]

CUSTOM = "custom"
"""What the parameters are where they are no preset."""
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
        self.features = FeatureList(
            tooltip="The features that shape the map: cells alike in these lie close together. A click ticks or "
            "unticks one."
        )
        self.preparation = PreparationSection(parameters)
        self.preset = ComboBox(
            choices=[*PRESETS, CUSTOM],
            tooltip="Parameters that belong together. Clusters draws groups together, detail keeps more of the small "
            "neighbourhoods and takes about three times as long, paper is Saul's model; custom is none of them.",
        )
        self.n_neighbors = NumberSlider(
            parameters.n_neighbors,
            least=1,
            usual=100,
            most=9999,
            tooltip="How many of the most similar cells each cell is tied to, from 1; usual are 5 to 50. As it grows, "
            "small groups merge and the map shows the larger groups.",
        )
        self.n_steps = NumberSlider(
            parameters.n_steps,
            least=1,
            usual=10,
            most=99,
            tooltip="Within how many steps from neighbour to neighbour a tie must lead back, from 1; usual are 1 to 3. "
            "As it grows, more ties are kept: stray cells are drawn in and clumps become tighter.",
        )
        self.n_levels = ComboBox(
            choices=self._levels,
            tooltip="How often distant cells are summed up by landmarks; auto shows what it chose for the last map. As "
            "it grows, large tables are embedded faster and groups move further apart; 0 is exact.",
        )
        self.n_components = NumberSlider(
            parameters.n_components,
            least=1,
            usual=10,
            most=50,
            tooltip="The dimensions of the map, from 1. As it grows, less is squeezed; the first two are drawn, all "
            "are saved.",
        )
        self.more = MoreSection(parameters)
        super().__init__(
            parameters,
            ("n_neighbors", "n_steps", "n_levels", "n_components"),
            [
                self.features,
                self.preparation,
                labelled("Preset", self.preset),
                labelled("k neighbours", self.n_neighbors),
                labelled("s steps", self.n_steps),
                labelled("l levels", self.n_levels),
                labelled("d dimensions", self.n_components),
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
        chosen = self._parameters.features
        with self.features.changed.blocked():
            self.features.choices = names
        if names:
            stay = tuple(name for name in names if name in set(chosen))
            all_were = set(chosen) == set(self._offered)
            self._offered = names
            self._parameters.features = names if all_were or not stay else stay
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
            self.preset.value = preset_of(self._parameters)


def preset_of(parameters: Parameters) -> str:
    """Return the name of the preset that the parameters are.

    Parameters
    ----------
    parameters : Parameters

    Returns
    -------
    str
        "custom" where they are none.

    Examples
    --------
    >>> parameters = Parameters(n_components=3)
    >>> preset_of(parameters)
    'clusters'
    >>> parameters.n_neighbors = 15
    >>> preset_of(parameters)
    'custom'
    """
    for name in PRESETS:
        like = replace(parameters)
        like.take(name)
        if like == parameters:
            return name
    return CUSTOM
