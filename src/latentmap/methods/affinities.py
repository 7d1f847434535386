"""Affinities of rows, computed from their distances: the weights that hold a map together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from latentmap.model import parameter_checks
from latentmap.model.inputs import CHUNK, Neighbors

# Bisections of the interval for a width, as many as double precision resolves.
_HALVINGS = 64
# Widths are sought between these multiples of a row's distances.
_NARROWEST, _WIDEST = 1e-6, 1e6


def gaussian(squared: np.ndarray, width: float | np.ndarray) -> np.ndarray:
    """Return exp(-distance^2 / (2 width^2)).

    Parameters
    ----------
    squared : ndarray
        Squared distances.
    width : float or ndarray
        sigma, in the unit of the distances; arrays are broadcast.

    Examples
    --------
    >>> gaussian(np.array([0.0, 2.0]), 1.0).round(3)
    array([1.   , 0.368])
    """
    return np.exp(-0.5 * squared / np.square(width))


def shared_width(neighbors: Neighbors, width: float | str) -> float:
    """Return the width that the Gaussians of all rows share.

    Parameters
    ----------
    neighbors : Neighbors
        Of all rows.
    width : float or "auto"
        "auto" is the median distance of the k-th neighbour, without copies.

    Returns
    -------
    float
        sigma, in the unit of the distances.
    """
    if width != "auto":
        return float(width)
    # For rows with k copies this distance is 0, which is no valid width.
    farthest = neighbors.distances[:, -1]
    return float(np.median(farthest[farthest > 0])) if farthest.any() else 1.0


def perplexity_widths(squared: np.ndarray, perplexity: float) -> np.ndarray:
    """Find the width of each row for which its normalised affinities have the entropy log(perplexity).

    scikit-learn's search for t-SNE is private, and returns the affinities without the widths.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances of each row to others; infinite ones do not count.
    perplexity : float
        The effective number of neighbours of each row; at most m, for which all have equal affinities.

    Raises
    ------
    ValueError
        If there are too few others.

    References
    ----------
    Hinton and Roweis, "Stochastic neighbor embedding", NIPS 2002: Carreira-Perpinan (1).

    Examples
    --------
    >>> squared = np.array([[1.0, 1.0, 4.0, 9.0]])
    >>> widths = perplexity_widths(squared, 2.5)
    >>> shares = gaussian(squared, widths[:, None])
    >>> shares /= shares.sum()
    >>> round(float(np.exp(-(shares * np.log(shares)).sum())), 6)
    2.5
    """
    return np.concatenate(list(each_perplexity_width(squared, perplexity)))


def each_perplexity_width(squared: np.ndarray, perplexity: float) -> Iterator[np.ndarray]:
    """Find the widths batch by batch, as `perplexity_widths` does.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances.
    perplexity : float
        The effective number of neighbours of each row.

    Yields
    ------
    ndarray
        The widths of the next rows. 10 000 rows take a minute, during which a run can be stopped.

    Raises
    ------
    ValueError
        If there are too few others.
    """
    fewest = int(np.isfinite(squared).sum(axis=1).min())
    parameter_checks.check_real(
        perplexity,
        "perplexity",
        "the effective number of neighbours of each row",
        lambda value: 1 <= value <= fewest,
        f"from 1 to {fewest}, since each row has {fewest} others",
    )
    for batch in gen_batches(len(squared), max(1, CHUNK // squared.shape[1])):
        yield _widths(squared[batch], perplexity)


def _widths(squared: np.ndarray, perplexity: float) -> np.ndarray:
    nearest = squared.min(axis=1, keepdims=True)
    # A constant in all distances of a row does not change its shares, but could make them underflow.
    beyond = squared - nearest
    finite = np.where(np.isfinite(beyond), beyond, 0.0)
    scale = np.sqrt(finite.mean(axis=1) + np.finfo(float).tiny)
    low, high = np.log(_NARROWEST * scale), np.log(_WIDEST * scale)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_wide = _entropy(beyond, finite, np.exp(middle)) > np.log(perplexity)
        low, high = np.where(is_wide, low, middle), np.where(is_wide, middle, high)
    return np.asarray(np.exp((low + high) / 2))


def _entropy(beyond: np.ndarray, finite: np.ndarray, widths: np.ndarray) -> np.ndarray:
    weights = gaussian(beyond, widths[:, None])
    total = weights.sum(axis=1)
    return np.asarray(np.log(total) + 0.5 * np.einsum("ij,ij->i", weights, finite) / (np.square(widths) * total))


def shares(squared: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Return Gaussian affinities that sum to 1 in each row, Carreira-Perpinan (1).

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances; infinite ones get the affinity 0.
    widths : ndarray of shape (n,)
        sigma of each row.
    """
    weights = gaussian(squared - squared.min(axis=1, keepdims=True), widths[:, None])
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def mutual(neighbors: Neighbors, weights: np.ndarray) -> sp.csr_array:
    """Return weights of neighbours, of shape (n, k), as a symmetric matrix: each pair gets the mean of both directions.

    A cost that is symmetric in the two rows of a pair depends only on this mean.

    Examples
    --------
    >>> indices = np.array([[1], [2], [1]])
    >>> mutual(Neighbors(indices, np.ones((3, 1))), np.ones((3, 1))).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 1. ],
           [0. , 1. , 0. ]])
    """
    n, k = neighbors.indices.shape
    directed = sp.csr_array((weights.ravel(), neighbors.indices.ravel(), np.arange(0, n * k + 1, k)), (n, n))
    return symmetric(directed)


def adjacency(neighbors: Neighbors) -> sp.csr_array:
    """Return the symmetric adjacency matrix: 1 if either row is a neighbour of the other, else 0.

    Parameters
    ----------
    neighbors : Neighbors
        Of n rows.

    Examples
    --------
    >>> adjacency(Neighbors(np.array([[1], [2], [1]]), np.ones((3, 1)))).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    n, k = neighbors.indices.shape
    return tied(n, np.repeat(np.arange(n), k), neighbors.indices.ravel())


def tied(n: int, i: np.ndarray, j: np.ndarray) -> sp.csr_array:
    """Return the symmetric adjacency matrix, (n, n), of pairs of rows i and j, which may repeat; its diagonal is 0."""
    apart = i != j
    i, j = i[apart], j[apart]
    graph = sp.csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), (n, n))
    graph.sum_duplicates()
    graph.data[:] = 1
    return graph


def symmetric(weights: sp.csr_array | np.ndarray) -> sp.csr_array | np.ndarray:
    """Return the mean of both directions of each pair."""
    return ((weights + weights.T) / 2).tocsr() if sp.issparse(weights) else (weights + weights.T) / 2
