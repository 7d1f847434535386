"""The neighbourhood graph of Saul (22)-(24): few but trustworthy edges, and no cell isolated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components

from latentmap.model.both_directions import BothDirections
from latentmap.model.compiling import compiled
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.spanning_forest import spanning_forest

# Squared distances are kept above this fraction of their median, so that duplicates remain edges and have a length
# scale, and below this multiple of it: weights are ratios of squared distances, and must stay within precision.
SMALLEST_SQUARED_DISTANCE = 1e-6
LARGEST_SQUARED_DISTANCE = 1e4


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """A directed graph of neighbours.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        The inputs that are nodes of the graph: all, unless only the largest component was requested.
    edges : csr_array of shape (n, n)
        E of Saul (24): the distances of the trusted neighbours. A bridge is stored in both directions.
    widths : ndarray of shape (n,)
        Divisors of the distances of each node, which make them length scales; all 1 in the paper.
    typical_distance : float
        The median over rows of the mean distance of their neighbours; a row with this mean has the width 1.
    lengths : csr_array of shape (n, n)
        The distances of the edges divided by the widths of both nodes.
    longest_edge : ndarray of shape (n,)
        The length of the longest edge of each node, bridges excluded.
    smallest_distance, largest_distance : float
        Limits of distances: those of duplicates are raised to the one, those of outliers lowered to the other.
    n_components : int
        The number of connected components of the graph of neighbours.
    n_bridges : int
        The number of edges added to join them.
    """

    rows: np.ndarray
    edges: sp.csr_array
    widths: np.ndarray
    typical_distance: float
    lengths: sp.csr_array
    longest_edge: np.ndarray
    smallest_distance: float
    largest_distance: float
    n_components: int
    n_bridges: int

    def limited(self, distances: np.ndarray) -> np.ndarray:
        """Return distances within the limits of the graph."""
        return np.asarray(np.clip(distances, self.smallest_distance, self.largest_distance))


def neighbor_graph(
    inputs: Inputs,
    neighbors: Neighbors,
    n_steps: int = 1,
    connect: str = "bridge",
    *,
    min_neighbors: int = 0,
    local_scaling: float = 0.0,
) -> NeighborGraph:
    """Build the neighbourhood graph E from the k nearest neighbours.

    Parameters
    ----------
    inputs : Inputs
        The rows, for the distances between components.
    neighbors : Neighbors
        The k nearest neighbours of each input.
    n_steps : int
        Steps (s) within which neighbours must reach each other.
    connect : {"bridge", "largest"}
        Join the components of a disconnected graph by their shortest bridges, or keep only the largest, as in the
        paper.
    min_neighbors : int
        Number of nearest neighbours that each row keeps whether trusted or not; 0 in the paper.
    local_scaling : float
        From 0, as in the paper, to 1, where distances are measured in units of those usual around both rows.

    References
    ----------
    L. Zelnik-Manor and P. Perona, "Self-tuning spectral clustering", NIPS 2004: the scale of a row.
    """
    limits = distance_limits(neighbors.distances)
    K = _distances(neighbors, limits)
    tree, component = _spanning_forest(K)
    rows, n_components = np.arange(len(inputs)), int(component.max()) + 1
    bridges = np.empty((0, 3))
    if n_components > 1 and connect == "largest":
        rows = np.flatnonzero(component == np.argmax(np.bincount(component)))
        K, tree = K[rows][:, rows], tree[rows][:, rows]
    elif n_components > 1:
        bridges = _shortest_bridges(inputs, component, n_components, limits)
    E = _trusted(K, tree, n_steps, min_neighbors)
    distances = neighbors.distances[rows]
    usual = float(np.median(np.clip(distances, *limits).mean(axis=1)))
    widths = row_widths(distances, limits, local_scaling, usual)
    reach = np.maximum.reduceat(_lengths(E, widths).data, E.indptr[:-1])
    E = _with_bridges(E, bridges)
    return NeighborGraph(rows, E, widths, usual, _lengths(E, widths), reach, *limits, n_components, len(bridges))


def row_widths(distances: np.ndarray, limits: tuple[float, float], local_scaling: float, usual: float) -> np.ndarray:
    """Return the divisors w_i that turn the distances of each row into length scales.

    Two rows at the distance D_ij have the length scale D_ij / (w_i w_j), with w_i = (r_i / r)^(g/2): r_i is the mean
    distance of the neighbours of row i, r the median of these, and g the degree to which density is evened out.

    Parameters
    ----------
    distances : ndarray of shape (n, k)
        Of the neighbours of each row.
    limits : (float, float)
        Of distances; see :func:`distance_limits`.
    local_scaling : float
        g.
    usual : float
        r.

    Examples
    --------
    >>> row_widths(np.array([[1.0, 1.0], [1.0, 1.0], [3.0, 5.0]]), (0.1, 10.0), 1.0, 1.0)
    array([1., 1., 2.])
    """
    if local_scaling == 0:
        return np.ones(len(distances))
    means = np.clip(distances, *limits).mean(axis=1)
    return np.asarray((means / usual) ** (local_scaling / 2))


def _lengths(E: sp.csr_array, widths: np.ndarray) -> sp.csr_array:
    """Return the edges divided by the widths of both rows."""
    data = E.data / (np.repeat(widths, np.diff(E.indptr)) * widths[E.indices])
    return sp.csr_array((data, E.indices, E.indptr), E.shape)


def joined_neighbors(inputs: Inputs, neighbors: Neighbors) -> sp.csr_array:
    """Return the distances to all k nearest neighbours, with bridges if the graph is disconnected.

    Parameters
    ----------
    inputs, neighbors
        As in :func:`neighbor_graph`.

    Returns
    -------
    csr_array of shape (n, n)
        Directed; a bridge is stored in both directions. No distance is 0.

    Examples
    --------
    >>> from latentmap.model.vectors import Vectors
    >>> line = Vectors(np.array([[0.0], [1.0], [5.0], [7.0]]))
    >>> joined_neighbors(line, line.kneighbors(1)).toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 4., 0.],
           [0., 4., 0., 2.],
           [0., 0., 2., 0.]])
    """
    # No upper limit: the length of a path is the sum of its distances, however long one of them is.
    limits = (distance_limits(neighbors.distances)[0], np.inf)
    K = _distances(neighbors, limits)
    n_components, component = connected_components(K, directed=False)
    if n_components == 1:
        return K
    return _with_bridges(K, _shortest_bridges(inputs, component, n_components, limits))


def distance_limits(distances: np.ndarray) -> tuple[float, float]:
    """Return the limits to which the distances of rows are clipped.

    Parameters
    ----------
    distances : ndarray of shape (n, k)
        Of the neighbours of each row.

    Returns
    -------
    smallest, largest : float
        In proportion to the median of the distances above 0.
    """
    positive = distances[distances > 0]
    usual = np.median(positive) if len(positive) else 1.0
    return float(np.sqrt(SMALLEST_SQUARED_DISTANCE) * usual), float(np.sqrt(LARGEST_SQUARED_DISTANCE) * usual)


def _distances(neighbors: Neighbors, limits: tuple[float, float]) -> sp.csr_array:
    """Return K of Saul (22) as distances, none of them zero, which a sparse array would drop."""
    n, k = neighbors.indices.shape
    distances = np.clip(neighbors.distances, *limits)
    # A copy of the indices: sorted in place, the caller's would no longer be those at their distances.
    K = sp.csr_array((distances.ravel(), neighbors.indices.flatten(), np.arange(0, n * k + 1, k)), (n, n))
    K.sort_indices()
    return K


def _spanning_forest(K: sp.csr_array) -> tuple[sp.csr_array, np.ndarray]:
    """Return T of Saul (24), in both directions, and the tree of each row."""
    pairs = BothDirections.of(K, once=True)
    # With a user's own metric the two distances of a pair may differ.
    distances = np.maximum(*pairs.values(K.data))
    forest, tree = spanning_forest(sp.csr_array((distances, pairs.indices, pairs.indptr), K.shape))
    return sp.csr_array(forest + forest.T), tree


def _trusted(K: sp.csr_array, tree: sp.csr_array, n_steps: int, min_neighbors: int) -> sp.csr_array:
    """Return E of Saul (24) with the edges to ``min_neighbors`` nearest neighbours of each node, and at least one edge.

    The edge to the nearest neighbour is in the tree unless several are equally near.
    """
    n = K.shape[0]
    if n_steps >= n:
        # Then j reaches i if there is any path, that is, if both are in one strongly connected component.
        part = connected_components(K, connection="strong")[1]
        rows = np.repeat(np.arange(n), np.diff(K.indptr))
        n_steps, any_way = 1, part[rows] == part[K.indices]
    else:
        any_way = np.zeros(K.nnz, bool)
    backwards = sp.csr_array((np.ones(K.nnz, bool), K.indices, K.indptr), K.shape).T.tocsr()
    kept = np.empty(K.nnz, bool)
    _keep_trusted(K.indptr, K.indices, backwards.indptr, backwards.indices, tree.indptr, tree.indices, n_steps, kept)
    kept |= any_way
    if min_neighbors:
        by_row = K.data.reshape(n, -1)
        # Neighbours at equal distances are all kept.
        last = min(min_neighbors, by_row.shape[1]) - 1
        farthest = np.partition(by_row, last, axis=1)[:, [last]]
        kept |= (by_row <= farthest).ravel()
    for lonely in np.flatnonzero(~np.logical_or.reduceat(kept, K.indptr[:-1])):
        lo, hi = K.indptr[lonely], K.indptr[lonely + 1]
        kept[lo + np.argmin(K.data[lo:hi])] = True
    # Summed by edge, a bool at a time, NumPy would keep the interpreter's lock; every row has an edge.
    indptr = np.concatenate([[0], np.cumsum(np.add.reduceat(kept.view(np.int8), K.indptr[:-1], dtype=np.int64))])
    return sp.csr_array((K.data[kept], K.indices[kept], indptr), (n, n))


@compiled
def _keep_trusted(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    tree_indptr: np.ndarray,
    tree_indices: np.ndarray,
    n_steps: int,
    kept: np.ndarray,
) -> None:
    """Write which edges of K are in T or, both ways, in R = K + ... + K^s of Saul (23).

    K_ij implies R_ij, so it remains to check whether j reaches i: whether some neighbour of j is at most s - 1 steps
    from i.
    """
    n = len(indptr) - 1
    is_near = np.full(n, -1, np.int32)
    is_joined = np.full(n, -1, np.int32)
    near = np.empty(n, np.int32)
    for i in range(n):
        is_near[i] = i
        near[0] = i
        first, n_near = 0, 1
        for _ in range(n_steps - 1):
            last = n_near
            if first == last:
                break
            for m in near[first:last]:
                for p in range(back_indptr[m], back_indptr[m + 1]):
                    if is_near[back_indices[p]] != i:
                        is_near[back_indices[p]] = i
                        near[n_near] = back_indices[p]
                        n_near += 1
            first = last
        for p in range(tree_indptr[i], tree_indptr[i + 1]):
            is_joined[tree_indices[p]] = i
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            kept[p] = is_joined[j] == i
            for q in range(indptr[j], indptr[j + 1]):
                if kept[p]:
                    break
                kept[p] = is_near[indices[q]] == i


def _shortest_bridges(
    inputs: Inputs, component: np.ndarray, n_components: int, limits: tuple[float, float]
) -> np.ndarray:
    """Return (i, j, distance) of the shortest edges that join all components (Boruvka's algorithm)."""
    bridges: list[tuple[int, int, float]] = []
    joined = DisjointSet(range(n_components))
    while joined.n_subsets > 1:
        part = np.empty(n_components, int)
        for number, components in enumerate(joined.subsets()):
            part[list(components)] = number
        for i, j, distance in sorted(inputs.shortest_bridges(part[component]), key=lambda bridge: bridge[::-1]):
            if joined.merge(component[i], component[j]):
                bridges.append((i, j, float(np.clip(distance, *limits))))
    return np.array(bridges)


def _with_bridges(E: sp.csr_array, bridges: np.ndarray) -> sp.csr_array:
    if not len(bridges):
        return E
    i, j = bridges[:, :2].astype(int).T
    both = sp.csr_array((np.tile(bridges[:, 2], 2), (np.r_[i, j], np.r_[j, i])), E.shape)
    return sp.csr_array(E + both)
