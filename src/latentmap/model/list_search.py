"""The nearest rows of new rows in the nearest lists of a partition, each new row on its own."""

from __future__ import annotations

import numpy as np

from latentmap.model.compiling import compiled

FAR = np.float32(3e38)
"""Farther than any row: the compiler assumes that no number is infinite."""


@compiled
def nearest_in_lists(
    rows: np.ndarray,
    n_probe: int,
    centers: np.ndarray,
    list_start: np.ndarray,
    list_stop: np.ndarray,
    residuals: np.ndarray,
    found: np.ndarray,
) -> None:
    """Write the positions of the nearest rows of the ``n_probe`` lists with the nearest centres.

    Parameters
    ----------
    rows : ndarray of shape (m, D), float32
        The new rows, in the unit of the partition.
    n_probe : int
        Lists, at most all.
    centers, list_start, list_stop
        See :class:`~latentmap.model.partition.Partition`.
    residuals : ndarray of shape (n, D + 1), float32
        The rows of the lists relative to their centres.
    found : ndarray of shape (m, n_candidates), int64
        Written to; each list has as many rows.
    """
    n_lists, D = centers.shape
    far = np.empty(n_lists, np.float32)
    relative = np.empty(D, np.float32)
    nearest = np.empty(found.shape[1], np.float32)
    last = found.shape[1] - 1
    for i in range(len(rows)):
        for b in range(n_lists):
            total = np.float32(0)
            for c in range(D):
                difference = rows[i, c] - centers[b, c]
                total += difference * difference
            far[b] = total
        reach = np.partition(far, n_probe - 1)[n_probe - 1]
        nearest[:] = FAR
        found[i] = -1
        for b in range(n_lists):
            if far[b] > reach:
                continue
            for c in range(D):
                relative[c] = rows[i, c] - centers[b, c]
            for place in range(list_start[b], list_stop[b]):
                total = np.float32(0)
                for c in range(D):
                    difference = relative[c] - residuals[place, c]
                    total += difference * difference
                if total < nearest[last]:
                    p = last
                    while p > 0 and nearest[p - 1] > total:
                        nearest[p] = nearest[p - 1]
                        found[i, p] = found[i, p - 1]
                        p -= 1
                    nearest[p] = total
                    found[i, p] = place
