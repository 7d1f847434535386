"""The eigenvectors of a graph's Laplacian, by scikit-learn, as it wants to be asked for them.

They are accurate, as a map must be. Where a descent only starts from them, `latentmap.model.spectral` finds them to few
digits, of far more rows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.manifold import spectral_embedding

from latentmap.model.limits import limited


def eigenmaps(weights: np.ndarray | sp.csr_array, d: int, *, is_normalised: bool = True, seed: int = 0) -> np.ndarray:
    """Return the eigenvectors of the smallest eigenvalues of a graph's Laplacian, without the constant one.

    Parameters
    ----------
    weights : ndarray or csr_array of shape (n, n)
        Symmetric, and in one piece.
    d : int
        How many.
    is_normalised : bool
        Whether rows of large weights count for more.
    seed : int
        Where the search starts.

    Returns
    -------
    ndarray of shape (n, d)

    Examples
    --------
    >>> path = sp.csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    >>> along = eigenmaps(path, 1)[:, 0]
    >>> bool((np.diff(along) > 0).all() or (np.diff(along) < 0).all())
    True
    """
    if not isinstance(weights, np.ndarray):
        # Indices of 64 bits are more than scikit-learn takes.
        indices, indptr = weights.indices.astype(np.int32), weights.indptr.astype(np.int32)
        weights = sp.csr_array((weights.data, indices, indptr), weights.shape)
    # Of few rows all eigenvectors are found, which the one solver can do and the other cannot.
    solver = "lobpcg" if weights.shape[0] <= 5 * (d + 1) else "arpack"
    with limited(1, "blas"):
        return spectral_embedding(
            weights, n_components=d, eigen_solver=solver, random_state=seed, norm_laplacian=is_normalised
        )
