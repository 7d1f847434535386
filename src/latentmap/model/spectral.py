"""Where EM starts: the bottom eigenvectors of the Laplacian of the similarity weights (Saul, SI)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import lobpcg
from threadpoolctl import threadpool_limits

# Up to this many rows, all eigenvectors are found at once and exactly.
_DENSE_LIMIT = 1000
# A start need not be an eigenvector to many digits.
_TOLERANCE = 1e-4
_MAX_ITER = 60
_SMOOTHING_STEPS = 200


def spectral_start(edges: sp.csr_array, delta2: np.ndarray, d: int, random_state: np.random.Generator) -> np.ndarray:
    """Return the outputs that EM starts from.

    Parameters
    ----------
    edges : csr_array of shape (n, n)
        Symmetric similarity weights of a connected graph.
    delta2 : ndarray of shape (n_edges,)
        Squared length scale of each edge.
    d : int
        Output dimensions, below n.
    random_state : numpy.random.Generator
        Source of the first guess.

    Returns
    -------
    ndarray of shape (n, d)
        Centred; the weighted mean squared length of the edges is the weighted mean of ``delta2``.
    """
    n = edges.shape[0]
    L = sp.csr_array(laplacian(edges))
    # More threads of BLAS add up in another order.
    with threadpool_limits(1, "blas"):
        if n <= max(_DENSE_LIMIT, 10 * (d + 1)):
            vectors = np.linalg.eigh(L.toarray())[1][:, 1 : d + 1]
        else:
            found = _bottom_eigenvectors(L, d, random_state)
            vectors = _smooth_vectors(L, d, random_state) if found is None else found
    vectors = vectors - vectors.mean(axis=0)
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(d)])
    rows = np.repeat(np.arange(n), np.diff(edges.indptr))
    squared = np.sum((vectors[rows] - vectors[edges.indices]) ** 2, axis=1)
    return vectors * np.sqrt((edges.data @ delta2) / (edges.data @ squared))


def _bottom_eigenvectors(L: sp.csr_array, d: int, random_state: np.random.Generator) -> np.ndarray | None:
    """Return the eigenvectors above the constant one, or None where the iteration breaks down."""
    import pyamg

    n = L.shape[0]
    # The hierarchy needs a definite matrix; a shift moves no eigenvector.
    shifted = sp.csr_matrix(L + 1e-6 * L.diagonal().mean() * sp.eye_array(n))
    guess = random_state.standard_normal((n, d))
    try:
        with _numpy_seeded(int(random_state.integers(2**31))), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hierarchy = pyamg.smoothed_aggregation_solver(shifted)
            values, vectors = lobpcg(
                shifted,
                guess,
                M=hierarchy.aspreconditioner(),
                Y=np.full((n, 1), n**-0.5),
                tol=_TOLERANCE * L.diagonal().mean(),
                maxiter=_MAX_ITER,
                largest=False,
            )
    except (np.linalg.LinAlgError, ValueError, ArithmeticError):
        return None
    if not np.all(np.isfinite(vectors)) or np.linalg.matrix_rank(vectors) < d:
        return None
    return vectors[:, np.argsort(values)]


def _smooth_vectors(L: sp.csr_array, d: int, random_state: np.random.Generator) -> np.ndarray:
    """Return random vectors, smoothed along the graph and made orthogonal: this cannot fail."""
    vectors = random_state.standard_normal((L.shape[0], d))
    step = (0.5 / L.diagonal())[:, None]
    for _ in range(_SMOOTHING_STEPS):
        vectors -= step * (L @ vectors)
        # Without it all would turn into the one that fades last.
        vectors = np.linalg.qr(vectors - vectors.mean(axis=0))[0]
    return vectors


@contextmanager
def _numpy_seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global random state, which pyamg draws from, and put it back."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
