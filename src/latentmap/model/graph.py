"""The neighbourhood graph of Saul (22)-(24): few edges, but trustworthy ones, and no cell left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from latentmap.model.neighbors import Inputs, Neighbors

# Squared distances are kept above this part of their median, so that duplicates stay edges and have a length scale.
SMALLEST_SQUARED_DISTANCE = 1e-6
# Entries that one product of reachability matrices may have.
_CHUNK_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """A directed graph of neighbours.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        The inputs that are nodes of the graph: all of them, unless only the largest component was asked for.
    edges : csr_array of shape (n, n)
        E of Saul (24): the distance of each pair that is regarded as near. A bridge is stored in both directions.
    reach : ndarray of shape (n,)
        The distance of the farthest neighbour of each node; bridges do not count.
    smallest_distance : float
        What shorter distances, those of duplicates, are raised to.
    n_components : int
        The number of parts that the graph of neighbours fell into.
    n_bridges : int
        The number of edges added to join them.
    """

    rows: np.ndarray
    edges: sp.csr_array
    reach: np.ndarray
    smallest_distance: float
    n_components: int
    n_bridges: int


def neighbor_graph(inputs: Inputs, neighbors: Neighbors, n_steps: int = 1, connect: str = "bridge") -> NeighborGraph:
    """Build the neighbourhood graph E from the k nearest neighbours.

    Parameters
    ----------
    inputs : Inputs
        Asked for the distances between components.
    neighbors : Neighbors
        The k nearest neighbours of each input.
    n_steps : int
        Steps (s) of the walk by which neighbours must reach each other.
    connect : {"bridge", "largest"}
        Join the components of a disconnected graph by their shortest bridges, or keep the largest only, as the paper
        does.

    Returns
    -------
    NeighborGraph
    """
    smallest = _smallest_distance(neighbors.distances)
    K = _distances(neighbors, smallest)
    undirected = K.maximum(K.T)
    n_components, component = connected_components(undirected, directed=False)
    rows = np.arange(len(inputs))
    bridges = np.empty((0, 3))
    if n_components > 1 and connect == "largest":
        rows = np.flatnonzero(component == np.argmax(np.bincount(component)))
        K, undirected = K[rows][:, rows], undirected[rows][:, rows]
    elif n_components > 1:
        bridges = _shortest_bridges(inputs, component, n_components)
        bridges[:, 2] = np.maximum(bridges[:, 2], smallest)
    tree = minimum_spanning_tree(undirected).astype(bool)
    near = K.astype(bool)
    # Saul (24): K_ij implies R_ij, so what is left to ask is whether j reaches i.
    trusted = near.multiply((tree + tree.T) + _reached(near, n_steps).T).tocsr()
    trusted = trusted + _first_neighbors(K, trusted)
    E = sp.csr_array(K.multiply(trusted))
    E.sort_indices()
    return NeighborGraph(
        rows, _with_bridges(E, bridges), E.max(axis=1).toarray().ravel(), smallest, n_components, len(bridges)
    )


def _smallest_distance(distances: np.ndarray) -> float:
    positive = distances[distances > 0]
    return float(np.sqrt(SMALLEST_SQUARED_DISTANCE) * (np.median(positive) if len(positive) else 1.0))


def _distances(neighbors: Neighbors, smallest: float) -> sp.csr_array:
    """Return K of Saul (22) as distances, none of them zero: a sparse array would lose it."""
    n, k = neighbors.indices.shape
    distances = np.maximum(neighbors.distances, smallest)
    K = sp.csr_array((distances.ravel(), neighbors.indices.ravel(), np.arange(0, n * k + 1, k)), (n, n))
    K.sort_indices()
    return K


def _reached(near: sp.csr_array, n_steps: int) -> sp.csr_array:
    """Return, for the reversed edges of K, which are in R = K + ... + K^s of Saul (23)."""
    n = near.shape[0]
    if n_steps == 1:
        return near
    wanted = near.T.tocsr()
    degree = max(1.0, near.nnz / n)
    step = int(np.clip(_CHUNK_ENTRIES / min(n, degree**n_steps), 1, n))
    found = []
    for start in range(0, n, step):
        reached = power = near[start : start + step]
        for _ in range(n_steps - 1):
            power = power @ near
            reached = reached + power
        found.append(reached.multiply(wanted[start : start + step]))
    return sp.csr_array(sp.vstack(found, format="csr"))


def _first_neighbors(K: sp.csr_array, trusted: sp.csr_array) -> sp.csr_array:
    """Return an edge to the nearest neighbour for each node without any.

    The edge to the nearest neighbour is always in the tree, unless several are equally near.
    """
    lonely = np.flatnonzero(np.diff(trusted.indptr) == 0)
    ends = K.indptr[lonely], K.indptr[lonely + 1]
    nearest = [K.indices[lo + np.argmin(K.data[lo:hi])] for lo, hi in zip(*ends, strict=True)]
    return sp.csr_array((np.ones(len(lonely), bool), (lonely, np.array(nearest, int))), K.shape)


def _shortest_bridges(inputs: Inputs, component: np.ndarray, n_components: int) -> np.ndarray:
    """Return the rows i, j, distance of the shortest edges that join all components (Boruvka's algorithm)."""
    bridges: list[tuple[int, int, float]] = []
    joined = DisjointSet(range(n_components))
    while joined.n_subsets > 1:
        part = np.empty(n_components, int)
        for number, components in enumerate(joined.subsets()):
            part[list(components)] = number
        for i, j, distance in sorted(inputs.shortest_bridges(part[component]), key=lambda bridge: bridge[::-1]):
            if joined.merge(component[i], component[j]):
                bridges.append((i, j, distance))
    return np.array(bridges)


def _with_bridges(E: sp.csr_array, bridges: np.ndarray) -> sp.csr_array:
    if not len(bridges):
        return E
    i, j = bridges[:, :2].astype(int).T
    both = sp.csr_array((np.tile(bridges[:, 2], 2), (np.r_[i, j], np.r_[j, i])), E.shape)
    return sp.csr_array(E + both)
