"""The layers that cells can come from."""

from collections.abc import Collection
from weakref import WeakKeyDictionary

from napari.components import ViewerModel
from napari.layers import Labels, Layer

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.points_source import POINT_LIKE, PointsSource
from latentmap.napari_layers.source import OWNED_KEY, Source
from latentmap.napari_layers.spatialdata_layers import annotate


class Sources:
    """Finds layers of cells in a viewer, and keeps their names in the keys of cells."""

    def __init__(self, viewer: ViewerModel) -> None:
        self._viewer = viewer
        self._known: dict[Layer, Source] = {}
        # A layer that comes back has the same cells, also if it was renamed.
        self._names: WeakKeyDictionary[Layer, str] = WeakKeyDictionary()

    def candidates(self) -> list[Layer]:
        """Return labels layers, and other layers whose features can have a row per cell, from the top down."""
        return [
            layer
            for layer in reversed(self._viewer.layers)
            if OWNED_KEY not in layer.metadata
            and (isinstance(layer, Labels) or (isinstance(layer, POINT_LIKE) and not layer.features.empty))
        ]

    def of(self, layer: Layer) -> Source:
        """Return the source of a layer, the same one on every call."""
        if layer not in self._known:
            self._known[layer] = self._new(layer, self._free(self._names.get(layer, layer.name)))
        return self._known[layer]

    def add_layer(self, layer: Layer, name: str) -> None:
        """Set the name, in the keys of cells, of a layer that is not linked; another layer of that name loses it."""
        if layer in self._known and self._known[layer].name == name:
            return
        for other in [one for one, source in self._known.items() if one is layer or source.name == name]:
            self._known.pop(other).close()
        self._known[layer] = self._new(layer, name)

    def follow_names(self, in_use: Collection[str]) -> bool:
        """Give renamed layers their new names in the keys of cells, too, unless these are in use; say if any got one.

        Parameters
        ----------
        in_use : collection of str
            The names in the keys of cells that maps, classes and the like have.
        """
        has_any = False
        for layer, source in self._known.items():
            taken = {*in_use, *(other.name for other in self._known.values())}
            # A column of layers says which of its rows are this layer's, by the name that it had.
            if source.name not in in_use and layer.name not in taken and "layer" not in layer.features:
                source.name, has_any = layer.name, True
        return has_any

    def remove_layer(self, layer: Layer) -> None:
        """Forget a layer that was removed from the viewer."""
        if (source := self._known.pop(layer, None)) is not None:
            self._names[layer] = source.name

    def _new(self, layer: Layer, name: str) -> Source:
        annotate(layer)
        return LabelsSource(layer, name) if isinstance(layer, Labels) else PointsSource(layer, name)

    def _free(self, name: str) -> str:
        """The name or, if another layer had it before it was renamed, a similar one."""
        taken = {source.name for source in self._known.values()}
        return next(free for free in (name, *(f"{name} ({again})" for again in range(2, 1000))) if free not in taken)
