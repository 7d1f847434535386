"""The pairs of rows that a graph joins in one direction or in both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from latentmap.model.compiling import compiled


class BothDirections(NamedTuple):
    """The pairs of rows that a graph joins, in the order of a csr_array.

    Sums of sparse arrays would give the same numbers, but hold several such arrays at a time: for a million rows and
    more, they would need most of the memory.

    Attributes
    ----------
    indptr : ndarray of shape (n + 1,)
        Index of the first pair of each row.
    indices : ndarray of shape (n_pairs,), int
        The other row of each pair.
    there, back : ndarray of shape (n_pairs,), int
        Index of the edge from the row to the other one, and of the one back; -1 where there is none.
    """

    indptr: np.ndarray
    indices: np.ndarray
    there: np.ndarray
    back: np.ndarray

    @classmethod
    def of(cls, graph: sp.csr_array, once: bool = False) -> BothDirections:
        """Find the pairs.

        Parameters
        ----------
        graph : csr_array of shape (n, n)
            Its indices are sorted, and it has no edge twice.
        once : bool
            Whether each pair is listed for its first row only.

        Examples
        --------
        >>> graph = sp.csr_array(([1.0, 2.0, 3.0], [1, 2, 1], [0, 1, 2, 3]), (3, 3))
        >>> pairs = BothDirections.of(graph)
        >>> pairs.indices.tolist(), pairs.there.tolist(), pairs.back.tolist()
        ([1, 0, 2, 1], [0, -1, 1, 2], [-1, 0, 2, 1])
        """
        most = graph.nnz if once else 2 * graph.nnz
        dtype = sp.get_index_dtype(maxval=max(most, *graph.shape))
        backwards = sp.csr_array(
            (np.arange(graph.nnz, dtype=dtype), graph.indices, graph.indptr), graph.shape
        ).T.tocsr()
        # Memory that is not written to is not taken, so the lists may be too long.
        indptr, lists = np.zeros(len(graph.indptr), dtype), np.empty((3, most), dtype)
        edges = graph.indptr, graph.indices, backwards.indptr, backwards.indices, backwards.data
        _merge(*edges, once, indptr, *lists)
        return cls(indptr, *lists[:, : indptr[-1]])

    def values(self, of_edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of the edges there and back of each pair, 0 where there is none.

        Parameters
        ----------
        of_edges : ndarray of shape (n_edges,)
        """
        # The index -1 is that of the last value.
        known = np.append(of_edges, np.zeros(1, of_edges.dtype))
        return known[self.there], known[self.back]


@compiled
def _merge(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    back_edges: np.ndarray,
    once: bool,
    pair_indptr: np.ndarray,
    others: np.ndarray,
    there: np.ndarray,
    back: np.ndarray,
) -> None:
    """Write the pairs of each row, sorted by the other row."""
    n_pairs = 0
    for i in range(len(pair_indptr) - 1):
        p, q = indptr[i], back_indptr[i]
        p_end, q_end = indptr[i + 1], back_indptr[i + 1]
        while p < p_end or q < q_end:
            is_there = q == q_end or (p < p_end and indices[p] <= back_indices[q])
            is_back = p == p_end or (q < q_end and back_indices[q] <= indices[p])
            j = indices[p] if is_there else back_indices[q]
            if not once or i < j:
                others[n_pairs] = j
                there[n_pairs] = p if is_there else -1
                back[n_pairs] = back_edges[q] if is_back else -1
                n_pairs += 1
            p += is_there
            q += is_back
        pair_indptr[i + 1] = n_pairs
