"""The image in view, as it is printed in a figure."""

from latentmap.display.image_plane import MOST_PIXELS, ImagePlane
from latentmap.images.crops import Channel
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import pyramid


def plane_in_view(pane: ImagePane, most_pixels: int = MOST_PIXELS) -> ImagePlane:
    """Read the frame and plane in view, whole, with the visible channels as they are shown."""
    view = pane.view
    picture = next(one for one in pane.pictures if one.name == view.name)
    visible = {
        name: Channel(pyramid(one.image)[0], one.limits, one.colour)
        for name, one in picture.channels.items()
        if name not in picture.hidden
    }
    frame, plane = min(view.frame, picture.n_frames - 1), min(view.z, picture.n_planes - 1)
    labels = None if picture.labels is None else pyramid(picture.labels)[0]
    if labels is None and not visible:
        visible = {
            name: Channel(pyramid(one.image)[0], one.limits, one.colour) for name, one in picture.channels.items()
        }
    return ImagePlane.of(
        picture.name,
        picture.name,
        labels,
        visible,
        (*([frame] if picture.has_frames else []), *([plane] if picture.is_3d else [])),
        frame=frame if picture.has_frames else 0,
        pixel_size=None if picture.scale is None else picture.scale[-1],
        unit=picture.unit,
        aspect=1.0 if picture.scale is None else picture.scale[-2] / picture.scale[-1],
        most_pixels=most_pixels,
    )
