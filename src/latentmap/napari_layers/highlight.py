"""The user's colour for what is selected."""

import numpy as np
from napari.settings import get_settings


def highlight_color() -> np.ndarray:
    """Return the colour that napari is set to mark selected things with.

    Returns
    -------
    ndarray of float, shape (4,)
        Red, green, blue and opacity, from 0 to 1.
    """
    return np.asarray(get_settings().appearance.highlight.highlight_color, dtype=float)
