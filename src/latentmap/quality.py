"""How faithful a map is: what it keeps of the neighbours, the order of distances and the classes of the cells.

All measures go through blocks of rows and never hold an n x n matrix. Rows at equal distances rank by row number, in
the measured table and in the map alike: duplicate rows have one defined order, and a map in which all cells coincide
scores about as a random one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.spatial.distance
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import PAIRED_DISTANCES, paired_distances, pairwise_distances
from sklearn.model_selection import check_cv
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import check_array, check_random_state, gen_batches
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from latentmap.model.neighbors import Metric, Vectors

__all__ = ["continuity", "knn_error", "neighbor_recall", "random_triplet_accuracy", "trustworthiness"]

# Numbers that one temporary array may hold: 32 MiB of float64.
_BLOCK = 2**22
# Columns that an error message names.
_SHOWN = 5
# Those of scikit-learn that compare rows of any table: not distances given beforehand, gaps, or places on the globe.
_METRICS = set(VALID_METRICS["brute"]) - {"precomputed", "nan_euclidean", "haversine"}


def neighbor_recall(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 10,
    r: int | ArrayLike | None = None,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float | np.ndarray:
    """Share of the true nearest neighbours of each row that are among its r nearest in the map.

    With ``n_neighbors=1`` and several r this is the recall of the first neighbour at r, Fig. 4 of Saul (2020). A map
    that knows nothing of X has a recall of r / (n - 1) on average.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_neighbors : int
        The number of true neighbours of each row (k).
    r : int or sequence of int, optional
        How many of the nearest in the map count; ``n_neighbors`` by default. All values share one search.
    n_samples : int, optional
        Average over so many rows, drawn without replacement, instead of all. Their neighbours are still searched
        among all rows.
    random_state : int or RandomState
        Seed of that draw.
    metric : str or callable
        A metric of scikit-learn, for X.
    n_jobs : int, optional
        Threads, as in scikit-learn, where its search takes that argument; its Euclidean search in more than 15
        dimensions uses all cores. The result is the same for any number.

    Returns
    -------
    float, or ndarray of the shape of r
        Between 0 and 1.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, hold values that are not finite, or have too few rows for
        ``n_neighbors`` or r.

    Notes
    -----
    Rows at equal distances rank by row number, in X and in Y.

    References
    ----------
    Saul, L. K. (2020). A tractable latent variable model for nonlinear dimensionality reduction. PNAS 117(27),
    15403-15408. https://doi.org/10.1073/pnas.1916012117

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import neighbor_recall
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> neighbor_recall(X, 5 * X)
    1.0
    >>> recall = neighbor_recall(X, X[:, :2], n_neighbors=1, r=[1, 10, 199])
    >>> recall[0] < recall[1] < recall[2] == 1
    np.True_
    """
    X, Y = _checked_pair(X, Y, metric)
    limit, reason = len(X) - 1, f"the table has {len(X)} rows, and none is its own neighbour"
    n_neighbors = _whole_number(n_neighbors, "n_neighbors", limit, reason)
    ranks = _whole_numbers(n_neighbors if r is None else r, "r", limit, reason)
    rows = _sampled_rows(len(X), n_samples, random_state)
    table, embedding = _Rows(X, metric, n_jobs), _Rows(Y, "euclidean", n_jobs)
    hits = np.zeros(ranks.max(), dtype=np.int64)
    for block in _blocks(len(rows), len(hits)):
        first_id = len(X) * np.arange(len(rows[block]))[:, None]
        true = first_id + table.neighbors_of(rows[block], n_neighbors)
        found = first_id + embedding.neighbors_of(rows[block], len(hits))
        hits += np.isin(found, true, assume_unique=True).sum(axis=0)
    recall = np.cumsum(hits)[ranks - 1] / (len(rows) * n_neighbors)
    return recall if recall.ndim else float(recall)


def trustworthiness(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 5,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float:
    """How far the neighbours in the map can be trusted to be neighbours in the measured table.

    Each of the ``n_neighbors`` nearest in the map that is not among the nearest in the table costs the number of
    ranks by which it misses them. 1 means that no neighbour in the map is false; a map that knows nothing of X has
    about 0.5 when n is large and ``n_neighbors`` small.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_neighbors : int
        The size of the neighbourhood (k), less than n / 2.
    n_samples : int, optional
        Average over so many rows, drawn without replacement, instead of all. Ranks are still taken among all rows.
    random_state : int or RandomState
        Seed of that draw.
    metric : str or callable
        A metric of scikit-learn, for X.
    n_jobs : int, optional
        Threads, as in scikit-learn; each takes about 100 MB. The result is the same for any number.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, hold values that are not finite, or have too few rows for
        ``n_neighbors``.

    See Also
    --------
    continuity : The same with the roles of X and Y swapped.
    sklearn.manifold.trustworthiness : The same value, with an n x n matrix in memory.

    Notes
    -----
    With r(i, j) the rank of row j among the neighbours of row i in X, and U(i) the k neighbours of i in Y, this is
    1 - 2 / (n k (2n - 3k - 1)) sum_i sum_{j in U(i)} max(0, r(i, j) - k). Rows at equal distances rank by row number.

    References
    ----------
    Venna, J. & Kaski, S. (2001). Neighborhood preservation in nonlinear projection methods: an experimental study.
    ICANN 2001, 485-491. https://doi.org/10.1007/3-540-44668-0_68

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import trustworthiness
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> trustworthiness(X, -X)
    1.0
    >>> 0.5 < trustworthiness(X, X[:, :2]) < 1
    True
    """
    X, Y = _checked_pair(X, Y, metric)
    return _trust(_Rows(X, metric, n_jobs), _Rows(Y, "euclidean", n_jobs), n_neighbors, n_samples, random_state)


def continuity(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 5,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float:
    """How far the neighbours in the measured table have stayed neighbours in the map.

    This is :func:`trustworthiness` with the roles of table and map swapped: neighbourhoods that the map tears apart
    lower the continuity, distant rows that it lays together lower the trustworthiness.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_neighbors : int
        The size of the neighbourhood (k), less than n / 2.
    n_samples : int, optional
        Average over so many rows, drawn without replacement, instead of all. Ranks are still taken among all rows.
    random_state : int or RandomState
        Seed of that draw.
    metric : str or callable
        A metric of scikit-learn, for X.
    n_jobs : int, optional
        Threads, as in scikit-learn; each takes about 100 MB. The result is the same for any number.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        As :func:`trustworthiness`.

    References
    ----------
    Venna, J. & Kaski, S. (2001). Neighborhood preservation in nonlinear projection methods: an experimental study.
    ICANN 2001, 485-491. https://doi.org/10.1007/3-540-44668-0_68

    Examples
    --------
    A circle cut open and laid out straight is torn at one place; nothing distant comes together.

    >>> import numpy as np
    >>> from latentmap.quality import continuity, trustworthiness
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)[:, None]
    >>> circle = np.hstack([np.cos(angle), np.sin(angle)])
    >>> continuity(circle, angle) < trustworthiness(circle, angle)
    True
    """
    X, Y = _checked_pair(X, Y, metric)
    return _trust(_Rows(Y, "euclidean", n_jobs), _Rows(X, metric, n_jobs), n_neighbors, n_samples, random_state)


def knn_error(
    Y_train: ArrayLike,
    y_train: ArrayLike,
    Y_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    n_neighbors: int | ArrayLike = 1,
    *,
    cv: Any = 5,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float | np.ndarray:
    """Share of the rows whose class is not the one that most of their nearest labelled neighbours have.

    Parameters
    ----------
    Y_train : array-like of shape (n, d)
        Places in the map, or any other table, of rows with known classes.
    y_train : array-like of shape (n,)
        Their classes: numbers, words or categories.
    Y_test, y_test : array-like of shapes (m, d) and (m,), optional
        Rows to classify by the others. Without them the error of ``Y_train`` is cross-validated.
    n_neighbors : int or sequence of int
        How many neighbours vote (k). All values share one search.
    cv : int or splitter of scikit-learn
        How to cross-validate; used without a test set only. A number of folds means stratified folds in the order of
        the rows, as in scikit-learn: nothing is drawn at random.
    metric : str or callable
        A metric of scikit-learn.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`. The result is the same for any number.

    Returns
    -------
    float, or ndarray of the shape of n_neighbors
        The error as a fraction between 0 and 1; cross-validated, that of all classified rows together.

    Raises
    ------
    ValueError
        If rows and classes differ in number, a value is not finite, a class is missing, only one of ``Y_test`` and
        ``y_test`` is given, or the training rows are fewer than ``n_neighbors``.

    Notes
    -----
    If several classes have the same number of votes, the one that sorts first wins, as in
    :class:`sklearn.neighbors.KNeighborsClassifier`. Neighbours at equal distances are taken in the order of the rows.
    The 1-nearest-neighbour error on the test set of MNIST is the measure of Fig. 3 of Saul (2020),
    https://doi.org/10.1073/pnas.1916012117.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import knn_error
    >>> y = np.repeat(["interphase", "mitotic"], 50)
    >>> Y = np.random.default_rng(0).normal(size=(100, 2)) + 6 * (y == "mitotic")[:, None]
    >>> knn_error(Y, y)
    0.0
    >>> knn_error(Y[::2], y[::2], Y[1::2], y[1::2], n_neighbors=[1, 5])
    array([0., 0.])
    """
    Y_train, y_train = _checked_classes(Y_train, y_train, metric, ("Y_train", "y_train"))
    if (Y_test is None) != (y_test is None):
        raise ValueError("Give both Y_test and y_test, or neither for a cross-validated error.")
    if Y_test is None:
        folds = list(check_cv(cv, y_train, classifier=True).split(Y_train, y_train))
        Y_all, y_all = Y_train, y_train
    else:
        Y_test, y_test = _checked_classes(Y_test, y_test, metric, ("Y_test", "y_test"))
        if Y_test.shape[1] != Y_train.shape[1]:
            raise ValueError(
                f"Y_train has {Y_train.shape[1]} columns and Y_test has {Y_test.shape[1]}: both must come from one map."
            )
        Y_all, y_all = np.concatenate([Y_train, Y_test]), np.concatenate([y_train, y_test])
        folds = [(np.arange(len(Y_train)), np.arange(len(Y_train), len(Y_all)))]
    smallest = min(len(train) for train, _ in folds)
    k = _whole_numbers(n_neighbors, "n_neighbors", smallest, f"the classes of {smallest} training rows are known")
    classes, codes = np.unique(y_all, return_inverse=True)
    wrong = np.zeros(k.shape)
    for train, test in folds:
        votes = codes[train][_Rows(Y_all[train], metric, n_jobs).neighbors(Y_all[test], k.max())]
        for place, n_votes in np.ndenumerate(k):
            wrong[place] += np.count_nonzero(_winners(votes[:, :n_votes], len(classes)) != codes[test])
    error = wrong / sum(len(test) for _, test in folds)
    return error if error.ndim else float(error)


def random_triplet_accuracy(
    X: ArrayLike,
    Y: ArrayLike,
    n_triplets: int = 100_000,
    random_state: int | np.random.RandomState = 0,
    *,
    metric: Metric = "euclidean",
) -> float:
    """Share of random triplets of rows whose order of distances is the same in the measured table and in the map.

    The order is whether j is nearer to i than k is. Neighbours hardly ever meet in a random triplet, so this tells how
    much of the global arrangement a map keeps; one that knows nothing of X has 0.5.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_triplets : int
        How many triplets to draw. The standard error is at most 0.5 / sqrt(n_triplets), 0.0016 by default.
    random_state : int or RandomState
        Seed of that draw.
    metric : str or callable
        A metric of scikit-learn, for X.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, hold values that are not finite, or have fewer than 3 rows.

    Notes
    -----
    Of two equal distances neither is the smaller one, so a map in which all cells coincide has about 0.5 too.

    References
    ----------
    Wang, Y., Huang, H., Rudin, C. & Shaposhnik, Y. (2021). Understanding how dimension reduction tools work. JMLR
    22(201), 1-73. https://jmlr.org/papers/v22/20-1061.html

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import random_triplet_accuracy
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> random_triplet_accuracy(X, X / 2, n_triplets=1000)
    1.0
    >>> 0.5 < random_triplet_accuracy(X, X[:, :1], n_triplets=1000) < 1
    True
    """
    X, Y = _checked_pair(X, Y, metric)
    n = len(X)
    if n < 3:
        raise ValueError(f"A triplet needs 3 rows, the table has {n}.")
    n_triplets = _whole_number(n_triplets, "n_triplets")
    random = check_random_state(random_state)
    i, to_j, to_k = (random.randint(high, size=n_triplets) for high in (n, n - 1, n - 2))
    to_k += to_k >= to_j
    j, k = (i + 1 + to_j) % n, (i + 1 + to_k) % n
    agreeing = 0.0
    for block in _blocks(n_triplets, X.shape[1] + Y.shape[1]):
        in_table = _nearer(X, i[block], j[block], k[block], metric)
        in_map = _nearer(Y, i[block], j[block], k[block], "euclidean")
        agreeing += np.count_nonzero(in_table == in_map)
    return float(agreeing / n_triplets)


class _Rows:
    """Rows among which neighbours are ranked by distance and, at equal distances, by row number."""

    def __init__(self, points: np.ndarray, metric: Metric, n_jobs: int | None) -> None:
        # Far from the origin, scalar products lose the digits of the distances. Medians keep integers whole.
        self.origin = np.quantile(points, 0.5, axis=0, method="lower") if metric == "euclidean" else 0.0
        self.points = points = points - self.origin
        self.n_jobs = n_jobs
        self.inputs = Vectors(points, metric, method="exact", n_jobs=n_jobs)
        _, first, group, count = np.unique(points, axis=0, return_index=True, return_inverse=True, return_counts=True)
        self.has_copy = count[group] > 1
        self.copies = np.flatnonzero(first[group] != np.arange(len(points)))
        self.originals = first[group[self.copies]]

    def neighbors_of(self, rows: np.ndarray, n_neighbors: int) -> np.ndarray:
        """Return the nearest other rows of some of the rows, nearest first."""
        blocks = _blocks(len(rows), n_neighbors + 2)
        return np.concatenate([self._search(self.points[rows[b]], n_neighbors, rows[b]) for b in blocks])

    def neighbors(self, queries: np.ndarray, n_neighbors: int) -> np.ndarray:
        """Return the rows nearest to each of some other points, nearest first."""
        blocks = _blocks(len(queries), n_neighbors + 1)
        return np.concatenate([self._search(queries[b] - self.origin, n_neighbors, None) for b in blocks])

    def ranks(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return the rank, from 1, that each of some other rows has among the neighbours of a row."""

        def ranks_in(block: slice) -> list[list[int]]:
            D = self._distances(self.points[rows[block]], rows[block])
            return [[_rank(row, j) for j in columns] for row, columns in zip(D, others[block], strict=True)]

        return self._by_block(ranks_in, len(rows))

    def _search(self, queries: np.ndarray, n_neighbors: int, own: np.ndarray | None) -> np.ndarray:
        n_wanted = n_neighbors + (1 if own is None else 2)
        indices, distances = self.inputs.query(queries, min(n_wanted, len(self.points)))
        _defined(distances, self.inputs.metric)
        if own is not None:
            is_own = indices == own[:, None]
            # A row with many copies may be missing from its own list.
            is_own[~is_own.any(axis=1), -1] = True
            indices, distances = (part[~is_own].reshape(len(own), -1) for part in (indices, distances))
        nearest = indices[:, :n_neighbors]
        # Which of several rows at one distance a search finds is an accident.
        unclear = self.has_copy[indices].any(axis=1)
        unclear |= (distances[:, n_neighbors:] == distances[:, n_neighbors - 1 : n_neighbors]).any(axis=1)
        if unclear.any():
            nearest[unclear] = self._ranked(queries[unclear], n_neighbors, None if own is None else own[unclear])
        return nearest

    def _ranked(self, queries: np.ndarray, n_neighbors: int, own: np.ndarray | None) -> np.ndarray:
        def first_of(block: slice) -> list[np.ndarray]:
            D = self._distances(queries[block], None if own is None else own[block])
            return [_first_in_order(row, n_neighbors) for row in D]

        return self._by_block(first_of, len(queries))

    def _distances(self, queries: np.ndarray, own: np.ndarray | None) -> np.ndarray:
        metric = self.inputs.metric
        D = _defined(pairwise_distances(queries, self.points, metric=metric, **self.inputs.metric_params), metric)
        # Scalar products may round differently from column to column, and then copies are not at one distance.
        D[:, self.copies] = D[:, self.originals]
        if own is not None:
            D[np.arange(len(own)), own] = np.inf
        return D

    def _by_block(self, function: Callable[[slice], list], n_queries: int) -> np.ndarray:
        # The blocks are the same for any number of threads, and so is every rounding inside them.
        with threadpool_limits(1, "blas"):
            parts = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(function)(block) for block in _blocks(n_queries, len(self.points))
            )
        return np.concatenate(parts)


def _rank(distances: np.ndarray, j: int) -> int:
    closer = np.count_nonzero(distances[:j] <= distances[j]) + np.count_nonzero(distances[j + 1 :] < distances[j])
    return int(closer) + 1


def _first_in_order(distances: np.ndarray, n_first: int) -> np.ndarray:
    """Return the places of the smallest distances, as a stable sort of all of them would."""
    largest = np.partition(distances, n_first - 1)[n_first - 1]
    closer = np.flatnonzero(distances < largest)
    tied = np.flatnonzero(distances == largest)[: n_first - len(closer)]
    return np.concatenate([closer[np.argsort(distances[closer], kind="stable")], tied])


def _blocks(n: int, width: int) -> Iterator[slice]:
    return gen_batches(n, max(1, _BLOCK // width))


def _trust(
    table: _Rows, embedding: _Rows, n_neighbors: int, n_samples: int | None, random_state: int | np.random.RandomState
) -> float:
    n = len(table.points)
    # Beyond n / 2 the normaliser is no longer the worst case.
    k = _whole_number(n_neighbors, "n_neighbors", (n - 1) // 2, f"less than half of the {n} rows")
    rows = _sampled_rows(n, n_samples, random_state)
    ranks = table.ranks(rows, embedding.neighbors_of(rows, k))
    return float(1 - 2 * np.maximum(ranks - k, 0).sum() / (len(rows) * k * (2 * n - 3 * k - 1)))


def _nearer(points: np.ndarray, i: np.ndarray, j: np.ndarray, k: np.ndarray, metric: Metric) -> np.ndarray:
    """Return whether j is nearer to i than k is."""
    measure = metric
    if isinstance(metric, str) and metric not in PAIRED_DISTANCES:
        measure = partial(getattr(scipy.spatial.distance, metric), **Vectors(points, metric).metric_params)
    to_j, to_k = (_defined(paired_distances(points[i], points[other], metric=measure), metric) for other in (j, k))
    return to_j < to_k


def _defined(distances: np.ndarray, metric: Metric) -> np.ndarray:
    if np.isnan(distances).any():
        raise ValueError(
            f"The metric {metric!r} has no value for some pairs of rows (correlation, for one, has none for rows whose "
            "values are all the same). Leave these rows out or take another metric."
        )
    return distances


def _winners(votes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the class with most votes in each row, the first of several."""
    ballots = n_classes * np.arange(len(votes))[:, None] + votes
    counts = np.bincount(ballots.ravel(), minlength=n_classes * len(votes))
    return counts.reshape(len(votes), n_classes).argmax(axis=1)


def _sampled_rows(n: int, n_samples: int | None, random_state: int | np.random.RandomState) -> np.ndarray:
    if n_samples is None:
        return np.arange(n)
    n_samples = _whole_number(n_samples, "n_samples", n, f"the table has {n} rows")
    return check_random_state(random_state).choice(n, n_samples, replace=False)


def _whole_numbers(values: ArrayLike, name: str, largest: float = np.inf, reason: str = "") -> np.ndarray:
    numbers = np.asarray(values)
    if not numbers.size or numbers.dtype.kind not in "iu" or numbers.min() < 1 or numbers.max() > largest:
        limit = f" and at most {largest} ({reason})" if reason else ""
        raise ValueError(f"{name} must be a whole number, at least 1{limit}, but is {values!r}.")
    return numbers


def _whole_number(value: int, name: str, largest: float = np.inf, reason: str = "") -> int:
    if np.ndim(value):
        raise ValueError(f"{name} must be one whole number, but is {value!r}.")
    return int(_whole_numbers(value, name, largest, reason))


def _checked_pair(X: ArrayLike, Y: ArrayLike, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    X, Y = _checked_table(X, "X", metric), _checked_table(Y, "Y", "euclidean")
    if len(X) != len(Y):
        raise ValueError(f"X has {len(X)} rows and Y has {len(Y)}: row by row they must be the same cells.")
    return X, Y


def _checked_classes(Y: ArrayLike, y: Any, metric: Metric, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    table, classes = _checked_table(Y, names[0], metric), np.asarray(y)
    if classes.shape != table.shape[:1]:
        raise ValueError(
            f"{names[1]} must hold one class for each of the {len(table)} rows of {names[0]}, but has the shape "
            f"{classes.shape}."
        )
    missing = np.flatnonzero(pd.isna(classes))
    if missing.size:
        raise ValueError(
            f"{names[1]} holds no class for {missing.size} of {len(classes)} rows (the first is row {missing[0]}). "
            "Leave these rows out."
        )
    return table, classes


def _checked_table(values: Any, name: str, metric: Metric) -> np.ndarray:
    if not callable(metric) and metric not in _METRICS:
        raise ValueError(f"metric must be a function of two rows or one of {sorted(_METRICS)}, but is {metric!r}.")
    table = check_array(values, dtype=np.float64, ensure_all_finite=False, input_name=name)
    bad = ~np.isfinite(table)
    if bad.any():
        rows, columns = np.flatnonzero(bad.any(axis=1)), np.flatnonzero(bad.any(axis=0))
        headings = getattr(values, "columns", range(table.shape[1]))
        shown = [str(headings[column]) for column in columns[:_SHOWN]] + ["..."] * (len(columns) > _SHOWN)
        raise ValueError(
            f"{name} has missing or infinite values in {len(rows)} of {len(table)} rows (the first is row {rows[0]}), "
            f"in {len(columns)} columns ({', '.join(shown)}). Leave these rows out or fill the values in."
        )
    return table
