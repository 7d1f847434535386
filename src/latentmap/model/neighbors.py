"""Inputs and their nearest neighbours: from vectors, from all distances, or from a graph of known distances.

The three kinds of inputs answer the same questions, which are all that the model asks of the data:

``kneighbors(k)``
    the k nearest other rows of each row;
``query(X_new, k)``
    the k nearest rows of new inputs;
``nearest(members, candidates)``
    which candidate is nearest to each member, and how far;
``shortest_bridge(members)``
    the shortest way from a set of rows to the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.neighbors import VALID_METRICS, NearestNeighbors, sort_graph_by_row_values
from threadpoolctl import threadpool_limits

Metric = str | Callable[[np.ndarray, np.ndarray], float]

# Rows for which exact neighbours are still searched by default; beyond, pynndescent.
EXACT_LIMIT = 100_000
# Bytes that one temporary of the distance computations may take.
_CHUNK_BYTES = 2**26
# Below this many pairs the overhead of a call to scikit-learn exceeds its gain.
_SMALL = 1 << 16


class Neighbors(NamedTuple):
    """The nearest neighbours of each row, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n, k), int64
    distances : ndarray of shape (n, k), float64
    """

    indices: np.ndarray
    distances: np.ndarray


class Vectors:
    """Inputs given as vectors, with a metric.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The inputs. Never copied whole, so it may be a read-only memory map.
    metric : str or callable
        Any metric of scikit-learn, or one that pynndescent alone has, or ``f(x, y) -> distance``.
    metric_params : dict or None
        Further arguments of the metric.
    method : {"auto", "exact", "pynndescent"} or Neighbors
        How to search, or what an earlier search has found. "auto" is exact up to 100 000 rows.
    n_jobs : int or None
        Threads.
    random_state : int
        Seed of the approximate search.
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
        self.method = method
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.metric = metric
        self.metric_params = dict(metric_params or {})
        if metric == "seuclidean":
            self.metric_params.setdefault("V", X.var(axis=0, ddof=1))
        elif metric == "mahalanobis":
            self.metric_params.setdefault("VI", np.linalg.pinv(np.cov(X, rowvar=False)))

    def __len__(self) -> int:
        return self.X.shape[0]

    def subset(self, rows: np.ndarray) -> Vectors:
        """Return these rows alone."""
        return Vectors(self.X[rows], self.metric, self.metric_params, "exact", self.n_jobs, self.random_state)

    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""
        if isinstance(self.method, Neighbors):
            found = self.method
        elif self.method == "pynndescent" or (self.method == "auto" and len(self) > EXACT_LIMIT):
            found = self._descend(k + 1)
        else:
            found = self.query(self.X, min(k + 1, len(self)))
        return _sorted(without_self(found, k))

    def query(self, X_new: np.ndarray, k: int) -> Neighbors:
        """Return the k nearest rows of each of some new vectors."""
        search = NearestNeighbors(
            n_neighbors=k, metric=self._metric, metric_params=self.metric_params, n_jobs=self.n_jobs
        ).fit(self.X)
        with self._threads(len(X_new)):
            distances, indices = search.kneighbors(X_new)
        return _sorted(self._remeasured(X_new, Neighbors(indices, distances)))

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the place in ``candidates`` of the one nearest to each member, and its distance."""
        A, B = self.X[members], self.X[candidates]
        if self.metric == "euclidean" and len(A) * len(B) < _SMALL:
            distances = cdist(A, B)
            which = distances.argmin(axis=1)
            return which, distances[np.arange(len(A)), which]
        with self._threads(len(A)):
            which, distance = pairwise_distances_argmin_min(A, B, metric=self._metric, metric_kwargs=self.metric_params)
        if self.metric == "euclidean":
            distance = _euclidean(A, B[which])
        return which, distance

    def shortest_bridge(self, members: np.ndarray) -> tuple[int, int, float]:
        """Return the closest pair of a member and a row that is none, and its distance."""
        others = np.setdiff1d(np.arange(len(self)), members, assume_unique=True)
        which, distances = self.nearest(members, others)
        best = int(np.argmin(distances))
        return int(members[best]), int(others[which[best]]), float(distances[best])

    def _threads(self, n_rows: int) -> threadpool_limits:
        """Limit scikit-learn to as many threads as may share these rows among them.

        Beyond one for each 1024 rows it shares out the columns instead, and then ties fall by the number of threads.
        """
        return threadpool_limits(min(effective_n_jobs(self.n_jobs), max(1, (n_rows - 1) // 1024)), "openmp")

    @property
    def _metric(self) -> Metric:
        """The metric in a form that scikit-learn takes."""
        if callable(self.metric) or self.metric in VALID_METRICS["brute"] + VALID_METRICS["ball_tree"]:
            return self.metric
        from pynndescent.distances import named_distances

        return named_distances[self.metric]

    def _descend(self, k: int) -> Neighbors:
        # Its import compiles for seconds, and those who never need it need not wait.
        from pynndescent import NNDescent

        index = NNDescent(
            self.X,
            metric=self.metric,
            metric_kwds=self.metric_params,
            n_neighbors=max(k, 15),
            random_state=self.random_state,
            # Several of its threads race for the same heaps, and the result would depend on timing.
            n_jobs=1,
        )
        indices, distances = index.neighbor_graph
        return self._remeasured(self.X, Neighbors(indices.astype(np.int64), distances.astype(float)))

    def _remeasured(self, X_new: np.ndarray, found: Neighbors) -> Neighbors:
        """Measure Euclidean distances again, from differences.

        A fast search takes them from scalar products, which leaves duplicates at a small positive distance.
        """
        if self.metric != "euclidean":
            return found
        k = found.indices.shape[1]
        distances = np.empty(found.indices.shape)
        step = max(1, _CHUNK_BYTES // (8 * k * self.X.shape[1]))
        for start in range(0, len(distances), step):
            rows = slice(start, start + step)
            nearby = self.X[found.indices[rows].ravel()]
            distances[rows] = _euclidean(np.repeat(X_new[rows], k, axis=0), nearby).reshape(-1, k)
        return Neighbors(found.indices, distances)


class DistanceMatrix:
    """Inputs given by the distances between all of them.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances; the diagonal is not read.
    """

    def __init__(self, D: np.ndarray) -> None:
        self.D = D

    def __len__(self) -> int:
        return self.D.shape[0]

    def subset(self, rows: np.ndarray) -> DistanceMatrix:
        """Return these rows alone."""
        return DistanceMatrix(self.D[np.ix_(rows, rows)])

    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""
        return _sorted(without_self(self.query(self.D, min(k + 1, len(self))), k))

    def query(self, D_new: np.ndarray, k: int) -> Neighbors:
        """Return the k nearest rows of new inputs, given by their distances to all rows."""
        indices = np.argpartition(D_new, k - 1, axis=1)[:, :k]
        return _sorted(Neighbors(indices, np.take_along_axis(D_new, indices, 1).astype(float)))

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the place in ``candidates`` of the one nearest to each member, and its distance."""
        distances = self.D[np.ix_(members, candidates)]
        which = distances.argmin(axis=1)
        return which, distances[np.arange(len(members)), which].astype(float)

    def shortest_bridge(self, members: np.ndarray) -> tuple[int, int, float]:
        """Return the closest pair of a member and a row that is none, and its distance."""
        others = np.setdiff1d(np.arange(len(self)), members, assume_unique=True)
        which, distances = self.nearest(members, others)
        best = int(np.argmin(distances))
        return int(members[best]), int(others[which[best]]), float(distances[best])


class DistanceGraph:
    """Inputs given by the distances between some of them; others are measured along the graph.

    Parameters
    ----------
    graph : sparse array of shape (n, n)
        Distances to some neighbours of each row, as from scikit-learn's ``KNeighborsTransformer``. What is stored is
        known, also a stored zero.
    """

    def __init__(self, graph: sp.csr_array) -> None:
        self.graph = graph

    def __len__(self) -> int:
        return self.graph.shape[0]

    def subset(self, rows: np.ndarray) -> DistanceGraph:
        """Return these rows alone."""
        return DistanceGraph(sp.csr_array(self.graph[rows][:, rows]))

    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.graph.indptr))
        other = rows != self.graph.indices
        kept = sp.csr_array(
            (self.graph.data[other], self.graph.indices[other], _indptr(rows[other], len(self))), self.graph.shape
        )
        return self.query(kept, k)

    def query(self, graph_new: sp.csr_array, k: int) -> Neighbors:
        """Return the k nearest rows of new inputs, given by their distances to at least k rows."""
        counts = np.diff(graph_new.indptr)
        if counts.min() < k:
            raise ValueError(
                f"The precomputed graph has {np.count_nonzero(counts < k)} rows with fewer than k = {k} neighbours "
                f"(the first is row {int(np.argmax(counts < k))}, with {int(counts[np.argmax(counts < k)])}). "
                "Lower n_neighbors, or compute the graph with more neighbours."
            )
        ordered = sort_graph_by_row_values(sp.csr_matrix(graph_new), copy=True, warn_when_not_sorted=False)
        first = ordered.indptr[:-1, None] + np.arange(k)
        return _sorted(Neighbors(ordered.indices[first].astype(np.int64), ordered.data[first].astype(float)))

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the place in ``candidates`` of the one nearest along the graph to each member, and its distance."""
        distances, _, sources = dijkstra(
            self.graph, directed=False, indices=candidates, min_only=True, return_predecessors=True
        )
        place = np.full(len(self), -1)
        place[candidates] = np.arange(len(candidates))
        return place[sources[members]], distances[members]

    def shortest_bridge(self, members: np.ndarray) -> tuple[int, int, float]:
        """Raise, since the graph does not know the distance between its components."""
        raise ValueError(
            f"The precomputed graph falls into separate parts (one of them of {len(members)} rows), and the distances "
            "between them are not known. Add the missing edges, raise the number of neighbours, or use "
            'connect="largest" to embed the largest part only.'
        )


Inputs = Vectors | DistanceMatrix | DistanceGraph


def without_self(found: Neighbors, k: int) -> Neighbors:
    """Drop each row from its own neighbours, by index, and keep the first k of the others.

    Dropping the first column would drop the wrong one where rows are duplicates.
    """
    own = found.indices == np.arange(len(found.indices))[:, None]
    # A row with many duplicates may be missing from its own list: there the last goes.
    own[~own.any(axis=1), -1] = True
    kept = np.argsort(own, axis=1, kind="stable")[:, :k]
    return Neighbors(np.take_along_axis(found.indices, kept, 1), np.take_along_axis(found.distances, kept, 1))


def _sorted(found: Neighbors) -> Neighbors:
    order = np.lexsort((found.indices, found.distances), axis=1)
    return Neighbors(
        np.take_along_axis(found.indices, order, 1).astype(np.int64),
        np.take_along_axis(found.distances, order, 1).astype(float),
    )


def _euclidean(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    difference = A.astype(float) - B
    return np.sqrt(np.einsum("ij,ij->i", difference, difference))


def _indptr(rows: np.ndarray, n: int) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
