"""Comparisons as somebody would make them who knows the truth, but is asked of a few cells only."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from latentmap.methods import Comparisons

KINDS = ("triplets", "quadruplets", "pairs")
# Tuples drawn at once, of which those are kept that can be answered.
_DRAWN = 4096

Differences = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From the rows of some pairs, first and second, to how unlike they truly are."""


def asked(kind: str, differences: Differences, n: int, m: int, rng: np.random.Generator, limit: float) -> Comparisons:
    """Return m true comparisons of random rows.

    Parameters
    ----------
    kind : str
        One of ``KINDS``.
    differences : callable
        The truth; of two pairs that are as unlike nothing is said.
    n, m : int
        Rows, and comparisons.
    rng : Generator
    limit : float
        Pairs less unlike than that are similar, where pairs are asked about.
    """
    found: list[np.ndarray] = []
    while sum(map(len, found)) < m:
        rows = rng.integers(0, n, (_DRAWN, 4))
        if kind != "quadruplets":
            rows[:, 2] = rows[:, 0]
        rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 2] != rows[:, 3])]
        found.append(_ordered(rows, differences) if kind != "pairs" else rows)
    chosen = np.concatenate(found)[:m]
    if kind != "pairs":
        return Comparisons(chosen)
    is_similar = differences(*chosen[:, :2].T) < limit
    return Comparisons.from_pairs(chosen[is_similar, :2], chosen[~is_similar, :2])


def all_triplets(differences: Differences, n: int) -> Comparisons:
    """Return every true triplet of n rows."""
    rows = np.array([(i, j, i, k) for i in range(n) for j, k in combinations(range(n), 2) if i not in (j, k)])
    return Comparisons(_ordered(rows, differences))


def _ordered(rows: np.ndarray, differences: Differences) -> np.ndarray:
    one, other = differences(rows[:, 0], rows[:, 1]), differences(rows[:, 2], rows[:, 3])
    return np.where((one < other)[:, None], rows, rows[:, [2, 3, 0, 1]])[one != other]
