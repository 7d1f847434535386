"""The list of features to tick."""

from collections.abc import Sequence

import anywidget
import traitlets
from traitlets.utils.bunch import Bunch

from latentmap.jupyter.assets import asset
from latentmap.session import Parameters


class FeatureList(anywidget.AnyWidget):
    """Lets the user search for features and tick those that shape the map."""

    _esm = asset("tick_list.js")
    _css = asset("tick_list.css")

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The features to choose from."""
    chosen = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The ticked features, in the order of `names`."""

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(chosen=list(parameters.features))
        self._parameters = parameters
        self.observe(self._choose, "chosen")
        parameters.events.features.connect(self._show, max_args=0)

    def close(self) -> None:
        """Stop following the parameters."""
        self._parameters.events.features.disconnect(self._show)
        super().close()

    def offer(self, names: Sequence[str], n_cells: int) -> None:
        """Offer these features of so many cells; see :meth:`Parameters.choose_among`."""
        before, self.names = self.names, list(names)
        self._parameters.choose_among(self.names, before, n_cells)
        self._show()

    def _choose(self, change: Bunch) -> None:
        self._parameters.features = tuple(change.new)

    def _show(self) -> None:
        self.chosen = list(self._parameters.features)
