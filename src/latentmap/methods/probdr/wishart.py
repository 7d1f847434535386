"""The models of ProbDR in which the graph's Laplacian is drawn from a Wishart distribution."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse.csgraph import laplacian

from latentmap.model.thread_limits import limit_threads


class WishartLikelihood:
    """log p(X | L) up to a constant, Ravuri and Lawrence (5).

    L~ = L / n~ is drawn from a Wishart distribution with n degrees of freedom, of which C is the inverse scale:
    log p = (n log|C| - tr(L~ C)) / 2. The latent points X are replaced by the centred H X, since otherwise log|C| would
    grow without bound as they all move away together, which does not change the trace.

    Parameters
    ----------
    adjacency : csr_array of shape (n, n)
        A: binary, symmetric, without a diagonal.
    small : float
        n~.
    is_normalised : bool
        Whether C is the alternative of Fig. 1, right.
    """

    def __init__(self, adjacency: sp.csr_array, small: float, is_normalised: bool) -> None:
        self._small, self._is_normalised = small, is_normalised
        self._laplacian = sp.csr_array(laplacian(adjacency)) / small
        self._rows = np.repeat(np.arange(adjacency.shape[0]), np.diff(self._laplacian.indptr))

    def value(self, points: np.ndarray) -> float:
        """Return log p(X | L) at points of shape (n, d), without constants such as tr(L~) / 2."""
        with limit_threads(1, "blas"):
            near = _near(points)
            covariance = self._covariance(near, points)
            # Each row of L~ sums to 0, so that centring does not matter.
            trace = float(self._laplacian.data @ covariance[self._rows, self._laplacian.indices])
            factor = dpotrf(_centred(covariance).T, lower=1, overwrite_a=1)[0]
            return len(points) * float(np.log(np.diag(factor)).sum()) - trace / 2

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return its gradient."""
        with limit_threads(1, "blas"):
            near = _near(points)
            slopes = _inverse(_centred(self._covariance(near, points)))
            pushed = slopes @ (points - points.mean(axis=0))
            # The derivative of (n log|C| - tr(L~ C)) / 2 with respect to C is n/2 H C^-1 H - L~/2.
            n = len(points)
            slopes -= 1 / n
            slopes *= n / 2
            slopes[self._rows, self._laplacian.indices] -= self._laplacian.data / 2
            if self._is_normalised:
                return _pulled(self._by_normalised(slopes, near), points)
            slopes *= self._small * np.square(near, out=near)
            linear = 2 * self._small * (n * pushed - self._laplacian @ points)
            return np.asarray(_pulled(slopes, points) + linear)

    def _covariance(self, near: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Return P + 2 n~ X X', or P°, which is then centred and added to I."""
        if self._is_normalised:
            return np.asarray(_normalised(near) / np.sqrt(self._small))
        return np.asarray(self._small * near + (2 * self._small * points) @ points.T)

    def _by_normalised(self, slopes: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Convert derivatives with respect to P° into those with respect to q = 1 / (1 + d^2), times q^2."""
        slopes *= _normalised(near)
        slopes *= 0.5 / np.sqrt(self._small)
        shares = slopes.sum(axis=1) / near.sum(axis=1)
        slopes *= near
        slopes -= np.add.outer(shares, shares) * np.square(near)
        return slopes


def _near(points: np.ndarray) -> np.ndarray:
    """Return q = 1 / (1 + d^2) of all pairs."""
    away = np.ones((len(points), len(points)))
    for along in points.T:
        away += np.square(np.subtract.outer(along, along))
    return np.reciprocal(away, out=away)


def _normalised(near: np.ndarray) -> np.ndarray:
    """Return sqrt(q_ij / (sum_k q_ik sum_k q_jk))."""
    roots = np.sqrt(near.sum(axis=1))
    result = np.sqrt(near)
    result /= roots
    result /= roots[:, None]
    return np.asarray(result)


def _centred(matrix: np.ndarray) -> np.ndarray:
    """Return I + H M H, which overwrites the symmetric M."""
    means = matrix.mean(axis=0)
    matrix -= means
    matrix -= means[:, None]
    matrix += means.mean()
    matrix[np.diag_indices_from(matrix)] += 1
    return matrix


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of a positive definite matrix, which is overwritten."""
    # A symmetric matrix is the same in Fortran order, and need not be copied.
    factor = dpotrf(matrix.T, lower=1, overwrite_a=1)[0]
    inverse = dpotri(factor, lower=1, overwrite_c=1)[0]
    inverse += np.tril(inverse, -1).T
    return np.asarray(inverse)


def _pulled(slopes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the gradient, given symmetric derivatives with respect to q times q^2: dq = -q^2 d(d^2)."""
    return np.asarray(4 * (slopes @ points - slopes.sum(axis=1)[:, None] * points))
