"""The user's highlight colour."""

import numpy as np
from napari.settings import get_settings


def highlight_color() -> np.ndarray:
    """Return the highlight colour in napari's settings, as RGBA from 0 to 1, shape (4,)."""
    return np.asarray(get_settings().appearance.highlight.highlight_color, dtype=float)
