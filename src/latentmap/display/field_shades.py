"""The shades of a faint field below the points of a map."""

import numpy as np
from skimage.color import lab2rgb

# How much the lightness of the ground changes at most, of the 100 from black to white: the points stay clear.
_MOST = 45.0


def field_opacities(shares: np.ndarray, *, on_dark: bool) -> np.ndarray:
    """Return how opaque white on a black ground, or black on a white one, shows shares as even steps of lightness.

    A grey has the colour of no class. The lightness is CIELAB's L*, so that equal steps of the shares look equal.

    Parameters
    ----------
    shares : ndarray of float
        From 0 for nothing to 1.
    on_dark : bool
        Whether the ground is black.

    Returns
    -------
    ndarray of float, of the same shape
        From 0 to 1.

    Examples
    --------
    >>> shares = np.array([0.0, 0.5, 1.0])
    >>> [field_opacities(shares, on_dark=on_dark).round(2).tolist() for on_dark in (True, False)]
    [[0.0, 0.21, 0.42], [0.0, 0.25, 0.48]]
    """
    lightness = _MOST * shares if on_dark else 100 - _MOST * shares
    grey = lab2rgb(np.stack([lightness, np.zeros_like(lightness), np.zeros_like(lightness)], axis=-1))[..., 0]
    return np.asarray(np.clip(grey if on_dark else 1 - grey, 0, 1))


def field_shades(on_dark: bool, count: int = 256) -> np.ndarray:
    """Return the colours of a field from its lowest to its highest share, shape (count, 4): grey, and ever more opaque.

    Parameters
    ----------
    on_dark : bool
        Whether the ground is dark.
    count : int
    """
    opacity = field_opacities(np.linspace(0, 1, count), on_dark=on_dark)
    ink = np.full((count, 3), 1.0 if on_dark else 0.0)
    return np.column_stack([ink, opacity])
