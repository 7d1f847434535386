"""Rows ranked by their distance from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.spatial import KDTree
from sklearn.metrics.pairwise import pairwise_distances
from sklearn.utils import gen_batches

from latentmap.model.inputs import Neighbors, in_order
from latentmap.model.thread_limits import limit_threads
from latentmap.model.vectors import Metric, Vectors
from latentmap.model.workers import Workers

# Numbers that one temporary array may hold: 32 MiB of float64.
_BLOCK = 2**22
# Up to this many columns a tree is faster than all distances, according to scikit-learn.
_TREE_COLUMNS = 15


class RankedRows:
    """Rows among which neighbours are ranked by distance and, at equal distances, by row number."""

    def __init__(self, points: np.ndarray, metric: Metric, n_jobs: int | None) -> None:
        # Far from the origin, scalar products lose the digits of the distances. Lower medians keep integers exact.
        self.origin = np.quantile(points, 0.5, axis=0, method="lower") if metric == "euclidean" else 0.0
        self.points = points = points - self.origin
        self.n_jobs = n_jobs
        self.inputs = Vectors(points, metric, method="exact", n_jobs=n_jobs)
        # Scikit-learn's tree blocks all other threads while it is built, and is rebuilt for every search.
        has_tree = metric == "euclidean" and points.shape[1] <= _TREE_COLUMNS
        self._tree = KDTree(points) if has_tree else None
        self.has_copy, self.copies, self.originals = _copies(points)

    def neighbors_of(self, rows: np.ndarray, n_neighbors: int) -> np.ndarray:
        """Return the nearest other rows of some of the rows, nearest first."""
        batches = blocks(len(rows), n_neighbors + 2)
        return np.concatenate([self._search(self.points[rows[b]], n_neighbors, rows[b]) for b in batches])

    def neighbors(self, queries: np.ndarray, n_neighbors: int) -> np.ndarray:
        """Return the rows nearest to each of some other points, nearest first."""
        batches = blocks(len(queries), n_neighbors + 1)
        return np.concatenate([self._search(queries[b] - self.origin, n_neighbors, None) for b in batches])

    def ranks(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return the rank, from 1, of other rows among the neighbours of each row."""

        def ranks_in(block: slice) -> list[list[int]]:
            D = self._distances(self.points[rows[block]], rows[block])
            return [[_rank(row, j) for j in columns] for row, columns in zip(D, others[block], strict=True)]

        return self._by_block(ranks_in, len(rows))

    def _search(self, queries: np.ndarray, n_neighbors: int, own: np.ndarray | None) -> np.ndarray:
        n_wanted = n_neighbors + (1 if own is None else 2)
        indices, distances = self._nearest(queries, min(n_wanted, len(self.points)))
        check_defined(distances, self.inputs.metric)
        if own is not None:
            is_own = indices == own[:, None]
            # A row with many copies may be missing from its own list.
            is_own[~is_own.any(axis=1), -1] = True
            indices, distances = (part[~is_own].reshape(len(own), -1) for part in (indices, distances))
        nearest = indices[:, :n_neighbors]
        # Which of several equidistant rows a search finds is arbitrary.
        unclear = self.has_copy[indices].any(axis=1)
        unclear |= (distances[:, n_neighbors:] == distances[:, n_neighbors - 1 : n_neighbors]).any(axis=1)
        if unclear.any():
            nearest[unclear] = self._ranked(queries[unclear], n_neighbors, None if own is None else own[unclear])
        return nearest

    def _nearest(self, queries: np.ndarray, n_wanted: int) -> Neighbors:
        if self._tree is None:
            return self.inputs.query(queries, n_wanted)
        distances, indices = self._tree.query(
            queries, np.arange(1, n_wanted + 1), workers=effective_n_jobs(self.n_jobs)
        )
        return in_order(Neighbors(indices, distances))

    def _ranked(self, queries: np.ndarray, n_neighbors: int, own: np.ndarray | None) -> np.ndarray:
        def first_of(block: slice) -> list[np.ndarray]:
            D = self._distances(queries[block], None if own is None else own[block])
            return [_first_in_order(row, n_neighbors) for row in D]

        return self._by_block(first_of, len(queries))

    def _distances(self, queries: np.ndarray, own: np.ndarray | None) -> np.ndarray:
        metric = self.inputs.metric
        D = check_defined(pairwise_distances(queries, self.points, metric=metric, **self.inputs.metric_params), metric)
        # Scalar products may round differently from column to column, which would separate copies.
        D[:, self.copies] = D[:, self.originals]
        if own is not None:
            D[np.arange(len(own)), own] = np.inf
        return D

    def _by_block(self, function: Callable[[slice], list[Any]], n_queries: int) -> np.ndarray:
        # The blocks, and so the rounding inside them, are the same for any number of threads.
        chunks = [(block.start, block.stop) for block in blocks(n_queries, len(self.points))]
        with limit_threads(1, "blas"), Workers(self.n_jobs) as workers:
            return np.concatenate(workers.map(lambda start, stop: function(slice(start, stop)), chunks))


def _copies(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which rows have copies, which are copies, and the earlier rows that these copy."""
    # numpy blocks all other threads while it compares whole rows, so only those equal in the widest column are
    # compared.
    widest = points[:, np.argmax(np.ptp(points, axis=0))]
    _, group, count = np.unique(widest, return_inverse=True, return_counts=True)
    alike = np.flatnonzero(count[group] > 1)
    _, first, group, count = np.unique(
        points[alike], axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    has_copy = np.zeros(len(points), dtype=bool)
    has_copy[alike] = count[group] > 1
    originals = alike[first[group]]
    is_copy = originals != alike
    return has_copy, alike[is_copy], originals[is_copy]


def _rank(distances: np.ndarray, j: int) -> int:
    closer = np.count_nonzero(distances[:j] <= distances[j]) + np.count_nonzero(distances[j + 1 :] < distances[j])
    return int(closer) + 1


def _first_in_order(distances: np.ndarray, n_first: int) -> np.ndarray:
    """Return the indices of the smallest distances, in the order of a stable sort."""
    largest = np.partition(distances, n_first - 1)[n_first - 1]
    closer = np.flatnonzero(distances < largest)
    tied = np.flatnonzero(distances == largest)[: n_first - len(closer)]
    return np.concatenate([closer[np.argsort(distances[closer], kind="stable")], tied])


def blocks(n: int, width: int) -> Iterator[slice]:
    """Divide n rows of some width into blocks that fit into the memory set aside."""
    yield from gen_batches(n, max(1, _BLOCK // width))


def check_defined(distances: np.ndarray, metric: Metric) -> np.ndarray:
    """Return distances, or raise if the metric is undefined for some."""
    if np.isnan(distances).any():
        raise ValueError(
            f"The metric {metric!r} is undefined for some pairs of rows (for example, correlation is undefined for "
            "rows whose values are all equal). Leave these rows out, or choose another metric."
        )
    return distances
