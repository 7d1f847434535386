"""The cells and pictures in an open napari viewer, for `explore`."""

from typing import TYPE_CHECKING, Any

from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.session import Run, Session
from latentmap.table import CellTable

if TYPE_CHECKING:
    from latentmap.napari_layers.source import Source


def is_viewer(data: object) -> bool:
    """Say whether this is a napari viewer, without importing napari."""
    return hasattr(data, "layers") and type(data).__module__.partition(".")[0] == "napari"


class ViewerLayers:
    """The layers of a viewer as they are at the moment.

    Parameters
    ----------
    viewer : napari.Viewer or napari.components.ViewerModel
    """

    def __init__(self, viewer: Any) -> None:
        # Whoever has a viewer has napari; others need not.
        from napari.layers import Labels

        from latentmap.napari_layers.sources import Sources

        self.viewer = viewer
        self._labels, self._sources = Labels, Sources(viewer)

    def tables(self) -> list[CellTable]:
        """Return the cells of each layer with features: labels, points, shapes or tracks.

        Raises
        ------
        ValueError
            If the features of a layer do not say which cell a row describes.
        """
        return [source.table() for source in self._found() if not source.layer.features.empty]

    def pictures(self) -> dict[Any, LabelledImage]:
        """Return the picture of each labels layer: the visible images of the same shape in the same position.

        A picture keeps its name, which is in the keys of its cells, when the user renames the layer.
        """
        return {
            source.layer: _picture(source, self.viewer)
            for source in self._found()
            if isinstance(source.layer, self._labels)
        }

    def keep_films(self) -> None:
        """Let the layers that are films now be films from now on, whatever their features become."""
        for source in self._found():
            source.has_frames_on_map = source.has_frames

    def write(self, session: Session, run: Run) -> list[str]:
        """Write a map, with variances and classes, into the features of the layers; return sentences."""
        from latentmap.napari_layers.layer_writing import write_to_layers

        known = {*run.finished().cells.features.index.unique("layer")}
        return write_to_layers([source for source in self._found() if source.name in known], session, run)

    def _found(self) -> "list[Source]":
        return [self._sources.of(layer) for layer in self._sources.candidates()]


def _picture(source: "Source", viewer: Any) -> LabelledImage:
    from latentmap.napari_layers.layers import as_channel, pictures_of, scales
    from latentmap.napari_layers.pixel_sizes import WORLD, pixel_sizes

    steps, unit = pixel_sizes([source.layer], is_time=source.has_frames)[0][source.layer]
    levels, labels = scales(source.layer), source.layer
    return LabelledImage(
        source.name,
        levels if len(levels) > 1 else levels[0],
        {image.name: as_channel(image) for image in pictures_of(labels, viewer.layers)},
        has_frames=source.has_frames,
        scale=steps,
        unit="" if unit == WORLD else unit,
    )
