"""The intrinsic dimension of a table: how the number of rows around a row grows with the distance from it."""

import numpy as np

from latentmap.model.graph import distance_limits

FEWEST = 4
"""Fewer distances say nothing."""


def intrinsic_dimension(distances: np.ndarray) -> float:
    """Estimate the intrinsic dimension from distances to nearest neighbours.

    By maximum likelihood (Levina and Bickel 2005), pooled over the rows as MacKay and Ghahramani (2005) advise.

    Parameters
    ----------
    distances : ndarray of shape (n, k)
        To the nearest neighbours of each row, in ascending order. Those that the graph takes for copies do not count.

    Returns
    -------
    float
        Infinity if there are too few neighbours, or all are equally far.

    Examples
    --------
    >>> from sklearn.neighbors import NearestNeighbors
    >>> X = np.random.default_rng(0).uniform(size=(2000, 3))
    >>> distances, _ = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()
    >>> round(intrinsic_dimension(distances), 1)
    2.6
    """
    if distances.shape[1] < FEWEST:
        return np.inf
    nearer, farthest = distances[:, :-1].astype(float), distances[:, -1:]
    # Copies of a row are at no distance but that of rounding, whose logarithm would outweigh all others.
    are_apart = (nearer > distance_limits(distances)[0]) & np.isfinite(farthest)
    growth = np.divide(farthest, nearer, where=are_apart, out=np.ones_like(nearer))
    total = np.log(growth).sum()
    # Of each row one degree of freedom is lost to its farthest neighbour.
    n_free = np.maximum(are_apart.sum(axis=1) - 1, 0).sum()
    return float(n_free / total) if total > 0 else np.inf
