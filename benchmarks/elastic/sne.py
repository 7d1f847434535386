"""Stochastic neighbour embedding (Hinton and Roweis 2003), with which the paper compares."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.sparse.csgraph import laplacian

from latentmap.methods import ElasticEmbedding
from latentmap.methods.elastic.energy import Energy
from latentmap.model.workers import Workers

SPREAD = 1e-2
"""Of random starts: all points at one place are a saddle, which a descent from much nearer hardly leaves."""
# By what part of the cost a step must lower it.
_TOL = 1e-10


class Cost:
    """E_SNE of Carreira-Perpinan (5), as a special case of (6): w- that depends on the map.

    With Z_n the sum of exp(-|x_n - x_m|^2) over all others, the gradient of sum log Z is that of repulsion by
    w-_nm = (1/Z_n + 1/Z_m)/2 at lambda = 1, with the weights held.

    Parameters
    ----------
    attractive : ndarray of shape (n, n)
        (P + P')/2.
    workers : Workers
        The threads to use.
    """

    def __init__(self, attractive: np.ndarray, workers: Workers) -> None:
        n = len(attractive)
        self._laplacian, self._workers = laplacian(attractive), workers
        self._nothing = sp.csr_array((n, n))
        self._alike = Energy(self._nothing, 1 - np.eye(n), workers)

    def __call__(self, points: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the cost and its gradient at some points, of shape (n, d)."""
        near = np.maximum(self._alike.repelled(points), np.finfo(float).tiny)
        weights = (1 / near[:, None] + 1 / near) / 2
        np.fill_diagonal(weights, 0)
        _, pushed = Energy(self._nothing, weights, self._workers).cost(points, 1.0)
        pulled = self._laplacian @ points
        return 2 * float(np.vdot(points, pulled)) + float(np.log(near).sum()), 4 * pulled + pushed


def affinities(X: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return (P + P')/2 of (1), whose rows have so many neighbours in effect."""
    weights = ElasticEmbedding(n_neighbors, lam=1.0, max_iter=1).fit(X).weights_.attractive
    assert isinstance(weights, np.ndarray)
    return weights


def embed(X: np.ndarray, n_neighbors: int, init: np.ndarray, max_iter: int) -> np.ndarray:
    """Return the map that L-BFGS finds from a start, of shape (n, d), within so many iterations."""
    with Workers(-1) as workers:
        cost = Cost(affinities(X, n_neighbors), workers)

        def flat(places: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = cost(places.reshape(init.shape))
            return value, gradient.ravel()

        options = {"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": _TOL}
        found = minimize(flat, init.ravel(), jac=True, method="L-BFGS-B", options=options)
    return found.x.reshape(init.shape)
