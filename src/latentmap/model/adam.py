"""Adam (Kingma and Ba 2015) with one step size per point instead of one per coordinate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike

from latentmap.model.compiling import compiled

# Decay of the mean squared gradient (beta_2), and the smallest root of it.
_SQUARES_KEPT = 0.99
_TINY = 1e-12


class Adam:
    """Steps up an estimated gradient.

    Each point has one step size, not one per coordinate, so that the path does not depend on the axes.

    Parameters
    ----------
    shape : (int, int)
        Number of points, and their dimensions.
    precision : dtype
        Of the points.
    momentum : float
        Decay of the mean gradient (beta_1).
    unit : float
        The length scale of the map; gradients are of the order of its inverse.

    Examples
    --------
    >>> import numpy as np
    >>> adam = Adam((1, 2), np.float64, momentum=0.9, unit=1.0)
    >>> adam.moved(np.zeros((1, 2)), np.array([[0.0, 5.0]]), rate=0.1).round(3)
    array([[0.   , 0.141]])
    """

    def __init__(self, shape: tuple[int, int], precision: DTypeLike, momentum: float, unit: float) -> None:
        self._drift = np.zeros(shape, precision)
        self._squares = np.zeros(shape[0], precision)
        self._momentum = momentum
        self._floor = _TINY / unit
        self._steps = 0

    def moved(self, points: np.ndarray, gradient: np.ndarray, rate: float) -> np.ndarray:
        """Return the points after one step, which has the length ``rate`` up a constant gradient."""
        self._steps += 1
        result = np.empty_like(points)
        # In the precision of the points, or every product would be computed in double precision.
        of = points.dtype.type
        _move(
            points,
            gradient,
            self._drift,
            self._squares,
            of(1 - self._momentum),
            of(1 - _SQUARES_KEPT),
            of(1 / (1 - _SQUARES_KEPT**self._steps)),
            of(rate / (1 - self._momentum**self._steps)),
            of(self._floor),
            of(1 / points.shape[1]),
            result,
        )
        return result


@compiled
def _move(
    points: np.ndarray,
    gradient: np.ndarray,
    drift: np.ndarray,
    squares: np.ndarray,
    news: float,
    news_of_squares: float,
    unbiased: float,
    rate: float,
    floor: float,
    mean: float,
    result: np.ndarray,
) -> None:
    n, d = points.shape
    for i in range(n):
        square = floor * 0
        for c in range(d):
            square += gradient[i, c] * gradient[i, c]
            drift[i, c] += news * (gradient[i, c] - drift[i, c])
        squares[i] += news_of_squares * (square * mean - squares[i])
        share = rate / (math.sqrt(squares[i] * unbiased) + floor)
        for c in range(d):
            result[i, c] = points[i, c] + share * drift[i, c]
