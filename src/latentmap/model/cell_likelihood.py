"""The log-likelihood of one cell's position on a finished map, all other cells held where they are."""

from __future__ import annotations

import numpy as np

from latentmap.model.coincidence import log_coincidence
from latentmap.model.objective import calibration, dissimilar_rate
from latentmap.model.problem import Solution

# Of more dissimilar cells than this, some stand for all: seen from afar, they repel alike.
_MOST_OTHERS = 5000
_BLOCK = 2**21


class CellLikelihood:
    """The terms of Saul (6) that one cell takes part in, as a function of its position.

    Every pair that is not similar is dissimilar, as at l = 0. Of more than 5000 cells so many are drawn, always the
    same, and weighted accordingly. The variances, that of the cell included, stay as they are.

    Parameters
    ----------
    solution : Solution
        The finished map.
    index : int
        The index of the cell among the rows on the map.

    Attributes
    ----------
    position : ndarray of shape (d,)
        Where the map has the cell.
    neighbors : ndarray of shape (m, d)
        Where its similar cells lie.
    weight : float
        The sum of the weights of its similar pairs.
    """

    def __init__(self, solution: Solution, index: int) -> None:
        problem, state = solution.problem, solution.state
        likelihood, similar = problem.likelihood, problem.likelihood.similar
        outputs, variances = state.embedding.astype(float), state.variances.astype(float)
        n = len(outputs)
        own = slice(similar.edges.indptr[index], similar.edges.indptr[index + 1])
        near = similar.edges.indices[own]
        self.position, self.neighbors = outputs[index], outputs[near]
        self._dof = problem.settings.degrees_of_freedom
        self._weight, self._delta2 = similar.edges.data[own], similar.delta2[own]
        self.weight = float(self._weight.sum())
        self._near_variance = variances[index] + variances[near]
        n_dissimilar = float(2 * n * (n - 1) - similar.n_directions.sum())
        rate = dissimilar_rate(float(similar.edges.sum()), n_dissimilar, likelihood.repulsion)
        reach2 = problem.graph.longest_edge**2 / calibration(self._dof)
        # How many of the two directions of each pair are dissimilar, Saul (25): with the reach of the cell, and of the
        # other.
        ours, theirs = np.ones((2, n))
        ours[near[(similar.directions[own] & 1) > 0]] = 0
        theirs[near[(similar.directions[own] & 2) > 0]] = 0
        ours[index] = theirs[index] = 0
        others = np.flatnonzero(ours + theirs)
        if len(others) > _MOST_OTHERS:
            others = np.sort(np.random.default_rng(0).choice(others, _MOST_OTHERS, replace=False))
        rate *= (ours + theirs).sum() / max((ours + theirs)[others].sum(), 1)
        self._others, self._other_variance = outputs[others], variances[index] + variances[others]
        self._apart = [(rate * ours[others], reach2[index]), (rate * theirs[others], reach2[others])]

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of the cell at some points.

        Parameters
        ----------
        points : ndarray of shape (m, d)

        Returns
        -------
        ndarray of shape (m,)
        """
        size = max(1, _BLOCK // (len(self._others) + len(self._weight) + 1))
        blocks = [points[start : start + size] for start in range(0, len(points), size)]
        return np.concatenate([self._attraction(block) + self._repulsion(block) for block in blocks])

    def _attraction(self, points: np.ndarray) -> np.ndarray:
        log_p = self._log_p(_squared(points, self.neighbors), self._near_variance, self._delta2)
        return np.asarray(log_p @ self._weight)

    def _repulsion(self, points: np.ndarray) -> np.ndarray:
        r2 = _squared(points, self._others)
        total = np.zeros(len(points))
        for weight, reach2 in self._apart:
            log_p = self._log_p(r2, self._other_variance, reach2)
            total += np.log(-np.expm1(np.minimum(log_p, -1e-300))) @ weight
        return total

    def _log_p(self, r2: np.ndarray, variance: np.ndarray, delta2: np.ndarray) -> np.ndarray:
        return log_coincidence(r2, variance, delta2, self._dof, len(self.position))


def _squared(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the squared distances of all pairs."""
    return np.asarray(sum((points[:, c, None] - others[None, :, c]) ** 2 for c in range(points.shape[1])))
