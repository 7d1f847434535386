"""The separate parts of the graph of neighbours."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from latentmap.model.inputs import Neighbors


def largest_connected_part(neighbors: Neighbors) -> tuple[np.ndarray, int]:
    """Find the largest connected part of the graph of neighbours, without regard to direction.

    Parameters
    ----------
    neighbors : Neighbors
        The k nearest neighbours of each row.

    Returns
    -------
    is_in : ndarray of bool, shape (n,)
        Which rows are in it; among parts of equal size, the one of the first row.
    n_parts : int
        The number of parts.

    Examples
    --------
    >>> indices = np.array([[1], [0], [3], [4], [3]])
    >>> is_in, n_parts = largest_connected_part(Neighbors(indices, np.ones((5, 1))))
    >>> is_in.tolist(), n_parts
    ([False, False, True, True, True], 2)
    """
    n, k = neighbors.indices.shape
    ties = csr_array((np.ones(n * k, bool), neighbors.indices.ravel(), np.arange(0, n * k + 1, k)), (n, n))
    n_parts, part = connected_components(ties, connection="weak")
    return part == np.argmax(np.bincount(part)), int(n_parts)
