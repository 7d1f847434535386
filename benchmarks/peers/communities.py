"""Groups of rows that hang together, for tables that name no classes."""

from __future__ import annotations

import networkx as nx
import numpy as np
from sklearn.neighbors import kneighbors_graph

K = 15


def communities(X: np.ndarray) -> np.ndarray:
    """Return the communities of the graph of nearest neighbours, as Louvain's method finds them.

    Parameters
    ----------
    X : ndarray of shape (n, D)

    Returns
    -------
    ndarray of shape (n,), int
        The number of each row's community; 0 is the largest.

    References
    ----------
    V. D. Blondel and others, "Fast unfolding of communities in large networks", J. Stat. Mech. P10008, 2008.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> X[:20] += 100
    >>> len(set(communities(X)[:20]) & set(communities(X)[20:]))
    0
    """
    # Two rows are joined where either is among the neighbours of the other, and all edges weigh the same.
    graph = nx.from_scipy_sparse_array(kneighbors_graph(X, min(K, len(X) - 1)))
    found = np.empty(len(X), int)
    for number, members in enumerate(sorted(nx.community.louvain_communities(graph, seed=0), key=len, reverse=True)):
        found[list(members)] = number
    return found
