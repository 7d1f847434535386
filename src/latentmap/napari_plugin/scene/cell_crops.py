"""What is needed to cut cells out of the viewer's layers."""

from napari.components import ViewerModel
from napari.layers import Image, Labels

from latentmap.images.crops import Crops
from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import as_channel, pictures_of, scales
from latentmap.napari_layers.pixel_sizes import pixel_sizes
from latentmap.napari_plugin.scene.selection_link import SelectionLink


class CellCrops:
    """The images of each labels layer, with their current contrast and colours."""

    def __init__(self, viewer: ViewerModel, link: SelectionLink) -> None:
        self._viewer, self._link = viewer, link
        self._crops: dict[Labels, tuple[tuple[object, ...], Crops]] = {}

    def of(self, layer: str) -> Crops | None:
        """Return what is known of the cells of a labels layer; None if it is no such layer, or not linked."""
        for source in self._link.sources:
            if source.name == layer and isinstance(source, LabelsSource):
                return self._crops_of(source)
        return None

    def forget(self) -> None:
        """Discard what was made of layers, which may have been removed."""
        self._crops.clear()

    def _crops_of(self, source: LabelsSource) -> Crops:
        shown = [(image, _display_settings(image)) for image in pictures_of(source.layer, self._viewer.layers)]
        spacing, _ = pixel_sizes([source.layer], is_time=source.has_frames)[0][source.layer]
        state = (id(source.boxes), spacing, tuple((id(image), look) for image, look in shown))
        known = self._crops.get(source.layer)
        if known is not None and known[0] == state:
            return known[1]
        labels, channels = scales(source.layer)[0], [as_channel(image) for image, _ in shown]
        crops = Crops(labels, channels, source.has_frames, source.boxes, spacing)
        self._crops = {**{one: kept for one, kept in self._crops.items() if one in self._viewer.layers}}
        self._crops[source.layer] = state, crops
        return crops


def _display_settings(image: Image) -> tuple[object, ...]:
    return (id(image.data), tuple(image.contrast_limits), image.colormap.name)
