"""A start for maps: the bottom eigenvectors of the Laplacian of the similarity weights (Saul, SI)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import lobpcg

from latentmap.model.third_party_warnings import suppress_third_party_warnings
from latentmap.model.thread_limits import limit_threads

# Up to this many rows, all eigenvectors are computed exactly.
_DENSE_LIMIT = 1000
# The same for a graph of aggregates, where iterations cost almost nothing.
_COARSE_DENSE_LIMIT = 200
_COARSE_TOLERANCE = 1e-3
_MAX_ITER = 60
_SMOOTHING_STEPS = 200


def unit_start(
    edges: sp.csr_array, length: float, d: int, random_state: np.random.Generator, tol: float = 1e-4
) -> np.ndarray:
    """Return the eigenvectors with the norm ``length``, from which EM starts.

    Parameters
    ----------
    edges : csr_array of shape (n, n)
        Symmetric similarity weights of a connected graph.
    length : float
        The width of the table.
    d : int
        Output dimensions, below n.
    random_state : numpy.random.Generator
        Draws the initial vectors.
    tol : float
        As in :func:`spectral_start`.

    Returns
    -------
    ndarray of shape (n, d)
        Centred; the norm of each column is ``length``.

    Examples
    --------
    >>> path = sp.csr_array(np.eye(3, k=1) + np.eye(3, k=-1))
    >>> np.abs(unit_start(path, 2.0, 1, np.random.default_rng(0))[:, 0] ** 2).round(6).tolist()
    [2.0, 0.0, 2.0]
    """
    # With more threads, BLAS sums in another order.
    with limit_threads(1, "blas"):
        vectors = _centred_eigenvectors(sp.csr_array(laplacian(edges)), d, random_state, tol)
        return np.asarray(length * vectors / np.linalg.norm(vectors, axis=0))


def spectral_start(
    edges: sp.csr_array, delta2: np.ndarray, d: int, random_state: np.random.Generator, tol: float = 1e-4
) -> np.ndarray:
    """Return the eigenvectors scaled so that edges are as long as their length scales.

    Parameters
    ----------
    edges : csr_array of shape (n, n)
        Symmetric similarity weights of a connected graph.
    delta2 : ndarray of shape (n_edges,)
        Squared length scale of each edge.
    d : int
        Output dimensions, below n.
    random_state : numpy.random.Generator
        Draws the initial vectors.
    tol : float
        Residual, in units of the mean diagonal of the Laplacian, at which the eigenvectors are accurate enough; a start
        need not be precise.

    Returns
    -------
    ndarray of shape (n, d)
        Centred; the weighted mean squared length of the edges is the weighted mean of ``delta2``.

    Examples
    --------
    >>> path = sp.csr_array(np.eye(3, k=1) + np.eye(3, k=-1))
    >>> np.abs(spectral_start(path, np.ones(4), 1, np.random.default_rng(0))[:, 0]).round(6).tolist()
    [1.0, 0.0, 1.0]
    """
    L = sp.csr_array(laplacian(edges))
    # With more threads, BLAS sums in another order.
    with limit_threads(1, "blas"):
        vectors = _centred_eigenvectors(L, d, random_state, tol)
        # sum_ij S_ij |x_i - x_j|^2 = 2 tr(x' L x)
        return np.asarray(vectors * np.sqrt((edges.data @ delta2) / (2 * np.vdot(vectors, L @ vectors))))


def _centred_eigenvectors(L: sp.csr_array, d: int, random_state: np.random.Generator, tol: float) -> np.ndarray:
    """Return the eigenvectors after the constant one, each with its largest entry positive."""
    n = L.shape[0]
    if n <= max(_DENSE_LIMIT, 10 * (d + 1)):
        vectors = np.linalg.eigh(L.toarray())[1][:, 1 : d + 1]
    else:
        found = _bottom_eigenvectors(L, d, random_state, tol)
        vectors = _smooth_vectors(L, d, random_state) if found is None else found
    vectors = vectors - vectors.mean(axis=0)
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(d)])
    return np.asarray(vectors)


@suppress_third_party_warnings
def _bottom_eigenvectors(L: sp.csr_array, d: int, random_state: np.random.Generator, tol: float) -> np.ndarray | None:
    """Return the eigenvectors after the constant one, or None if the iteration breaks down."""
    import pyamg

    # The hierarchy needs a definite matrix; a shift does not change the eigenvectors.
    shifted = sp.csr_matrix(L + 1e-6 * L.diagonal().mean() * sp.eye_array(L.shape[0]))
    try:
        # Unsmoothed aggregates take a tenth of the time, and the columns of the prolongation stay orthonormal, so that
        # the eigenvectors on one level approximate those on the next finer one.
        hierarchy = pyamg.smoothed_aggregation_solver(shifted, smooth=None, improve_candidates=None)
        vectors = _nested_eigenvectors(hierarchy.levels, d, random_state, tol)
    except (np.linalg.LinAlgError, ValueError, ArithmeticError):
        return None
    if not np.all(np.isfinite(vectors)) or np.linalg.matrix_rank(vectors) < d:
        return None
    return vectors


def _nested_eigenvectors(levels: list[Any], d: int, random_state: np.random.Generator, tol: float) -> np.ndarray:
    """Return the bottom eigenvectors on the finest level, computed on a coarse one and refined level by level."""
    from pyamg.multilevel import MultilevelSolver

    n_nodes = [level.A.shape[0] for level in levels]
    coarsest = max(depth for depth, n in enumerate(n_nodes) if n > 10 * (d + 1))
    if coarsest > 0 and n_nodes[coarsest] <= _COARSE_DENSE_LIMIT:
        coarsest -= 1
        vectors = levels[coarsest].P @ np.linalg.eigh(levels[coarsest + 1].A.toarray())[1][:, 1 : d + 1]
    else:
        vectors = random_state.standard_normal((n_nodes[coarsest], d))
    for depth in range(coarsest, -1, -1):
        A = levels[depth].A
        values, vectors = lobpcg(
            A,
            vectors,
            M=MultilevelSolver(levels[depth:]).aspreconditioner(),
            Y=levels[depth].B,
            tol=(_COARSE_TOLERANCE if depth else tol) * A.diagonal().mean(),
            maxiter=_MAX_ITER,
            largest=False,
        )
        vectors = vectors[:, np.argsort(values)]
        if depth > 0:
            vectors = levels[depth - 1].P @ vectors
    return np.asarray(vectors)


def _smooth_vectors(L: sp.csr_array, d: int, random_state: np.random.Generator) -> np.ndarray:
    """Return random vectors, smoothed along the graph and orthogonalised, which cannot fail."""
    vectors = random_state.standard_normal((L.shape[0], d))
    step = (0.5 / L.diagonal())[:, None]
    for _ in range(_SMOOTHING_STEPS):
        vectors -= step * (L @ vectors)
        # Otherwise all would converge to the slowest-decaying one.
        vectors = np.linalg.qr(vectors - vectors.mean(axis=0))[0]
    return vectors
