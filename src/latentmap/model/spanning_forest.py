"""The minimum spanning forest of a graph, found without the interpreter's lock."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from latentmap.model.compiling import compiled


def spanning_forest(pairs: sp.csr_array) -> tuple[sp.csr_array, np.ndarray]:
    """Return T of Saul (24), as scipy's ``minimum_spanning_tree`` does, and its trees.

    scipy keeps the interpreter's lock all the while, so that a window or a notebook with 100 000 cells stands still.

    Parameters
    ----------
    pairs : csr_array of shape (n, n)
        The distances, each pair of rows in one direction only.

    Returns
    -------
    forest : csr_array of shape (n, n)
        The edges of the forest, in the direction given.
    tree : ndarray of int32, shape (n,)
        The number of the tree of each row, as scipy's ``connected_components`` gives it.

    Examples
    --------
    >>> forest, tree = spanning_forest(sp.csr_array([[0, 1.0, 3, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]]))
    >>> forest.toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    >>> tree.tolist()
    [0, 0, 0, 1]
    """
    n = pairs.shape[0]
    everyone = np.arange(n, dtype=pairs.indices.dtype)
    rows = np.repeat(everyone, np.diff(pairs.indptr))
    is_kept = np.zeros(pairs.nnz, bool)
    order = np.argsort(pairs.data, kind="stable")  # so that among equal distances the same edges are kept anywhere
    tree = np.full(n, -1, np.int32)
    _join(rows, pairs.indices, order, everyone, is_kept, tree)
    # Summed by edge, a bool at a time, NumPy would keep the lock as well.
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[is_kept], minlength=n))])
    return sp.csr_array((pairs.data[is_kept], pairs.indices[is_kept], indptr), pairs.shape), tree


@compiled
def _join(
    rows: np.ndarray,
    columns: np.ndarray,
    order: np.ndarray,
    parent: np.ndarray,
    is_kept: np.ndarray,
    tree: np.ndarray,
) -> None:
    """Keep each edge, the shortest first, that joins two trees (Kruskal's algorithm); number the trees."""
    for edge in order:
        one, other = rows[edge], columns[edge]
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        while parent[other] != other:
            parent[other] = parent[parent[other]]
            other = parent[other]
        if one != other:
            parent[one] = other
            is_kept[edge] = True
    n_trees = 0
    for row in range(len(parent)):
        root = parent[row]
        while parent[root] != root:
            root = parent[root]
        parent[row] = root
        if tree[root] < 0:
            tree[root] = n_trees
            n_trees += 1
        tree[row] = tree[root]
