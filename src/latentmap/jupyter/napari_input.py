"""The cells and pictures in an open napari viewer, for `explore`."""

from typing import TYPE_CHECKING, Any

from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.table import CellTable

if TYPE_CHECKING:
    from latentmap.napari_layers.source import Source


def is_viewer(data: object) -> bool:
    """Say whether this is a napari viewer, without importing napari."""
    return hasattr(data, "layers") and type(data).__module__.partition(".")[0] == "napari"


def read_viewer(viewer: Any) -> tuple[list[CellTable], list[LabelledImage]]:
    """Return the cells and pictures in a viewer as its layers are now.

    Returns
    -------
    cells : list of CellTable
        One for each layer with features: labels, points, shapes or tracks.
    pictures : list of LabelledImage
        One for each labels layer, with the visible images of the same shape in the same position.

    Raises
    ------
    ValueError
        If the features of a layer do not say which cell a row describes.
    """
    # Whoever has a viewer has napari; others need not.
    from napari.layers import Labels

    from latentmap.napari_layers.sources import Sources

    sources = Sources(viewer)
    found = [sources.of(layer) for layer in sources.candidates()]
    cells = [source.table() for source in found if not source.layer.features.empty]
    return cells, [_picture(source, viewer) for source in found if isinstance(source.layer, Labels)]


def _picture(source: "Source", viewer: Any) -> LabelledImage:
    from latentmap.napari_layers.layers import as_channel, pictures_of, scales

    levels, labels = scales(source.layer), source.layer
    return LabelledImage(
        source.name,
        levels if len(levels) > 1 else levels[0],
        {image.name: as_channel(image) for image in pictures_of(labels, viewer.layers)},
        has_frames=source.has_frames,
        scale=tuple(float(step) for step in labels.scale[int(source.has_frames) :]),
        unit="" if str(labels.units[-1]) == "pixel" else str(labels.units[-1]),
    )
