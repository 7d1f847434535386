"""From the coordinates of a map to places in a square."""

import numpy as np

# Where this share of the cells, at either end of an axis, makes the map this much wider, they are drawn at its edge.
_STRAY = 0.002
_SQUEEZE = 1.5


def unit_square(embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Lay a map out in a square, its components in their common scale, the second one upwards.

    Parameters
    ----------
    embedding : ndarray, shape (n_cells, n_components)
        A single component is drawn against the logarithm of the variance, or of 1 where there is none.
    variances : ndarray, shape (n_cells,)
    axes : tuple of int
        The components that are drawn to the right, upwards and, if there is a third, away.

    Returns
    -------
    places : ndarray, shape (n_cells, 2 or 3)
        (Planes,) rows and columns, from -1/2 to 1/2.
    n_beyond : int
        How many cells are drawn nearer than they are, lest they squeeze all others.

    Examples
    --------
    >>> places, n_beyond = unit_square(np.array([[0.0, 0], [4, 0], [4, 2]]), np.ones(3), (0, 1))
    >>> places.tolist(), n_beyond
    ([[0.25, -0.5], [0.25, 0.5], [-0.25, 0.5]], 0)
    """
    one = embedding.shape[1] == 1
    # An axis a row: numpy goes along rows many times faster.
    if one:
        known = np.where(np.isnan(variances), 1.0, np.maximum(variances, np.finfo(float).tiny))
        drawn = np.array([-np.log10(known), embedding[:, 0]])
    else:
        across, up, *deep = (embedding[:, axis] for axis in axes)
        drawn = np.array([*deep, -up, across])
    low, high = drawn.min(axis=1, keepdims=True), drawn.max(axis=1, keepdims=True)
    n_points = drawn.shape[1]
    stray = min(int(np.ceil(_STRAY * n_points)), (n_points - 1) // 2)
    ends = [stray, n_points - 1 - stray]
    ordered = np.partition(drawn, ends)
    most_low, most_high = (ordered[:, [end]] for end in ends)
    if np.max(high - low) > _SQUEEZE * np.max(most_high - most_low) > 0:
        margin = 0.1 * (most_high - most_low)
        low, high = np.maximum(low, most_low - margin), np.minimum(high, most_high + margin)
    beyond = np.any((drawn < low) | (drawn > high), axis=0)
    extent = high - low if one else np.max(high - low)
    unit = (drawn - (low + high) / 2) / np.where(extent > 0, extent, 1)
    return np.clip(unit, -0.5, 0.5).T, int(beyond.sum())
