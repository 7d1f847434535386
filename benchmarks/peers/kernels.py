"""What an ordered pair costs in the kernels, and what the steps of one EM iteration cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.peaks import best_seconds, machine_peaks
from benchmarks.problems import posed
from benchmarks.stored import nearest
from latentmap import LVM, PAPER, State
from latentmap.model import sdd_solver
from latentmap.model.coarse import Coarse, coarsen
from latentmap.model.em import em
from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.heavy_tailed import HeavyTailedLikelihood
from latentmap.model.objective import Objective, calibration
from latentmap.model.spectral_start import spectral_start
from latentmap.model.variances import updated_variances
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers

_D, _MOMENTUM, _CG_TOL, _CG_STEPS = 2, 0.9, 1e-2, 100
# Where a fit spends most of its time: neither at its start nor at rest.
_ITERATIONS = 30
# What an ascent does in some of its steps only is shared by all.
_STEPS = 10
DENSE_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Stopped:
    """An EM stopped in the middle.

    Attributes
    ----------
    objective : Objective
    n_pairs : int
        Ordered pairs of dissimilar rows and landmarks, in all blocks.
    states : list of State
        The last three.
    """

    objective: Objective
    n_pairs: int
    states: list[State]


@dataclass(frozen=True, eq=False)
class Call:
    """What is timed.

    Attributes
    ----------
    function : callable
        Without arguments.
    rows : int
    n_pairs : int
        Ordered pairs that it goes over.
    """

    function: Callable[[], object]
    rows: int
    n_pairs: int


def _e_step(levels: int, dof: float, X: np.ndarray, workers: Workers) -> Call:
    stopped = stopped_em(X, levels, dof, workers)
    state = stopped.states[-1]
    return Call(partial(stopped.objective.expectations, state.embedding, state.variances), len(X), stopped.n_pairs)


def _dense_e_step(dof: float, X: np.ndarray, workers: Workers) -> Call:
    return _e_step(0, dof, X[:DENSE_ROWS], workers)


def _ascent_steps(X: np.ndarray, workers: Workers) -> Call:
    likelihood, state = stopped_ascent(X, workers)

    def steps() -> None:
        for step in range(_STEPS):
            likelihood.slopes(state.embedding, state.variances, likelihood.repulsion, step)

    return Call(steps, len(X), 2 * likelihood.pairs.n_pairs_per_step * _STEPS)


KERNELS: dict[str, Callable[[np.ndarray, Workers], Call]] = {
    "E-step, l = 1, dof inf": partial(_e_step, 1, math.inf),
    "E-step, l = 1, dof 2": partial(_e_step, 1, 2),
    "E-step, one dense block (l = 0), dof inf": partial(_dense_e_step, math.inf),
    "E-step, one dense block (l = 0), dof 2": partial(_dense_e_step, 2),
    "gradient of the ascent, trees and neighbours included, dof 2": _ascent_steps,
}


def measure_kernels(X: np.ndarray) -> dict[str, Any]:
    """Time all kernels on a table.

    Parameters
    ----------
    X : ndarray of shape (n, D)

    Returns
    -------
    dict
        "peaks": nanoseconds for each operation that the machine makes at best; "kernels": rows, pairs and nanoseconds
        for each pair, of each kernel; "iteration": seconds of each step of an EM iteration with l = 1 and dof inf.
    """
    with Workers(-1) as workers:
        measured = []
        for title, prepare in KERNELS.items():
            call = prepare(X, workers)
            ns = 1e9 * best_seconds(call.function) / call.n_pairs
            measured.append({"kernel": title, "rows": call.rows, "pairs": call.n_pairs, "ns": ns})
        iteration = seconds_of_steps(stopped_em(X, 1, math.inf, workers), workers)
        return {"peaks": machine_peaks(workers), "kernels": measured, "iteration": iteration}


def stopped_em(X: np.ndarray, levels: int, dof: float, workers: Workers) -> Stopped:
    """Run EM for some iterations on the likelihood that the estimator would make of a table, as the paper does."""
    rng = np.random.default_rng(0)
    graph, coarse = _pairs(X, PAPER["n_neighbors"], PAPER["n_steps"], levels, dof, rng)
    objective = Objective(graph, coarse, dof, workers)
    start = spectral_start(objective.similar.edges, objective.similar.delta2, _D, rng)
    states = em(objective, start, graph.longest_edge**2 / (2 * _D), workers, momentum=_MOMENTUM, max_iter=_ITERATIONS)
    return Stopped(objective, coarse.n_pairs, list(itertools.islice(states, _ITERATIONS - 2, None)))


def stopped_ascent(X: np.ndarray, workers: Workers) -> tuple[HeavyTailedLikelihood, State]:
    """Run the ascent for some iterations, with the estimator's defaults."""
    problem = posed(LVM(max_iter=_ITERATIONS), X, workers)
    likelihood = problem.likelihood
    assert isinstance(likelihood, HeavyTailedLikelihood)
    return likelihood, list(problem.states(np.random.default_rng(0), workers, "smoothed_pca"))[-1]


def _pairs(
    X: np.ndarray, k: int, s: int, levels: int, dof: float, rng: np.random.Generator
) -> tuple[NeighborGraph, Coarse]:
    inputs, unit = Vectors(X, n_jobs=-1), calibration(dof)
    graph = neighbor_graph(inputs, nearest(X, k), s)
    return graph, coarsen(
        graph.longest_edge / np.sqrt(unit), inputs.nearest, levels, calibration=unit, random_state=rng
    )


def seconds_of_steps(stopped: Stopped, workers: Workers) -> dict[str, float]:
    """Time the steps of the iteration that would come next."""
    objective, (before, last, state) = stopped.objective, stopped.states
    embedding, variances, similar = state.embedding, state.variances, objective.similar
    now, weight = objective.expectations(embedding, variances), objective.weight(objective.repulsion)
    # Saul (SI 43): the linear system is started from its last solution, which is the step less its momentum.
    guess = (embedding - last.embedding) - _MOMENTUM * (last.embedding - before.embedding)
    solve = partial(
        sdd_solver.solve, similar.edges.indptr, similar.edges.indices, now.pull, now.diagonal, now.gradient, guess,
        tol=_CG_TOL, max_iter=_CG_STEPS, workers=workers,
    )  # fmt: skip
    update = partial(updated_variances, variances, now.spread, weight, _D, similar.variance_limits)
    return {
        "E-step (an iteration has two)": best_seconds(partial(objective.expectations, embedding, variances)),
        "solve": best_seconds(solve),
        "variances": best_seconds(update),
        "log-likelihood": best_seconds(partial(objective.log_likelihood, embedding, variances)),
    }
