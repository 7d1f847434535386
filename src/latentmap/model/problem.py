"""From a table to a likelihood to climb, and from where; and from a finished map to one that takes in new rows."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import SimpleNamespace

import numpy as np

from latentmap.model import row_checks
from latentmap.model.ascent import ascent
from latentmap.model.coarse import Coarse, coarsen
from latentmap.model.em import em
from latentmap.model.every_pair import EveryPair
from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.heavy_tailed import HeavyTailedLikelihood
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.objective import Objective, calibration
from latentmap.model.placing import FrozenMap
from latentmap.model.principal import principal_start
from latentmap.model.sampled import SampledPairs
from latentmap.model.sentences import warn
from latentmap.model.similar import SimilarPairs
from latentmap.model.spectral import spectral_start, unit_start
from latentmap.model.state import Progress, State
from latentmap.model.warm import Start, likeliest
from latentmap.model.width import width
from latentmap.model.workers import Workers

# How well the eigenvectors are found that a solver starts from: what is left an ascent soon mends, but EM does not.
_START_TOLERANCE = {"ascent": 1e-3, "em": 1e-4}
# The standard deviation of the first principal component at the start, in median length scales: 1.4 n^(1/4), at most
# 15. Finished maps have some 12 to 16, of 400 rows as of 10 000. Where a large table starts wider, groups stay in parts
# that were apart; where a small one does, they end far from each other in an empty frame.
_STEEPNESS, _WIDEST = 1.4, 15.0
_MOST_DOF = 1e8


@dataclass(frozen=True, eq=False)
class Problem:
    """What a table has been turned into.

    Attributes
    ----------
    parameters : SimpleNamespace
        The estimator's, as they were when the fit began.
    inputs : Inputs
        The rows on the map.
    neighbors : Neighbors
        Of all rows.
    graph : NeighborGraph
    coarse : Coarse
    likelihood : Objective or HeavyTailedLikelihood
    """

    parameters: SimpleNamespace
    inputs: Inputs
    neighbors: Neighbors
    graph: NeighborGraph
    coarse: Coarse
    likelihood: Objective | HeavyTailedLikelihood

    def states(self, rng: np.random.Generator, workers: Workers, init: Start | str) -> Iterator[State]:
        """Return the states of the solver that was asked for, from a first guess or from a map of all rows."""
        wanted = self.parameters
        start, variances = self._start(rng, init)
        shared = {"tied_variances": wanted.tied_variances, "momentum": wanted.momentum, "max_iter": wanted.max_iter}
        if wanted.solver == "em" and isinstance(self.likelihood, Objective):
            return em(self.likelihood, start, variances, workers, tol=wanted.tol, **shared)
        return ascent(self.likelihood, start, variances, ramp=wanted.ramp, learning_rate=wanted.learning_rate, **shared)

    def _start(self, rng: np.random.Generator, init: Start | str) -> tuple[np.ndarray, np.ndarray]:
        """Return the outputs and variances to start from."""
        wanted, similar, rows = self.parameters, self.likelihood.similar, self.graph.rows
        variances = self.graph.reach**2 / (2 * wanted.n_components)
        if isinstance(init, Start):
            here = Start(init.embedding[rows], None if init.variances is None else init.variances[rows])
            return likeliest(self.likelihood, here, variances)
        places = principal_start(self.inputs, wanted.n_components, rng) if init == "pca" else None
        if places is not None:
            widest = min(_STEEPNESS * len(rows) ** 0.25, _WIDEST) * _usual(np.sqrt(similar.delta2))
            return places * (widest / places.std(axis=0).max()), variances
        tol = _START_TOLERANCE[wanted.solver]
        if wanted.solver == "em":
            # Eigenvectors have no unit, but the map has that of the table.
            length = width(self.inputs, self.graph.largest_distance, rng)
            return unit_start(similar.edges, length, wanted.n_components, rng, tol), variances
        return spectral_start(similar.edges, similar.delta2, wanted.n_components, rng, tol), variances


def _usual(scales: np.ndarray) -> float:
    """Return the median length scale, copies left out, which may be most of the neighbours."""
    apart = scales[scales > 2 * scales.min()]
    return float(np.median(apart if len(apart) else scales))


@dataclass(frozen=True, eq=False)
class Solution:
    """A problem and where its solver ended.

    Attributes
    ----------
    problem : Problem
    state : State
    """

    problem: Problem
    state: State

    @cached_property
    def frozen(self) -> FrozenMap:
        """The map ready for new rows. Where it has no landmarks it is given some, since many rows may come."""
        problem, parameters = self.problem, self.problem.parameters
        coarse, objective = problem.coarse, problem.likelihood
        if isinstance(objective, HeavyTailedLikelihood):
            coarse = _coarse(parameters, problem.graph, problem.inputs, "auto", np.random.default_rng(0))
            objective = _exact(parameters, problem.graph, coarse, Workers(1))
        return FrozenMap(
            # As the kernels were compiled for: an ascent may hold single precision.
            state=replace(
                self.state,
                embedding=np.ascontiguousarray(self.state.embedding, float),
                variances=self.state.variances.astype(float),
            ),
            graph=problem.graph,
            coarse=coarse,
            objective=objective,
            radius=problem.neighbors.distances[problem.graph.rows, -1],
            n_neighbors=parameters.n_neighbors,
            n_steps=parameters.n_steps,
            min_neighbors=parameters.min_neighbors,
            local_scaling=parameters.local_scaling,
            tied_variances=parameters.tied_variances,
            momentum=parameters.momentum,
        )


def pose(
    parameters: SimpleNamespace, inputs: Inputs, rng: np.random.Generator, seed: int, workers: Workers
) -> Generator[Progress, None, Problem]:
    """Turn rows into a problem, and say before each stage what comes.

    Parameters
    ----------
    parameters : SimpleNamespace
        The estimator's.
    inputs : Inputs
        The rows.
    rng : numpy.random.Generator
        Chooses the landmarks.
    seed : int
        Chooses the samples.
    workers : Workers
        The threads to use.

    Yields
    ------
    Progress

    Returns
    -------
    Problem
    """
    yield Progress("neighbours", 0, parameters.max_iter)
    neighbors = inputs.kneighbors(parameters.n_neighbors)
    row_checks.check_neighbors(neighbors.distances)
    yield Progress("graph", 0, parameters.max_iter)
    graph = neighbor_graph(
        inputs,
        neighbors,
        parameters.n_steps,
        parameters.connect,
        min_neighbors=parameters.min_neighbors,
        local_scaling=parameters.local_scaling,
    )
    n = len(neighbors.indices)
    if len(graph.rows) < n:
        row_checks.warn_of_lost_rows(n, len(graph.rows), graph.n_components)
        row_checks.check_size(len(graph.rows), parameters.n_components)
        inputs = inputs.subset(graph.rows)
    closed = has_closed_form(parameters)
    n_levels = 0 if closed else parameters.n_levels
    if n_levels != 0:
        yield Progress("coarse-graining", 0, parameters.max_iter)
    coarse = _coarse(parameters, graph, inputs, n_levels, rng)
    yield Progress("start", 0, parameters.max_iter)
    likelihood = (
        _heavy_tailed(parameters, graph, coarse, seed, workers)
        if closed
        else _exact(parameters, graph, coarse, workers)
    )
    if likelihood.rate == 0:
        warn(
            f"All {len(graph.rows)} rows are neighbours of each other, so nothing keeps them apart and the map is "
            "only a first guess. Lower n_neighbors (k), or add rows."
        )
    return Problem(parameters, inputs, neighbors, graph, coarse, likelihood)


def degrees_of_freedom(parameters: SimpleNamespace) -> float:
    """Return the degrees of freedom that "auto" stands for, or those given; very many are infinity."""
    dof = float(parameters.n_components if parameters.dof == "auto" else parameters.dof)
    # There the likelihoods agree to six digits, and beyond no digit of one less than 1 + 1 / dof is left.
    return np.inf if dof > _MOST_DOF else dof


def has_closed_form(parameters: SimpleNamespace) -> bool:
    """Return whether the probabilities have a closed form, and all pairs may be counted or sampled."""
    return (
        parameters.solver == "ascent"
        and parameters.n_levels in ("auto", 0)
        and degrees_of_freedom(parameters) == parameters.n_components
    )


def _coarse(
    parameters: SimpleNamespace, graph: NeighborGraph, inputs: Inputs, n_levels: int | str, rng: np.random.Generator
) -> Coarse:
    unit = calibration(degrees_of_freedom(parameters))
    return coarsen(
        graph.reach / np.sqrt(unit),
        partial(_nearest, inputs, graph.widths),
        n_levels,
        calibration=unit,
        random_state=rng,
        pair_budget=parameters.pair_budget,
    )


def _nearest(
    inputs: Inputs, widths: np.ndarray, members: np.ndarray, candidates: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return which candidate is nearest to each member, and the length of the way."""
    which, distances = inputs.nearest(members, candidates)
    return which, distances / (widths[members] * widths[candidates[which]])


def _exact(parameters: SimpleNamespace, graph: NeighborGraph, coarse: Coarse, workers: Workers) -> Objective:
    return Objective(
        graph,
        coarse,
        degrees_of_freedom(parameters),
        workers,
        repulsion=parameters.repulsion,
        similarity_scale=parameters.similarity_scale,
        vote_power=parameters.vote_power,
        row_normalized=parameters.row_normalized,
    )


def _heavy_tailed(
    parameters: SimpleNamespace, graph: NeighborGraph, coarse: Coarse, seed: int, workers: Workers
) -> HeavyTailedLikelihood:
    unit = calibration(degrees_of_freedom(parameters))
    similar = SimilarPairs(graph, coarse, unit, parameters.similarity_scale, row_normalized=parameters.row_normalized)
    device = parameters.device
    pairs = SampledPairs(len(graph.rows), workers, seed) if device is None else EveryPair(device)
    d, repulsion = parameters.n_components, parameters.repulsion
    return HeavyTailedLikelihood(similar, graph.reach**2 / unit, d, repulsion, pairs, workers)
