"""How far a row's neighbours on one side lie on the other: in the table, and on the map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics.pairwise import pairwise_distances, row_norms

from latentmap.model.vectors import Metric

# Random rows to which the mean distance of each row is the unit.
_N_RANDOM = 100
_BLOCK = 2**22


def stretch(table: np.ndarray, metric: Metric, near: np.ndarray, seen: np.ndarray, random: np.ndarray) -> np.ndarray:
    """Return how far the rows ``seen`` lie: 0 as near as the nearest, ``near``; 1 as far as random ones.

    Parameters
    ----------
    table : ndarray of shape (n, D)
        Rows, whose distances are measured.
    metric : str or callable
    near : ndarray of shape (n,), or ndarray of int, of shape (n, k)
        The mean distance of the nearest rows, if it is known, or their numbers.
    seen : ndarray of int, of shape (n, m)
        Row numbers.
    random : ndarray of int, of shape (r,)
        The same random rows for all.
    """
    if metric == "euclidean":
        # Far from the origin, scalar products lose the digits of the distances.
        table = table - table.mean(axis=0)
    nearest = near if near.ndim == 1 else mean_distance(table, metric, near)
    usual = _from_random(table, metric, random)
    width = usual - nearest
    return np.asarray(
        np.divide(mean_distance(table, metric, seen) - nearest, width, out=np.ones(len(table)), where=width > 0)
    )


def random_rows(n: int, rng: np.random.RandomState) -> np.ndarray:
    """Return some random rows."""
    return rng.choice(n, min(n, _N_RANDOM), replace=False)


def mean_distance(table: np.ndarray, metric: Metric, rows: np.ndarray) -> np.ndarray:
    """Return the mean distance of each row from some others."""
    size = max(1, _BLOCK // (rows.shape[1] * table.shape[1]))
    of_block = _of_block(table, metric)
    parts = [of_block(slice(start, start + size), rows[start : start + size]) for start in range(0, len(rows), size)]
    return np.concatenate(parts)


def _from_random(table: np.ndarray, metric: Metric, random: np.ndarray) -> np.ndarray:
    """Return the mean distance of each row from the random rows other than itself."""
    size = max(1, _BLOCK // len(random))
    # A distance to itself is not always defined, and counts as none.
    parts = [
        np.nan_to_num(pairwise_distances(table[start : start + size], table[random], metric=metric)).sum(axis=1)
        for start in range(0, len(table), size)
    ]
    n_others = len(random) - np.isin(np.arange(len(table)), random)
    return np.asarray(np.concatenate(parts) / np.maximum(n_others, 1))


def _of_block(table: np.ndarray, metric: Metric) -> Callable[[slice, np.ndarray], np.ndarray]:
    if metric == "euclidean":
        return lambda block, rows: np.mean(np.linalg.norm(table[block, None] - table[rows], axis=2), axis=1)
    if metric == "cosine":
        lengths = row_norms(table)
        unit = table / np.where(lengths, lengths, 1)[:, None]
        return lambda block, rows: 1 - np.mean(np.einsum("id,ikd->ik", unit[block], unit[rows]), axis=1)

    def one_by_one(block: slice, rows: np.ndarray) -> np.ndarray:
        pairs = zip(table[block, None], rows, strict=True)
        return np.array([np.mean(pairwise_distances(row, table[others], metric=metric)) for row, others in pairs])

    return one_by_one
