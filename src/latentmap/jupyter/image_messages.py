"""What the browser says of an image pane, and what it is answered."""

import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from latentmap.jupyter.shown_picture import LABELS
from latentmap.session.selection import Mode

# Labels shrink to a third or a twelfth in a few milliseconds, which pays off with a remote kernel; images, which are
# mostly noise, do not shrink.
_COMPRESSION = 1


class ImageDrawing(NamedTuple):
    """What the user has drawn on a picture.

    Attributes
    ----------
    name : str
        The name of the picture.
    frame, z : int
        The frame and plane in view; 0 if there is only one.
    corners : ndarray of float, shape (n, 2)
        The corners, of which the last is joined to the first, or the path of the brush: rows and columns of the
        highest resolution, with whole numbers at the centres of pixels.
    tool : {"lasso", "polygon", "rectangle", "brush"}
        The tool that drew it.
    radius : float
        The radius of the brush, in pixels of the highest resolution; 0 of other tools.
    mode : {"replace", "add", "subtract", "intersect"}
        How the cells inside change the selection.
    """

    name: str
    frame: int
    z: int
    corners: np.ndarray
    tool: str
    radius: float
    mode: Mode


def read_drawing(name: str, content: Mapping[str, Any]) -> ImageDrawing:
    """Return what the user has drawn, as the browser tells it.

    Parameters
    ----------
    name : str
        The name of the picture.
    content : mapping
        The message.

    Returns
    -------
    ImageDrawing
    """
    corners = np.array(content["corners"], dtype=float).reshape(-1, 2)
    frame, plane, radius = content["frame"], content["plane"], float(content.get("radius", 0))
    return ImageDrawing(name, frame, plane, corners, content["tool"], radius, content["mode"])


def answer_tile(
    crop: Callable[[Mapping[str, int]], np.ndarray], tile: Mapping[str, int]
) -> tuple[dict[str, Any], list[bytes]]:
    """Return the answer to the request for a tile.

    Parameters
    ----------
    crop : callable
        Returns the pixels of a tile.
    tile : mapping of str to int
        Which one the browser requests.

    Returns
    -------
    answer : dict
        The tile's shape, or why it could not be read.
    buffers : list of bytes
        Its pixels; empty if it could not be read.
    """
    answer = {"type": "tile", "tile": tile}
    try:
        pixels = crop(tile)
    except Exception as error:
        # Lazy arrays may raise anything; the browser should show it instead of waiting for ever.
        return {**answer, "error": f"A part of the image could not be read: {error}"}, []
    is_packed = tile["source"] == LABELS
    data = pixels.tobytes()
    buffer = zlib.compress(data, _COMPRESSION) if is_packed else data
    return {**answer, "shape": pixels.shape, "packed": is_packed}, [buffer]
