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
    return [_plane(source, layers, view) for source in in_view(sources, view)[:MOST_IMAGES]]


def in_view(sources: Iterable[Source], view: View) -> list[LabelsSource]:
    """Return the visible labels layers that have pixels in the frame and plane that the viewer displays."""
    shown = [source for source in sources if isinstance(source, LabelsSource) and source.layer.visible]
    return [source for source in shown if len(view.displayed) > 2 or _is_there(source, view)]


def _is_there(source: LabelsSource, view: View) -> bool:
    shape, pixel = scales(source.layer)[0].shape, _pixel(source, view)
    return all(0 <= pixel[axis] < shape[axis] for axis in range(len(shape)) if axis not in _axes(source, view))


def _pixel(source: LabelsSource, view: View) -> list[int]:
    """The indices of the pixel at the viewer's current point."""
    indices: list[int] = np.round(source.layer.world_to_data(view.point[-source.layer.ndim :])).astype(int).tolist()
    return indices


def _axes(source: LabelsSource, view: View) -> tuple[int, int]:
    """The axes that are the rows and columns of the plane: those displayed, unless one of them is time."""
    displayed, n = source.axes(view), source.layer.ndim
    if displayed is None or len(displayed) > 2 or (source.has_frames and 0 in displayed):
        return n - 2, n - 1
    return displayed[0], displayed[1]


def _as_in_view(layer: Layer, rows: int, columns: int) -> tuple[tuple[int, int], tuple[bool, bool]]:
    """The axes of a plane as the viewer shows them, after turns by right angles, and which of them are mirrored."""
    n = layer.ndim
    world = np.asarray(layer.affine.affine_matrix)[:n, :n] @ np.asarray(layer.rotate) @ np.diag(layer.scale)
    plane = world[np.ix_((rows, columns), (rows, columns))]
    axes, size = (rows, columns), np.abs(plane)
    if size[0, 1] > size[0, 0] and size[1, 0] > size[1, 1]:
        axes, plane = (columns, rows), plane[:, ::-1]
    return axes, (bool(plane[0, 0] < 0), bool(plane[1, 1] < 0))


def _plane(source: LabelsSource, layers: list[Layer], view: View) -> ImagePlane:
    layer = source.layer
    labels = scales(layer)[0]
    (rows, columns), mirrored = _as_in_view(layer, *_axes(source, view))
    # What is displayed in three dimensions has no current plane.
    index = [int(np.clip(at, 0, length - 1)) for at, length in zip(_pixel(source, view), labels.shape, strict=True)]
    (steps, unit), *_ = pixel_sizes([layer], is_time=source.has_frames)[0].values()
    height, width = (1.0, None) if steps is None else (steps[axis - layer.ndim] for axis in (rows, columns))
    return ImagePlane.of(
        layer.name,
        source.name,
        labels,
        {image.name: as_channel(image) for image in pictures_of(layer, layers)},
        tuple(at for axis, at in enumerate(index) if axis not in (rows, columns)),
        axes=(rows, columns),
        mirrored=mirrored,
        frame=index[0] if source.has_frames else 0,
        pixel_size=width,
        unit="" if unit == WORLD else unit.replace("um", "µm"),
        aspect=1.0 if width is None else height / width,
    )
