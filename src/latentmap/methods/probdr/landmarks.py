"""The Wishart model of ProbDR for more rows, with the determinant estimated by landmarks."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky, solve_triangular
from scipy.spatial.distance import cdist

from latentmap.model.compiling import compiled
from latentmap.model.thread_limits import limit_threads
from latentmap.model.workers import Workers, chunks_of

LANDMARKS = 100
"""Landmarks at each iteration: for 5000 digits their map has 99 % of the neighbours of the exact one."""

# Added to the diagonal of the landmarks' own q, which would be singular if two of them coincide.
_TINY = 1e-8
# Pairs that one block of rows visits, in some tens of MB.
_PAIRS = 2.0**21


class LandmarkWishart:
    """log p(X | L) up to a constant, Ravuri and Lawrence (5), with an estimate of n/2 log|C|.

    Some rows, the landmarks, represent all: P is approximated from their columns of it (Nystrom), so that C is I plus a
    matrix of low rank. The trace is that of the true P. As the approximation only removes from P, log|C| is
    underestimated, the more so the fewer landmarks there are for the size of the map. So the result of :meth:`value`
    cannot be compared with that of :class:`~latentmap.methods.probdr.wishart.WishartLikelihood`, nor between landmarks.

    The gradient is not that of this value, which would only move rows relative to the landmarks. It is that of the true
    log|C|, over all pairs, with the approximation of C in its inverse; each step draws other landmarks.

    Parameters
    ----------
    adjacency : csr_array of shape (n, n)
        A: binary, symmetric, without a diagonal.
    small : float
        n~.
    workers : Workers
        The threads to use.
    seed : int
        Chooses the landmarks.
    n_landmarks : int
        Number of landmarks; all rows, if there are fewer.

    Examples
    --------
    Three rows, each adjacent to both others: with all as landmarks, which is exact, and with one.

    >>> all_of_three = sp.csr_array(1.0 - np.eye(3))
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> [round(LandmarkWishart(all_of_three, 0.5, Workers(1), 0, m).value(points), 2) for m in (3, 1)]
    [-13.13, -13.52]
    """

    def __init__(
        self, adjacency: sp.csr_array, small: float, workers: Workers, seed: int, n_landmarks: int = LANDMARKS
    ) -> None:
        n = adjacency.shape[0]
        self._adjacency, self._small, self._workers, self._seed = adjacency, small, workers, seed
        self._n_landmarks = min(n_landmarks, n)
        self._rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
        self._blocks = chunks_of(np.full(n, float(n)), _PAIRS)

    def value(self, points: np.ndarray) -> float:
        """Estimate log p(X | L) at points of shape (n, d), always with the same landmarks."""
        away = self._one_plus_squared(points)
        with limit_threads(1, "blas"):
            factor = _factor(self._root(points, 0))
        # Ravuri, above (5): as each row of L~ sums to 0, tr(L~ C) is the sum of n~/P - P/n~ over neighbours.
        return len(points) * float(np.log(np.diag(factor)).sum()) - float((away - 1 / away).sum()) / 2

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Estimate its gradient; each step draws other landmarks."""
        n = len(points)
        pushed = np.empty_like(points)
        with limit_threads(1, "blas"):
            root = self._root(points, step)
            # H C^-1 H = H - W W'.
            W = np.ascontiguousarray(solve_triangular(_factor(root), root.T, lower=True).T)
            centred = points - points.mean(axis=0)
            linear = centred - W @ (W.T @ centred)
            positions = np.ascontiguousarray(centred.T, np.float32)
            self._workers.map(_pushed, self._blocks, positions, W.astype(np.float32), pushed)
        slopes = 1 + 1 / np.square(self._one_plus_squared(points))
        pulls = sp.csr_array((slopes, self._adjacency.indices, self._adjacency.indptr), self._adjacency.shape)
        pulled = pulls.sum(axis=1)[:, None] * points - pulls @ points
        return np.asarray(2 * n * self._small * (pushed + linear) - 2 * pulled)

    def _root(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return U, of shape (n, m + d), where C of Ravuri (5), I + HPH + 2 n~ HX X'H, is about I + U U'."""
        n = len(points)
        some = np.random.default_rng([self._seed, step]).choice(n, self._n_landmarks, replace=False)
        near = 1 / (1 + cdist(points[some], points, "sqeuclidean"))
        own = near[:, some]
        own[np.diag_indices_from(own)] += _TINY
        by_landmarks = solve_triangular(cholesky(own, lower=True), near, lower=True).T
        root = np.hstack([np.sqrt(self._small) * by_landmarks, np.sqrt(2 * self._small) * points])
        return np.asarray(root - root.mean(axis=0))

    def _one_plus_squared(self, points: np.ndarray) -> np.ndarray:
        """Return 1 + d^2 of all neighbours."""
        return np.asarray(1 + np.square(points[self._rows] - points[self._adjacency.indices]).sum(axis=1))


def _factor(root: np.ndarray) -> np.ndarray:
    """Return the Cholesky factor of I + U' U, whose determinant equals that of I + U U'."""
    return np.asarray(cholesky(np.eye(root.shape[1]) + root.T @ root, lower=True))


def _pushed(start: int, stop: int, positions: np.ndarray, W: np.ndarray, pushed: np.ndarray) -> None:
    """Sum (x - x') q^2 (1/n + w w') over all pairs of points start..stop, given as positions of shape (d, n)."""
    _push(start, positions, W[start:stop] @ W.T, pushed)


@compiled
def _push(start: int, positions: np.ndarray, slopes: np.ndarray, pushed: np.ndarray) -> None:
    d, n = positions.shape
    of = positions.dtype.type
    floor = of(1 / n)
    away = np.empty_like(positions[0])
    for i in range(len(slopes)):
        away[:] = of(1)
        # Coordinate by coordinate, so that the loops over points are vectorised.
        for c in range(d):
            here = positions[c, start + i]
            for j in range(n):
                away[j] += (here - positions[c, j]) * (here - positions[c, j])
        for j in range(n):
            slopes[i, j] = (floor + slopes[i, j]) / (away[j] * away[j])
        for c in range(d):
            here, total = positions[c, start + i], of(0)
            for j in range(n):
                total += slopes[i, j] * (here - positions[c, j])
            pushed[start + i, c] = total
