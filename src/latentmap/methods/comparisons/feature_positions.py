"""Positions of cells by their features alone, and smooth functions of the features that displace them."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import paired_distances

from latentmap.model import distance_checks

# Rows from which every displacement is composed.
_LANDMARKS = 500
# The kernel width, as a fraction of the median distance of two rows. On digits, one half agreed best with held-out
# triplets, for 30 to 1000 of them; a linear map always agreed with fewer.
_REACH = 0.5
# The sample of pairs for the median distance.
_PAIRS = 10_000


class FeaturePositions:
    """A linear map of features, and a basis of smooth functions of them.

    Parameters
    ----------
    table : ndarray of shape (n, D)
        Rows, not all identical.
    n_components : int
        Dimensions (d) of the map.
    rng : Generator
        Draws the landmarks and pairs.

    Raises
    ------
    ValueError
        If the rows are so large or so small that products of them would be out of range.

    Examples
    --------
    >>> table = np.random.default_rng(0).normal(size=(50, 4))
    >>> positions = FeaturePositions(table, 2, np.random.default_rng(0))
    >>> positions.start(table).shape, positions.basis(table[:3]).shape
    ((50, 2), (3, 50))
    """

    def __init__(self, table: np.ndarray, n_components: int, rng: np.random.Generator) -> None:
        n, seed = len(table), int(rng.integers(2**31))
        self._n_components = n_components
        self._mean = table.mean(axis=0, dtype=float)
        distance_checks.check_magnitude(np.abs(self._centred(table)).max(axis=1, keepdims=True))
        self._pca = PCA(min(n_components, *table.shape), random_state=seed).fit(self._centred(table))
        one, other = rng.integers(0, n, (2, _PAIRS))
        self._unit = 1.0
        start = self.start(table)
        self._unit = _median(start[one], start[other])
        reach = _REACH * _median(table[one], table[other])
        self._kernel = Nystroem(gamma=0.5 / reach**2, n_components=min(n, _LANDMARKS), random_state=seed)
        self._kernel.fit(self._centred(table))

    def start(self, table: np.ndarray) -> np.ndarray:
        """Return the first d principal components, with zeros if there are fewer, in units of their median distance."""
        found = self._pca.transform(self._centred(table)) / self._unit
        return np.pad(found, ((0, 0), (0, self._n_components - found.shape[1])))

    def basis(self, table: np.ndarray) -> np.ndarray:
        """Return at most 500 functions of the features whose scalar products approximate a Gaussian kernel."""
        return np.asarray(self._kernel.transform(self._centred(table)))

    def _centred(self, table: np.ndarray) -> np.ndarray:
        # Scalar products lose digits if rows lie far from 0.
        return np.asarray(table - self._mean)


def _median(A: np.ndarray, B: np.ndarray) -> float:
    """Return the median distance of the pairs that differ."""
    distances = paired_distances(A.astype(float, copy=False), B.astype(float, copy=False))
    return float(np.median(distances[distances > 0])) if distances.any() else 1.0
