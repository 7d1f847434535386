"""The log-likelihood of all pairs against the seconds that solvers have taken to raise it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from latentmap import LVM, State
from latentmap.model.ascent import ascent
from latentmap.model.coarse import coarsen
from latentmap.model.em import em
from latentmap.model.graph import neighbor_graph
from latentmap.model.heavy_tailed import HeavyTailedLikelihood
from latentmap.model.objective import Objective, calibration
from latentmap.model.sampled import SampledPairs
from latentmap.model.spectral import spectral_start
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers

_D = 2
# Points of a curve: the likelihood of all pairs is looked at with the clock stopped.
_LOOKS = 40


def curves(X: np.ndarray, repulsion: float, max_iter: int) -> dict[str, dict[str, list[float]]]:
    """Raise one likelihood, l = 0 and dof = 2, by several solvers from the same start.

    Parameters
    ----------
    X : ndarray of shape (n, D)
    repulsion : float
        sum D / sum S, from the first step on.
    max_iter : int
        Iterations of EM, and steps of the ascents.

    Returns
    -------
    dict of str to dict
        For each solver the seconds and the log-likelihood for each output.
    """
    with Workers(-1) as workers:
        problem = _Problem(X, repulsion, workers)
        return {name: _followed(states, problem, max_iter) for name, states in problem.solvers(max_iter).items()}


class _Problem:
    def __init__(self, X: np.ndarray, repulsion: float, workers: Workers) -> None:
        chosen = LVM()
        inputs, unit, rng = Vectors(X, n_jobs=-1), calibration(_D), np.random.default_rng(0)
        graph = neighbor_graph(inputs, inputs.kneighbors(chosen.n_neighbors), chosen.n_steps)
        coarse = coarsen(graph.reach / np.sqrt(unit), inputs.nearest, 0, calibration=unit, random_state=rng)
        scale = chosen.similarity_scale
        self.all = Objective(graph, coarse, _D, workers, repulsion=repulsion, similarity_scale=scale)
        similar = self.all.similar
        pairs = SampledPairs(len(X), workers, 0)
        self._sampled = HeavyTailedLikelihood(similar, graph.reach**2 / unit, _D, repulsion, pairs, workers)
        self._start = spectral_start(similar.edges, similar.delta2, _D, rng), graph.reach**2 / (2 * _D)
        self._workers = workers

    def solvers(self, max_iter: int) -> dict[str, Iterator[State]]:
        """Return the solvers, none of them begun."""
        settings: dict[str, Any] = {"max_iter": max_iter}
        return {
            "EM, momentum 0": em(self.all, *self._start, self._workers, momentum=0, **settings),
            "EM, momentum 0.9": em(self.all, *self._start, self._workers, **settings),
            "ascent, all pairs": ascent(self.all, *self._start, ramp=(0, 0), **settings),
            "ascent, sampled": ascent(self._sampled, *self._start, ramp=(0, 0), **settings),
        }


def _followed(states: Iterator[State], problem: _Problem, max_iter: int) -> dict[str, list[float]]:
    looks = set(np.unique(np.geomspace(1, max_iter, _LOOKS).astype(int)).tolist())
    seconds, values, last = 0.0, [], time.perf_counter()
    times = []
    for state in states:
        seconds += time.perf_counter() - last
        if state.iteration in looks:
            embedding = np.ascontiguousarray(state.embedding, float)
            value = problem.all.log_likelihood(embedding, state.variances.astype(float))
            times.append(round(seconds, 4))
            values.append(value / len(embedding))
        last = time.perf_counter()
    return {"seconds": times, "log_likelihood": values}
