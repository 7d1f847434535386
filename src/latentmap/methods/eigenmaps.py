"""The eigenvectors of a graph's Laplacian, by scikit-learn.

They are accurate, as a map requires. For a start, `latentmap.model.spectral_start` finds them to few digits for far
more rows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.manifold import spectral_embedding

from latentmap.model.thread_limits import limit_threads


def eigenmaps(weights: np.ndarray | sp.csr_array, d: int, *, is_normalised: bool = True, seed: int = 0) -> np.ndarray:
    """Return the eigenvectors of the smallest eigenvalues of a graph's Laplacian, without the constant one.

    Parameters
    ----------
    weights : ndarray or csr_array of shape (n, n)
        Symmetric weights of a connected graph.
    d : int
        Number of eigenvectors.
    is_normalised : bool
        Whether to use the normalised Laplacian, in which rows with large weights count more.
    seed : int
        Draws the initial vectors.

    Examples
    --------
    >>> path = sp.csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    >>> along = eigenmaps(path, 1)[:, 0]
    >>> bool((np.diff(along) > 0).all() or (np.diff(along) < 0).all())
    True
    """
    if not isinstance(weights, np.ndarray):
        # scikit-learn does not accept 64-bit indices.
        indices, indptr = weights.indices.astype(np.int32), weights.indptr.astype(np.int32)
        weights = sp.csr_array((weights.data, indices, indptr), weights.shape)
    # For few rows, all eigenvectors are needed, which only this solver can compute.
    solver = "lobpcg" if weights.shape[0] <= 5 * (d + 1) else "arpack"
    with limit_threads(1, "blas"):
        return np.asarray(
            spectral_embedding(
                weights, n_components=d, eigen_solver=solver, random_state=seed, norm_laplacian=is_normalised
            )
        )
