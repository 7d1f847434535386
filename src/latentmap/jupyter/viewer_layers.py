"""The layers of an open napari viewer, as `explore` takes them."""

from typing import Any

from latentmap.jupyter.picture import Picture
from latentmap.table import CellTable


def is_viewer(data: Any) -> bool:
    """Say whether this is a viewer of napari, without importing napari."""
    return hasattr(data, "layers") and type(data).__module__.partition(".")[0] == "napari"


def layers_of(viewer: Any) -> tuple[list[CellTable], list[Picture]]:
    """Take cells and pictures from a viewer, as its layers are now.

    Returns
    -------
    cells : list of CellTable
        Of each layer that has features: labels, points, shapes, tracks.
    pictures : list of Picture
        The labels, each with the visible images of its shape that lie in the same place.

    Raises
    ------
    ValueError
        If the features of a layer do not say which cell a row is.
    """
    # Only those who have a viewer need napari, and they have it.
    from napari.layers import Labels

    from latentmap.napari_layers.sources import Sources

    sources = Sources(viewer)
    found = [sources.of(layer) for layer in sources.candidates()]
    cells = [source.table() for source in found if not source.layer.features.empty]
    return cells, [_picture(source, viewer) for source in found if isinstance(source.layer, Labels)]


def _picture(source: Any, viewer: Any) -> Picture:
    from latentmap.napari_layers.layers import as_channel, pictures_of, scales

    levels, labels = scales(source.layer), source.layer
    return Picture(
        source.name,
        levels if len(levels) > 1 else levels[0],
        {image.name: as_channel(image) for image in pictures_of(labels, viewer.layers)},
        has_frames=source.has_frames,
        scale=tuple(float(step) for step in labels.scale[int(source.has_frames) :]),
        unit="" if str(labels.units[-1]) == "pixel" else str(labels.units[-1]),
    )
