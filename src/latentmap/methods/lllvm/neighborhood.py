"""The graph of neighbours in a locally linear latent variable model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, laplacian

from latentmap.methods.affinities import tied
from latentmap.model.graph import joined_neighbors
from latentmap.model.inputs import Inputs
from latentmap.model.thread_limits import limit_threads

# From this density on, a product with a dense matrix is faster than with a sparse one.
_DENSE = 0.05


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """Pairs of neighbours, G of Park, section 2.

    Attributes
    ----------
    adjacency : csr_array of shape (n, n)
        1 for each pair of neighbours, in both directions.
    """

    adjacency: sp.csr_array

    @classmethod
    def nearest(cls, inputs: Inputs, k: int) -> Neighborhood:
        """Link each row to its k nearest, and join disconnected parts by their shortest bridges."""
        return cls(tied(len(inputs), *joined_neighbors(inputs, inputs.kneighbors(k)).nonzero()))

    @classmethod
    def from_graph(cls, graph: Any, n: int) -> Neighborhood:
        """Read the user's graph of n rows, in which a number other than 0 links two rows.

        Raises
        ------
        ValueError
            If it is no array of numbers, has another shape, or is disconnected.
        """
        given = graph if sp.issparse(graph) else np.asarray(graph)
        if given.ndim != 2 or given.dtype.kind not in "biuf":
            raise ValueError(
                f"graph must be an array of {n} x {n} numbers, dense or sparse, or None, but is {str(graph)[:40]!r}."
            )
        found = sp.coo_array(given)
        if found.shape != (n, n):
            raise ValueError(f"graph has the shape {found.shape}, but X has {n} rows; it must be ({n}, {n}).")
        adjacency = tied(n, *found.nonzero())
        n_parts, part = connected_components(adjacency, directed=False)
        if n_parts > 1:
            raise ValueError(
                f"graph falls into {n_parts} parts (the largest has {np.bincount(part).max()} of {n} rows), whose "
                "relative positions would be undetermined. Add edges that join them, or leave graph at None."
            )
        return cls(adjacency)

    @cached_property
    def pairs(self) -> np.ndarray:
        """The two rows of each pair, the smaller first, of shape (m, 2)."""
        upper = sp.triu(self.adjacency, 1, format="coo")
        return np.column_stack([upper.row, upper.col]).astype(np.int64)

    @cached_property
    def degrees(self) -> np.ndarray:
        """The number of neighbours of each row."""
        return np.asarray(self.adjacency.sum(axis=1))

    @cached_property
    def laplacian(self) -> sp.csr_array:
        """L of Park, section 2."""
        return sp.csr_array(laplacian(self.adjacency))

    @cached_property
    def _operator(self) -> np.ndarray | sp.csr_array:
        share = self.laplacian.nnz / len(self.degrees) ** 2
        return self.laplacian.toarray() if share > _DENSE else self.laplacian

    @cached_property
    def spectrum(self) -> np.ndarray:
        """The eigenvalues omega of L, Park (83), the first of which is 0."""
        with limit_threads(1, "blas"):
            found = np.linalg.eigvalsh(self.laplacian.toarray())
        # With rounding, the first may be negative, and the others, although positive, may be 0.
        return np.asarray(np.r_[0.0, np.maximum(found[1:], np.finfo(float).eps * found[-1])])

    @cached_property
    def pseudoinverse(self) -> np.ndarray:
        """L+, of shape (n, n); the graph must be connected."""
        share = 1 / len(self.degrees)
        with limit_threads(1, "blas"):
            # The constant acts only in the direction of the eigenvalue 0.
            return np.linalg.inv(self.laplacian.toarray() + share) - share

    @cached_property
    def _members(self) -> sp.csr_array:
        m = len(self.pairs)
        return sp.csr_array((np.ones(2 * m), (self.pairs.T.ravel(), np.tile(np.arange(m), 2))), (len(self.degrees), m))

    def summed(self, values: np.ndarray) -> np.ndarray:
        """Sum values of pairs, (m, ...), over the pairs of each row, (n, ...)."""
        return np.asarray((self._members @ values.reshape(len(values), -1)).reshape(-1, *values.shape[1:]))

    def times_laplacian(self, values: np.ndarray) -> np.ndarray:
        """Return L times values of rows, of shape (n, ...)."""
        with limit_threads(1, "blas"):
            return np.asarray((self._operator @ values.reshape(len(values), -1)).reshape(values.shape))


def edited(
    graph: sp.csr_array, added: Iterable[tuple[int, int]] = (), removed: Iterable[tuple[int, int]] = ()
) -> sp.csr_array:
    """Add and remove pairs of neighbours, in order to compare the bounds of graphs, Park, section 4.1.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Such as ``graph_`` of a fitted :class:`latentmap.methods.LLLVM`.
    added, removed : iterable of (int, int)
        Pairs of rows, in any order.

    Returns
    -------
    csr_array of shape (n, n)
        1 for each pair of neighbours, in both directions.

    Examples
    --------
    >>> path = sp.csr_array(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> edited(path, added=[(0, 2)], removed=[(1, 0)]).toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    """
    changed = sp.lil_array(graph, dtype=float)
    for pairs, value in ((added, 1.0), (removed, 0.0)):
        for i, j in pairs:
            changed[i, j] = changed[j, i] = value
    return sp.csr_array(changed)
