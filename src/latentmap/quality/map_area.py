"""How a map looks: how much of its frame is filled, and how many groups it seems to have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import HDBSCAN

from latentmap.quality.validation import checked_table, whole_number

# The smallest size of a group.
_SMALLEST = 2


class Groups(NamedTuple):
    """Groups that a clustering finds on a map.

    Attributes
    ----------
    n_groups : int
        Number of groups.
    strays : float
        The fraction of the rows in no group, from 0 to 1.
    """

    n_groups: int
    strays: float


def frame_fill(Y: ArrayLike, share: float = 0.95) -> float:
    """Fraction of the frame of a map that most of its rows fill.

    The frame is the smallest axis-aligned box that contains all rows, as in a plot of the whole map. A few outliers
    make it large, and squeeze all other rows into a small part of it.

    Parameters
    ----------
    Y : array-like of shape (n, d)
        The map.
    share : float
        The fraction of the rows that count: those between the quantiles (1 - share) / 2 and (1 + share) / 2 of each
        axis.

    Returns
    -------
    float
        Between 0 and 1: the area of the box of these rows divided by that of the frame. With the default share, 0.9 for
        rows evenly spread over a rectangle, and 0.3 for 3000 normally distributed ones.

    Raises
    ------
    ValueError
        If Y has values that are not finite, all rows have the same value along an axis, or the share is not between 0
        and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import frame_fill
    >>> Y = np.random.default_rng(0).uniform(size=(1000, 2))
    >>> round(frame_fill(Y), 1)
    0.9
    >>> round(frame_fill(np.vstack([Y, [[10.0, 10.0]]])), 2)
    0.01
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, but is {share!r}.")
    Y = checked_table(Y, "Y", "euclidean")
    sides = np.ptp(Y, axis=0)
    if not sides.all():
        raise ValueError("All rows have the same value along an axis of Y: its frame has no area.")
    low, high = np.quantile(Y, [(1 - share) / 2, (1 + share) / 2], axis=0)
    return float(np.prod((high - low) / sides))


def groups_found(Y: ArrayLike, min_size: int = 30) -> Groups:
    """Count the groups that HDBSCAN finds on a map.

    On a map of a continuum, such as points spread evenly in a cube, or nuclei by their shape, there should be none:
    every group is false. HDBSCAN never finds a single group: if it separates nothing, all rows are strays.

    Parameters
    ----------
    Y : array-like of shape (n, d)
        The map.
    min_size : int
        The smallest number of rows in a group.

    Returns
    -------
    Groups
        Their number, and the fraction of strays.

    Raises
    ------
    ValueError
        If Y has values that are not finite, or ``min_size`` is not a whole number from 2 to n.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import groups_found
    >>> Y = np.random.default_rng(0).normal(size=(200, 2))
    >>> Y[:100] += 20
    >>> groups_found(Y).n_groups
    2
    """
    Y = checked_table(Y, "Y", "euclidean")
    min_size = whole_number(min_size, "min_size", len(Y), f"the map has {len(Y)} rows")
    if min_size < _SMALLEST:
        raise ValueError(f"min_size must be {_SMALLEST} or more, but is {min_size}.")
    found = HDBSCAN(min_cluster_size=min_size, copy=True).fit_predict(Y)
    return Groups(int(found.max()) + 1, float(np.mean(found < 0)))
