"""The layers that cells can come from."""

from typing import Any

from napari.layers import Labels, Layer

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.points_source import POINT_LIKE, PointsSource
from latentmap.napari_layers.source import OWN, Source


class Sources:
    """Finds layers of cells in a viewer, and keeps the name that their cells' keys have."""

    def __init__(self, viewer: Any) -> None:
        self._viewer = viewer
        self._known: dict[Layer, Source] = {}

    def candidates(self) -> list[Layer]:
        """Return the labels layers, and the other layers whose rows of features can be cells, from the top down."""
        return [
            layer
            for layer in reversed(self._viewer.layers)
            if OWN not in layer.metadata
            and (isinstance(layer, Labels) or (isinstance(layer, POINT_LIKE) and not layer.features.empty))
        ]

    def of(self, layer: Layer) -> Source:
        """Return a layer as a source; the same one at every call."""
        if layer not in self._known:
            self._known[layer] = self._new(layer, self._free(layer.name))
        return self._known[layer]

    def adopt(self, layer: Layer, name: str) -> None:
        """Give a layer the name that its cells' keys use; another layer of that name gets a similar one.

        Parameters
        ----------
        layer : napari.layers.Layer
            It is not linked.
        name : str
        """
        if layer in self._known and self._known[layer].name == name:
            return
        for other in [one for one, source in self._known.items() if one is layer or source.name == name]:
            self._known.pop(other).close()
        self._known[layer] = self._new(layer, name)

    def forget(self, layer: Layer) -> None:
        """Forget a layer that has left the viewer."""
        self._known.pop(layer, None)

    def _new(self, layer: Layer, name: str) -> Source:
        return LabelsSource(layer, name) if isinstance(layer, Labels) else PointsSource(layer, name)

    def _free(self, name: str) -> str:
        """The name, or, where another layer had it before it was renamed, one like it."""
        taken = {source.name for source in self._known.values()}
        return next(free for free in (name, *(f"{name} ({again})" for again in range(2, 1000))) if free not in taken)
