"""The steps from a table to a likelihood and its start, and from a finished map to one that accepts new rows."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from latentmap.model import distance_checks, map_checks, size_checks
from latentmap.model.ascent import ascent
from latentmap.model.coarse import Coarse, coarsen
from latentmap.model.data_warnings import warn_user
from latentmap.model.em import em
from latentmap.model.gpu_pairs import GpuPairs
from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.heavy_tailed import HeavyTailedLikelihood
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.objective import Objective, calibration
from latentmap.model.out_of_sample import FrozenMap, with_comparable_variances
from latentmap.model.principal_start import principal_start
from latentmap.model.rms_radius import rms_radius
from latentmap.model.sampled import SampledPairs
from latentmap.model.settings import Settings
from latentmap.model.similar import SimilarPairs
from latentmap.model.spectral_start import spectral_start, unit_start
from latentmap.model.state import FitProgress, State
from latentmap.model.warm_start import StartMap, likeliest
from latentmap.model.workers import Workers

# The tolerance of the eigenvectors from which a solver starts: an ascent soon corrects the error, but EM does not.
_START_TOLERANCE = {"ascent": 1e-3, "em": 1e-4}
# The parameters that an interim map follows at once: they concern neither the rows nor their neighbours.
_AT_ONCE = ("repulsion", "similarity_scale", "row_normalized", "tied_variances")
# The standard deviation of the first principal component at the start, in median length scales: 1.4 n^(1/4), at most
# 15. In finished maps it is some 12 to 16, for 400 rows as for 10 000. From a wider start, the groups of a large table
# remain split, and those of a small table end far apart in an empty frame.
_STEEPNESS, _WIDEST = 1.4, 15.0
# Up to so many rows of a map, all push a new one away from the first. On larger maps those of its cell lead it to its
# position in a thirtieth of the time; on much smaller ones the cells are too small for that.
_ALL_PUSH = 1000


@dataclass(frozen=True, eq=False)
class Problem:
    """A likelihood made from a table.

    Attributes
    ----------
    settings : Settings
        The estimator's parameters when the fit began.
    inputs : Inputs
        The rows on the map.
    neighbors : Neighbors
        The neighbours of all rows.
    graph : NeighborGraph
        The neighbourhood graph of the rows on the map.
    coarse : Coarse
        Their dissimilar pairs.
    likelihood : Objective or HeavyTailedLikelihood
        To be maximised.
    """

    settings: Settings
    inputs: Inputs
    neighbors: Neighbors
    graph: NeighborGraph
    coarse: Coarse
    likelihood: Objective | HeavyTailedLikelihood

    def states(self, rng: np.random.Generator, workers: Workers, init: StartMap | str) -> Iterator[State]:
        """Return the states of the requested solver, from a first guess or from a map of all rows."""
        settings = self.settings
        start, variances = self._start(rng, init)
        if settings.solver == "em" and isinstance(self.likelihood, Objective):
            return em(
                self.likelihood,
                start,
                variances,
                workers,
                tied_variances=settings.tied_variances,
                momentum=settings.momentum,
                max_iter=settings.max_iter,
                tol=settings.tol,
            )
        return ascent(
            self.likelihood,
            start,
            variances,
            ramp=settings.ramp,
            learning_rate=settings.learning_rate,
            tied_variances=settings.tied_variances,
            momentum=settings.momentum,
            max_iter=settings.max_iter,
        )

    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of the nearest candidate of each row, and its distance as coarse-graining scales it."""
        return _nearest(self.inputs, self.graph.widths, members, candidates)

    def interim_states(self, asked: Settings, seed: int, init: StartMap) -> Iterator[State]:
        """Return the states of an ascent from a map of these rows, on the graph there is.

        Of the parameters asked for, those count that need no other graph. One thread does the work, so that a search
        for the neighbours of another graph has the others.
        """
        settings = replace(self.settings, **{name: getattr(asked, name) for name in _AT_ONCE})
        likelihood, longest = self.likelihood, self.graph.longest_edge
        if settings != self.settings:
            likelihood = self._likelihood_with(settings, seed)
        # Another likelihood may have another unit; to search for the likeliest size takes longer than the first steps.
        growth = likelihood.similar.unit / self.likelihood.similar.unit
        variances = longest**2 / (2 * settings.n_components) if init.variances is None else init.variances
        return ascent(
            likelihood,
            growth * (init.embedding - init.embedding.mean(axis=0)),
            growth**2 * variances,
            ramp=asked.ramp,
            learning_rate=asked.learning_rate,
            tied_variances=settings.tied_variances,
            momentum=asked.momentum,
            max_iter=asked.max_iter,
        )

    def _likelihood_with(self, settings: Settings, seed: int) -> Objective | HeavyTailedLikelihood:
        """Return a likelihood on the same graph, computed in one thread."""
        workers, before = Workers(1), self.settings
        if not settings.has_closed_form:
            return _exact(settings, self.graph, self.coarse, workers)
        of_pairs = ("similarity_scale", "row_normalized")
        is_same = all(getattr(settings, name) == getattr(before, name) for name in of_pairs)
        similar = self.likelihood.similar if is_same else None
        return _heavy_tailed(settings, self.graph, self.coarse, seed, workers, similar)

    def _start(self, rng: np.random.Generator, init: StartMap | str) -> tuple[np.ndarray, np.ndarray]:
        """Return the outputs and variances to start from."""
        settings, similar, rows = self.settings, self.likelihood.similar, self.graph.rows
        variances = self.graph.longest_edge**2 / (2 * settings.n_components)
        if isinstance(init, StartMap):
            here = StartMap(init.embedding[rows], None if init.variances is None else init.variances[rows])
            return likeliest(self.likelihood, here, variances)
        positions = None
        if init != "spectral":
            edges = similar.edges if init == "smoothed_pca" else None
            positions = principal_start(self.inputs, settings.n_components, rng, edges)
        if positions is not None:
            widest = min(_STEEPNESS * len(rows) ** 0.25, _WIDEST) * _usual(np.sqrt(similar.delta2))
            return positions * (widest / positions.std(axis=0).max()), variances
        tol = _START_TOLERANCE[settings.solver]
        if settings.solver == "em":
            # Eigenvectors have no unit; the map has that of the table.
            length = rms_radius(self.inputs, self.graph.largest_distance, rng)
            return unit_start(similar.edges, length, settings.n_components, rng, tol), variances
        return spectral_start(similar.edges, similar.delta2, settings.n_components, rng, tol), variances


def _usual(scales: np.ndarray) -> float:
    """Return the median length scale without copies, which may be most of the neighbours."""
    apart = scales[scales > 2 * scales.min()]
    return float(np.median(apart if len(apart) else scales))


@dataclass(frozen=True, eq=False)
class Solution:
    """A problem and the last state of its solver."""

    problem: Problem
    state: State

    @cached_property
    def frozen(self) -> FrozenMap:
        """The map, ready for new rows. If it is large it gets landmarks, since there may be many new rows."""
        problem, settings = self.problem, self.problem.settings
        if not isinstance(problem.likelihood, HeavyTailedLikelihood):
            return self._frozen(problem.coarse, problem.likelihood)
        n = len(problem.graph.rows)
        frozen = self._with_landmarks(settings.pair_budget)
        if n > _ALL_PUSH and not frozen.coarse.n_levels:
            frozen = replace(frozen, guide=self._with_landmarks(n * (n - 1) - 1))
        neighbors = problem.neighbors
        if n < len(neighbors.indices):
            neighbors = problem.inputs.kneighbors(settings.n_neighbors)
        return with_comparable_variances(frozen, neighbors)

    def _with_landmarks(self, pair_budget: int) -> FrozenMap:
        """Return the map with as many levels of landmarks as bring its pairs within the budget."""
        problem, settings = self.problem, replace(self.problem.settings, pair_budget=pair_budget)
        coarse = _coarse(settings, problem.graph, problem.inputs, "auto", np.random.default_rng(0))
        return self._frozen(coarse, _exact(settings, problem.graph, coarse, Workers(1)))

    def _frozen(self, coarse: Coarse, objective: Objective) -> FrozenMap:
        problem, settings = self.problem, self.problem.settings
        return FrozenMap(
            # In double precision, for which the kernels are compiled; that of an ascent may be single.
            state=replace(
                self.state,
                embedding=np.ascontiguousarray(self.state.embedding, float),
                variances=self.state.variances.astype(float),
            ),
            graph=problem.graph,
            coarse=coarse,
            objective=objective,
            radius=problem.neighbors.distances[problem.graph.rows, -1],
            n_neighbors=settings.n_neighbors,
            n_steps=settings.n_steps,
            min_neighbors=settings.min_neighbors_of(len(problem.neighbors.indices)),
            local_scaling=settings.local_scaling,
            tied_variances=settings.tied_variances,
            momentum=settings.momentum,
        )


def make_problem(
    settings: Settings, inputs: Inputs, rng: np.random.Generator, seed: int, workers: Workers
) -> Generator[FitProgress, None, Problem]:
    """Turn rows into a problem, announcing each stage.

    Parameters
    ----------
    settings : Settings
        The estimator's parameters.
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
    FitProgress
        Before each stage.

    Returns
    -------
    Problem
        With a likelihood that is ready to be maximised.
    """
    yield FitProgress("neighbours", 0, settings.max_iter)
    neighbors = inputs.kneighbors(settings.n_neighbors)
    distance_checks.check_neighbors(neighbors.distances)
    settings = settings.with_dof_of(inputs.lengths(neighbors.distances))
    yield FitProgress("graph", 0, settings.max_iter)
    n = len(neighbors.indices)
    make_graph = neighbor_graph if inputs.found_graph is None else inputs.found_graph.of
    graph = make_graph(
        inputs,
        neighbors,
        settings.n_steps,
        settings.connect,
        min_neighbors=settings.min_neighbors_of(n),
        local_scaling=settings.local_scaling,
    )
    if len(graph.rows) < n:
        map_checks.warn_of_lost_rows(n, len(graph.rows), graph.n_components)
        size_checks.check_size(len(graph.rows), settings.n_components)
        inputs = inputs.subset(graph.rows)
    n_levels = 0 if settings.has_closed_form else settings.n_levels
    if n_levels != 0:
        yield FitProgress("coarse-graining", 0, settings.max_iter)
    coarse = _coarse(settings, graph, inputs, n_levels, rng)
    yield FitProgress("start", 0, settings.max_iter)
    likelihood = (
        _heavy_tailed(settings, graph, coarse, seed, workers)
        if settings.has_closed_form
        else _exact(settings, graph, coarse, workers)
    )
    if likelihood.rate == 0:
        warn_user(
            f"All {len(graph.rows)} rows are neighbours of each other, so nothing keeps them apart and the map is "
            "only a first guess. Lower n_neighbors (k), or add rows."
        )
    return Problem(settings, inputs, neighbors, graph, coarse, likelihood)


def _coarse(
    settings: Settings, graph: NeighborGraph, inputs: Inputs, n_levels: int | str, rng: np.random.Generator
) -> Coarse:
    unit = calibration(settings.degrees_of_freedom)
    return coarsen(
        graph.longest_edge / np.sqrt(unit),
        partial(_nearest, inputs, graph.widths),
        n_levels,
        calibration=unit,
        random_state=rng,
        pair_budget=settings.pair_budget,
    )


def _nearest(
    inputs: Inputs, widths: np.ndarray, members: np.ndarray, candidates: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the nearest candidate of each member, and its scaled distance."""
    which, distances = inputs.nearest(members, candidates)
    return which, distances / (widths[members] * widths[candidates[which]])


def _exact(settings: Settings, graph: NeighborGraph, coarse: Coarse, workers: Workers) -> Objective:
    return Objective(
        graph,
        coarse,
        settings.degrees_of_freedom,
        workers,
        repulsion=settings.repulsion,
        similarity_scale=settings.similarity_scale_of(len(graph.rows)),
        vote_power=settings.vote_power,
        row_normalized=settings.row_normalized,
    )


def _heavy_tailed(
    settings: Settings,
    graph: NeighborGraph,
    coarse: Coarse,
    seed: int,
    workers: Workers,
    similar: SimilarPairs | None = None,
) -> HeavyTailedLikelihood:
    unit = calibration(settings.degrees_of_freedom)
    n = len(graph.rows)
    if similar is None:
        scale = settings.similarity_scale_of(n)
        similar = SimilarPairs(graph, coarse, unit, scale, row_normalized=settings.row_normalized)
    device, d, repulsion = settings.device, settings.n_components, settings.repulsion
    dof = None if settings.degrees_of_freedom == d else settings.degrees_of_freedom
    pairs = SampledPairs(n, workers, seed, dof) if device is None else GpuPairs(device, dof)
    return HeavyTailedLikelihood(similar, graph.longest_edge**2 / unit, d, repulsion, pairs, workers, dof)
