"""The list in which the user ticks features."""

from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from latentmap.jupyter.assets import asset
from latentmap.session import Parameters


class FeatureList(anywidget.AnyWidget):
    """Lets the user choose the features that shape the map, with a search field.

    Parameters
    ----------
    parameters : Parameters
        Whose features are shown and set.
    """

    _esm = asset("tick_list.js")
    _css = asset("tick_list.css")

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The features that there are."""
    chosen = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Those ticked, in the order of the names."""

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(chosen=list(parameters.features))
        self._parameters = parameters
        self.observe(self._choose, "chosen")
        parameters.events.features.connect(self._show, max_args=0)

    def close(self) -> None:
        """Let go of the parameters."""
        self._parameters.events.features.disconnect(self._show)
        super().close()

    def offer(self, names: Sequence[str]) -> None:
        """Offer these features; see :meth:`Parameters.choose_among`."""
        before, self.names = self.names, list(names)
        self._parameters.choose_among(self.names, before)
        self._show()

    def _choose(self, change: Any) -> None:
        self._parameters.features = tuple(change.new)

    def _show(self) -> None:
        self.chosen = list(self._parameters.features)
