"""The update of the variances, Saul (21), shared by all solvers."""

from __future__ import annotations

import numpy as np


def updated_variances(
    variances: np.ndarray,
    spread: np.ndarray,
    weight: np.ndarray,
    d: int,
    limits: tuple[float, float],
    tied: bool = False,
) -> np.ndarray:
    """Return the variances of the M-step, Saul (21), given those of the E-step.

    Parameters
    ----------
    variances : ndarray of shape (n,)
        sigma^2.
    spread : ndarray of shape (n,)
        Twice the gradient of the log-likelihood with respect to the variances.
    weight : ndarray of shape (n,)
        sum_j (S_ij + S_ji + D_ij + D_ji).
    d : int
        Output dimensions.
    limits : (float, float)
        The smallest and the largest variance.
    tied : bool
        Whether all outputs share one variance (Fig. S4).

    Examples
    --------
    >>> import numpy as np
    >>> updated_variances(np.array([2.0, 1.0]), np.array([-3.0, 8.0]), np.array([4.0, 4.0]), 2, (1e-6, 1e6))
    array([0.5, 2. ])
    """
    gain = variances**2 * spread / d
    return np.asarray(np.clip(variances + (gain.sum() / weight.sum() if tied else gain / weight), *limits))
