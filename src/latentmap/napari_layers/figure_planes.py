"""The images of cells in view, as they are printed in a figure."""

from collections.abc import Iterable

import numpy as np
from napari.layers import Layer

from latentmap.display.image_plane import ImagePlane
from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import as_channel, pictures_of, scales
from latentmap.napari_layers.pixel_sizes import WORLD, pixel_sizes
from latentmap.napari_layers.source import Source, View

MOST_IMAGES = 6
"""The most images in a figure."""


def planes_in_view(sources: Iterable[Source], layers: Iterable[Layer], view: View) -> list[ImagePlane]:
    """Read the current frame and plane of each visible labels layer, with its visible images.

    Parameters
    ----------
    sources : iterable of Source
        The layers of cells.
    layers : iterable of napari.layers.Layer
        All layers of the viewer.
    view : View
        What the viewer displays.

    Returns
    -------
    list of ImagePlane
        At most `MOST_IMAGES`.
    """
    layers = list(layers)
    shown = [source for source in sources if isinstance(source, LabelsSource) and source.layer.visible]
    return [_plane(source, layers, view) for source in shown[:MOST_IMAGES]]


def _plane(source: LabelsSource, layers: list[Layer], view: View) -> ImagePlane:
    layer = source.layer
    labels = scales(layer)[0]
    pixel = np.round(layer.world_to_data(view.point[-layer.ndim :])).astype(int)
    at = tuple(int(np.clip(index, 0, length - 1)) for index, length in zip(pixel[:-2], labels.shape[:-2], strict=True))
    (steps, unit), *_ = pixel_sizes([layer], is_time=source.has_frames)[0].values()
    return ImagePlane.of(
        layer.name,
        source.name,
        labels,
        {image.name: as_channel(image) for image in pictures_of(layer, layers)},
        at,
        frame=at[0] if source.has_frames else 0,
        pixel_size=None if steps is None else steps[-1],
        unit="" if unit == WORLD else unit.replace("um", "µm"),
        aspect=1.0 if steps is None else steps[-2] / steps[-1],
    )
