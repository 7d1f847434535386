"""Clusters of a map, and classes made from them."""

from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from sklearn.cluster import HDBSCAN, KMeans

from latentmap.model.thread_limits import limit_threads
from latentmap.session.classes import Classes
from latentmap.session.selection import SelectionStep

Method = Literal["hdbscan", "k-means"]
"""How clusters are found: as dense clumps, however many there are, or as a given number of similar size."""

# The number of nearest cells, including the cell itself, that measure the density at a cell.
_DENSITY = 10
# The number of nearest cells whose distances are kept: with 20, some clusters differed from those over all distances;
# with 40, only ties were broken differently.
_NEAR = 40
# Replaces distances of 0, which a sparse array would lose, as a share of the map's extent.
_SMALLEST = 1e-9


def cluster(
    embedding: ArrayLike,
    method: Method = "hdbscan",
    *,
    min_size: int | None = None,
    n_clusters: int = 8,
    random_state: int = 0,
) -> np.ndarray:
    """Find clusters of cells that lie together on a map.

    Parameters
    ----------
    embedding : array_like of float, shape (n_cells, n_components)
        The cells' coordinates.
    method : {"hdbscan", "k-means"}
        Dense clumps of any shape, with the cells between them in none; or a given number of clusters, with every cell
        in one.
    min_size : int, optional
        The fewest cells of a cluster, for "hdbscan". By default the square root of the number of cells, at least 5: 10
        of 100 cells, 100 of 10 000, 316 of 100 000.
    n_clusters : int
        The number of clusters, for "k-means".
    random_state : int
        The seed of "k-means"; the same seed gives the same clusters.

    Returns
    -------
    ndarray of int, shape (n_cells,)
        Each cell's cluster: 0 is the largest one; -1 for cells in none.

    Raises
    ------
    ValueError
        If the method is unknown, a coordinate is not finite, or there are too few cells.

    Notes
    -----
    HDBSCAN is scikit-learn's. Instead of all distances it gets those to each cell's nearest neighbours, and the
    shortest bridges between groups that these do not connect: the time for all distances grows with the square of the
    number of cells, and they block every other thread. The density at a cell is measured by its 10 nearest cells,
    itself included, whatever `min_size` is, so that a cluster keeps its rim.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> positions = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], (10, 30, 20), axis=0)
    >>> np.bincount(cluster(positions, min_size=8)).tolist()
    [30, 20, 10]
    >>> np.bincount(cluster(positions, "k-means", n_clusters=3)).tolist()
    [30, 20, 10]
    """
    positions = np.asarray(embedding, dtype=float)
    if not np.isfinite(positions).all():
        raise ValueError("Some cells have no coordinates on the map: leave them out first.")
    if method == "hdbscan":
        return _renumbered(_hdbscan(positions, default_min_size(len(positions)) if min_size is None else min_size))
    if method == "k-means":
        if not 1 <= n_clusters <= len(positions):
            raise ValueError(f"{len(positions)} cells cannot be divided into {n_clusters} clusters: ask for fewer.")
        # KMeans limits BLAS itself, and would leave it limited if another fit ended in the meantime.
        with limit_threads(1, "blas"):
            return _renumbered(KMeans(n_clusters, n_init=10, random_state=random_state).fit_predict(positions))
    raise ValueError(f'There is no method "{method}": choose one of {", ".join(get_args(Method))}.')


def default_min_size(n_cells: int) -> int:
    """Return the default for the fewest cells of a cluster.

    Parameters
    ----------
    n_cells : int
        The number of cells on the map.

    Examples
    --------
    >>> [default_min_size(n_cells) for n_cells in (12, 300, 100_000)]
    [5, 17, 316]
    """
    return max(5, round(float(n_cells**0.5)))


def as_classes(
    classes: Classes, numbers: np.ndarray, clusters: np.ndarray, prefix: str = "cluster", *, how: str = "clusters"
) -> None:
    """Assign cells to classes by their cluster: "cluster 1", "cluster 2", and so on.

    Every cell leaves its class, and cells in no cluster are then in no class. Classes of these names that become empty,
    for instance because there were more clusters the last time, are deleted. The classes emit a single signal.

    Parameters
    ----------
    classes : Classes
    numbers : ndarray of int, shape (n_cells,)
        The cells.
    clusters : ndarray of int, shape (n_cells,)
        Each cell's cluster, from 0; -1 for none.
    prefix : str
        The start of the classes' names.
    how : str
        How the clusters were found, for the classes' story.

    Raises
    ------
    ValueError
        If there are not as many entries in `clusters` as cells.

    Examples
    --------
    >>> from latentmap.session.cell_index import CellIndex
    >>> cell_index = CellIndex()
    >>> numbers = cell_index.add([("cells", 0, label) for label in range(1, 6)])
    >>> classes = Classes(cell_index)
    >>> as_classes(classes, numbers, np.array([1, 0, 0, -1, 0]), how="HDBSCAN of the map, at least 2 cells")
    >>> classes.names_of(numbers).tolist()
    ['cluster 2', 'cluster 1', 'cluster 1', '', 'cluster 1']
    >>> classes["cluster 1"].story[0].how
    'HDBSCAN of the map, at least 2 cells'
    """
    numbers, clusters = np.asarray(numbers), np.asarray(clusters)
    if numbers.shape != clusters.shape:
        raise ValueError(f"{len(numbers)} cells, but the clusters of {len(clusters)}: they must agree.")
    names = [f"{prefix} {index + 1}" for index in range(clusters.max(initial=-1) + 1)]
    with classes.changed.paused(lambda first, _: first):
        classes.unassign(numbers)
        for index, name in enumerate(names):
            members = numbers[clusters == index]
            classes.assign(name, members, (SelectionStep("replace", how, len(members), len(members)),))
        for name in classes.names:
            rest = name.removeprefix(f"{prefix} ")
            if rest != name and rest.isdecimal() and not len(classes.members(name)):
                classes.delete(name)


def _hdbscan(positions: np.ndarray, min_size: int) -> np.ndarray:
    if not 2 <= min_size <= len(positions):
        raise ValueError(
            f"Clusters of at least {min_size} cells cannot be found among {len(positions)}: choose a number from 2 to "
            f"{len(positions)}."
        )
    dense = min(_DENSITY, min_size)
    # allow_single_cluster stays off: it would call any map one cluster.
    model = HDBSCAN(min_cluster_size=min_size, min_samples=dense, metric="precomputed", copy=True)
    clusters: np.ndarray = model.fit_predict(_sparse_distances(positions, min(_NEAR, len(positions))))
    return clusters


def _sparse_distances(positions: np.ndarray, n_near: int) -> sp.csr_matrix:
    """Return the distances to each cell's nearest neighbours, symmetric, and the shortest bridges between groups."""
    n = len(positions)
    smallest = _SMALLEST * (float(np.ptp(positions, axis=0).max(initial=0)) or 1.0)
    distances, near = cKDTree(positions).query(positions, n_near)
    rows = np.repeat(np.arange(n), n_near)
    one_way = sp.csr_matrix((np.maximum(distances, smallest).ravel(), (rows, near.ravel())), shape=(n, n))
    # Only mutual neighbours connect a group: a stray cell has neighbours in several clumps but is a neighbour of none,
    # so it is not a bridge between them.
    n_groups, group = connected_components(one_way.minimum(one_way.T), directed=False)
    rows, others, lengths = _bridges(positions, near, distances, group, n_groups)
    bridges = sp.csr_matrix((np.maximum(lengths, smallest), (rows, others)), shape=(n, n))
    either_way = one_way.maximum(bridges)
    return either_way.maximum(either_way.T)


def _bridges(
    positions: np.ndarray, near: np.ndarray, distances: np.ndarray, group: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows i and j and the lengths of the shortest bridges that join all groups (Boruvka's algorithm)."""
    found: list[tuple[int, int, float]] = []
    joined = DisjointSet(range(n_groups))
    while joined.n_subsets > 1:
        part = np.empty(n_groups, dtype=int)
        for number, members in enumerate(joined.subsets()):
            part[list(members)] = number
        for length, i, j in sorted(_shortest_bridges(positions, near, distances, part[group])):
            if joined.merge(group[i], group[j]):
                found.append((i, j, length))
    table = np.array(found).reshape(-1, 3)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2]


def _shortest_bridges(
    positions: np.ndarray, near: np.ndarray, distances: np.ndarray, part: np.ndarray
) -> list[tuple[float, int, int]]:
    """Return the shortest bridge from each part except the largest to any other."""
    sizes = np.bincount(part)
    leads_out = part[near] != part[:, None]
    first = leads_out.argmax(axis=1)[:, None]
    lengths = np.where(leads_out.any(axis=1), np.take_along_axis(distances, first, 1).ravel(), np.inf)
    nearest = np.take_along_axis(near, first, 1).ravel()
    order = np.lexsort((lengths, part))
    shortest = order[np.cumsum(sizes) - sizes]
    ways = []
    for number in np.delete(np.arange(len(sizes)), sizes.argmax()):
        i = shortest[number]
        way = (float(lengths[i]), int(i), int(nearest[i]))
        # The listed neighbours surely include the shortest bridge only of a part smaller than the lists are long.
        ways.append(way if sizes[number] < near.shape[1] else _shortest_bridge(positions, part == number))
    return ways


def _shortest_bridge(positions: np.ndarray, is_inside: np.ndarray) -> tuple[float, int, int]:
    inside, outside = np.flatnonzero(is_inside), np.flatnonzero(~is_inside)
    lengths, nearest = cKDTree(positions[outside], balanced_tree=False).query(positions[inside])
    i = int(lengths.argmin())
    return float(lengths[i]), int(inside[i]), int(outside[nearest[i]])


def _renumbered(clusters: np.ndarray) -> np.ndarray:
    """Renumber clusters, the largest first."""
    order = np.argsort(-np.bincount(clusters[clusters >= 0]), kind="stable")
    # One more entry: the one that -1 points to.
    renumbered: np.ndarray = np.append(np.argsort(order), -1)[clusters]
    return renumbered
