"""Inputs given by their distances: to all others, or to some neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra
from sklearn.neighbors import sort_graph_by_row_values

from latentmap.model.inputs import Coordinates, Inputs, Neighbors, from_pivots, in_order, without_self
from latentmap.model.narrow_indices import narrow_indices


class DistanceMatrix(Inputs):
    """Inputs given by the distances between all of them.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances; the diagonal is not read.
    """

    def __init__(self, D: np.ndarray) -> None:
        self.D = D

    @property
    def table(self) -> np.ndarray:
        """The distances."""
        return self.D

    def __len__(self) -> int:
        return int(self.D.shape[0])

    def subset(self, rows: np.ndarray) -> DistanceMatrix:
        """Return some of the rows."""
        return DistanceMatrix(self.D[np.ix_(rows, rows)])

    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""
        return in_order(without_self(self._nearest(self.D, min(k + 1, len(self))), k))

    def query(self, D_new: np.ndarray, k: int) -> Neighbors:
        """Return the k nearest rows of new inputs, given by their distances to all rows."""
        return self._nearest(D_new, k)

    def _nearest(self, D_new: np.ndarray, k: int) -> Neighbors:
        indices = np.argpartition(D_new, k - 1, axis=1)[:, :k]
        return in_order(Neighbors(indices, np.take_along_axis(D_new, indices, 1).astype(float)))

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index in ``candidates`` of the one nearest to each member, and its distance."""
        distances = self.D[np.ix_(members, candidates)]
        which = distances.argmin(axis=1)
        return which, distances[np.arange(len(members)), which].astype(float)

    def distances_from(self, rows: np.ndarray) -> np.ndarray:
        """Return the distances from some rows to all."""
        return np.asarray(self.D[rows].astype(float))

    def distances_to(self, D_new: np.ndarray) -> np.ndarray:
        """Return the distances of new inputs to all rows, which are their description."""
        return D_new.astype(float)

    def coordinates(self, pivots: np.ndarray) -> Coordinates:
        """Return the function that turns rows into vectors by their distances to the pivots."""
        numbers = np.arange(len(self))

        def between(rows: Any) -> np.ndarray:
            distances = self.D[rows][:, pivots].astype(float)
            return np.where(numbers[rows][:, None] == pivots, 0.0, distances)

        return lambda rows: from_pivots(between(rows))


class DistanceGraph(Inputs):
    """Inputs given by some of their distances; the others are measured along the graph.

    Parameters
    ----------
    graph : sparse array of shape (n, n)
        Distances to some neighbours of each row, as from scikit-learn's ``KNeighborsTransformer``. Stored zeros count.
    """

    def __init__(self, graph: sp.csr_array) -> None:
        self.graph = graph

    @property
    def table(self) -> sp.csr_array:
        """The graph."""
        return self.graph

    def __len__(self) -> int:
        return int(self.graph.shape[0])

    def subset(self, rows: np.ndarray) -> DistanceGraph:
        """Return some of the rows."""
        return DistanceGraph(sp.csr_array(self.graph[rows][:, rows]))

    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""
        stored = self.graph.tocoo()
        other = stored.row != stored.col
        kept = sp.coo_array((stored.data[other], (stored.row[other], stored.col[other])), stored.shape)
        return self.query(kept.tocsr(), k)

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
        return in_order(Neighbors(ordered.indices[first].astype(np.int64), ordered.data[first].astype(float)))

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index in ``candidates`` of the one nearest to each member along the graph, and its distance."""
        distances, _, sources = dijkstra(
            narrow_indices(self.graph), directed=False, indices=candidates, min_only=True, return_predecessors=True
        )
        index = np.full(len(self), -1)
        index[candidates] = np.arange(len(candidates))
        return index[sources[members]], distances[members]

    def distances_from(self, rows: np.ndarray) -> np.ndarray:
        """Return the distances from some rows to all, infinite where the graph does not hold them."""
        return self.distances_to(self.graph[rows])

    def distances_to(self, graph_new: sp.csr_array) -> np.ndarray:
        """Return the distances from new inputs to all rows, infinite where they are not known."""
        known = graph_new.tocoo()
        distances = np.full(known.shape, np.inf)
        distances[known.row, known.col] = known.data
        return distances

    def coordinates(self, pivots: np.ndarray) -> None:
        """Return None: how far apart rows are that are not neighbours is unknown."""
