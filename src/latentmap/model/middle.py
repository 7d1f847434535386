"""Where most rows lie and how far apart, whatever a few of them do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Rows that are looked at.
_SAMPLE = 256


class Middle(NamedTuple):
    """A point amid the rows.

    Attributes
    ----------
    centre : ndarray of float64, shape (D,)
        The median of each column.
    spread : float
        The median of the largest difference of a row from it; 0 where most rows are the same.
    """

    centre: np.ndarray
    spread: float


def middle(X: np.ndarray) -> Middle:
    """Return a point amid the rows, told from some of them.

    Parameters
    ----------
    X : ndarray of shape (n, D)

    Returns
    -------
    Middle

    Examples
    --------
    >>> middle(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [1e9, 5.0], [1.0, 5.0]]))
    Middle(centre=array([2., 5.]), spread=1.0)
    """
    some = X[np.linspace(0, len(X) - 1, min(len(X), _SAMPLE)).astype(int)].astype(float)
    # Not a mean of two, which may overflow.
    centre = np.quantile(some, 0.5, axis=0, method="lower")
    return Middle(centre, float(np.median(np.abs(some - centre).max(axis=1))))
