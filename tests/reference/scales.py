"""Length scales and weights of the base case, l = 0, for a dense matrix of distances.

A bridge (an edge of E that joins two components) is a similar pair like any other, but its length is no
neighbourhood's: it enters neither Delta_i nor the first sigma_i^2.
"""

from math import inf, log
from typing import NamedTuple

import numpy as np


class BaseCase(NamedTuple):
    S: np.ndarray  # (n, n)
    D: np.ndarray  # (n, n), not yet rescaled
    delta2: np.ndarray  # (n, n)
    Delta2: np.ndarray  # (n, n), the same number along row i
    var: np.ndarray  # (n,)


def base_case(dist, E, bridges, n_components, dof=inf, floor=0.0):
    """S, D, delta^2, Delta^2 and the first sigma^2; a squared distance below `floor` (duplicates) counts as `floor`."""
    dist2 = np.maximum(np.asarray(dist, dtype=float) ** 2, floor)
    c = calibration(dof)
    S = np.where(E, 1.0, 0.0)
    D = np.where(E, 0.0, 1.0)
    np.fill_diagonal(D, 0.0)
    delta2 = dist2 / c  # SI (44)
    radius2 = np.where(E & ~bridges, dist2, 0.0).max(axis=1, keepdims=True)
    Delta2 = np.broadcast_to(radius2 / c, dist2.shape)  # SI (44), second line
    var = radius2[:, 0] / (2 * n_components)
    return BaseCase(S, D, delta2, Delta2, var)


def calibration(dof=inf):
    """c, the ratio of dist^2 to delta^2.

    With c the outputs mu_i, mu_j coincide with probability 1/2 at |mu_i - mu_j| = dist_ij, as sigma^2 goes to 0:
    exp(-c / 2) = 1/2, and (1 + c / (2 alpha))^(-alpha) = 1/2 for finite dof.
    """
    if dof == inf:
        return 2 * log(2)
    alpha = dof / 2
    return 2 * alpha * (2 ** (1 / alpha) - 1)
