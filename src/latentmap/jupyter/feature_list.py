"""The list of features to tick."""

from collections.abc import Callable, Sequence

import anywidget
import traitlets
from traitlets.utils.bunch import Bunch

from latentmap.jupyter.assets import asset


class FeatureList(anywidget.AnyWidget):
    """Lets the user search for features and tick those that shape the map."""

    _esm = asset("tick_list.js")
    _css = asset("tick_list.css")

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The features to choose from."""
    chosen = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The ticked features, in the order of `names`."""

    def __init__(self, choose: Callable[[Sequence[str]], None]) -> None:
        super().__init__()
        self._choose = choose
        self._is_showing = False
        self.observe(self._chosen, "chosen")

    def show(self, names: Sequence[str], chosen: Sequence[str]) -> None:
        """List features, and tick those chosen."""
        self._is_showing = True
        try:
            self.names = list(names)
            there = set(names)
            self.chosen = [name for name in chosen if name in there]
        finally:
            self._is_showing = False

    def _chosen(self, change: Bunch) -> None:
        if not self._is_showing:
            self._choose(change.new)
