"""How well a map preserves the order of distances."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.spatial.distance
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import PAIRED_DISTANCES, paired_distances
from sklearn.utils import check_random_state

from latentmap.model.vectors import Metric, Vectors
from latentmap.quality.ranked_rows import blocks, check_defined
from latentmap.quality.validation import checked_pair, whole_number


def random_triplet_accuracy(
    X: ArrayLike,
    Y: ArrayLike,
    n_triplets: int = 100_000,
    random_state: int | np.random.RandomState = 0,
    *,
    metric: Metric = "euclidean",
) -> float:
    """Fraction of random triplets of rows whose order of distances is the same in the measured table and in the map.

    The order is whether j is nearer to i than k is. Random triplets hardly ever contain neighbours, so this measures
    how well a map preserves the global arrangement; a map unrelated to X has 0.5.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_triplets : int
        Number of triplets. The standard error is at most 0.5 / sqrt(n_triplets), 0.0016 by default.
    random_state : int or RandomState
        Seed of the draw.
    metric : str or callable
        A metric of scikit-learn, for X.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, contain values that are not finite, or have fewer than 3 rows.

    Notes
    -----
    Neither of two equal distances is smaller, so a map in which all cells coincide has about 0.5, too.

    References
    ----------
    Wang, Y., Huang, H., Rudin, C. & Shaposhnik, Y. (2021). Understanding how dimension reduction tools work. JMLR
    22(201), 1-73. https://jmlr.org/papers/v22/20-1061.html

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import random_triplet_accuracy
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> random_triplet_accuracy(X, X / 2, n_triplets=1000)
    1.0
    >>> 0.5 < random_triplet_accuracy(X, X[:, :1], n_triplets=1000) < 1
    True
    """
    X, Y = checked_pair(X, Y, metric)
    n = len(X)
    if n < 3:
        raise ValueError(f"A triplet needs 3 rows, but the table has {n}.")
    n_triplets = whole_number(n_triplets, "n_triplets")
    random = check_random_state(random_state)
    i, to_j, to_k = (random.randint(high, size=n_triplets) for high in (n, n - 1, n - 2))
    to_k += to_k >= to_j
    j, k = (i + 1 + to_j) % n, (i + 1 + to_k) % n
    agreeing = 0.0
    for block in blocks(n_triplets, X.shape[1] + Y.shape[1]):
        in_table = _nearer(X, i[block], j[block], k[block], metric)
        in_map = _nearer(Y, i[block], j[block], k[block], "euclidean")
        agreeing += np.count_nonzero(in_table == in_map)
    return float(agreeing / n_triplets)


def _nearer(points: np.ndarray, i: np.ndarray, j: np.ndarray, k: np.ndarray, metric: Metric) -> np.ndarray:
    """Return whether j is nearer to i than k is."""
    measure = metric
    if isinstance(metric, str) and metric not in PAIRED_DISTANCES:
        measure = partial(getattr(scipy.spatial.distance, metric), **Vectors(points, metric).metric_params)
    to_j, to_k = (check_defined(paired_distances(points[i], points[other], metric=measure), metric) for other in (j, k))
    return to_j < to_k
