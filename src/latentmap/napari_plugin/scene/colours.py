"""From what colours mean to colours."""

import numpy as np
from napari.utils.colormaps import ensure_colormap

from latentmap.session import Groups, Scale

SCALE = ensure_colormap("viridis")
"""From the low to the high end of a scale."""
NOTHING = (0.45, 0.45, 0.45, 1.0)
"""The colour of cells without a number, or in no group."""

_SHADES = SCALE.map(np.linspace(0, 1, 512))


def rgba(colouring: Scale | Groups) -> np.ndarray:
    """Return each cell's colour.

    Parameters
    ----------
    colouring : Scale or Groups

    Returns
    -------
    ndarray of float, shape (n_cells, 4)
        From 0 to 1.

    Examples
    --------
    >>> rgba(Groups("class", np.array([0, -1]), ("B",), ("#ff0000",))).round(2).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.45, 0.45, 0.45, 1.0]]
    """
    if isinstance(colouring, Groups):
        palette = [
            [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)] + [1] for colour in colouring.colours
        ]
        # The last one, which -1 leads to.
        return np.array([*palette, NOTHING])[colouring.places]
    nothing = np.isnan(colouring.shares)
    # Looked up, as interpolating between the colours of a million cells takes three times as long.
    places = np.where(nothing, 0, colouring.shares * (len(_SHADES) - 1)).round().astype(np.intp)
    return np.array([*_SHADES, NOTHING])[np.where(nothing, -1, places)]


def written(end: float) -> str:
    """Write the number at an end of a scale.

    Parameters
    ----------
    end : float

    Returns
    -------
    str
        Three digits.

    Examples
    --------
    >>> written(1234.5), written(0.000123456)
    ('1.23e+03', '0.000123')
    """
    return f"{end:.3g}"
