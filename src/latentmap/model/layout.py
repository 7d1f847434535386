"""Rows in an order in which those that are close on the map are close in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Edges(NamedTuple):
    """The edges of a graph row by row, as a csr_array has them, and what is known of each.

    Attributes
    ----------
    indptr : ndarray of shape (n + 1,)
        Where the edges of each row begin.
    indices : ndarray of shape (n_edges,)
        The other row.
    similarity, delta2, directions : ndarray of shape (n_edges,)
        Weight, squared length scale, and in which directions the two are neighbours.
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
            The rows, as they are to follow one another.

        Returns
        -------
        Edges
        """
        place = np.empty(len(order), self.indices.dtype)
        place[order] = np.arange(len(order))
        indptr = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[order])])
        edge = np.arange(indptr[-1]) + np.repeat(self.indptr[order] - indptr[:-1], np.diff(indptr))
        of_edges = (self.similarity[edge], self.delta2[edge], self.directions[edge])
        return Edges(indptr.astype(self.indptr.dtype), place[self.indices[edge]], *of_edges)


class Layout(NamedTuple):
    """Rows in some order, with their edges.

    Attributes
    ----------
    rows : ndarray of shape (n,), or None
        Which row is where; None where they stand as the user gave them.
    edges : Edges
    """

    rows: np.ndarray | None
    edges: Edges

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return values of the rows, shape (n, ...), in this order."""
        return values if self.rows is None else values.take(self.rows, axis=0)

    def back(self, values: np.ndarray) -> np.ndarray:
        """Return values in this order, shape (n, ...), as the user gave the rows."""
        if self.rows is None:
            return values
        result = np.empty_like(values)
        result[self.rows] = values
        return result

    def reordered(self, order: np.ndarray) -> Layout:
        """Return the rows in another order, which counts from this one: shape (n,)."""
        return Layout(order if self.rows is None else self.rows[order], self.edges.reordered(order))
