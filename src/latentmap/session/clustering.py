"""Clusters of a map, and classes made of them."""

from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from sklearn.cluster import HDBSCAN, KMeans

from latentmap.model.limits import limited
from latentmap.session.classes import Classes
from latentmap.session.selection import Choice

Method = Literal["hdbscan", "k-means"]
"""How clusters are found: as dense clumps, however many there are; or as so many parts of about the same size."""

# How many of the nearest cells say how dense the map is at a cell, the cell itself among them.
_DENSITY = 10
# To how many of the nearest cells the distances are kept: with 20 the clusters differed from those over all distances
# here and there, with 40 only where ties are broken another way.
_NEAR = 40
# A distance of 0 would be lost in a sparse array; this share of the map's extent is as good.
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
    embedding : array_like of float, shape (n_cells, n_dimensions)
        The cells' places.
    method : {"hdbscan", "k-means"}
        Dense clumps of any shape, with the cells between them in none; or as many parts as asked for, with every cell
        in one.
    min_size : int, optional
        The fewest cells that are a cluster, for "hdbscan". By default the square root of the number of cells, at least
        5: 10 of 100 cells, 100 of 10 000, 316 of 100 000.
    n_clusters : int
        How many clusters there shall be, for "k-means".
    random_state : int
        Where "k-means" begins; equal numbers give equal clusters.

    Returns
    -------
    ndarray of int, shape (n_cells,)
        Each cell's cluster: 0 is the largest one; -1 for cells in none.

    Raises
    ------
    ValueError
        If the method is unknown, a place is not finite, or there are fewer cells than that takes.

    Notes
    -----
    HDBSCAN is scikit-learn's. It is given the distances to each cell's nearest ones, and the shortest bridges between
    groups that these leave apart, instead of all distances: those take time with the square of the number of cells, and
    hold up every other thread meanwhile. The density at a cell is told by its 10 nearest, itself among them, whatever
    `min_size` is: so a cluster keeps its rim.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> places = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], (10, 30, 20), axis=0)
    >>> np.bincount(cluster(places, min_size=8)).tolist()
    [30, 20, 10]
    >>> np.bincount(cluster(places, "k-means", n_clusters=3)).tolist()
    [30, 20, 10]
    """
    places = np.asarray(embedding, dtype=float)
    if not np.isfinite(places).all():
        raise ValueError("Some cells have no place on the map: leave them out first.")
    if method == "hdbscan":
        return _by_size(_clumps(places, fewest(len(places)) if min_size is None else min_size))
    if method == "k-means":
        if not 1 <= n_clusters <= len(places):
            raise ValueError(f"{len(places)} cells cannot be put into {n_clusters} clusters: ask for fewer.")
        # It limits BLAS itself, and would leave it so where another fit ends meanwhile.
        with limited(1, "blas"):
            return _by_size(KMeans(n_clusters, n_init=10, random_state=random_state).fit_predict(places))
    raise ValueError(f'There is no method "{method}": choose one of {", ".join(get_args(Method))}.')


def fewest(n_cells: int) -> int:
    """Return the fewest cells that are a cluster, where the user does not say.

    Parameters
    ----------
    n_cells : int
        How many there are on the map.

    Examples
    --------
    >>> [fewest(n_cells) for n_cells in (12, 300, 100_000)]
    [5, 17, 316]
    """
    return max(5, round(n_cells**0.5))


def as_classes(
    classes: Classes, numbers: np.ndarray, places: np.ndarray, prefix: str = "cluster", *, how: str = "clusters"
) -> None:
    """Put cells into classes by their cluster: "cluster 1", "cluster 2", and so on.

    Every one of the cells leaves the class that it was in. Those in no cluster are in none then. Classes of these names
    that are left without a cell, as when there were more clusters the last time, are given up. The classes tell of all
    this once.

    Parameters
    ----------
    classes : Classes
    numbers : ndarray of int, shape (n_cells,)
        The cells.
    places : ndarray of int, shape (n_cells,)
        Each cell's cluster, from 0; -1 for none.
    prefix : str
        What the classes' names begin with.
    how : str
        How the clusters came about, for the classes' story.

    Raises
    ------
    ValueError
        If there are not as many places as cells.

    Examples
    --------
    >>> from latentmap.session.register import Register
    >>> register = Register()
    >>> numbers = register.enter([("cells", 0, label) for label in range(1, 6)])
    >>> classes = Classes(register)
    >>> as_classes(classes, numbers, np.array([1, 0, 0, -1, 0]), how="HDBSCAN of the map, at least 2 cells")
    >>> classes.names_of(numbers).tolist()
    ['cluster 2', 'cluster 1', 'cluster 1', '', 'cluster 1']
    >>> classes["cluster 1"].story[0].how
    'HDBSCAN of the map, at least 2 cells'
    """
    numbers, places = np.asarray(numbers), np.asarray(places)
    if numbers.shape != places.shape:
        raise ValueError(f"{len(numbers)} cells, but the clusters of {len(places)}: they must agree.")
    names = [f"{prefix} {place + 1}" for place in range(places.max(initial=-1) + 1)]
    with classes.changed.paused(lambda first, _: first):
        classes.unassign(numbers)
        for place, name in enumerate(names):
            members = numbers[places == place]
            classes.assign(name, members, (Choice("replace", how, len(members), len(members)),))
        for name in classes.names:
            rest = name.removeprefix(f"{prefix} ")
            if rest != name and rest.isdecimal() and not len(classes.members(name)):
                classes.delete(name)


def _clumps(places: np.ndarray, min_size: int) -> np.ndarray:
    if not 2 <= min_size <= len(places):
        raise ValueError(
            f"Clusters of at least {min_size} cells cannot be found among {len(places)}: a cluster has 2 cells or "
            "more, and no more than there are."
        )
    dense = min(_DENSITY, min_size)
    # allow_single_cluster stays off: it would call any map one cluster.
    model = HDBSCAN(min_cluster_size=min_size, min_samples=dense, metric="precomputed", copy=True)
    return model.fit_predict(_near(places, min(_NEAR, len(places))))


def _near(places: np.ndarray, n_near: int) -> sp.csr_matrix:
    """Return the distances to each cell's nearest ones, both ways, and the shortest bridges between separate groups."""
    n = len(places)
    smallest = _SMALLEST * (float(np.ptp(places, axis=0).max(initial=0)) or 1.0)
    distances, near = cKDTree(places).query(places, n_near)
    rows = np.repeat(np.arange(n), n_near)
    one_way = sp.csr_matrix((np.maximum(distances, smallest).ravel(), (rows, near.ravel())), shape=(n, n))
    # A group is tied by cells that are near to each other mutually. A stray cell has near ones in several clumps, but
    # is near to none of them, and so is no bridge between them.
    n_groups, group = connected_components(one_way.minimum(one_way.T), directed=False)
    rows, others, lengths = _bridges(places, near, distances, group, n_groups)
    bridges = sp.csr_matrix((np.maximum(lengths, smallest), (rows, others)), shape=(n, n))
    either_way = one_way.maximum(bridges)
    return either_way.maximum(either_way.T)


def _bridges(
    places: np.ndarray, near: np.ndarray, distances: np.ndarray, group: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows i, j and the lengths of the shortest ways that join all groups (Boruvka's algorithm)."""
    found: list[tuple[int, int, float]] = []
    joined = DisjointSet(range(n_groups))
    while joined.n_subsets > 1:
        part = np.empty(n_groups, dtype=int)
        for number, members in enumerate(joined.subsets()):
            part[list(members)] = number
        for length, i, j in sorted(_ways_out(places, near, distances, part[group])):
            if joined.merge(group[i], group[j]):
                found.append((i, j, length))
    table = np.array(found).reshape(-1, 3)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2]


def _ways_out(
    places: np.ndarray, near: np.ndarray, distances: np.ndarray, part: np.ndarray
) -> list[tuple[float, int, int]]:
    """Return the shortest way from each part but the largest to any other."""
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
        # Only a part of fewer cells than are listed for each has its shortest way in these lists for certain.
        ways.append(way if sizes[number] < near.shape[1] else _way_out(places, part == number))
    return ways


def _way_out(places: np.ndarray, is_inside: np.ndarray) -> tuple[float, int, int]:
    inside, outside = np.flatnonzero(is_inside), np.flatnonzero(~is_inside)
    lengths, nearest = cKDTree(places[outside], balanced_tree=False).query(places[inside])
    i = int(lengths.argmin())
    return float(lengths[i]), int(inside[i]), int(outside[nearest[i]])


def _by_size(clusters: np.ndarray) -> np.ndarray:
    """Number clusters anew, the largest first."""
    order = np.argsort(-np.bincount(clusters[clusters >= 0]), kind="stable")
    # One place more, which -1 leads to.
    return np.append(np.argsort(order), -1)[clusters]
