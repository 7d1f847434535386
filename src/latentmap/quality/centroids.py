"""How well a map preserves the arrangement of groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from latentmap.quality.validation import checked_classes, checked_pair

_FEWEST = 3


def centroid_order(X: ArrayLike, Y: ArrayLike, y: Any) -> float:
    """Rank correlation of the distances between group centroids in the measured table and in the map.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map.
    y : array-like of shape (n,)
        The group of each row: numbers, words or categories.

    Returns
    -------
    float
        Spearman's rho, between -1 and 1: 1 if the map preserves the order of all these distances.

    Raises
    ------
    ValueError
        If X, Y and y differ in their number of rows, contain missing or infinite values, or there are fewer than 3
        groups.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import centroid_order
    >>> y = np.repeat(["a", "b", "c", "d"], 10)
    >>> X = np.repeat([[0.0, 0, 0], [1, 0, 0], [0, 3, 0], [9, 9, 9]], 10, axis=0)
    >>> centroid_order(X, X[:, :2], y)
    1.0
    """
    X, Y = checked_pair(X, Y, "euclidean")
    X, y = checked_classes(X, y, "euclidean", ("X", "y"))
    groups, codes = np.unique(y, return_inverse=True)
    if len(groups) < _FEWEST:
        raise ValueError(f"The order of distances needs at least {_FEWEST} groups, but y has {len(groups)}.")
    in_table, in_map = (
        pdist(np.stack([points[codes == code].mean(axis=0) for code in range(len(groups))])) for points in (X, Y)
    )
    return float(spearmanr(in_table, in_map).statistic)
