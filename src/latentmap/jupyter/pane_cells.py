"""The cells in the images of a notebook: their pictures, and the way to them."""

from latentmap.images.crops import Channel, Crops
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import pyramid
from latentmap.presenters.cell_pictures import CellPictures
from latentmap.session import Schedule
from latentmap.table import Key

# The least zoom once the view has gone to a cell.
_LEAST_ZOOM = 2.0


class PaneCells:
    """Cuts cells out of the images of a pane, as they are shown there, and moves the pane to a cell.

    Attributes
    ----------
    pictures : CellPictures
    """

    def __init__(self, pane: ImagePane, schedule: Schedule) -> None:
        self._pane = pane
        self._crops: dict[str, tuple[int, tuple[Channel, ...], Crops]] = {}
        self.pictures = CellPictures(self.crops_of, schedule)
        self._going_to: Key | None = None
        self.pictures.came.connect(self._go_on)

    def go_to(self, key: Key) -> None:
        """Centre the pane on a cell, if one of its pictures has it; once it is known where it is."""
        layer, frame, _ = key
        middle = self.pictures.centre(key)
        self._going_to = key if middle is None and self.pictures.looking else None
        if middle is not None:
            plane, row, column = middle
            zoom = max(_LEAST_ZOOM, self._pane.view.zoom or 0.0)
            self._pane.go_to(layer, frame, plane, row, column, zoom)

    def close(self) -> None:
        """Look for no more cells."""
        self.pictures.stop()

    def crops_of(self, layer: str) -> Crops | None:
        """Return what is known of the cells of a picture; None if it has no labels."""
        picture = next((one for one in self._pane.pictures if one.name == layer), None)
        if picture is None or picture.labels is None:
            return None
        channels, pixels = self._pane.channels(layer), self._pane.pixels_of(layer)
        before, looks, crops = self._crops.get(layer, (None, (), None))
        labels = pyramid(picture.labels)[0]
        if crops is None or before != pixels:
            crops = Crops(labels, channels, picture.has_frames, spacing=picture.scale)
        elif not _look_alike(looks, channels):
            crops = Crops(labels, channels, picture.has_frames, crops.boxes, picture.scale)
        self._crops[layer] = pixels, channels, crops
        return crops

    def _go_on(self) -> None:
        if self._going_to is not None:
            self.go_to(self._going_to)


def _look_alike(some: tuple[Channel, ...], others: tuple[Channel, ...]) -> bool:
    """Say whether the same images are shown in the same way; == would compare all pixels."""
    before, now = ([(id(one.image), one.limits, one.colour) for one in channels] for channels in (some, others))
    return before == now
