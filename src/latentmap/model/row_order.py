"""An order of the rows in which those close on the map are close in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latentmap.model.compiling import compiled


class Edges(NamedTuple):
    """The edges of a graph in the order of a csr_array, with their properties.

    Attributes
    ----------
    indptr : ndarray of shape (n + 1,)
        Index of the first edge of each row.
    indices : ndarray of shape (n_edges,)
        The other row of each edge.
    similarity, delta2, directions : ndarray of shape (n_edges,)
        Weight, squared length scale, and the directions in which the two rows are neighbours.
    """

    indptr: np.ndarray
    indices: np.ndarray
    similarity: np.ndarray
    delta2: np.ndarray
    directions: np.ndarray

    def reordered(self, order: np.ndarray) -> Edges:
        """Return the edges of the same rows in another order.

        Parameters
        ----------
        order : ndarray of shape (n,)
            The rows in their new order.
        """
        index = np.empty(len(order), self.indices.dtype)
        index[order] = np.arange(len(order))
        indptr = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[order])]).astype(self.indptr.dtype)
        moved = Edges(indptr, *(np.empty_like(of_edges) for of_edges in self[1:]))
        _move(self.indptr[order], index, *self[1:], *moved)
        return moved


@compiled
def _move(
    begin: np.ndarray,
    index: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    directions: np.ndarray,
    moved_indptr: np.ndarray,
    moved_indices: np.ndarray,
    moved_similarity: np.ndarray,
    moved_delta2: np.ndarray,
    moved_directions: np.ndarray,
) -> None:
    """Write the edges of each row, which began at ``begin``; NumPy would keep the interpreter's lock meanwhile."""
    for row in range(len(begin)):
        edge = begin[row]
        for place in range(moved_indptr[row], moved_indptr[row + 1]):
            moved_indices[place] = index[indices[edge]]
            moved_similarity[place] = similarity[edge]
            moved_delta2[place] = delta2[edge]
            moved_directions[place] = directions[edge]
            edge += 1


class RowOrder(NamedTuple):
    """Rows in some order, with their edges.

    Attributes
    ----------
    rows : ndarray of shape (n,), or None
        The row at each position; None if they are in the user's order.
    edges : Edges
        In this order.
    """

    rows: np.ndarray | None
    edges: Edges

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return values of the rows, shape (n, ...), in this order."""
        return values if self.rows is None else values.take(self.rows, axis=0)

    def to_original_order(self, values: np.ndarray) -> np.ndarray:
        """Return values in this order, shape (n, ...), in the user's order."""
        if self.rows is None:
            return values
        result = np.empty_like(values)
        result[self.rows] = values
        return result

    def reordered(self, order: np.ndarray) -> RowOrder:
        """Return the rows in another order, of shape (n,), given relative to this one."""
        return RowOrder(order if self.rows is None else self.rows[order], self.edges.reordered(order))
