"""Pictures of cells, cut out of the images in a notebook."""

import numpy as np

from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import pyramid
from latentmap.table import Key
from latentmap.table.crops import Channel, Crops

# The least zoom once the view has gone to a cell.
_LEAST_ZOOM = 2.0


class CellPictures:
    """Cuts cells out of the images of a pane, as they are shown there, and moves the pane to a cell."""

    def __init__(self, pane: ImagePane) -> None:
        self._pane = pane
        self._crops: dict[str, tuple[tuple[Channel, ...], Crops]] = {}

    def __call__(self, key: Key, size: int) -> np.ndarray | None:
        """Return the picture of a cell, uint8 of shape (size, size, 3); None if no label in a picture shows it."""
        layer, frame, label = key
        crops = self.crops_of(layer)
        return None if crops is None else crops.crop(frame, label, size)

    def go_to(self, key: Key) -> None:
        """Centre the pane on a cell, if one of its pictures has it."""
        layer, frame, label = key
        crops = self.crops_of(layer)
        middle = None if crops is None else crops.centre(frame, label)
        if middle is not None:
            plane, row, column = middle
            zoom = max(_LEAST_ZOOM, self._pane.view.zoom or 0.0)
            self._pane.go_to(layer, frame, plane, row, column, zoom)

    def crops_of(self, layer: str) -> Crops | None:
        """Return what is known of the cells of a picture; None if it has no labels."""
        picture = next((one for one in self._pane.pictures if one.name == layer), None)
        if picture is None or picture.labels is None:
            return None
        channels = self._pane.channels(layer)
        known = self._crops.get(layer)
        if known is None or not _look_alike(known[0], channels):
            self._crops[layer] = channels, Crops(pyramid(picture.labels)[0], channels, picture.has_frames)
        return self._crops[layer][1]


def _look_alike(some: tuple[Channel, ...], others: tuple[Channel, ...]) -> bool:
    """Say whether the same images are shown in the same way; == would compare all pixels."""
    before, now = ([(id(one.image), one.limits, one.colour) for one in channels] for channels in (some, others))
    return before == now
