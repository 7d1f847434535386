"""How a map looks: how much of its frame is filled, how many groups it has, and whether classes are in one piece."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.neighbors import NearestNeighbors

from latentmap.quality.validation import checked_classes, checked_table, whole_number

# The smallest size of a group.
_SMALLEST = 2
# A piece of a class is a cluster of DBSCAN: rows with this many others of the class within twice the distance at which
# half of them have as many.
_N_WITHIN, _REACH = 15, 2.0


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


def largest_pieces(Y: ArrayLike, y: Any) -> np.ndarray:
    """Fraction of each class that lies in its largest piece on a map.

    A class that the map tears apart has several pieces. They are the clusters that DBSCAN finds in the rows of this
    class alone, with 15 neighbours within twice their median distance.

    Parameters
    ----------
    Y : array-like of shape (n, d)
        The map.
    y : array-like of shape (n,)
        The class of each row.

    Returns
    -------
    ndarray of shape (n_classes,)
        In the order of ``numpy.unique(y)``: 1 for a class in one piece. Strays of a class do not count. NaN for a class
        with fewer than 30 rows or without any cluster.

    Raises
    ------
    ValueError
        If Y has values that are not finite, or a row has no class.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import largest_pieces
    >>> Y = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.repeat(["torn", "whole"], 200)
    >>> Y[:60] += 20
    >>> largest_pieces(Y, y).round(1).tolist()
    [0.7, 1.0]
    """
    Y, y = checked_classes(Y, y, "euclidean", ("Y", "y"))
    return np.array([_largest_piece(Y[y == one]) for one in np.unique(y)])


def _largest_piece(Y: np.ndarray) -> float:
    """Return the fraction of the rows in clusters that lies in the largest; NaN if there is none."""
    found = pieces(Y)
    sizes = np.bincount(found[found >= 0])
    return float(sizes.max() / sizes.sum()) if sizes.size else np.nan


def pieces(Y: np.ndarray) -> np.ndarray:
    """Return the piece in which each row of one class lies, -1 for strays and for a class of fewer than 30 rows."""
    if len(Y) < 2 * _N_WITHIN:
        return np.full(len(Y), -1)
    reach = _REACH * np.median(NearestNeighbors(n_neighbors=_N_WITHIN).fit(Y).kneighbors()[0][:, -1])
    if reach == 0:  # Most rows coincide.
        reach = np.finfo(float).tiny
    return np.asarray(DBSCAN(eps=reach, min_samples=_N_WITHIN + 1).fit_predict(Y))
