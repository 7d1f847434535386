"""The cost of the elastic embedding: neighbours attract each other, and all pairs repel each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import splu

from latentmap.model.compiling import compiled
from latentmap.model.fast_math import expm1
from latentmap.model.workers import Workers, chunks_of

# Pairs that one call of the kernel visits.
_PAIRS = 2.0**18


class Energy:
    """E(X; lambda) of Carreira-Perpinan (6), with its gradient and the lambda at which points separate.

    Parameters
    ----------
    attractive : ndarray or csr_array of shape (n, n)
        W+, symmetric, without a diagonal.
    repulsive : ndarray of shape (n, n)
        W-, symmetric, without a diagonal.
    workers : Workers
        The threads to use.

    Attributes
    ----------
    degrees : ndarray of shape (n,)
        The row sums of W+.

    Examples
    --------
    Two points whose weights are 1 stay together until lambda is 1, and lie sqrt(log(lambda)) apart from then on:

    >>> pair = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> energy = Energy(pair, pair, Workers(1))
    >>> apart = np.array([[0.0], [np.sqrt(np.log(3.0))]])
    >>> bool(np.allclose(energy.cost(apart, 3.0)[1], 0))
    True
    """

    def __init__(self, attractive: np.ndarray | sp.csr_array, repulsive: np.ndarray, workers: Workers) -> None:
        self.attractive, self.repulsive = attractive, np.ascontiguousarray(repulsive)
        self.degrees = np.asarray(attractive.sum(axis=1)).ravel()
        self._laplacian = laplacian(attractive)
        self._workers = workers
        n = len(repulsive)
        self._chunks = chunks_of(np.full(n, float(n)), _PAIRS)

    def cost(self, points: np.ndarray, strength: float) -> tuple[float, np.ndarray]:
        """Return E, Carreira-Perpinan (6), and its gradient (8).

        Parameters
        ----------
        points : ndarray of shape (n, d)
            X.
        strength : float
            lambda.
        """
        pulled = self._laplacian @ points
        force, spread = self._repel(points)
        # The Laplacian's form counts each pair once, (6) counts it twice.
        cost = 2 * float(np.vdot(points, pulled)) + strength * float(spread.sum())
        return cost, 4 * (pulled - strength * force)

    def repelled(self, points: np.ndarray) -> np.ndarray:
        """Return the row sums of w- exp(-|x - x'|^2), the degrees of (9)."""
        return self._repel(points)[1]

    def solver(self, ridge: float) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function that divides arrays of shape (n, d) by L+ + ridge I; L+ alone is singular."""
        if sp.issparse(self._laplacian):
            factors = splu(sp.csc_array(self._laplacian + ridge * sp.eye_array(len(self.repulsive))))
            solve: Callable[[np.ndarray], np.ndarray] = factors.solve
            return solve
        return partial(cho_solve, cho_factor(self._laplacian + ridge * np.eye(len(self.repulsive))))

    def learned(self, points: np.ndarray, strength: float, rows: np.ndarray) -> np.ndarray:
        """Return the learned affinities of some rows to all, of shape (m, n), Carreira-Perpinan (9) and (10)."""
        squared = np.square(points[rows, None] - points).sum(axis=2)
        attractive = self.attractive[rows]
        dense = attractive.toarray() if sp.issparse(attractive) else attractive
        return np.asarray(dense - strength * self.repulsive[rows] * np.exp(-squared))

    def bounds(self) -> tuple[float, float]:
        """Return bounds of the lambda at which the points begin to separate, Carreira-Perpinan (11) and (12).

        Here (11) divides by the largest eigenvalue of L-, which makes it a bound. Our converted text of the paper has
        that of L+, but then the bound would not change if all w- are doubled, although lambda_1 halves.
        """
        pairs = ~np.eye(len(self.repulsive), dtype=bool) & (self.repulsive > 0)
        dense = self._dense(self.attractive)
        similar = np.linalg.eigvalsh(self._dense(self._laplacian))[1:]
        dissimilar = np.linalg.eigvalsh(laplacian(self.repulsive))[1:]
        lower = max(similar[0] / dissimilar[-1], float((dense[pairs] / self.repulsive[pairs]).min(initial=np.inf)))
        # Eigenvalues of 0 imply no bound.
        counts = dissimilar > np.finfo(float).eps * len(dissimilar) * dissimilar[-1]
        rates = similar[counts] / dissimilar[counts]
        upper = min(float(rates.min()), float((self.degrees / self.repulsive.sum(axis=1)).min()))
        # If W+ is disconnected, both are 0 up to rounding.
        return max(float(lower), 0.0), max(upper, 0.0)

    def critical(self) -> tuple[float, np.ndarray]:
        """Return the lambda at which the points begin to separate, and the direction in which they do.

        It is the smallest generalised eigenvalue of (L+, L-) among vectors with the sum 0, beyond which L+ - lambda L-
        is no longer positive semidefinite. The paper only gives bounds.
        """
        n = len(self.repulsive)
        # A shift along the vector of ones removes the eigenvalue 0 that both have.
        ones = np.full((n, n), 1 / n)
        left, right = self._dense(self._laplacian), laplacian(self.repulsive)
        values, vectors = eigh(left + ones * np.trace(left), right + ones * np.trace(right) / n, subset_by_index=[0, 0])
        direction = vectors[:, 0] - vectors[:, 0].mean()
        return float(values[0]), direction / np.linalg.norm(direction)

    def _repel(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return for each point the sums of w- exp(-|x - x'|^2) (x - x') and of w- exp(-|x - x'|^2)."""
        across = np.ascontiguousarray(points.T)
        force, spread = np.empty_like(across), np.empty(len(points))
        self._workers.map(_repel, self._chunks, across, self.repulsive, force, spread)
        return force.T, spread

    @staticmethod
    def _dense(matrix: Any) -> np.ndarray:
        return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)


@compiled
def _repel(
    start: int, stop: int, points: np.ndarray, weights: np.ndarray, force: np.ndarray, spread: np.ndarray
) -> None:
    """Sum w- exp(-|x - x'|^2), and the same times x - x', over all pairs of points start..stop.

    Points and forces have the shape (d, n): contiguous numbers are vectorised.
    """
    d, n = points.shape
    squared, pull = np.empty(n), np.empty(n)
    for i in range(start, stop):
        row = weights[i]
        squared[:] = 0.0
        for c in range(d):
            axis = points[c]
            for j in range(n):
                away = axis[i] - axis[j]
                squared[j] += away * away
        total = 0.0
        for j in range(n):
            pull[j] = row[j] / (1.0 + expm1(squared[j]))
            total += pull[j]
        spread[i] = total
        for c in range(d):
            axis = points[c]
            pushed = 0.0
            for j in range(n):
                pushed += pull[j] * (axis[i] - axis[j])
            force[c, i] = pushed
