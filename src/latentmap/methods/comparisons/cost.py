"""The cost of disagreeing with comparisons: the likelihood of stochastic triplet embedding."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from latentmap.methods.comparisons.comparisons import UNIT, Comparisons


class ComparisonCost:
    """The negative log-likelihood of comparisons, as a cost of points.

    A comparison holds with the probability K / (K + K'), where K = (1 + r^2 / dof)^(-(dof + 1) / 2) falls with the
    distance r of the first pair and K' with that of the second.

    Parameters
    ----------
    comparisons : Comparisons
        Of the points.
    n : int
        Number of points.
    dof : float
        Degrees of freedom of the Student kernel; infinity is the Gaussian exp(-r^2 / 2).

    References
    ----------
    van der Maaten and Weinberger, "Stochastic triplet embedding", MLSP 2012, equations (4) and (5), for triplets.
    """

    def __init__(self, comparisons: Comparisons, n: int, dof: float) -> None:
        self._near = _Pairs(comparisons.quadruplets[:, :2], n, dof)
        self._far = _Pairs(comparisons.quadruplets[:, 2:], n, dof)

    def cost(self, points: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the cost of points, of shape (n, d), and its gradient."""
        near, away = self._near.kernel(points)
        far, beyond = self._far.kernel(points)
        odds = near - far
        doubts = expit(-odds)[:, None]
        gradient = self._far.spread(doubts * beyond) - self._near.spread(doubts * away)
        return float(np.logaddexp(0, -odds).sum()), gradient


class _Pairs:
    """Pairs of points: the logarithm of their kernel, and its gradient."""

    def __init__(self, pairs: np.ndarray, n: int, dof: float) -> None:
        m = len(pairs)
        self._is_unit = pairs[:, 0] == UNIT
        number = np.flatnonzero(~self._is_unit)
        one, other = pairs[number].T
        signs = np.repeat([1.0, -1.0], len(number))
        self._differences = sp.csr_array((signs, (np.tile(number, 2), np.concatenate([one, other]))), (m, n))
        self._dof = dof

    def kernel(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return log K of each pair, and its gradient with respect to the first point of the pair."""
        away = self._differences @ points
        squared = np.where(self._is_unit, 1.0, np.square(away).sum(axis=1))
        if np.isinf(self._dof):
            return -squared / 2, -away
        slopes = -(self._dof + 1) / (self._dof + squared)
        return -(self._dof + 1) / 2 * np.log1p(squared / self._dof), slopes[:, None] * away

    def spread(self, forces: np.ndarray) -> np.ndarray:
        """Sum for each point the forces on the first points of pairs, and their opposites on the second points."""
        return np.asarray(self._differences.T @ forces)
