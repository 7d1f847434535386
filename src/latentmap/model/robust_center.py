"""A robust centre and scale of the rows, which a few outliers do not change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Rows that are examined.
_SAMPLE = 256


class RobustCenter(NamedTuple):
    """The centre of the rows and their spread around it.

    Attributes
    ----------
    center : ndarray of float64, shape (D,)
        The median of each column.
    spread : float
        The median over rows of their largest difference from it; 0 if most rows are the same.
    """

    center: np.ndarray
    spread: float


def robust_center(X: np.ndarray) -> RobustCenter:
    """Return the centre and spread of rows, of shape (n, D), estimated from some of them.

    Examples
    --------
    >>> robust_center(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [1e9, 5.0], [1.0, 5.0]]))
    RobustCenter(center=array([2., 5.]), spread=1.0)
    """
    some = X[np.linspace(0, len(X) - 1, min(len(X), _SAMPLE)).astype(int)].astype(float)
    # Not the mean of two values, which could overflow.
    center = np.quantile(some, 0.5, axis=0, method="lower")
    return RobustCenter(center, float(np.median(np.abs(some - center).max(axis=1))))
