"""What a number says of cells that it was not computed from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr
from sklearn.neighbors import NearestNeighbors


class Half(NamedTuple):
    """What one half of the cells says of each cell.

    Attributes
    ----------
    lost : ndarray of shape (n,)
        The share of its k nearest neighbours among this half that are not its k nearest among this half on the map.
    spacing : ndarray of shape (n,)
        The mean distance of the latter on the map.
    neighbors : ndarray of int, of shape (n, k)
        The former.
    """

    lost: np.ndarray
    spacing: np.ndarray
    neighbors: np.ndarray


def held_out(X: np.ndarray, Y: np.ndarray, seed: int, n_neighbors: int = 15) -> tuple[Half, Half]:
    """Divide the cells at random into halves, and return what each says of all cells."""
    order = np.random.default_rng(seed).permutation(len(X))
    one, other = (_half(X, Y, np.sort(rows), n_neighbors) for rows in np.array_split(order, 2))
    return one, other


def _half(X: np.ndarray, Y: np.ndarray, rows: np.ndarray, k: int) -> Half:
    (_, near), (distances, seen) = (_nearest(points, rows, k) for points in (X, Y))
    lost = [1 - len(np.intersect1d(one, other)) / k for one, other in zip(near, seen, strict=True)]
    return Half(np.array(lost), distances.mean(axis=1), near)


def _nearest(points: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances and numbers of the nearest of some rows, itself excluded, for every row."""
    distances, indices = NearestNeighbors(n_neighbors=k + 1).fit(points[rows]).kneighbors(points)
    indices = rows[indices]
    own = indices == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True
    return distances[~own].reshape(len(points), k), indices[~own].reshape(len(points), k)


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Return Spearman's rank correlation."""
    return float(spearmanr(one, other).statistic)


def partial_correlation(one: np.ndarray, other: np.ndarray, fixed: np.ndarray) -> float:
    """Return the rank correlation of two numbers with a third held fixed."""
    ab, af, bf = correlation(one, other), correlation(one, fixed), correlation(other, fixed)
    return (ab - af * bf) / np.sqrt((1 - af**2) * (1 - bf**2))
