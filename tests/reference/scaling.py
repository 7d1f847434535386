"""The lecture on embeddings, step by step as it is written, and the papers of the methods that it names."""

import numpy as np
from scipy.linalg import eigh


def gram(D):
    """B = -H D H / 2, of squared distances."""
    H = np.eye(len(D)) - np.ones((len(D), len(D))) / len(D)
    return -0.5 * H @ D @ H


def classical(D, k):
    """Classical multidimensional scaling, steps 1 to 6."""
    values, U = np.linalg.eigh(gram(D))
    order = np.argsort(values)[::-1]
    Lambda = np.diag(np.maximum(values[order], 0))
    return (U[:, order] @ np.sqrt(Lambda))[:, :k]


def absolute(Y, D):
    """The cost of the lecture, where D holds distances."""
    return sum(abs(D[i, j] ** 2 - np.sum((Y[i] - Y[j]) ** 2)) for i in range(len(Y)) for j in range(len(Y)))


def squared(Y, D):
    """The same, of squares."""
    return sum((D[i, j] ** 2 - np.sum((Y[i] - Y[j]) ** 2)) ** 2 for i in range(len(Y)) for j in range(len(Y)))


def geodesics(X, k):
    """The lengths of the shortest paths through the graph of k nearest neighbours, by Floyd and Warshall."""
    n = len(X)
    lengths = np.full((n, n), np.inf)
    for i in range(n):
        away = np.sqrt(np.sum((X - X[i]) ** 2, axis=1))
        away[i] = np.inf
        for j in np.argsort(away)[:k]:
            lengths[i, j] = lengths[j, i] = away[j]
        lengths[i, i] = 0
    for via in range(n):
        lengths = np.minimum(lengths, lengths[:, via, None] + lengths[None, via])
    return lengths


def landmarks(D, D_new, k):
    """De Silva and Tenenbaum: squared distances between landmarks, and of a new point to each of them."""
    values, U = np.linalg.eigh(gram(D))
    order = np.argsort(values)[::-1][:k]
    L = np.array([U[:, a] / np.sqrt(values[a]) for a in order])
    return -0.5 * L @ (D_new - D.mean(axis=1))


def locally_linear(X, k, d, reg):
    """Roweis and Saul: weights that sum to 1, and the bottom eigenvectors of (I - W)' (I - W)."""
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        away = np.sum((X - X[i]) ** 2, axis=1)
        away[i] = np.inf
        near = np.argsort(away)[:k]
        G = (X[near] - X[i]) @ (X[near] - X[i]).T
        w = np.linalg.solve(G + reg * np.trace(G) * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    values, vectors = np.linalg.eigh((np.eye(n) - W).T @ (np.eye(n) - W))
    return vectors[:, 1 : d + 1], values[1 : d + 1].sum()


def eigenmaps(W, d):
    """Belkin and Niyogi: L y = lambda D y."""
    D = np.diag(W.sum(axis=1))
    values, vectors = eigh(D - W, D)
    return vectors[:, 1 : d + 1], values[1 : d + 1].sum()
