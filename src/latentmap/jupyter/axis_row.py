"""A feature of the plot and how it is scaled."""

from collections.abc import Sequence

from psygnal import Signal

from latentmap.display.gate_words import GATE_ACTIONS, SCALINGS
from latentmap.jupyter import widgets as w
from latentmap.session import Axis


class AxisRow(w.HBox):
    """A list of features to search, the scaling, and the cofactor of arcsinh."""

    chosen = Signal()
    """Emitted when the user has chosen a feature."""
    scaled = Signal(str, float)
    """Emitted with the scaling and the cofactor that the user has set."""

    def __init__(self, name: str) -> None:
        words, scaling, cofactor = GATE_ACTIONS[name], GATE_ACTIONS["scaling"], GATE_ACTIONS["cofactor"]
        label = w.Label(words.label, tooltip=words.about, layout=w.look(width="44px", min_width="44px"))
        self.feature = w.Combobox(
            ensure_option=True, tooltip=words.about, layout=w.look(flex="2 1 0", width="auto", min_width="60px")
        )
        self.feature.add_class("latentmap-searchable")  # its style comes with the plot
        self.scaling = w.Dropdown(options=list(SCALINGS), tooltip=scaling.about, layout=w.look(width="86px"))
        self.cofactor = w.BoundedFloatText(
            Axis("").cofactor, min=1e-6, max=1e9, tooltip=cofactor.about, layout=w.look(width="64px")
        )
        self._shown, self._is_showing = "", False
        super().__init__([label, self.feature, self.scaling, self.cofactor])
        self.feature.observe(lambda _: self._choose(), "value")
        for part in (self.scaling, self.cofactor):
            part.observe(lambda _: self._scale(), "value")

    def offer(self, names: Sequence[str]) -> None:
        """Offer these features."""
        self._is_showing = True
        self.feature.options = tuple(names)
        self._is_showing = False

    def show_axis(self, axis: Axis | None, otherwise: str = "") -> None:
        """Show a feature and its scaling, or what is chosen in place of a feature."""
        self._is_showing = True
        # The list of the browser shows only names that hold what is in the field, so the field is emptied first.
        self._shown = self.feature.placeholder = axis.feature if axis else otherwise
        self.feature.value = ""
        w.set_visible(self.scaling, axis)
        w.set_visible(self.cofactor, axis and axis.scaling == "arcsinh")
        if axis is not None:
            self.scaling.value, self.cofactor.value = axis.scaling, axis.cofactor
        self._is_showing = False

    @property
    def value(self) -> str:
        """The feature chosen."""
        return self.feature.value or self._shown

    def _choose(self) -> None:
        if not self._is_showing and self.feature.value:
            self.chosen.emit()

    def _scale(self) -> None:
        if not self._is_showing:
            self.scaled.emit(self.scaling.value, self.cofactor.value)
