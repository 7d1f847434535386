"""How alike rows are, from their distances: the weights that hold a map together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from latentmap.model import parameter_checks
from latentmap.model.inputs import CHUNK, Neighbors

# Halvings of the interval for a width, as many as double precision can tell apart.
_HALVINGS = 64
# Widths are sought from this part of a row's distances to that multiple of them.
_NARROWEST, _WIDEST = 1e-6, 1e6


def gaussian(squared: np.ndarray, width: float | np.ndarray) -> np.ndarray:
    """Return exp(-distance^2 / (2 width^2)).

    Parameters
    ----------
    squared : ndarray
        Squared distances.
    width : float or ndarray
        sigma, in the unit of the distances; arrays are broadcast.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> gaussian(np.array([0.0, 2.0]), 1.0).round(3)
    array([1.   , 0.368])
    """
    return np.exp(-0.5 * squared / np.square(width))


def shared_width(neighbors: Neighbors, width: float | str) -> float:
    """Return the width that the Gaussians of all rows have in common.

    Parameters
    ----------
    neighbors : Neighbors
    width : float or "auto"
        "auto" is the median distance of the k-th neighbour, where that is no copy.

    Returns
    -------
    float
        sigma, in the unit of the distances.
    """
    if width != "auto":
        return float(width)
    # Of rows that have k copies the distance is 0, and a Gaussian of that width nothing; the rows are not all the same.
    farthest = neighbors.distances[:, -1]
    return float(np.median(farthest[farthest > 0])) if farthest.any() else 1.0


def perplexity_widths(squared: np.ndarray, perplexity: float) -> np.ndarray:
    """Find each row's width, so that its normalised affinities have an entropy of log(perplexity).

    scikit-learn's search for t-SNE is private, and gives the affinities without the widths.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances of each row to others; those infinitely far away do not count.
    perplexity : float
        How many neighbours each row is to have, in effect; at most m, for which all get the same share.

    Returns
    -------
    ndarray of shape (n,)

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
    """Find the widths of one batch of rows after the other, as `perplexity_widths` does.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances.
    perplexity : float
        How many neighbours each row is to have.

    Yields
    ------
    ndarray
        The widths of the next rows; of all rows it takes a minute for 10 000, in which a run can be stopped.

    Raises
    ------
    ValueError
        If there are too few others.
    """
    fewest = int(np.isfinite(squared).sum(axis=1).min())
    parameter_checks.check_real(
        perplexity,
        "perplexity",
        "how many neighbours each row has in effect",
        lambda value: 1 <= value <= fewest,
        f"from 1 to {fewest}, as each row has {fewest} others",
    )
    for batch in gen_batches(len(squared), max(1, CHUNK // squared.shape[1])):
        yield _widths(squared[batch], perplexity)


def _widths(squared: np.ndarray, perplexity: float) -> np.ndarray:
    nearest = squared.min(axis=1, keepdims=True)
    # What all distances of a row have in common does not change its shares, and would only make them underflow.
    beyond = squared - nearest
    finite = np.where(np.isfinite(beyond), beyond, 0.0)
    scale = np.sqrt(finite.mean(axis=1) + np.finfo(float).tiny)
    low, high = np.log(_NARROWEST * scale), np.log(_WIDEST * scale)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_wide = _entropy(beyond, finite, np.exp(middle)) > np.log(perplexity)
        low, high = np.where(is_wide, low, middle), np.where(is_wide, middle, high)
    return np.exp((low + high) / 2)


def _entropy(beyond: np.ndarray, finite: np.ndarray, widths: np.ndarray) -> np.ndarray:
    weights = gaussian(beyond, widths[:, None])
    total = weights.sum(axis=1)
    return np.log(total) + 0.5 * np.einsum("ij,ij->i", weights, finite) / (np.square(widths) * total)


def shares(squared: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Return Gaussian affinities that sum to 1 in each row, Carreira-Perpinan (1).

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances; those infinitely far away get none.
    widths : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n, m)
    """
    weights = gaussian(squared - squared.min(axis=1, keepdims=True), widths[:, None])
    return weights / weights.sum(axis=1, keepdims=True)


def mutual(neighbors: Neighbors, weights: np.ndarray) -> sp.csr_array:
    """Return weights to neighbours as a symmetric matrix: each pair gets the mean of its two directions.

    A cost of pairs that does not change when the two are exchanged sees nothing else of them.

    Parameters
    ----------
    neighbors : Neighbors
        Of n rows.
    weights : ndarray of shape (n, k)

    Returns
    -------
    csr_array of shape (n, n)

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
    """Return which rows are neighbours: 1 where either is among the other's nearest, else 0.

    Parameters
    ----------
    neighbors : Neighbors
        Of n rows.

    Returns
    -------
    csr_array of shape (n, n)
        Binary and symmetric.

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
    """Return pairs of rows as a graph: 1 for both directions of each, and none of a row with itself.

    Parameters
    ----------
    n : int
        Rows.
    i, j : ndarray of shape (m,)
        The two rows of each pair; it may be named more than once.

    Returns
    -------
    csr_array of shape (n, n)
        Binary and symmetric.
    """
    apart = i != j
    i, j = i[apart], j[apart]
    graph = sp.csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), (n, n))
    graph.sum_duplicates()
    graph.data[:] = 1
    return graph


def symmetric(weights: sp.csr_array | np.ndarray) -> sp.csr_array | np.ndarray:
    """Return the mean of both directions of each pair."""
    return ((weights + weights.T) / 2).tocsr() if sp.issparse(weights) else (weights + weights.T) / 2
