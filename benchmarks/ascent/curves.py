"""The log-likelihood of all pairs against the seconds that solvers have taken to raise it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.problems import posed
from latentmap import LVM, State
from latentmap.model.problem import Problem
from latentmap.model.workers import Workers

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
        given = LVM(repulsion=repulsion, n_levels=0, dof=2, ramp=(0, 0), tol=0)
        self._sampled = posed(given, X, workers)
        self._exact = posed(clone(given).set_params(solver="em"), X, workers)
        self._workers = workers

    def log_likelihood(self, state: State) -> float:
        """Return that of all pairs."""
        embedding = np.ascontiguousarray(state.embedding, float)
        return self._exact.likelihood.log_likelihood(embedding, state.variances.astype(float))

    def solvers(self, max_iter: int) -> dict[str, Iterator[State]]:
        """Return the solvers, none of them begun."""
        return {
            "EM, momentum 0": self._states(self._exact, max_iter, momentum=0),
            "EM, momentum 0.9": self._states(self._exact, max_iter),
            "ascent, all pairs": self._states(self._exact, max_iter, solver="ascent"),
            "ascent, sampled": self._states(self._sampled, max_iter),
        }

    def _states(self, problem: Problem, max_iter: int, **changes: Any) -> Iterator[State]:
        settings = replace(problem.settings, max_iter=max_iter, **changes)
        return replace(problem, settings=settings).states(np.random.default_rng(0), self._workers, "smoothed_pca")


def _followed(states: Iterator[State], problem: _Problem, max_iter: int) -> dict[str, list[float]]:
    looks = set(np.unique(np.geomspace(1, max_iter, _LOOKS).astype(int)).tolist())
    seconds, values, last = 0.0, [], time.perf_counter()
    times = []
    for state in states:
        seconds += time.perf_counter() - last
        if state.iteration in looks:
            times.append(round(seconds, 4))
            values.append(problem.log_likelihood(state) / len(state.embedding))
        last = time.perf_counter()
    return {"seconds": times, "log_likelihood": values}
