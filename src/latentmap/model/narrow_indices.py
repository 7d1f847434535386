"""Sparse graphs with the indices that every version of scipy's graph algorithms takes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def narrow_indices(graph: sp.csr_array) -> sp.csr_array:
    """Return a graph with indices of 32 bits, if these suffice: scipy 1.14 has no paths or trees for wider ones.

    Parameters
    ----------
    graph : csr_array
        It shares its numbers with the result.

    Returns
    -------
    csr_array

    Examples
    --------
    >>> wide = sp.csr_array((np.ones(2), np.array([1, 0], dtype=np.int64), np.array([0, 1, 2], dtype=np.int64)), (2, 2))
    >>> narrow_indices(wide).indices.dtype
    dtype('int32')
    """
    if graph.indices.dtype == np.int32 or max(graph.nnz, *graph.shape) > np.iinfo(np.int32).max:
        return graph
    parts = graph.data, graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return sp.csr_array(parts, graph.shape)
