"""Pictures of the cells in the viewer's layers."""

import numpy as np
from napari.components import ViewerModel
from napari.layers import Image, Labels

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import as_channel, pictures_of, scales
from latentmap.napari_plugin.scene.selection_link import SelectionLink
from latentmap.table import Key
from latentmap.table.crops import Crops


class CellPictures:
    """Crops cells from the images of their labels layer, with the images' current contrast and colours."""

    def __init__(self, viewer: ViewerModel, link: SelectionLink) -> None:
        self._viewer, self._link = viewer, link
        self._crops: dict[Labels, tuple[tuple[object, ...], Crops]] = {}

    def __call__(self, key: Key, size: int = 64) -> np.ndarray | None:
        """Return a cell's picture.

        Parameters
        ----------
        key : (layer, frame, label)
        size : int
            The side of the picture, in pixels.

        Returns
        -------
        ndarray of uint8, shape (size, size, 3), or None
            None for cells that are not regions of pixels, or whose layer is not linked.
        """
        layer, frame, label = key
        crops = self.crops_of(layer)
        return None if crops is None else crops.crop(frame, label, size)

    def crops_of(self, layer: str) -> Crops | None:
        """Return what is known of the cells of a labels layer; None if it is no such layer, or not linked."""
        for source in self._link.sources:
            if source.name == layer and isinstance(source, LabelsSource):
                return self._crops_of(source)
        return None

    def forget(self) -> None:
        """Discard what was read of the labels, so that it is read again."""
        self._crops.clear()

    def _crops_of(self, source: LabelsSource) -> Crops:
        labels = scales(source.layer)[0]
        shown = [(image, _display_settings(image)) for image in pictures_of(source.layer, self._viewer.layers)]
        state = (id(labels), source.has_frames, tuple((id(image), look) for image, look in shown))
        known = self._crops.get(source.layer)
        if known is not None and known[0] == state:
            return known[1]
        crops = Crops(labels, [as_channel(image) for image, _ in shown], source.has_frames)
        self._crops = {**{one: kept for one, kept in self._crops.items() if one in self._viewer.layers}}
        self._crops[source.layer] = state, crops
        return crops


def _display_settings(image: Image) -> tuple[object, ...]:
    return (id(image.data), tuple(image.contrast_limits), image.colormap.name)
