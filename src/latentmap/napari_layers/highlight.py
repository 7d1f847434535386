"""The colours of what is selected."""

import numpy as np
from napari.settings import get_settings
from napari.utils.theme import get_theme


def highlight_color() -> np.ndarray:
    """Return the highlight colour in napari's settings, as RGBA from 0 to 1, shape (4,)."""
    return np.asarray(get_settings().appearance.highlight.highlight_color, dtype=float)


def ring_colour(theme: str) -> np.ndarray:
    """Return the colour of rings around points on the canvas, white on dark and black on light, as RGBA, shape (4,)."""
    return np.ones(4) if is_on_dark(theme) else np.array([0.0, 0, 0, 1])


def text_colour(theme: str) -> str:
    """Return the colour of words on the canvas, in one of napari's themes."""
    return "white" if is_on_dark(theme) else "black"


def is_on_dark(theme: str) -> bool:
    """Whether the canvas is dark in one of napari's themes."""
    canvas = np.array(get_theme(theme).canvas.as_rgb_tuple(alpha=False), dtype=float)
    return bool(canvas.mean() <= 127)
