"""Where the map lies beside the images."""

from typing import NamedTuple

import numpy as np

GAP = 0.05
"""The gap between images and a map beside them, as a fraction of the map's side."""
BELOW = 0.2
"""The gap between images and a map below them: the name of the map stands in it."""
NAME_ABOVE = 0.1
"""How far above a map the middle of its name is."""
APART = 0.2
"""The gap between maps side by side, as a fraction of their side: no group must seem to be of both."""
# The map stands below the images only if both are then so much larger than side by side.
_MUCH_LARGER = 1.3


class Box(NamedTuple):
    """A rectangle: its lowest and its highest row and column."""

    top: float
    left: float
    bottom: float
    right: float


class Square(NamedTuple):
    """The square that a map fills: its centre, shape (2,), and its side, in world coordinates."""

    centre: np.ndarray
    side: float


def place_map(images: Box, canvas: tuple[float, float]) -> Square:
    """Find a square for a map to the right of the images or, if they are wide, below them.

    Both get about the same area. If there is room left, the map takes it.

    Parameters
    ----------
    images : Box
        In world coordinates.
    canvas : (float, float)
        The height and width of the canvas, in pixels.

    Examples
    --------
    >>> place_map(Box(0, 0, 100, 100), (600, 800))
    Square(centre=array([ 50., 155.]), side=100.0)

    Beside an image that is eight times as wide as high, the map would be small:

    >>> place_map(Box(0, 0, 100, 800), (600, 800))
    Square(centre=array([391.66666667, 400.        ]), side=416.6666666666667)
    """
    top, left, bottom, right = images
    height, width, (canvas_height, canvas_width) = bottom - top, right - left, canvas
    least = float(np.sqrt(height * width))
    zoom_beside = min(canvas_width / (width + least), canvas_height / max(height, least))
    zoom_below = min(canvas_width / max(width, least), canvas_height / (height + least))
    # A row of maps must not be higher than the images if these are high.
    beside = max(least, min(canvas_width / zoom_beside - width, canvas_height / zoom_beside, height))
    below = max(least, min(canvas_height / zoom_below - height, canvas_width / zoom_below) / (1 + BELOW))
    # On the screen, the mean of the sizes of image and map.
    gain = np.sqrt(zoom_below * below * zoom_below / (zoom_beside * beside * zoom_beside))
    if gain < _MUCH_LARGER:
        return Square(np.array([(top + bottom) / 2, right + (0.5 + GAP) * beside]), beside)
    return Square(np.array([bottom + (0.5 + BELOW) * below, (left + right) / 2]), below)
