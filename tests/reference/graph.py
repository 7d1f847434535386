"""The neighbourhood graph of Saul (22)-(24), written out for a dense matrix of distances.

Every adjacency matrix is an n x n boolean array whose entry [i, j] belongs to the ordered pair (x_i, x_j).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np


class NeighborhoodGraph(NamedTuple):
    points: np.ndarray  # the input that row i of every matrix below stands for
    K: np.ndarray
    T: np.ndarray
    R: np.ndarray
    E: np.ndarray
    bridges: np.ndarray  # the edges of T and E that join two components; symmetric


def neighborhood_graph(dist, n_neighbors, n_steps=1, connect="bridge"):
    """The graph E of Saul (24), with the matrices it is made of."""
    dist = np.asarray(dist, dtype=float)
    K = nearest_neighbors(dist, n_neighbors)
    points = np.arange(len(dist))
    component = components(K | K.T)
    if connect == "largest":
        points = np.flatnonzero(component == np.bincount(component).argmax())
        # The neighbours of a point are in its component, so what is cut away takes no edge with it.
        K, dist = K[np.ix_(points, points)], dist[np.ix_(points, points)]
        component = np.zeros(len(points), dtype=int)
    elif connect != "bridge":
        raise ValueError(f"connect must be 'bridge' or 'largest', not {connect!r}.")
    bridges = component_bridges(dist, component)
    T = minimum_spanning_forest(dist, K | K.T) | bridges
    R = reachability(K, n_steps)
    E = (K & (T | (R & R.T))) | bridges  # Saul (24); a bridge is no edge of K
    return NeighborhoodGraph(points, K, T, R, E, bridges)


def nearest_neighbors(dist, n_neighbors):
    """K: x_j is one of the k nearest neighbours of x_i, never x_i itself; ties go to the smaller index."""
    n = len(dist)
    K = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        K[i, sorted(others, key=lambda j: (dist[i, j], j))[:n_neighbors]] = True  # Saul (22)
    return K


def reachability(K, n_steps):
    """R = K + K^2 + ... + K^s, as "there is a directed walk of 1 to s steps"."""
    R, power = K.copy(), K.copy()
    for _ in range(n_steps - 1):
        power = power.astype(int) @ K.astype(int) > 0
        R |= power  # Saul (23)
    return R


def components(adjacency):
    """The component of every node of an undirected graph, numbered in the order of their first nodes."""
    n = len(adjacency)
    component = np.full(n, -1)
    for start in range(n):
        if component[start] >= 0:
            continue
        number, frontier = component.max() + 1, [start]
        while frontier:
            i = frontier.pop()
            component[i] = number
            frontier += [j for j in np.flatnonzero(adjacency[i]) if component[j] < 0]
    return component


def minimum_spanning_forest(dist, adjacency):
    """Kruskal: take the edges from the shortest to the longest, unless both ends are already in one tree."""
    n = len(dist)
    tree = list(range(n))
    T = np.zeros((n, n), dtype=bool)
    edges = [(i, j) for i, j in combinations(range(n), 2) if adjacency[i, j]]
    for i, j in sorted(edges, key=lambda edge: dist[edge]):
        if tree[i] != tree[j]:
            T[i, j] = T[j, i] = True
            tree = [tree[i] if t == tree[j] else t for t in tree]
    return T


def component_bridges(dist, component):
    """The minimum spanning tree of the components, an edge being the shortest distance between two of them."""
    n, n_components = len(dist), component.max() + 1
    length = np.zeros((n_components, n_components))
    ends = {}
    for a, b in combinations(range(n_components), 2):
        pairs = [(i, j) for i in np.flatnonzero(component == a) for j in np.flatnonzero(component == b)]
        ends[a, b] = min(pairs, key=lambda pair: dist[pair])
        length[a, b] = length[b, a] = dist[ends[a, b]]
    tree = minimum_spanning_forest(length, ~np.eye(n_components, dtype=bool))
    bridges = np.zeros((n, n), dtype=bool)
    for a, b in combinations(range(n_components), 2):
        if tree[a, b]:
            i, j = ends[a, b]
            bridges[i, j] = bridges[j, i] = True
    return bridges
