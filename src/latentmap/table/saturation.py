"""Brightness at the limit of what a camera records."""

import re
from collections.abc import Sequence

import numpy as np

from latentmap.table.wording import shortened_list

# Of 8, 12 and 16 bits.
_MOST = (255.0, 4095.0, 65535.0)
# The least share of the cells, and number of them, that tell.
_LEAST, _FEWEST = 0.01, 3
# Values this near to the limit are as many as there would be at it.
_NEAR = 0.99
# Words of names, such as of shapes and counts, of what no camera limits.
_NO_BRIGHTNESS = re.compile(
    r"(?<![a-z])(areas?|volume|perimeter|length|width|height|size|diameter|radius|distance|counts?|numbers?|n|id|index)"
    r"(?![a-z])",
    re.IGNORECASE,
)


def saturated(values: np.ndarray, names: Sequence[str]) -> list[str]:
    """Report columns in which 255, 4095 or 65535 is the largest value, and far more cells have it than come near to it.

    Parameters
    ----------
    values : ndarray of shape (n_cells, n_features)
        NaN and infinity are ignored.
    names : sequence of str
        The features.

    Returns
    -------
    list of str
        A sentence, or none.

    Examples
    --------
    >>> saturated(np.minimum(np.arange(0.0, 80_000, 100), 65535)[:, None], ["DNA"])[0][:75]
    'DNA is 65535, the most that the camera records, in 18 % of cells: some may '
    """
    said = []
    for name, column in zip(names, values.T, strict=True):
        most = column.max(initial=0, where=np.isfinite(column))
        if most not in _MOST or _NO_BRIGHTNESS.search(name):
            continue
        n_most, n_known = np.count_nonzero(column == most), np.count_nonzero(np.isfinite(column))
        n_near = np.count_nonzero((column < most) & (column >= _NEAR * most))
        # Without values between, it is a mask, or stands for a missing value.
        is_reached = np.count_nonzero((column < most) & (column > most / 2)) >= _FEWEST
        if is_reached and n_most >= max(_FEWEST, _LEAST * n_known) and n_most > n_near:
            percent = max(1, round(100 * n_most / n_known))
            said.append(f"{name} is {most:.0f}, the most that the camera records, in {percent} % of cells")
    return [f"{shortened_list(said)}: some may be brighter still."] if said else []
