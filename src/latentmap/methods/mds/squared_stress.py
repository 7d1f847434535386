"""The deviation of squared distances on a map from those of the table."""

from __future__ import annotations

import numpy as np

from latentmap.model.compiling import compiled
from latentmap.model.workers import Workers, chunks_of

COSTS = ("absolute", "squared")
"""Ways to penalise a difference of squared distances."""
# Below this fraction of the mean squared distance the absolute value, which has no slope at 0, is rounded off.
_ROUNDED = 1e-3
# Pairs that one call of the kernel visits.
_PAIRS = 2.0**18


class SquaredStress:
    """The sum of |D^2 - |y - y'|^2| over all pairs, each counted twice, or of its square.

    An absolute value has no slope at 0, so |r| is replaced by sqrt(r^2 + e^2) - e. The difference is at most e, a
    thousandth of the mean squared distance.

    Parameters
    ----------
    squared : ndarray of float64, shape (n, n)
        Squared distances, symmetric.
    kind : {"absolute", "squared"}
        How to penalise differences.
    workers : Workers
        The threads to use.

    Attributes
    ----------
    mean : float
        The mean squared distance.
    rounding : float
        e; 0 if differences are squared.

    Examples
    --------
    >>> stress = SquaredStress(np.array([[0.0, 4.0], [4.0, 0.0]]), "squared", Workers(1))
    >>> stress.cost(np.array([[0.0], [1.0]]))
    (18.0, array([[ 24.],
           [-24.]]))
    """

    def __init__(self, squared: np.ndarray, kind: str, workers: Workers) -> None:
        self._squared, self._workers = np.ascontiguousarray(squared), workers
        n = len(squared)
        self.mean = float(squared.sum() / (n * (n - 1)))
        self.rounding = _ROUNDED * self.mean if kind == "absolute" else 0.0
        # The divisor of the gradient that gives the longest step; if that is too long, a line search shortens it.
        self.divisor = 4 * n * (1 if self.rounding else 2 * self.mean)
        self._chunks = chunks_of(np.full(n, float(n)), _PAIRS)

    def cost(self, points: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the cost of points, of shape (n, d), and its gradient."""
        force, values = np.empty_like(points), np.empty(len(points))
        columns = np.ascontiguousarray(points.T)
        self._workers.map(_sum, self._chunks, columns, self._squared, self.rounding, force, values)
        return float(values.sum()), 4 * force


def cost_to(
    points: np.ndarray, others: np.ndarray, squared: np.ndarray, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cost of each of m points by its pairs with n fixed others, and its gradient.

    Parameters
    ----------
    points : ndarray of shape (m, d)
        Positions.
    others : ndarray of shape (n, d)
        Positions that do not move.
    squared : ndarray of shape (m, n)
        Squared distances in the table.
    rounding : float
        As in :class:`SquaredStress`.
    """
    away = points[:, None] - others
    excess = np.square(away).sum(axis=2) - squared
    if rounding:
        rounded = np.sqrt(np.square(excess) + rounding**2)
        values, slopes = rounded - rounding, excess / rounded
    else:
        values, slopes = np.square(excess), 2 * excess
    return 2 * values.sum(axis=1), 4 * (slopes[:, :, None] * away).sum(axis=1)


@compiled
def _sum(
    start: int,
    stop: int,
    columns: np.ndarray,
    squared: np.ndarray,
    rounding: float,
    force: np.ndarray,
    values: np.ndarray,
) -> None:
    """Sum the penalties, and their slopes times y - y', over all pairs of points start..stop."""
    d, n = columns.shape
    # Column by column, so that pairs are vectorised.
    slopes = np.empty(n)
    for i in range(start, stop):
        for j in range(n):
            slopes[j] = -squared[i, j]
        for c in range(d):
            for j in range(n):
                slopes[j] += (columns[c, i] - columns[c, j]) ** 2
        total = 0.0
        if rounding > 0:
            for j in range(n):
                rounded = np.sqrt(slopes[j] * slopes[j] + rounding * rounding)
                total += rounded - rounding
                slopes[j] /= rounded
        else:
            for j in range(n):
                total += slopes[j] * slopes[j]
                slopes[j] *= 2
        values[i] = total
        for c in range(d):
            pull = 0.0
            for j in range(n):
                pull += slopes[j] * (columns[c, i] - columns[c, j])
            force[i, c] = pull
