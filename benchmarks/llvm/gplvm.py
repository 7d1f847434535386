"""The Gaussian process latent variable model, to which the paper compares, by GPy."""

from __future__ import annotations

import numpy as np

_MAX_ITER = 100


def gplvm(X: np.ndarray) -> np.ndarray | None:
    """Return the places on a map of two dimensions, from those of the principal components; None without GPy.

    Parameters
    ----------
    X : ndarray of shape (n, D)

    Returns
    -------
    ndarray of shape (n, 2) or None
    """
    try:
        from GPy.models import GPLVM
    except ImportError:
        return None
    centred = X - X.mean(axis=0)
    model = GPLVM(centred / np.abs(centred).max(), 2)
    model.optimize(max_iters=_MAX_ITER)
    return np.asarray(model.X)
