"""How often rows are neighbours that coincide on a map with a certain probability, learned from the map itself."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression

from latentmap.model.inputs import Neighbors
from latentmap.model.out_of_sample import place_points
from latentmap.model.problem import Solution
from latentmap.model.state import FitProgress
from latentmap.model.workers import Workers

# Rows that are paired with all rows of the map, and of these so many at a time.
_N_ROWS, _LOT = 300, 50
# Nearly all pairs have less: they count together, since to sort them all would take long.
_NEGLIGIBLE = 1e-3
_BLOCK = 2**21

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
    n = len(positions)
    rows = np.sort(np.random.default_rng(0).choice(n, min(n, _N_ROWS), replace=False))
    on_map, placed = _Pairs(), _Pairs()
    for start in range(0, len(rows), _LOT):
        yield FitProgress("calibration", start, len(rows))
        lot = rows[start : start + _LOT]
        near = Neighbors(neighbors.indices[lot], neighbors.distances[lot])
        alone = place_points(solution.frozen, near, workers)
        for pairs, points, spread in ((on_map, positions[lot], variances[lot]), (placed, *alone)):
            size = max(1, _BLOCK // n)
            for first in range(0, len(lot), size):
                part = slice(first, first + size)
                r2 = _squared(points[part], positions)
                p = probability(r2, spread[part, None] + variances)
                pairs.add(p, near.indices[part], lot[part])
    return Recalibration(on_map.curve(), placed.curve())


class _Pairs:
    """Probabilities of pairs, and which of them are neighbours."""

    def __init__(self) -> None:
        self._p: list[np.ndarray] = []
        self._is_near: list[np.ndarray] = []
        self._weight: list[np.ndarray] = []

    def add(self, p: np.ndarray, near: np.ndarray, own: np.ndarray) -> None:
        """Add the pairs of some rows with all rows of the map, of which one is their own."""
        is_near = np.zeros(p.shape, bool)
        is_near[np.arange(len(p))[:, None], near] = True
        counts = np.ones(p.shape, bool)
        counts[np.arange(len(p)), own] = False
        many, few = counts & (p >= _NEGLIGIBLE), counts & (p < _NEGLIGIBLE)
        n_few = max(int(few.sum()), 1)
        self._p += [p[many], np.array([p[few].sum() / n_few])]
        self._is_near += [is_near[many], np.array([is_near[few].sum() / n_few])]
        self._weight += [np.ones(int(many.sum())), np.array([float(n_few)])]

    def curve(self) -> IsotonicRegression:
        """Return the monotone curve nearest to them."""
        p, is_near, weight = (np.concatenate(parts) for parts in (self._p, self._is_near, self._weight))
        return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, is_near, weight)


def _squared(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.asarray(sum((points[:, c, None] - others[None, :, c]) ** 2 for c in range(points.shape[1])))
