"""The neighbours found last, for the next run on the same cells: to find them takes longer than a short run."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from latentmap.model.inputs import Neighbors
from latentmap.model.vectors import Metric, best_search

# A search by scalar products errs by some units in the last place for each column.
_UNITS = 16 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class _Found:
    """What a search has found, and what it was for."""

    key: tuple[object, ...]
    n_neighbors: int
    neighbors: Neighbors


class KnownNeighbors:
    """Finds neighbours, and remembers the last that it had to search.

    A map is the same with it and without, bit for bit. For as many neighbours as before it knows the answer. For fewer
    it does where the search was exact, and no cell has two neighbours equally far away between which the smaller
    number decides; an approximate search for fewer neighbours would find others.

    Examples
    --------
    >>> from latentmap import LVM
    >>> from sklearn.datasets import load_iris
    >>> known = KnownNeighbors()
    >>> indices, _ = known.of(LVM(n_neighbors=22), load_iris().data)
    >>> known.of(LVM(n_neighbors=22, repulsion=5), load_iris().data)[0] is indices
    True
    """

    def __init__(self) -> None:
        self._last: _Found | None = None

    def of(self, estimator: Any, values: np.ndarray) -> Neighbors:
        """Return the neighbours of each row, as the estimator would find them.

        Parameters
        ----------
        estimator : Stepwise
            It has ``find_neighbors``; its metric, k and seed count.
        values : ndarray of float64, shape (n, D)

        Returns
        -------
        Neighbors
            The tuple (indices, distances), both of shape (n, k).

        Raises
        ------
        ValueError
            As the estimator's ``fit`` does.
        """
        k, is_exact = estimator.n_neighbors, best_search(len(values), estimator.metric) == "exact"
        digest = blake2b(np.ascontiguousarray(values).data).digest()
        key = (values.shape, digest, estimator.metric, None if is_exact else estimator.random_state)
        last = self._last
        if last is not None and last.key == key:
            if last.n_neighbors == k:
                return last.neighbors
            if is_exact and _has_first(last, k, values, estimator.metric):
                indices, distances = last.neighbors
                return Neighbors(indices[:, :k], distances[:, :k])
        neighbors: Neighbors = estimator.find_neighbors(values)
        self._last = _Found(key, k, neighbors)
        return neighbors


def _has_first(found: _Found, k: int, values: np.ndarray, metric: Metric) -> bool:
    """Return whether a search for k neighbours can but find the first k of these."""
    # A search for half of all rows goes another way.
    if not 1 <= k < found.n_neighbors < len(values) // 2 - 1:
        return False
    far = found.neighbors.distances[:, k - 1 : k + 1]
    unit = max(1.0, float(far.max()))
    if metric == "euclidean":
        # Squares are what is compared, and their error is that of the rows' own squares.
        far, unit = far**2, float(np.einsum("ij,ij->i", values, values).max())
    return bool((far[:, 1] - far[:, 0] > _UNITS * (values.shape[1] + 4) * unit).all())
