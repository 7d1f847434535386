"""Carreira-Perpinan (2010), pair by pair as it is written."""

import numpy as np


def energy(X, attractive, repulsive, strength):
    """(6)."""
    total = 0.0
    for n in range(len(X)):
        for m in range(len(X)):
            squared = np.sum((X[n] - X[m]) ** 2)
            total += attractive[n, m] * squared + strength * repulsive[n, m] * np.exp(-squared)
    return total


def gradient(X, attractive, repulsive, strength):
    """(8), by the Laplacian of the learned affinities."""
    squared = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    learned = attractive - strength * repulsive * np.exp(-squared)
    return 4 * (np.diag(learned.sum(axis=1)) - learned) @ X


def energy_of_new(x, y, X, Y, attraction, strength):
    """E'(x, y) of section 4.5, where w- is the squared distance."""
    total = 0.0
    for n in range(len(X)):
        squared, far = np.sum((x - X[n]) ** 2), np.sum((y - Y[n]) ** 2)
        total += 2 * (attraction(y, n) * squared + strength * far * np.exp(-squared))
    return total


def laplacian(weights):
    """D - W."""
    return np.diag(weights.sum(axis=1)) - weights


def stochastic_neighbors(X, P):
    """E_SNE of (3), with q of (2); p is 0 for a point and itself."""
    total = 0.0
    for n in range(len(X)):
        near = [np.exp(-np.sum((X[n] - X[m]) ** 2)) for m in range(len(X))]
        others = sum(near) - near[n]
        for m in range(len(X)):
            if m != n:
                total += P[n, m] * np.log(P[n, m] / (near[m] / others))
    return total
