"""How often rows are neighbours that coincide on a map with a certain probability, learned from the map itself."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree
from sklearn.isotonic import IsotonicRegression

from latentmap.model.inputs import Neighbors
from latentmap.model.out_of_sample import place_points
from latentmap.model.problem import Solution
from latentmap.model.state import FitProgress
from latentmap.model.workers import Workers

# Rows that are paired with rows of the map, and of these so many at a time.
_N_ROWS, _LOT = 300, 50
# They are paired with so many of the nearest on the map, with their neighbours, and with some that stand for the rest.
_N_NEAREST, _N_OTHERS = 1000, 1000

Probability = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Of squared distances and sums of variances: the probability that these pairs coincide, Saul (5)."""


class Recalibration(NamedTuple):
    """Two monotone curves from the probability that a pair coincides to how often such pairs are neighbours.

    A pair are neighbours if the second row is one of the k nearest of the first.

    Attributes
    ----------
    on_map : IsotonicRegression
        For pairs of rows of the map.
    placed : IsotonicRegression
        For a row placed alone on the finished map, and a row of the map. Such pairs lie a little farther apart.
    """

    on_map: IsotonicRegression
    placed: IsotonicRegression


def recalibration(
    solution: Solution, neighbors: Neighbors, probability: Probability, workers: Workers
) -> Generator[FitProgress, None, Recalibration]:
    """Learn both curves from some rows of a finished map.

    The curve of placed rows is learned by placing these rows anew, each alone, by its neighbours; there is no second
    fit. They did take part in the map, but hardly move it: `docs/trust.md` measures the curve on rows that did not.

    Parameters
    ----------
    solution : Solution
        The finished map.
    neighbors : Neighbors
        The k nearest rows of each row on the map.
    probability : callable
    workers : Workers
        The threads to use.

    Yields
    ------
    FitProgress
        After each lot of rows.
    """
    positions, variances = solution.state.embedding.astype(float), solution.state.variances.astype(float)
    n, rng = len(positions), np.random.default_rng(0)
    rows = np.sort(rng.choice(n, min(n, _N_ROWS), replace=False))
    others = np.sort(rng.choice(n, min(n, _N_OTHERS), replace=False))
    tree = KDTree(positions)
    on_map, placed = _Pairs(), _Pairs()
    for start in range(0, len(rows), _LOT):
        yield FitProgress("calibration", start, len(rows))
        lot = rows[start : start + _LOT]
        near = Neighbors(neighbors.indices[lot], neighbors.distances[lot])
        alone = place_points(solution.frozen, near, workers)
        for pairs, points, spread in ((on_map, positions[lot], variances[lot]), (placed, *alone)):
            nearest = tree.query(points, np.arange(1, min(n, _N_NEAREST) + 1))[1]
            seconds, weights = _weighted(lot, near.indices, nearest, others, n)
            r2 = np.square(points[:, None] - positions[seconds]).sum(axis=2)
            p = probability(r2, spread[:, None] + variances[seconds])
            pairs.add(p, _is_among(seconds, near.indices), weights)
    return Recalibration(on_map.curve(), placed.curve())


class _Pairs:
    """Probabilities of pairs, which of them are neighbours, and how many pairs each stands for."""

    def __init__(self) -> None:
        self._parts: list[np.ndarray] = []

    def add(self, p: np.ndarray, is_near: np.ndarray, weights: np.ndarray) -> None:
        """Add some pairs."""
        counted = weights > 0
        self._parts.append(np.stack([p[counted], is_near[counted], weights[counted]]))

    def curve(self) -> IsotonicRegression:
        """Return the monotone curve nearest to them."""
        p, is_near, weights = np.concatenate(self._parts, axis=1)
        return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, is_near, weights)


def _weighted(
    own: np.ndarray, near: np.ndarray, nearest: np.ndarray, others: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return with which of n rows to pair each row, and how many each stands for: 0 for itself and for repeats."""
    is_new = ~_is_among(near, nearest)
    rest = np.broadcast_to(others, (len(own), len(others)))
    is_rest = ~(_is_among(rest, nearest) | _is_among(rest, near) | (rest == own[:, None]))
    alone = (nearest != own[:, None]).astype(float)
    n_rest = n - 1 - alone.sum(axis=1) - is_new.sum(axis=1)
    weights = is_rest * (n_rest / np.maximum(is_rest.sum(axis=1), 1))[:, None]
    return np.concatenate([near, nearest, rest], axis=1), np.concatenate([is_new, alone, weights], axis=1)


def _is_among(rows: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Return which row numbers are in the list of their line."""
    first = (max(rows.max(), lists.max()) + 1) * np.arange(len(rows))[:, None]
    return np.isin(first + rows, first + lists)
