"""Stochastic triplet embedding (van der Maaten and Weinberger 2012), comparison by comparison as it is written."""

import numpy as np


def kernel(squared, dof):
    """(3) and (5), where a Student kernel of infinitely many degrees of freedom is the Gaussian."""
    return np.exp(-squared / 2) if np.isinf(dof) else (1 + squared / dof) ** (-(dof + 1) / 2)


def cost(Y, quadruplets, dof):
    """Minus the logarithm of the product of (4); -1 stands for both ends of a pair one unit apart."""
    total = 0.0
    for i, j, u, v in quadruplets:
        near = kernel(1.0 if i == -1 else np.sum((Y[i] - Y[j]) ** 2), dof)
        far = kernel(1.0 if u == -1 else np.sum((Y[u] - Y[v]) ** 2), dof)
        total -= np.log(near / (near + far))
    return total
