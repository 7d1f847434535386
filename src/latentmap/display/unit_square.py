"""The layout of a map in a square for drawing."""

import numpy as np

# If this share of the cells, at either end of an axis, makes the map this many times wider, they are drawn at its edge.
_STRAY = 0.002
_SQUEEZE = 1.5


def unit_square(embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...]) -> tuple[np.ndarray, int]:
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
    positions : ndarray, shape (n_cells, 2 or 3)
        (Planes,) rows and columns, from -1/2 to 1/2.
    n_beyond : int
        How many cells are drawn at the edge because they lie so far out that they would squeeze all others.

    Examples
    --------
    >>> positions, n_beyond = unit_square(np.array([[0.0, 0], [4, 0], [4, 2]]), np.ones(3), (0, 1))
    >>> positions.tolist(), n_beyond
    ([[0.25, -0.5], [0.25, 0.5], [-0.25, 0.5]], 0)
    """
    drawn = _drawn(embedding, variances, axes)
    low, high = _ends(drawn)
    beyond = np.any((drawn < low) | (drawn > high), axis=0)
    return _in_square(drawn, low, high, embedding.shape[1]), int(beyond.sum())


def new_cells_in_square(
    embedding: np.ndarray,
    variances: np.ndarray,
    axes: tuple[int, ...],
    new: np.ndarray,
    new_variances: np.ndarray,
) -> np.ndarray:
    """Lay out new cells in the square of a map.

    Parameters
    ----------
    embedding, variances, axes
        The map, as for :func:`unit_square`.
    new : ndarray, shape (n_new, n_components)
    new_variances : ndarray, shape (n_new,)

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
    low, high = _ends(_drawn(embedding, variances, axes))
    return _in_square(_drawn(new, new_variances, axes), low, high, embedding.shape[1])


def _drawn(embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return the coordinates to draw, one row per axis, because numpy is many times faster along rows."""
    if embedding.shape[1] == 1:
        known = np.where(np.isnan(variances), 1.0, np.maximum(variances, np.finfo(float).tiny))
        return np.array([-np.log10(known), embedding[:, 0]])
    across, up, *deep = (embedding[:, axis] for axis in axes)
    return np.array([*deep, -up, across])


def _ends(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of the map along each axis; between them it fills its square."""
    low, high = drawn.min(axis=1, keepdims=True), drawn.max(axis=1, keepdims=True)
    n_points = drawn.shape[1]
    stray = min(int(np.ceil(_STRAY * n_points)), (n_points - 1) // 2)
    ends = [stray, n_points - 1 - stray]
    ordered = np.partition(drawn, ends)
    most_low, most_high = (ordered[:, [end]] for end in ends)
    if np.max(high - low) > _SQUEEZE * np.max(most_high - most_low) > 0:
        margin = 0.1 * (most_high - most_low)
        low, high = np.maximum(low, most_low - margin), np.minimum(high, most_high + margin)
    return low, high


def _in_square(drawn: np.ndarray, low: np.ndarray, high: np.ndarray, n_components: int) -> np.ndarray:
    extent = high - low if n_components == 1 else np.max(high - low)
    unit = (drawn - (low + high) / 2) / np.where(extent > 0, extent, 1)
    square: np.ndarray = np.clip(unit, -0.5, 0.5)
    return square.T
