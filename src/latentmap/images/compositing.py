"""Channels of an image, added up as they are shown."""

from collections.abc import Iterable

import numpy as np


def brightness(pixels: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Return pixels from 0 at the lower limit to 1 at the upper one; NaN is the darkest value.

    Examples
    --------
    >>> brightness(np.array([0, 5, 10, 99, np.nan]), (5, 15)).tolist()
    [0.0, 0.0, 0.5, 1.0, 0.0]
    """
    low, high = limits
    values = pixels.astype(float)
    values = np.where(np.isnan(values), low, values)
    bright: np.ndarray = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    return bright


def composite(
    channels: Iterable[tuple[np.ndarray, tuple[float, float, float] | None]], shape: tuple[int, int]
) -> np.ndarray:
    """Add up channels.

    Parameters
    ----------
    channels : iterable of (ndarray, colour or None)
        What each channel shows, from 0 to 1, and the colour of its brightest value; None for an RGB image, which has
        one more axis.
    shape : (int, int)
        Rows and columns.

    Returns
    -------
    ndarray of uint8, shape (n_rows, n_columns, 3)

    Examples
    --------
    >>> composite([(np.full((1, 1), 0.5), (1, 0, 0)), (np.ones((1, 1)), (0, 1, 0))], (1, 1)).tolist()
    [[[128, 255, 0]]]
    """
    light = np.zeros((*shape, 3))
    for bright, colour in channels:
        light += bright[..., :3] if colour is None else bright[..., None] * np.asarray(colour)
    picture: np.ndarray = np.round(255 * np.clip(light, 0, 1)).astype(np.uint8)
    return picture
