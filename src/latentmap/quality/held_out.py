"""How much a map tells of the neighbours of rows that it was not made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.utils import gen_batches

from latentmap.model.inputs import Inputs
from latentmap.model.vectors import Vectors
from latentmap.quality.validation import checked_pair, whole_number

# Numbers in one temporary array of distances: 32 MB.
_CHUNK = 4_000_000
# Rows from which the two numbers of a similarity are found.
_FITTED_ROWS = 200
# How distances are counted there: the least squared one, in squared units, and the step of their logarithm.
_LEAST, _STEP = 1e-12, 0.05


class Similarity(NamedTuple):
    """How similar two positions are: (1 + r² / width²)^-exponent at the distance r.

    Attributes
    ----------
    width : float
        In the units of the map.
    exponent : float
        How fast it falls off.
    """

    width: float
    exponent: float


def neighbor_log_score(estimator: Any, X: ArrayLike, y: Any = None, *, n_neighbors: int = 10) -> float:
    """Score an estimator by how much its map tells of the neighbours of held-out rows: a scorer for scikit-learn.

    The rows are placed on the map. The score is the mean log probability of each row's true neighbours among these
    rows, if near positions are likelier than far ones, minus the same for a guess. It is 0 if the map tells nothing,
    and at most log((n - 1) / n_neighbors). Maps of other k, s, l and d, of other methods and widths are comparable.

    Parameters
    ----------
    estimator : object
        A fitted estimator or pipeline with ``transform``.
    X : array-like of shape (n, D)
        Rows that it was not fitted to. Their true neighbours are the nearest in these columns, as they are.
    y : object, optional
        Ignored.
    n_neighbors : int
        True neighbours of each row. It does not change with the candidates.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If there are too few rows for so many neighbours, or a position is not finite.

    See Also
    --------
    latentmap.choose : Compares candidates on all rows, with their standard errors.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, KFold
    >>> from latentmap import LVM
    >>> from latentmap.quality import neighbor_log_score
    >>> folds = KFold(3, shuffle=True, random_state=0)
    >>> search = GridSearchCV(LVM(max_iter=30), {"n_neighbors": [5, 15]}, scoring=neighbor_log_score, cv=folds)
    >>> search.fit(load_iris().data).best_score_ > 0
    np.True_
    """
    table, positions = checked_pair(X, estimator.transform(X), "euclidean")
    rows = np.arange(len(table))
    neighbors = true_neighbors(Vectors(table, method="exact"), rows, n_neighbors)
    return float(held_out_scores(positions, rows, neighbors).mean())


def true_neighbors(inputs: Inputs, rows: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return the nearest others of some rows among all rows, shape (len(rows), n_neighbors).

    Raises
    ------
    ValueError
        If there are fewer than twice as many rows as neighbours.
    """
    reason = f"half of the {len(inputs)} rows"
    n_neighbors = whole_number(n_neighbors, "the number of true neighbours", max(1, len(inputs) // 2), reason)
    found = inputs.query(inputs.table[rows], n_neighbors + 1).indices
    is_own = found == rows[:, None]
    # A row with many copies may be missing from its own list.
    is_own[~is_own.any(axis=1), -1] = True
    return np.asarray(found[~is_own].reshape(len(rows), n_neighbors))


def held_out_scores(positions: np.ndarray, rows: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Return how much better than a guess a map tells the true neighbours of each of some rows.

    The similarity is found from every second row and applied to the others, and the other way round, so that its two
    numbers are never judged by the rows that they come from.

    Parameters
    ----------
    positions : ndarray of shape (n, d)
        All rows on the map.
    rows : ndarray of int, shape (m,)
        Those that are judged.
    neighbors : ndarray of int, shape (m, k)
        Their true neighbours.

    Returns
    -------
    ndarray of shape (m,)
        The mean log probability of the neighbours of each row, minus that of a guess, -log(n - 1).
    """
    scores = np.empty(len(rows))
    halves = (slice(0, None, 2), slice(1, None, 2))
    for judged, fitted in (halves, halves[::-1]):
        similarity = _fitted_similarity(positions, rows[fitted][:_FITTED_ROWS], neighbors[fitted][:_FITTED_ROWS])
        scores[judged] = _log_probabilities(positions, rows[judged], neighbors[judged], similarity)
    return np.asarray(scores + np.log(len(positions) - 1))


def _log_probabilities(
    positions: np.ndarray, rows: np.ndarray, neighbors: np.ndarray, similarity: Similarity
) -> np.ndarray:
    found = np.empty(len(rows))
    for batch in gen_batches(len(rows), max(1, _CHUNK // len(positions))):
        squared = cdist(positions[rows[batch]], positions, "sqeuclidean")
        logs = -similarity.exponent * np.log1p(squared / similarity.width**2)
        logs[np.arange(len(squared)), rows[batch]] = -np.inf
        found[batch] = np.take_along_axis(logs, neighbors[batch], axis=1).mean(axis=1) - logsumexp(logs, axis=1)
    return found


def _fitted_similarity(positions: np.ndarray, rows: np.ndarray, neighbors: np.ndarray) -> Similarity:
    """The similarity under which some rows' true neighbours are likeliest; the others are counted by distance."""
    squared = cdist(positions[rows], positions, "sqeuclidean")
    near = np.take_along_axis(squared, neighbors, axis=1)
    # All neighbours may lie at one point.
    unit = np.sqrt(np.median(near)) or np.sqrt(squared.mean()) or 1.0
    near /= unit**2
    binned, counts = _counted(squared / unit**2, rows)

    def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
        width, exponent = np.exp(logs)
        far, wider = _far(binned, width)
        near_far, near_wider = _far(near, width)
        p = -exponent * far
        total = logsumexp(p[None, :], b=counts, axis=1, keepdims=True)
        p = counts * np.exp(p - total)
        lost = exponent * near_far.mean() + total.mean()
        excess = [of_near.mean() - (p @ of_all).mean() for of_near, of_all in ((near_wider, wider), (near_far, far))]
        return float(lost), exponent * np.array(excess)

    bounds = [(-7.0, 7.0), (-2.0, 4.0)]
    width, exponent = np.exp(minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-6).x)
    return Similarity(float(unit * width), float(exponent))


def _far(squared: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """How far a squared distance is, log(1 + r² / w²), and the derivative of this by log(w)."""
    u = squared / width**2
    return np.log1p(u), -2 * u / (1 + u)


def _counted(squared: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return squared distances, a twentieth apart in their logarithm, and how many others lie at each, row by row."""
    at = np.round(np.log(np.maximum(squared, _LEAST)) / _STEP).astype(np.int64)
    first, n = int(at.min()), int(np.ptp(at)) + 1
    own = np.arange(len(rows))
    counts = np.bincount((at - first + n * own[:, None]).ravel(), minlength=n * len(rows)).reshape(-1, n)
    counts[own, at[own, rows] - first] -= 1
    return np.exp(_STEP * np.arange(first, first + n)), counts.astype(float)
