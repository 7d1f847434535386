"""The probability that the latent variables of two rows coincide."""

from __future__ import annotations

import numpy as np


def log_coincidence(r2: np.ndarray, variance: np.ndarray, delta2: float | np.ndarray, dof: float, d: int) -> np.ndarray:
    """Return log P(c = 1), Saul (5), or its heavy-tailed form.

    Parameters
    ----------
    r2 : ndarray
        Squared distances on the map.
    variance : ndarray
        The sums of both variances.
    delta2 : float or ndarray
        The squared length scale.
    dof : float
        Degrees of freedom; infinity is the paper.
    d : int
        Dimensions of the map.

    Examples
    --------
    >>> import numpy as np
    >>> float(np.exp(log_coincidence(np.array(2.0), np.array(0.0), 1.0, 2, 2)))
    0.5
    """
    v = delta2 + variance
    scale = d / 2 * np.log(delta2 / v)
    if np.isinf(dof):
        return np.asarray(scale - r2 / (2 * v))
    return np.asarray(scale - dof / 2 * np.log1p(r2 / (dof * v)))
