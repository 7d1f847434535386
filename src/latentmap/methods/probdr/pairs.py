"""The models of ProbDR with independent pairs of rows: CNE bound and Bernoulli model."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse as sp

from latentmap.model import sampled_kernels
from latentmap.model.compiling import compiled
from latentmap.model.sampled import SampledPairs
from latentmap.model.workers import Workers, chunks_of

SQUARED_EPSILON = 1e-6
"""Added to squared distances, so that the repulsion of coincident rows stays within single precision."""
# Pairs that one call of the kernel visits.
_PAIRS = 2.0**18


class DistantPairs(Protocol):
    """The sum of log(1 - p) over all pairs in both directions, where p = share / (1 + d^2)."""

    def value(self, points: np.ndarray) -> float:
        """Return the sum."""

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return its gradient, of the shape of the points."""


class PairLikelihood:
    """log p(X | A) with independent pairs, Ravuri and Lawrence (3) and (4).

    Both are the sum over all pairs, in both directions, of A log(share / (1 + d^2)) for adjacent ones and of
    weight (1 - A) log(1 - share / (1 + d^2)) for the others. In the CNE bound the weight is n~ and the share 1, in the
    Bernoulli model vice versa.

    Parameters
    ----------
    adjacency : csr_array of shape (n, n)
        A: binary, symmetric, without a diagonal.
    weight, share : float
        As above; the share is at most 1.
    apart : DistantPairs
        The sum over all pairs, for the same share.

    Examples
    --------
    Two adjacent rows at a distance of 1 in the Bernoulli model with n~ = 0.5: log(0.25), twice.

    >>> both = sp.csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> model = PairLikelihood(both, 1.0, 0.5, EveryPair(2, 0.5, Workers(1)))
    >>> round(model.value(np.array([[0.0], [1.0]])), 4)
    -2.7726
    """

    def __init__(self, adjacency: sp.csr_array, weight: float, share: float, apart: DistantPairs) -> None:
        self._weight, self._share, self._apart = weight, share, apart
        self._adjacency = adjacency
        self._rows = np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr))

    def value(self, points: np.ndarray) -> float:
        """Return log p(X | A) at points of shape (n, d), or the CNE bound up to a constant."""
        away = self._one_plus_squared(points)
        near = np.log(self._share / away) - self._weight * np.log1p(-self._share / away)
        return float(near.sum() + self._weight * self._apart.value(points))

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return its gradient, or an unbiased estimate if pairs are sampled, anew at each step."""
        away = self._one_plus_squared(points)
        slopes = -1 / away - self._weight * self._share / (away * (away - self._share))
        pulls = sp.csr_array((slopes, self._adjacency.indices, self._adjacency.indptr), self._adjacency.shape)
        pulled = pulls.sum(axis=1)[:, None] * points - pulls @ points
        return np.asarray(4 * pulled + self._weight * self._apart.gradient(points, step))

    def _one_plus_squared(self, points: np.ndarray) -> np.ndarray:
        """Return 1 + d^2 of the adjacent pairs."""
        return np.asarray(
            1 + SQUARED_EPSILON + np.square(points[self._rows] - points[self._adjacency.indices]).sum(axis=1)
        )


class EveryPair:
    """All pairs counted, in any number of dimensions, in a time that grows with n^2.

    Parameters
    ----------
    n : int
        Number of points.
    share : float
        As in :class:`DistantPairs`.
    workers : Workers
        The threads to use.
    """

    def __init__(self, n: int, share: float, workers: Workers) -> None:
        self._share, self._workers = share, workers
        self._chunks = chunks_of(np.full(n, float(n)), _PAIRS)

    def value(self, points: np.ndarray) -> float:
        """Return the sum of log(1 - p)."""
        return float(sum(self._workers.map(_log_apart, self._chunks, points, self._share)))

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return its gradient."""
        forces = np.empty_like(points)
        self._workers.map(_push, self._chunks, points, self._share, forces)
        return 4 * forces


class Sample:
    """Pairs sampled by :class:`~latentmap.model.sampled.SampledPairs`, in a time that grows with n.

    In two dimensions Saul's probability with heavy tails, Delta^2 / (Delta^2 + 2 sigma^2 + d^2 / 2), is
    share / (1 + d^2) if Delta^2 = share / 2 and sigma^2 = (1 - share) / 4.

    Parameters
    ----------
    n : int
        Number of points, in two dimensions.
    share : float
        As in :class:`DistantPairs`.
    workers : Workers
        The threads to use.
    seed : int
        Chooses the pairs.
    """

    def __init__(self, n: int, share: float, workers: Workers, seed: int) -> None:
        self._pairs = SampledPairs(n, workers, seed)
        self._points = np.empty((n, sampled_kernels.OUTPUT + 2), np.float32)
        self._points[:, sampled_kernels.VARIANCE] = (1 + SQUARED_EPSILON - share) / 4
        self._points[:, sampled_kernels.REACH] = share / 2

    def value(self, points: np.ndarray) -> float:
        """Estimate the sum of log(1 - p), always from the same pairs."""
        return self._pairs.log_likelihood(self._placed(points))

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return an unbiased estimate of its gradient."""
        slopes = np.zeros((len(points), 3), np.float32)
        self._pairs.repel(self._placed(points), 1.0, step, slopes)
        return slopes[:, 1:].astype(float)

    def _placed(self, points: np.ndarray) -> np.ndarray:
        placed = self._points.copy()
        placed[:, sampled_kernels.OUTPUT :] = points
        return placed


@compiled
def _push(start: int, stop: int, points: np.ndarray, share: float, forces: np.ndarray) -> None:
    """Sum (x - x') times the derivative of log(1 - p) with respect to d^2 over all pairs of points start..stop."""
    n, d = points.shape
    for i in range(start, stop):
        for c in range(d):
            forces[i, c] = 0.0
        for j in range(n):
            away = 1.0 + SQUARED_EPSILON
            for c in range(d):
                away += (points[i, c] - points[j, c]) ** 2
            slope = share / (away * (away - share))
            for c in range(d):
                forces[i, c] += slope * (points[i, c] - points[j, c])


@compiled
def _log_apart(start: int, stop: int, points: np.ndarray, share: float) -> float:
    """Sum log(1 - p) over all pairs of points start..stop."""
    n, d = points.shape
    total = 0.0
    for i in range(start, stop):
        for j in range(n):
            away = 1.0 + SQUARED_EPSILON
            for c in range(d):
                away += (points[i, c] - points[j, c]) ** 2
            if j != i:
                total += np.log1p(-share / away)
    return total
