"""The colours of cells as codes of one byte, so that an image can look them up pixel by pixel."""

from typing import NamedTuple

import numpy as np

MOST = 127
"""The most colours that codes stand for."""
SELECTED = 128
"""Added to the code of a selected cell."""

# The steps of red, green and blue that more colours than these are rounded to: 5 * 5 * 5 is less than `MOST`.
_STEPS = 4


class ColourCodes(NamedTuple):
    """The code of each cell, and what the codes mean.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n_cells,)
        From 1 to `MOST`.
    palette : ndarray of float, shape (n_colours, 4)
        The colour of each code, beginning with that of code 1; red, green, blue and opacity from 0 to 1.
    """

    codes: np.ndarray
    palette: np.ndarray


def colour_codes(colours: np.ndarray) -> ColourCodes:
    """Give each cell a code for its colour; if there are too many colours, similar ones share a code.

    Parameters
    ----------
    colours : ndarray of float, shape (n_cells, 4)
        Red, green, blue and opacity, from 0 to 1.

    Examples
    --------
    >>> found = colour_codes(np.array([[1.0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]]))
    >>> found.codes.tolist(), found.palette.tolist()
    ([1, 2, 1], [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    """
    palette, codes = _distinct(np.rint(255 * colours).astype(np.uint8))
    if len(palette) > MOST:
        rounded = np.rint(np.rint(colours[:, :3] * _STEPS) / _STEPS * 255)
        palette, codes = _distinct(np.column_stack([rounded, np.full(len(colours), 255)]).astype(np.uint8))
    return ColourCodes((codes + 1).astype(np.uint8), palette / 255)


def lit_colours(palette: np.ndarray, any_selected: bool, opacity: float, dim: np.ndarray) -> np.ndarray:
    """Return what is drawn for each value of an image of codes.

    Parameters
    ----------
    palette : ndarray of float, shape (n_colours, 4)
    any_selected : bool
        Whether cells are selected: all others, and the background, are then dimmed.
    opacity : float
        Of cells that are not dimmed.
    dim : ndarray of float, shape (4,)
        The colour that lies over what is dimmed.

    Returns
    -------
    ndarray of float, shape (256, 4)
        Value 0 is the background, 1 to 127 are cells, 128 and above are selected cells.

    Examples
    --------
    >>> drawn = lit_colours(np.array([[1.0, 0, 0, 1]]), True, 0.7, np.array([0, 0, 0, 0.6]))
    >>> drawn[[0, 1, 129]].round(2).tolist()
    [[0.0, 0.0, 0.0, 0.6], [0.19, 0.0, 0.0, 0.74], [1.0, 0.0, 0.0, 0.7]]
    """
    drawn = np.zeros((2 * SELECTED, 4))
    cells, end = slice(1, 1 + len(palette)), 1 + SELECTED + len(palette)
    drawn[1 + SELECTED : end, :3], drawn[1 + SELECTED : end, 3] = palette[:, :3], opacity * palette[:, 3]
    drawn[cells] = drawn[1 + SELECTED : end]
    if any_selected:
        drawn[0] = dim
        # The cell's own colour, half as opaque, below the dim.
        own, over = 0.5 * drawn[cells, 3:], dim[3]
        together = over + own * (1 - over)
        drawn[cells, :3] = (dim[:3] * over + drawn[cells, :3] * own * (1 - over)) / np.maximum(together, 1e-9)
        drawn[cells, 3:] = together
    return drawn


def _distinct(colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct colours, and the index of each cell's; as whole numbers, because numpy sorts rows slowly."""
    packed, indices = np.unique(np.ascontiguousarray(colours).view(np.uint32).ravel(), return_inverse=True)
    return packed.view(np.uint8).reshape(-1, 4), indices
