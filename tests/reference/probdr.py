"""Ravuri and Lawrence (2024), pair by pair and matrix by matrix as it is written; small is n~ = n_- n_# / n."""

import numpy as np


def squared(X):
    return np.sum((X[:, None] - X[None]) ** 2, axis=2)


def cne_bound(X, A, small):
    """(3)."""
    total = 0.0
    for i in range(len(X)):
        for j in range(len(X)):
            if i != j:
                near = 1 / (1 + np.sum((X[i] - X[j]) ** 2))
                total += A[i, j] * np.log(near) + small * (1 - A[i, j]) * np.log(1 - near)
    return total


def bernoulli(X, A, small):
    """The logarithm of the likelihood (4)."""
    total = 0.0
    for i in range(len(X)):
        for j in range(len(X)):
            if i != j:
                p = small / (1 + np.sum((X[i] - X[j]) ** 2))
                total += np.log(p) if A[i, j] else np.log(1 - p)
    return total


def laplacian(A):
    return np.diag(A.sum(axis=1)) - A


def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


def covariance(X, A, small):
    """I + HPH + 2 n~ X X' of (5); X is centred."""
    H, P = centring(len(X)), small / (1 + squared(X))
    return np.eye(len(X)) + H @ P @ H + 2 * small * H @ X @ X.T @ H


def alternative_covariance(X, A, small):
    """I + H P° H of Fig. 1, right."""
    H, P = centring(len(X)), small / (1 + squared(X))
    sums = P.sum(axis=1)
    return np.eye(len(X)) + H @ np.sqrt(P / np.outer(sums, sums)) @ H


def wishart(C, A, small):
    """The logarithm of the Wishart density of L~ = L / n~ with n degrees of freedom and the scale C^-1.

    It is |L~|^((n - p - 1)/2) exp(-tr(V^-1 L~)/2) / |V|^(n/2) with V = C^-1, here without what does not depend on C.
    """
    n = len(A)
    return n / 2 * np.linalg.slogdet(C)[1] - np.trace(laplacian(A) / small @ C) / 2
