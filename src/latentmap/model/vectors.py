"""Inputs given as vectors, and their nearest neighbours by the fastest search that is accurate enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numba.extending import is_jitted
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances, pairwise_distances_argmin_min
from sklearn.metrics.pairwise import paired_distances
from sklearn.neighbors import VALID_METRICS, NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches

from latentmap.model.bridges import Bridge, short_bridges, shortest_bridges
from latentmap.model.data_warnings import listed
from latentmap.model.found_neighbors import FoundNeighbors
from latentmap.model.inputs import CHUNK, Coordinates, Inputs, Neighbors, from_pivots, in_order, without_self
from latentmap.model.metric_names import OF_SCIKIT_LEARN, check_metric_name
from latentmap.model.partition import Partition
from latentmap.model.robust_center import robust_center
from latentmap.model.thread_limits import limit_threads
from latentmap.model.workers import Workers

Metric = str | Callable[[np.ndarray, np.ndarray], float]

# Maximum number of rows for which neighbours are exact by default: a quarter of a second for 50 columns on two cores.
EXACT_LIMIT = 10_000
# The same for metrics that only pynndescent approximates, which first compiles for half a minute.
EXACT_LIMIT_OF_OTHER_METRICS = 100_000
# Metrics that a fast search computes from scalar products: their rounding depends on the batch size, and duplicates get
# a small positive distance.
_FROM_SCALAR_PRODUCTS = ("euclidean", "l2", "cosine")
# Translation-invariant metrics among these; and how far from zero, in spreads of the rows, scalar products lose the
# digits of the distances.
_SHIFTED, _FAR_FROM_ZERO = ("euclidean", "l2", "sqeuclidean", "minkowski"), 1e4
# Metrics that grow as the square of the way: 1 - cos(a) is about a^2 / 2.
_SQUARES = ("cosine", "correlation", "sqeuclidean")
# Maximum number of pairs of rows for which the shortest bridges are exact, in some seconds.
_BRIDGE_PAIRS = 500_000_000
# The least time that a Python function takes for one pair.
_SECONDS_OF_A_CALL = 1e-6
# Below this many pairs, the overhead of a call to scikit-learn exceeds its gain.
_SMALL = 1 << 16


def best_search(n_rows: int, metric: Metric, metric_params: Mapping[str, Any] | None = None) -> str:
    """Return how neighbours among so many rows are searched unless the user says otherwise.

    Parameters
    ----------
    n_rows : int
        The rows searched among.
    metric, metric_params
        As for :class:`Vectors`.

    Returns
    -------
    {"exact", "approximate", "pynndescent"}

    Examples
    --------
    >>> best_search(10_000, "euclidean"), best_search(10_001, "euclidean"), best_search(10_001, "manhattan")
    ('exact', 'approximate', 'exact')
    """
    if _is_euclidean(metric, metric_params or {}):
        return "exact" if n_rows <= EXACT_LIMIT else "approximate"
    return "exact" if n_rows <= EXACT_LIMIT_OF_OTHER_METRICS else "pynndescent"


def _is_euclidean(metric: Metric, metric_params: Mapping[str, Any]) -> bool:
    """Whether the metric is the Euclidean distance, of the rows or of their directions."""
    of_order_2 = metric == "minkowski" and {"p": 2, **metric_params} == {"p": 2}
    return of_order_2 or metric in _FROM_SCALAR_PRODUCTS


class Vectors(Inputs):
    """Inputs given as vectors, with a metric.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The inputs, possibly a read-only memory map; only an approximate search copies it, as float32.
    metric : str or callable
        Any metric of scikit-learn or pynndescent, or ``f(x, y) -> distance``.
    metric_params : dict or None
        Additional arguments of the metric.
    method : {"auto", "exact", "approximate", "pynndescent"} or Neighbors
        How to search, or the result of an earlier search. "auto" is exact up to 10 000 rows and approximate beyond;
        for metrics other than Euclidean and cosine distance, exact up to 100 000 rows and pynndescent beyond.
    n_jobs : int or None
        Threads.
    random_state : int
        Seed of the approximate search.

    Raises
    ------
    ValueError
        If the method is "approximate" and the metric is neither Euclidean nor cosine distance.
    """

    def __init__(
        self,
        X: np.ndarray,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        method: str | Neighbors = "auto",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.X = X
        self.metric = metric
        self.metric_params = dict(metric_params or {})
        self._found = FoundNeighbors(X, metric)
        self._choose(method, n_jobs, random_state)
        self._origin = _origin(X) if isinstance(metric, str) and metric in _SHIFTED else None
        if metric == "seuclidean":
            self.metric_params.setdefault("V", X.var(axis=0, ddof=1, dtype=float))
        self._check_metric()
        if metric == "mahalanobis":
            V = self.metric_params.pop("V", None)
            spread = np.atleast_2d(np.cov(X, rowvar=False)) if V is None else V
            self.metric_params.setdefault("VI", np.linalg.pinv(spread))
        if metric_params:
            self._check_params()

    def _choose(self, method: str | Neighbors, n_jobs: int | None, random_state: int) -> None:
        """Set how to search, or raise if the metric does not allow it."""
        self.n_jobs, self.random_state = n_jobs, random_state
        self._lists: tuple[int, Partition] | None = None
        is_open = isinstance(method, str) and method == "auto"
        self.method = best_search(len(self), self.metric, self.metric_params) if is_open else method
        if isinstance(method, str) and method == "approximate" and not self._has_partition:
            raise ValueError(
                f'neighbors="approximate" supports only Euclidean and cosine distance, but metric is {self.metric!r}. '
                'Choose neighbors="exact", or "pynndescent" for very many rows.'
            )
        if callable(self.metric):
            self._check_function(self.metric)

    def again(self, method: str | Neighbors, n_jobs: int | None, random_state: int) -> Vectors:
        """Return the same rows, to be searched in another way; neighbours found in this way before are known."""
        other = copy(self)
        other._choose(method, n_jobs, random_state)
        return other

    def __getstate__(self) -> dict[str, Any]:
        # The lists are soon made anew, and would double a file.
        return {**self.__dict__, "_lists": None}

    def _check_metric(self) -> None:
        """Raise if the metric cannot be computed for these columns."""
        if callable(self.metric):
            return
        check_metric_name(self.metric)
        D = self.X.shape[1]
        if self.metric == "haversine" and D != 2:
            raise ValueError(
                f'metric="haversine" is the distance on a globe: X must have two columns, latitude and longitude in '
                f"radians, but has {D}. Choose these two columns, or another metric."
            )
        shapes: dict[str, tuple[int, ...]] = {}
        if self.metric in ("mahalanobis", "seuclidean"):
            shapes = {"V": (D, D), "VI": (D, D)} if self.metric == "mahalanobis" else {"V": (D,)}
        for name, shape in shapes.items():
            if name in self.metric_params and np.shape(self.metric_params[name]) != shape:
                raise ValueError(
                    f'{name} of metric="{self.metric}" has the shape {np.shape(self.metric_params[name])}; for the '
                    f"{D} columns of X it must be {shape}. Or leave it out to have it computed from X."
                )

    def _check_params(self) -> None:
        """Raise if the metric does not accept its parameters."""
        if callable(self.metric) or self.metric not in VALID_METRICS["brute"]:
            return
        try:
            # With fewer rows, scikit-learn would not choose the tree that it chooses for many.
            self._search(self.X[:4], 1).kneighbors(self.X[:1])
        except (TypeError, ValueError, AttributeError) as error:
            given = sorted(self.metric_params)
            raise ValueError(
                f'metric="{self.metric}" does not accept the metric_params {listed(given)}: {error}. Leave '
                "metric_params at None, or look up the metric's parameters in scikit-learn."
            ) from error

    def _check_function(self, metric: Callable[[np.ndarray, np.ndarray], float]) -> None:
        """Raise if a metric is a Python function that pynndescent would need compiled."""
        if self.method == "pynndescent" and not is_jitted(metric):
            raise ValueError(
                f"metric is a Python function, and {len(self)} rows are too many to call it for every pair. "
                "pynndescent, which finds most of the neighbours, needs a function compiled by numba: decorate it with "
                '@numba.njit. Or choose a metric by name, or neighbors="exact" and wait: about '
                f"{len(self) ** 2 * _SECONDS_OF_A_CALL / 3600:.0f} hours at a microsecond per call."
            )

    @property
    def table(self) -> np.ndarray:
        """The vectors."""
        return self.X

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def subset(self, rows: np.ndarray) -> Vectors:
        """Return some of the rows."""
        return Vectors(self.X[rows], self.metric, self.metric_params, "exact", self.n_jobs, self.random_state)

    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""
        if isinstance(self.method, Neighbors):
            return in_order(without_self(in_order(self.method), k))
        seed = None if self.method == "exact" else self.random_state
        return self._found.of((self.method, seed), k, self._searched)

    def _searched(self, k: int) -> Neighbors:
        if self.method == "approximate":
            return self._partitioned(k)
        is_exact = self.method == "exact"
        found = self.query(self.X, min(k + 1, len(self))) if is_exact else self._descend(k + 1)
        return in_order(without_self(found, k))

    def query(self, X_new: np.ndarray, k: int) -> Neighbors:
        """Return the k nearest rows of each of some new vectors; of very many rows, at least 99 % of them."""
        if self._searches_lists:
            return self._from_lists(X_new, k)
        search = self._search(self.X, k)
        with limit_threads(1, "blas"), self._threads(len(X_new)):
            distances, indices = search.kneighbors(self._shifted(X_new))
        return in_order(self._remeasured(X_new, Neighbors(indices, distances)))

    @property
    def _searches_lists(self) -> bool:
        """Whether new vectors are compared with some lists of rows, as the rows themselves were, and not with all."""
        given = not isinstance(self.method, str)
        return (best_search(len(self), self.metric, self.metric_params) if given else self.method) == "approximate"

    def _from_lists(self, X_new: np.ndarray, k: int) -> Neighbors:
        is_cosine = self.metric == "cosine"
        with Workers(self.n_jobs) as workers:
            if self._lists is None or self._lists[0] != k:
                rows = normalize(self.X) if is_cosine else self.X
                self._lists = k, Partition(rows, k, self.random_state, workers)
            found = Neighbors(*self._lists[1].query(normalize(X_new) if is_cosine else X_new, k, workers))
        return Neighbors(found.indices, found.distances**2 / 2) if is_cosine else found

    def _search(self, X: np.ndarray, k: int) -> NearestNeighbors:
        return NearestNeighbors(
            n_neighbors=k,
            # A tree needs the triangle inequality, which is not guaranteed for a function.
            algorithm="brute" if callable(self._metric) else "auto",
            metric=self._metric,
            # If p is given twice, scikit-learn warns at every search.
            p=None if "p" in self.metric_params else 2,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        ).fit(self._shifted(X))

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index in ``candidates`` of the one nearest to each member, and its distance."""
        B = self._shifted(self.X[candidates])
        if self.metric == "euclidean" and len(members) * len(B) < _SMALL:
            distances = cdist(self._shifted(self.X[members]), B)
            which = distances.argmin(axis=1)
            return which, distances[np.arange(len(members)), which]
        which = np.empty(len(members), dtype=np.int64)
        distance = np.empty(len(members))
        for batch in gen_batches(len(members), max(1, CHUNK // self.X.shape[1])):
            A = self._shifted(self.X[members[batch]])
            with limit_threads(1, "blas"), self._threads(len(A)):
                which[batch], distance[batch] = pairwise_distances_argmin_min(
                    A, B, metric=self._metric, metric_kwargs=self.metric_params
                )
            if self.metric in _FROM_SCALAR_PRODUCTS:
                distance[batch] = self._paired(A, B[which[batch]])
        return which, distance

    def distances_from(self, rows: np.ndarray) -> np.ndarray:
        """Return the distances from some rows to all."""
        with limit_threads(1, "blas"):
            near, all_rows = self._shifted(self.X[rows]), self._shifted(self.X)
            return np.asarray(pairwise_distances(near, all_rows, metric=self._metric, **self.metric_params))

    def distances_to(self, X_new: np.ndarray) -> np.ndarray:
        """Return the distances from new vectors to all rows, exactly 0 for a copy of a row."""
        if self.metric in _FROM_SCALAR_PRODUCTS:
            is_cosine = self.metric == "cosine"
            A, B = (normalize(part) if is_cosine else part for part in (X_new.astype(float), self.X.astype(float)))
            return np.asarray(cdist(A, B, "sqeuclidean") / 2 if is_cosine else cdist(A, B))
        with limit_threads(1, "blas"):
            return np.asarray(
                pairwise_distances(X_new, self.X, metric=self._metric, **self.metric_params).astype(float)
            )

    def coordinates(self, pivots: np.ndarray) -> Coordinates:
        """Return the function that gives rows as they are, as directions, or as distances to the pivots."""
        if self.metric in ("cosine", "correlation"):
            is_centred = self.metric == "correlation"
            return lambda rows: normalize(_without_mean(self.X[rows]) if is_centred else self.X[rows].astype(float))
        if self._has_partition:
            return lambda rows: self._shifted(self.X[rows].astype(float))
        few = self.subset(pivots)
        return lambda rows: from_pivots(few.distances_to(self.X[rows]))

    def lengths(self, distances: np.ndarray) -> np.ndarray:
        """Return distances as lengths: the square roots of those that are squares."""
        # Rounding can make a correlation larger than 1.
        return np.sqrt(np.maximum(distances, 0)) if self.metric in _SQUARES else distances

    def shortest_bridges(self, part: np.ndarray) -> list[Bridge]:
        """Return the shortest bridge from each part except the largest; for very many rows, a short one."""
        if (len(part) - np.bincount(part).max()) * len(part) > _BRIDGE_PAIRS:
            return short_bridges(self, part, self.random_state)
        # The cosine distance of a row of zeros obeys no triangle.
        if self.metric == "cosine" or not self._has_partition:
            return super().shortest_bridges(part)
        return shortest_bridges(self, self._shifted(self.X), part)

    def _threads(self, n_rows: int) -> AbstractContextManager[object]:
        """Limit scikit-learn to as many threads as can share these rows.

        Beyond one per 1024 rows it distributes the columns instead, and then ties depend on the number of threads.
        """
        return limit_threads(min(effective_n_jobs(self.n_jobs), max(1, (n_rows - 1) // 1024)), "openmp")

    def _shifted(self, X: np.ndarray) -> np.ndarray:
        """Return rows relative to their centre, if they lie far from zero."""
        return X if self._origin is None else X - self._origin

    @property
    def _metric(self) -> Metric:
        """The metric in a form that scikit-learn accepts."""
        if callable(self.metric) or self.metric in OF_SCIKIT_LEARN:
            return self.metric
        # Imported here because importing it compiles for many seconds.
        from pynndescent.distances import named_distances

        metric: Metric = named_distances[self.metric]
        return metric

    @property
    def _has_partition(self) -> bool:
        return _is_euclidean(self.metric, self.metric_params)

    def _partitioned(self, k: int) -> Neighbors:
        X = normalize(self.X) if self.metric == "cosine" else self.X
        with Workers(self.n_jobs) as workers:
            found = Neighbors(*Partition(X, k, self.random_state, workers).kneighbors(k))
        # The squared distance of two directions is twice the cosine distance.
        return Neighbors(found.indices, found.distances**2 / 2) if self.metric == "cosine" else found

    def _descend(self, k: int) -> Neighbors:
        from pynndescent import NNDescent

        index = NNDescent(
            self.X,
            metric=self.metric,
            metric_kwds=self.metric_params,
            n_neighbors=max(k, 15),
            random_state=self.random_state,
            # Its threads race for the same heaps, so the result would depend on timing.
            n_jobs=1,
        )
        indices, distances = index.neighbor_graph
        return self._remeasured(self.X, Neighbors(indices.astype(np.int64), distances.astype(float)))

    def _remeasured(self, X_new: np.ndarray, found: Neighbors) -> Neighbors:
        """Recompute the distances of the neighbours pair by pair, if the search has not done so."""
        if self.metric not in _FROM_SCALAR_PRODUCTS:
            return found
        k = found.indices.shape[1]
        distances = np.empty(found.indices.shape)
        for batch in gen_batches(len(distances), max(1, CHUNK // (k * self.X.shape[1]))):
            nearby = self.X[found.indices[batch].ravel()]
            distances[batch] = self._paired(np.repeat(X_new[batch], k, axis=0), nearby).reshape(-1, k)
        return Neighbors(found.indices, distances)

    def _paired(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return np.asarray(
            paired_distances(A.astype(float, copy=False), B.astype(float, copy=False), metric=self.metric)
        )


def _without_mean(X: np.ndarray) -> np.ndarray:
    return np.asarray(X - X.mean(axis=1, dtype=float, keepdims=True))


def _origin(X: np.ndarray) -> np.ndarray | None:
    """Return the centre of the rows if they lie too far from zero for scalar products."""
    centre, spread = robust_center(X)
    return centre if np.abs(centre).max() > _FAR_FROM_ZERO * spread else None
