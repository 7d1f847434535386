"""Which part of its neighbours each row has lost on a map."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import gen_batches

from latentmap.quality.progress import Progress, finished
from latentmap.quality.ranked_rows import RankedRows
from latentmap.quality.validation import checked_neighbors, checked_table, whole_number

# Rows searched at a time, between two signs of life.
_BLOCK = 10_000


def lost_neighbors(
    neighbors: Any,
    Y: ArrayLike,
    *,
    n_jobs: int | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> np.ndarray:
    """Share of each row's k nearest neighbours that are not among its k nearest on the map.

    This is what a map may be trusted for, row by row: where it is near 1, those around a cell on the map are not those
    most like it. It is one minus the :func:`neighbor_recall` of that row alone.

    Parameters
    ----------
    neighbors : array of int, of shape (n, k), or (indices, distances)
        The k nearest neighbours of each row in the measured table, as ``LVM.find_neighbors`` returns them.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`. The result is the same for any number.
    callback : callable, optional
        ``callback(progress)`` is called after each block of rows. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    ndarray of shape (n,)
        From 0, all neighbours kept, to 1, all lost. A row placed at random has 1 - k / (n - 1) on average.

    Raises
    ------
    ValueError
        If ``neighbors`` does not hold one list of row numbers for each row of Y, or Y has values that are not finite.

    Notes
    -----
    `docs/trust.md` measures what this share predicts. It is found from one half of the cells and held against the
    neighbours lost among the other half, beside the spacing of the map alone.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap import LVM
    >>> from latentmap.quality import lost_neighbors
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> neighbors = LVM().find_neighbors(X)
    >>> moved = X.copy()
    >>> moved[7] = -X[7] + 3
    >>> lost = lost_neighbors(neighbors, moved)
    >>> bool(lost[7] == 1), bool(lost.mean() < 0.1)
    (True, True)
    """
    return finished(iter_lost_neighbors(neighbors, Y, n_jobs=n_jobs), callback)


def iter_lost_neighbors(
    neighbors: Any, Y: ArrayLike, *, n_jobs: int | None = None
) -> Generator[Progress, None, np.ndarray]:
    """Count lost neighbours step by step, as :func:`lost_neighbors` does.

    Yields
    ------
    Progress
        After each block of rows; closing the generator ends it.

    Returns
    -------
    ndarray of shape (n,)
    """
    Y = checked_table(Y, "Y", "euclidean")
    indices = checked_neighbors(neighbors, len(Y))
    k = indices.shape[1]
    seen = yield from iter_map_neighbors(Y, k, n_jobs, Progress("neighbours on the map", 0, 1))
    return np.asarray(1 - shared(indices, seen) / k)


def map_neighbors(Y: np.ndarray, n_neighbors: int, n_jobs: int | None) -> np.ndarray:
    """Return the nearest other rows of each row of a map, nearest first."""
    return finished(iter_map_neighbors(Y, n_neighbors, n_jobs, Progress("neighbours on the map", 0, 1)), None)


def iter_map_neighbors(
    Y: np.ndarray, n_neighbors: int, n_jobs: int | None, progress: Progress
) -> Generator[Progress, None, np.ndarray]:
    """Find the nearest other rows of each row of a map, block by block, as one step of a measure."""
    k = whole_number(n_neighbors, "n_neighbors", len(Y) - 1, f"the map has {len(Y)} rows")
    yield progress
    ranked, rows, found = RankedRows(Y, "euclidean", n_jobs), np.arange(len(Y)), []
    for block in gen_batches(len(Y), _BLOCK):
        found.append(ranked.neighbors_of(rows[block], k))
        yield progress
    return np.concatenate(found)


def shared(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how many row numbers two lists have in common, for each row of two arrays of lists."""
    together = np.sort(np.concatenate([one, other], axis=1), axis=1)
    return np.asarray((together[:, 1:] == together[:, :-1]).sum(axis=1))
