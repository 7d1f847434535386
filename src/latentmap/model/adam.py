"""Adam's steps (Kingma and Ba 2015), for points rather than for numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from latentmap.model.compiling import OPTIONS

# Share of the last squared gradients that is kept, and the floor of their root.
_SQUARES_KEPT = 0.99
_TINY = 1e-12


class Adam:
    """Steps up a gradient that is known in part.

    The scale is one number for each point, not for each coordinate, so that the way does not depend on the axes.

    Parameters
    ----------
    shape : (int, int)
        Points, and their dimensions.
    precision : type
        Of the points.
    momentum : float
        Share of the last gradients that is kept.
    unit : float
        A length; gradients are of the order of its inverse.

    Examples
    --------
    >>> import numpy as np
    >>> adam = Adam((1, 2), np.float64, momentum=0.9, unit=1.0)
    >>> adam.moved(np.zeros((1, 2)), np.array([[0.0, 5.0]]), rate=0.1).round(3)
    array([[0.   , 0.141]])
    """

    def __init__(self, shape: tuple[int, int], precision: Any, momentum: float, unit: float) -> None:
        self._drift = np.zeros(shape, precision)
        self._squares = np.zeros(shape[0], precision)
        self._momentum = momentum
        self._floor = _TINY / unit
        self._steps = 0

    def moved(self, points: np.ndarray, gradient: np.ndarray, rate: float) -> np.ndarray:
        """Return where the points are after a step.

        Parameters
        ----------
        points, gradient : ndarray of shape (n, d)
        rate : float
            Length of a step up a gradient that does not change.

        Returns
        -------
        ndarray of shape (n, d)
        """
        self._steps += 1
        result = np.empty_like(points)
        # In the precision of the points, or every product would be made in double precision.
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


@njit(**OPTIONS)
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
