"""How far a row's neighbours on one side lie on the other: in the table, and on the map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics.pairwise import pairwise_distances, row_norms

from latentmap.model.vectors import Metric

# Random rows whose distance is the unit, for each row.
_N_RANDOM = 50
_BLOCK = 2**22


def stretch(table: np.ndarray, metric: Metric, near: np.ndarray, seen: np.ndarray, random: np.ndarray) -> np.ndarray:
    """Return how far the rows ``seen`` lie: 0 as near as the nearest, ``near``; 1 as far as random ones.

    Parameters
    ----------
    table : ndarray of shape (n, D)
        Rows, whose distances are measured.
    metric : str or callable
    near, seen, random : ndarray of int, of shapes (n, k), (n, m) and (n, r)
        Row numbers.
    """
    nearest, looked_at, usual = (mean_distance(table, metric, rows) for rows in (near, seen, random))
    width = usual - nearest
    return np.asarray(np.divide(looked_at - nearest, width, out=np.ones(len(table)), where=width > 0))


def random_rows(n: int, rng: np.random.RandomState) -> np.ndarray:
    """Return some random other rows for each row, of shape (n, r)."""
    return (np.arange(n)[:, None] + rng.randint(1, n, size=(n, min(_N_RANDOM, n - 1)))) % n


def mean_distance(table: np.ndarray, metric: Metric, rows: np.ndarray) -> np.ndarray:
    """Return the mean distance of each row from some others."""
    size = max(1, _BLOCK // (rows.shape[1] * table.shape[1]))
    of_block = _of_block(table, metric)
    parts = [of_block(slice(start, start + size), rows[start : start + size]) for start in range(0, len(rows), size)]
    return np.concatenate(parts)


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
