"""The neighbours found last among some rows: to find them takes longer than a short fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from latentmap.model.inputs import Neighbors

# A search by scalar products errs by some units in the last place for each column.
_UNITS = 16 * np.finfo(float).eps
# Metrics whose error is known, so that fewer neighbours can be told from more.
_ROUNDED_AS_KNOWN = ("euclidean", "cosine", "correlation", "manhattan")

Way = tuple[str, int | None]
"""How neighbours are searched, and the seed on which they depend; None for an exact search."""


class FoundNeighbors:
    """Searches neighbours among some rows, and remembers the last that it had to search.

    What it returns is the same as without memory, bit for bit. For as many neighbours as before it knows the answer.
    For fewer it does if the search was exact, and no row has two neighbours equally far away between which the smaller
    index decides; an approximate search for fewer neighbours would find others.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The rows.
    metric : str or callable
        Of their distances.
    """

    def __init__(self, X: np.ndarray, metric: object) -> None:
        self._X, self._metric = X, metric
        self._last: tuple[Way, int, Neighbors] | None = None

    def of(self, way: Way, k: int, search: Callable[[int], Neighbors]) -> Neighbors:
        """Return the k nearest neighbours of each row; ``search(k)`` is called if they are not known."""
        last = self._last
        if last is None or not self._answers(way, k, *last):
            last = self._last = way, k, search(k)
        # Copies, because sparse arrays that are made of them sort them in place.
        return Neighbors(last[2].indices[:, :k].copy(), last[2].distances[:, :k].copy())

    def _answers(self, way: Way, k: int, known_way: Way, n_known: int, known: Neighbors) -> bool:
        is_exact = way[1] is None
        return way == known_way and (n_known == k or (is_exact and self._has_first(k, n_known, known)))

    def _has_first(self, k: int, n_known: int, known: Neighbors) -> bool:
        """Whether a search for k neighbours would find the first k of those known."""
        if self._metric not in _ROUNDED_AS_KNOWN or self._X.dtype != np.float64:
            return False
        # A search for half of all rows goes another way.
        if not 1 <= k < n_known < len(self._X) // 2 - 1:
            return False
        far = known.distances[:, k - 1 : k + 1]
        unit = max(1.0, float(far.max()))
        if self._metric == "euclidean":
            # Squares are compared, and their error is that of the rows' own squares.
            far, unit = far**2, float(np.einsum("ij,ij->i", self._X, self._X).max())
        return bool((far[:, 1] - far[:, 0] > _UNITS * (self._X.shape[1] + 4) * unit).all())
