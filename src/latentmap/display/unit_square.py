"""The layout of a map in a square for drawing."""

from typing import NamedTuple

import numpy as np

from latentmap.session.random_order import enough_of

# Where the middle 98 % of the cells along an axis would be squeezed to less than half of it, only they are fitted.
_STRAY = 0.01
_SQUEEZE = 2.0
# What lies this share of their extent further out still counts as the middle.
_MARGIN = 0.1
# With fewer cells none is left outside.
_FEWEST = 10


class SquareLayout(NamedTuple):
    """Where the cells of a map lie in its square.

    Attributes
    ----------
    positions : ndarray, shape (n_cells, 2 or 3)
        (Planes,) rows and columns, from -1/2 to 1/2. Cells beyond have their true positions, which may be any number.
    beyond : ndarray of bool, shape (n_cells,)
        The cells that lie so far out that they would squeeze all others.
    half : ndarray, shape (2 or 3,)
        Half the sides of the box that all other cells fill; the longest is 1/2.
    """

    positions: np.ndarray
    beyond: np.ndarray
    half: np.ndarray

    @property
    def at_edge(self) -> np.ndarray:
        """The positions, with the cells beyond at the edge of the box."""
        clipped: np.ndarray = np.clip(self.positions, -self.half, self.half)
        return clipped

    @property
    def all_within(self) -> np.ndarray:
        """The positions of all cells, also of those beyond, shrunk to the square."""
        return self.shrink(self.positions)

    def shrink(self, positions: np.ndarray) -> np.ndarray:
        """Shrink other positions in the same way, so that all cells of the map would lie within the square."""
        low, high = self.positions.min(axis=0), self.positions.max(axis=0)
        shrunk: np.ndarray = (positions - (low + high) / 2) / max(1.0, float(np.max(high - low)))
        return shrunk


def unit_square(embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...]) -> SquareLayout:
    """Lay out a map in a square, with all components on the same scale and the second one upwards.

    Parameters
    ----------
    embedding : ndarray, shape (n_cells, n_components)
        A single component is drawn against the logarithm of the variance, which counts as 1 if there is none.
    variances : ndarray, shape (n_cells,)
    axes : tuple of int
        The components that are drawn to the right, upwards and, if there is a third, into the depth.

    Returns
    -------
    SquareLayout
        The positions, and which cells lie beyond.

    Examples
    --------
    >>> layout = unit_square(np.array([[0.0, 0], [4, 0], [4, 2]]), np.ones(3), (0, 1))
    >>> layout.positions.tolist(), layout.half.tolist()
    ([[0.25, -0.5], [0.25, 0.5], [-0.25, 0.5]], [0.25, 0.5])

    A cell far out keeps its position, unless it is asked for at the edge:

    >>> line = np.column_stack([[*range(99), 392.0], np.zeros(100)])
    >>> layout = unit_square(line, np.ones(100), (0, 1))
    >>> np.flatnonzero(layout.beyond).tolist(), layout.positions[-1, 1] > 3, float(layout.at_edge[-1, 1])
    ([99], np.True_, 0.5)
    """
    drawn = _drawn(embedding, variances, axes)
    low, high = _ends(drawn, embedding.shape[1])
    beyond = np.any((drawn < low) | (drawn > high), axis=0)
    return SquareLayout(*_in_square(drawn, low, high, embedding.shape[1], beyond))


def new_cells_in_square(
    embedding: np.ndarray,
    variances: np.ndarray,
    axes: tuple[int, ...],
    new: np.ndarray,
    new_variances: np.ndarray,
    *,
    shows_all: bool = False,
) -> np.ndarray:
    """Lay out new cells in the square of a map.

    Parameters
    ----------
    embedding, variances, axes
        The map, as for :func:`unit_square`.
    new : ndarray, shape (n_new, n_components)
    new_variances : ndarray, shape (n_new,)
    shows_all : bool
        Whether the map is shown with all of its cells within the square.

    Returns
    -------
    ndarray, shape (n_new, 2 or 3)
        (Planes,) rows and columns, from -1/2 to 1/2; cells beyond the map are put on its edge.

    Examples
    --------
    >>> embedding, new = np.array([[0.0, 0], [4, 0], [4, 2]]), np.array([[2.0, 1], [9, 0]])
    >>> new_cells_in_square(embedding, np.ones(3), (0, 1), new, np.ones(2)).tolist()
    [[0.0, 0.0], [0.25, 0.5]]
    """
    layout, shrunk = _beside(embedding, variances, axes, new, new_variances)
    within: np.ndarray = np.clip(shrunk, -0.5, 0.5) if shows_all else layout.at_edge
    return within


def points_in_square(
    embedding: np.ndarray, axes: tuple[int, ...], points: np.ndarray, *, shows_all: bool = False
) -> np.ndarray:
    """Lay out points of the plane of a map in its square, beyond its edge too.

    Parameters
    ----------
    embedding : ndarray, shape (n_cells, 2)
    axes, shows_all
        As for :func:`new_cells_in_square`.
    points : ndarray, shape (n_points, 2)

    Returns
    -------
    ndarray, shape (n_points, 2)
        Rows and columns.

    Examples
    --------
    >>> embedding = np.array([[0.0, 0], [4, 0], [4, 2]])
    >>> points_in_square(embedding, (0, 1), np.array([[2.0, 1], [6, 1]])).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    none = np.full(len(points), np.nan)
    layout, shrunk = _beside(embedding, np.full(len(embedding), np.nan), axes, points, none)
    return shrunk if shows_all else layout.positions


def _beside(
    embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...], new: np.ndarray, new_variances: np.ndarray
) -> tuple[SquareLayout, np.ndarray]:
    """Lay out others as the cells of a map, and where they lie once all cells of the map are within the square."""
    old, n_components = _drawn(embedding, variances, axes), embedding.shape[1]
    low, high = _ends(old, n_components)
    drawn = _drawn(new, new_variances, axes)
    layout = SquareLayout(*_in_square(drawn, low, high, n_components, np.zeros(len(new), bool)))
    whole = SquareLayout(*_in_square(old, low, high, n_components, np.zeros(len(embedding), bool)))
    return layout, whole.shrink(layout.positions)


def _drawn(embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return the coordinates to draw, one row per axis, because numpy is many times faster along rows."""
    if embedding.shape[1] == 1:
        known = np.where(np.isnan(variances), 1.0, np.maximum(variances, np.finfo(float).tiny))
        return np.array([-np.log10(known), embedding[:, 0]])
    across, up, *deep = (embedding[:, axis] for axis in axes)
    return np.array([*deep, -up, across])


def _ends(drawn: np.ndarray, n_components: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of the map along each axis; between them it fills its square."""
    low, high = drawn.min(axis=1, keepdims=True), drawn.max(axis=1, keepdims=True)
    n_points = drawn.shape[1]
    if n_points < _FEWEST:
        return low, high
    some = enough_of(drawn)
    stray = int(np.ceil(_STRAY * some.shape[1]))
    ends = [stray, some.shape[1] - 1 - stray]
    ordered = np.partition(some, ends)
    most_low, most_high = (ordered[:, [end]] for end in ends)
    extent, middle = high - low, most_high - most_low
    # A narrow axis squeezes nothing as long as the widest one needs the room.
    widest = middle if n_components == 1 else np.max(middle)
    squeezes = (extent > _SQUEEZE * middle) & (extent > widest / _SQUEEZE) & (widest > 0)
    margin = _MARGIN * middle
    if not squeezes.any():
        return low, high
    inside = np.all(~squeezes | ((drawn >= most_low - margin) & (drawn <= most_high + margin)), axis=0)
    return drawn[:, inside].min(axis=1, keepdims=True), drawn[:, inside].max(axis=1, keepdims=True)


def _in_square(
    drawn: np.ndarray, low: np.ndarray, high: np.ndarray, n_components: int, beyond: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    extent = high - low if n_components == 1 else np.max(high - low)
    side = np.where(extent > 0, extent, 1)
    positions, half = drawn - (low + high) / 2, (high - low) / side / 2
    positions /= side  # in place, as memory for a million cells takes longer to get than to fill
    return positions.T, beyond, half.ravel()
