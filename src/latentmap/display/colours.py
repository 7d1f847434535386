"""The colours of cells, and the text of the legend."""

import numpy as np

from latentmap.session import ColourGroups, ColourScale
from latentmap.session.wording import counted

MISSING_COLOUR = (0.45, 0.45, 0.45, 1.0)
"""The colour of cells that have no value or belong to no group."""

# Viridis from 0.25 to 0.9: its dark end would be lost on black, its yellow end on white.
_SCALE = np.array(
    [
        [0.230, 0.322, 0.546],
        [0.199, 0.388, 0.555],
        [0.172, 0.449, 0.558],
        [0.148, 0.508, 0.557],
        [0.125, 0.567, 0.551],
        [0.121, 0.626, 0.533],
        [0.170, 0.684, 0.502],
        [0.278, 0.740, 0.449],
        [0.413, 0.787, 0.372],
        [0.571, 0.828, 0.277],
        [0.741, 0.873, 0.150],
    ]
)


def scale_shades(count: int) -> np.ndarray:
    """Return the colours of a scale from its low to its high end, each of which stands out on black as on white.

    Returns
    -------
    ndarray of float, shape (count, 4)
        Red, green, blue and opacity, from 0 to 1.

    Examples
    --------
    >>> scale_shades(3).round(2).tolist()
    [[0.23, 0.32, 0.55, 1.0], [0.12, 0.63, 0.53, 1.0], [0.74, 0.87, 0.15, 1.0]]
    """
    at = np.linspace(0, len(_SCALE) - 1, count)
    channels = [np.interp(at, np.arange(len(_SCALE)), channel) for channel in _SCALE.T]
    return np.column_stack([*channels, np.ones(count)])


class CodedColours:
    """The colours of cells, looked up only for those that are asked for: of a million, few are drawn.

    Parameters
    ----------
    palette : ndarray of float, shape (n_colours, 4)
        From 0 to 1.
    codes : ndarray of int, shape (n_cells,)
        The place of each cell's colour in the palette; -1 for the last one.

    Examples
    --------
    >>> CodedColours(np.eye(4), np.array([1, 0, -1]))[[1, 2]].tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """

    def __init__(self, palette: np.ndarray, codes: np.ndarray) -> None:
        self._palette, self._codes = palette, codes

    def in_bytes(self) -> "CodedColours":
        """Return the same colours from 0 to 255, as uint8."""
        return CodedColours(np.rint(255 * self._palette).astype(np.uint8), self._codes)

    def __getitem__(self, rows: np.ndarray | slice) -> np.ndarray:
        # By `take`, because indexing needs four times as long for a million.
        colours: np.ndarray = np.take(self._palette, self._codes[rows], axis=0)
        return colours


def coded_colours(colouring: ColourScale | ColourGroups, shades: np.ndarray) -> CodedColours:
    """Return each cell's colour, to be looked up.

    Parameters
    ----------
    colouring : ColourScale or ColourGroups
    shades : ndarray of float, shape (n_shades, 4)
        The colours of a scale, from its low to its high end. A few hundred are enough for a smooth gradient; for a
        million cells, looking them up is three times as fast as interpolating.
    """
    if isinstance(colouring, ColourGroups):
        palette = [
            [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)] + [1] for colour in colouring.colours
        ]
        # The index -1 takes the last entry.
        return CodedColours(np.array([*palette, MISSING_COLOUR]), colouring.indices)
    codes = colouring.shares * (len(shades) - 1)
    codes[np.isnan(codes)] = len(shades)
    return CodedColours(np.array([*shades, MISSING_COLOUR]), codes.round().astype(np.int16))


def rgba(colouring: ColourScale | ColourGroups, shades: np.ndarray) -> np.ndarray:
    """Return each cell's colour.

    Parameters
    ----------
    colouring, shades
        As for `coded_colours`.

    Returns
    -------
    ndarray of float, shape (n_cells, 4)
        From 0 to 1.

    Examples
    --------
    >>> rgba(ColourGroups("class", np.array([0, -1]), ("B",), ("#ff0000",)), np.ones((2, 4))).round(2).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.45, 0.45, 0.45, 1.0]]
    """
    return coded_colours(colouring, shades)[:]


def legend(colouring: ColourScale | ColourGroups | None) -> list[str]:
    """Say, line by line, what the colours mean: the ends of a scale, or the names of groups.

    Examples
    --------
    >>> legend(ColourScale("area", np.array([0.0, 1.0]), 1234.5, 0.0001234, clipped=3))
    ['1.23e+03 to 0.000123; 3 cells beyond the ends']
    >>> legend(ColourGroups("class", np.array([-1]), (), ()))
    ['no class yet']
    >>> legend(ColourScale("variance", np.array([np.nan]), np.nan, np.nan))
    ['no cell has a value']
    """
    if colouring is None:
        return []
    if isinstance(colouring, ColourGroups):
        return list(colouring.names) or [f"no {colouring.title} yet"]
    if np.isnan(colouring.shares).all():
        return ["no cell has a value"]
    beyond = f"; {counted(colouring.clipped, 'cell')} beyond the ends" if colouring.clipped else ""
    ends = f"{scale_end_text(colouring.low)} to {scale_end_text(colouring.high)}"
    return [f"{ends}{' (logarithmic)' if colouring.logarithmic else ''}{beyond}"]


def scale_end_text(end: float) -> str:
    """Write the number at an end of a scale with three significant digits.

    Examples
    --------
    >>> scale_end_text(1234.5), scale_end_text(0.000123456)
    ('1.23e+03', '0.000123')
    """
    return f"{end:.3g}"
