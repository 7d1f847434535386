"""Bridges between separate parts of many rows, found without comparing each row with all others."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from latentmap.model.inputs import Inputs

# Rows from which the search for short bridges starts, and how often both of their ends move.
_START_ROWS, _ROUNDS = 10_000, 2
# Rows of which the distances to a centre are computed at a time: cdist copies them as float64.
_BATCH_ROWS = 2**16
# Of the distances, what rounding may take from the bound.
_ROUNDING = 1e-6

# A row, a row of another part, and their distance.
Bridge = tuple[int, int, float]


def shortest_bridges(inputs: Inputs, X: np.ndarray, part: np.ndarray) -> list[Bridge]:
    """Return the shortest bridge from each part except the largest, of rows at Euclidean distances.

    A row can be an end of a bridge only if it lies within a ball around the part: the radius of the part, and the
    length of some bridge, by the triangle inequality.

    Parameters
    ----------
    inputs : Inputs
        The rows and their distances.
    X : ndarray of shape (n, D)
        The rows at these distances.
    part : ndarray of shape (n,), int
        The part that each row is in, counted from 0.
    """
    bridges = []
    for number in set(range(part.max() + 1)) - {int(np.argmax(np.bincount(part)))}:
        members = np.flatnonzero(part == number)
        near = _within_reach(X, members)
        which, distance = inputs.nearest(near, members)
        i, j = members[which], near
        best = np.lexsort((j, i, distance))[0]
        bridges.append((int(i[best]), int(j[best]), float(distance[best])))
    return bridges


def _within_reach(X: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the other rows that may be nearer to a member than the row nearest to their centre is."""
    centre = X[members].mean(axis=0, dtype=float, keepdims=True)
    distance = np.empty(len(X))
    for batch in gen_batches(len(X), _BATCH_ROWS):
        distance[batch] = cdist(X[batch], centre)[:, 0]
    radius = distance[members].max()
    others = np.delete(np.arange(len(X)), members)
    known = cdist(X[members], X[[others[distance[others].argmin()]]]).min()
    return np.asarray(others[distance[others] <= (radius + known) * (1 + _ROUNDING)])


def short_bridges(inputs: Inputs, part: np.ndarray, seed: int) -> list[Bridge]:
    """Return a short bridge from each part except one, beginning with the shortest of some rows of each.

    Parameters
    ----------
    inputs : Inputs
        The rows and their distances.
    part : ndarray of shape (n,), int
        The part that each row is in, counted from 0.
    seed : int
        Chooses the rows to start from.
    """
    sizes = np.bincount(part)
    order = np.random.default_rng(seed).permutation(len(part))
    order = order[np.argsort(part[order], kind="stable")]
    start = np.cumsum(sizes) - sizes
    place = np.arange(len(part)) - np.repeat(start, sizes)
    some = np.sort(order[place < max(1, _START_ROWS // len(sizes))])
    ways = inputs.subset(some).shortest_bridges(part[some])
    # Each end moves to the row of its part nearest to the other end.
    i, j = some[[i for i, _, _ in ways]], some[[j for _, j, _ in ways]]
    distance = np.empty(len(ways))
    for _ in range(_ROUNDS):
        for fixed, moving in ((i, j), (j, i)):
            to = part[moving]
            for number in np.unique(to):
                rows = order[start[number] : start[number] + sizes[number]]
                here = np.flatnonzero(to == number)
                which, distance[here] = inputs.nearest(fixed[here], rows)
                moving[here] = rows[which]
    return list(zip(i.tolist(), j.tolist(), distance.tolist(), strict=True))
