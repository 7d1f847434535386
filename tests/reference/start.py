"""Where EM starts (SI, Implementation), for dense weights and distances."""

import numpy as np


def first_outputs(S, dist, d):
    """mu^(0), (n, d): the bottom eigenvectors but the constant one, in units of the width of the inputs.

    The paper names no size. An eigenvector has norm 1 and no unit; with that of the inputs' width the map of c X starts
    c times as large as that of X, and inputs of width 1 start from the eigenvectors as they are.
    """
    return eigenvectors(S, d) * width(dist)


def eigenvectors(S, d):
    """The unit vectors v orthogonal to 1 and to each other that make sum_ij S_ij (v_i - v_j)^2 least, (n, d)."""
    return np.linalg.eigh(quadratic_form(S))[1][:, 1 : d + 1]


def quadratic_form(S):
    """The L of v' L v = sum_ij S_ij (v_i - v_j)^2, entry by entry."""
    L = np.zeros_like(S, dtype=float)
    for i, j in np.argwhere(S != 0):
        L[i, i] += S[i, j]
        L[j, j] += S[i, j]
        L[i, j] -= S[i, j]
        L[j, i] -= S[i, j]
    return L


def width(dist):
    """The root mean square distance from the centroid: sum_ij dist_ij^2 = 2 n sum_i |x_i - mean|^2."""
    return np.sqrt((dist**2).sum() / (2 * len(dist) ** 2))
