"""The part of the form for the latent variable model."""

from magicgui.widgets import ComboBox

from latentmap.display.fields import FIELDS
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.panel.more_section import MoreSection
from latentmap.napari_plugin.qt.fields import widget_of
from latentmap.napari_plugin.qt.rows import labelled
from latentmap.session import CUSTOM, PRESETS, Parameters

_LEVELS = 3
_FIELDS = ("n_neighbors", "n_steps", "n_components", "local_scaling")
_ROWS = ("preset", "n_neighbors", "n_steps", "n_levels", "n_components", "local_scaling")


class LvmSection(BoundSection):
    """Presets, k, s, l, d, density, and what is seldom set.

    Parameters
    ----------
    parameters : Parameters
        What the section shows and sets.
    """

    def __init__(self, parameters: Parameters) -> None:
        # The levels offered depend on them.
        self._parameters = parameters
        self._auto = "auto"
        self.preset = ComboBox(choices=[*PRESETS, CUSTOM], tooltip=FIELDS["preset"].about)
        for name in _FIELDS:
            setattr(self, name, widget_of(FIELDS[name]))
        self.n_levels = ComboBox(choices=self._levels, tooltip=FIELDS["n_levels"].about)
        self.more = MoreSection(parameters)
        rows = [labelled(FIELDS[name].label, getattr(self, name)) for name in _ROWS]
        super().__init__(parameters, (*_FIELDS, "n_levels"), [*rows, self.more])
        self.preset.changed.connect(self._take)
        parameters.events.connect(self._show_preset, max_args=0)
        self._show_preset()

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

    def _take(self, preset: str) -> None:
        if preset in PRESETS:
            self._parameters.take(preset)
        self._show_preset()

    def _show_preset(self) -> None:
        with self.preset.changed.blocked():
            self.preset.value = self._parameters.preset
