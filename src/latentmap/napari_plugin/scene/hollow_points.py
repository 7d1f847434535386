"""The colours of points of which some are drawn as rings."""

from typing import NamedTuple

import numpy as np

DIMMED = 0.35
"""The opacity of points while others stand out."""
LEAST_HOLLOW = 7.0
"""The least diameter of a hollow point on the screen, in pixels: a smaller one would be all rim."""

# The width of a rim, as a fraction of the point's size; the share of black or white in it, as yellow must be seen on
# white; and its opacity while others stand out.
_WIDTH, _INK, _DIMMED_RIM = 0.25, 0.4, 0.8


class PointColours(NamedTuple):
    """How napari draws points: RGBA of their faces and borders, and the widths of these as fractions of their sizes."""

    faces: np.ndarray
    borders: np.ndarray
    widths: np.ndarray


def hollow_colours(
    colours: np.ndarray, hollow: np.ndarray, border: float, ring: np.ndarray, *, dimmed: bool
) -> PointColours:
    """Draw some points as rings, which are seen on the canvas whatever their colour, and hardly dimmed with the others.

    Parameters
    ----------
    colours : ndarray of float, shape (n_points, 4)
        RGBA from 0 to 1.
    hollow : ndarray of bool, shape (n_points,)
    border : float
        The width of the black border of all others, as a fraction of their size.
    ring : ndarray of float, shape (4,)
        RGBA of what stands out from the background.
    dimmed : bool
        Whether other points stand out.

    Returns
    -------
    PointColours

    Examples
    --------
    >>> drawn = hollow_colours(np.ones((2, 4)), np.array([True, False]), 0.05, np.ones(4), dimmed=True)
    >>> drawn.faces[:, 3].tolist(), drawn.borders[:, 3].tolist()
    ([0.0, 0.35], [0.8, 0.35])
    """
    faces, borders = colours.copy(), np.tile([0.0, 0.0, 0.0, 1.0], (len(colours), 1))
    if dimmed:
        faces[:, 3], borders[:, 3] = DIMMED * faces[:, 3], DIMMED
    borders[hollow, :3] = (1 - _INK) * colours[hollow, :3] + _INK * ring[:3]
    faces[hollow, 3], borders[hollow, 3] = 0.0, _DIMMED_RIM if dimmed else 1.0
    return PointColours(faces, borders, np.where(hollow, _WIDTH, border))
