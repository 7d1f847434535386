"""PNG, JPEG and BMP files: grey or coloured, with a palette or with opacity."""

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Picture(NamedTuple):
    """A picture in a file.

    Attributes
    ----------
    pixels : ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, 3 or 4)
        Grey levels, or the colours of each pixel.
    axes : str
        "yx", or "yxs" with colours.
    notes : tuple of str
        What was left out.
    indices : ndarray of shape (n_rows, n_columns), or None
        The numbers of the colours in the file's palette, which may be labels; None without a palette.
    """

    pixels: np.ndarray
    axes: str
    notes: tuple[str, ...] = ()
    indices: np.ndarray | None = None


def read_picture(path: Path) -> Picture:
    """Read a picture from a file.

    Examples
    --------
    >>> import tempfile
    >>> from skimage.io import imsave
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     imsave(path := Path(folder, "cells.png"), np.full((8, 9), 7, np.uint8), check_contrast=False)
    ...     read_picture(path).pixels.shape
    (8, 9)
    """
    from PIL import Image
    from skimage.io import imread

    with Image.open(path) as file:
        if file.mode in ("LA", "PA"):
            grey, opacity = (np.asarray(band) for band in file.convert("LA").split())
            note = f'"{path.name}" has an opacity for each pixel, which is left out.'
            return Picture(grey, "yx", () if (opacity == opacity.max()).all() else (note,))
        # skimage reads all frames of a film.
        if file.mode == "P" and getattr(file, "n_frames", 1) == 1:
            return _of_palette(np.asarray(file), np.array(file.getpalette("RGB"), np.uint8).reshape(-1, 3))
    pixels = imread(path)
    return Picture(pixels, "?" * (pixels.ndim - 3) + ("yxs" if pixels.ndim > 2 else "yx"))


def _of_palette(indices: np.ndarray, palette: np.ndarray) -> Picture:
    """A picture of colours by number; grey levels stay such, as programs that shrink files number them anew."""
    colours = np.zeros((256, 3), np.uint8)
    colours[: len(palette)] = palette
    used = colours[np.unique(indices)]
    if (used == used[:, :1]).all() and len(np.unique(used[:, 0])) == len(used):
        return Picture(colours[indices, 0], "yx")
    return Picture(colours[indices], "yxs", (), indices)
