"""The fast code against dense, literal transcriptions of the paper."""

import importlib
from itertools import product

import numpy as np
import pytest
from reference import coarse as dense_coarse
from reference import em as dense_em
from reference import graph as dense_graph
from reference import scales as dense_scales
from reference import start as dense_start

from latentmap import LVM, PAPER
from latentmap.model.coarse import coarsen
from latentmap.model.em import em
from latentmap.model.graph import neighbor_graph
from latentmap.model.objective import Objective, calibration
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers

DOFS = [np.inf, 6, 2, 1, 3.7]
TOLERANCE = {"rtol": 1e-8, "atol": 0}


class Problem:
    """The same random problem for the fast code and, densely, for the reference."""

    def __init__(self, seed, n_levels, d, dof, *, n=70, k=6, vote_power=1):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, 5)) * rng.uniform(0.3, 3, (n, 1))
        dist = np.linalg.norm(X[:, None] - X[None], axis=2)
        self.dof, self.d = dof, d
        self.workers = Workers(1)

        inputs = Vectors(X)
        self.graph = neighbor_graph(inputs, inputs.kneighbors(k), n_steps=2)
        self.coarse = coarsen(
            self.graph.longest_edge / np.sqrt(calibration(dof)),
            inputs.nearest,
            n_levels,
            calibration=calibration(dof),
            random_state=np.random.default_rng(seed),
        )
        self.objective = Objective(self.graph, self.coarse, dof, self.workers, vote_power=vote_power)

        *_, self.E, bridges = dense_graph.neighborhood_graph(dist, k, 2, "bridge")
        _, D, self.delta2, Delta2, self.first_variances = dense_scales.base_case(dist, self.E, bridges, d, dof)
        splits = [(s.members, s.landmarks, s.assignment) for level in self.coarse.splits for s in level]
        D, Delta, C, _ = dense_coarse.coarse_grain(dist, D, np.sqrt(Delta2), splits, dof, vote_power)
        self.S, self.D = dense_coarse.rescale(self.E, C, D)
        self.Delta2 = Delta**2

        self.embedding = rng.standard_normal((n, d)) * np.sqrt(self.first_variances.mean())
        self.variances = self.first_variances * rng.uniform(0.2, 2, n)

    @property
    def dense(self):
        return self.S, self.D, self.delta2, self.Delta2, self.dof


@pytest.fixture(scope="module", params=list(product([0, 1, 2], [1, 2, 3, 10], DOFS)), ids=str)
def problem(request):
    n_levels, d, dof = request.param
    return Problem(17, n_levels, d, dof)


def test_the_edges_are_directed_in_these_problems(problem):
    assert (problem.E != problem.E.T).any()


def test_graph_and_first_variances(problem):
    np.testing.assert_array_equal(problem.graph.edges.toarray() > 0, problem.E.astype(bool))
    np.testing.assert_allclose(problem.graph.longest_edge**2 / (2 * problem.d), problem.first_variances, **TOLERANCE)


def test_similarities(problem):
    S = problem.S + problem.S.T
    np.testing.assert_allclose(problem.objective.similar.edges.toarray(), S, **TOLERANCE)
    delta2 = problem.delta2[S > 0]
    np.testing.assert_allclose(problem.objective.similar.delta2, delta2, **TOLERANCE)


def test_weights_of_dissimilar_pairs(problem):
    weight = problem.objective.rate * problem.objective.dissimilar.weight
    np.testing.assert_allclose(weight, (problem.D + problem.D.T).sum(axis=1), **TOLERANCE)


def test_log_likelihood(problem):
    ours = problem.objective.log_likelihood(problem.embedding, problem.variances)
    theirs = dense_em.log_likelihood(problem.embedding, problem.variances, *problem.dense)
    np.testing.assert_allclose(ours, theirs, **TOLERANCE)


def relative(ours, theirs):
    """Relative to the largest entry: a sum of terms of both signs may be near zero."""
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


def test_forces(problem):
    ours = problem.objective.expectations(problem.embedding, problem.variances)
    theirs = dense_em.forces(problem.embedding, problem.variances, *problem.dense)
    assert relative(ours.gradient, theirs) < 1e-8
    by_variance = dense_em.variance_forces(problem.embedding, problem.variances, *problem.dense)
    assert relative(ours.spread, 2 * by_variance) < 1e-8


def test_forces_are_the_numerical_gradient_of_the_likelihood(problem):
    ours = problem.objective.expectations(problem.embedding, problem.variances)
    scale = np.sqrt(problem.variances.mean())
    for i, c in [(0, 0), (11, problem.d - 1), (42, problem.d // 2)]:
        h = 1e-5 * scale
        shift = np.zeros_like(problem.embedding)
        shift[i, c] = h
        values = [
            problem.objective.log_likelihood(problem.embedding + sign * shift, problem.variances) for sign in (1, -1)
        ]
        numerical = (values[0] - values[1]) / (2 * h)
        assert abs(numerical - ours.gradient[i, c]) < 1e-5 * np.abs(ours.gradient).max()
        h = 1e-5 * problem.variances[i]
        shift = np.zeros_like(problem.variances)
        shift[i] = h
        values = [
            problem.objective.log_likelihood(problem.embedding, problem.variances + sign * shift) for sign in (1, -1)
        ]
        numerical = (values[0] - values[1]) / (2 * h)
        assert abs(numerical - ours.spread[i] / 2) < 1e-5 * np.abs(ours.spread).max()


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("momentum", [0, 0.9])
def test_three_iterations_of_em(problem, tied, momentum):
    steps = em(
        problem.objective,
        problem.embedding,
        problem.variances,
        problem.workers,
        tied_variances=tied,
        momentum=momentum,
        max_iter=3,
        cg_tol=1e-14,
    )
    mu, var = problem.embedding, problem.variances
    if tied:
        var = np.full_like(var, var.mean())
    previous = None
    next(steps)
    for state in steps:
        updated, var = dense_em.em_step(mu, var, *problem.dense, previous_mu=previous, momentum=momentum, tied=tied)
        previous, mu = mu, updated
        assert relative(state.embedding, mu) < 1e-8
        np.testing.assert_allclose(state.variances, var, **TOLERANCE)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("n_levels", [0, 1, 2])
def test_joint_updates(n_levels, momentum, pytestconfig, monkeypatch):
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    joint_em = importlib.import_module("benchmarks.paper.joint").joint_em
    problem = Problem(17, n_levels, 2, np.inf)
    steps = joint_em(problem.objective, problem.embedding, problem.variances, momentum=momentum, max_iter=3)
    next(steps)
    mu, var, velocity = problem.embedding, problem.variances, 0
    for state in steps:
        updated, var = dense_em.joint_step(mu, var, problem.S, problem.D, problem.delta2, problem.Delta2)
        velocity = updated - mu + momentum * velocity
        mu = mu + velocity
        assert relative(state.embedding, mu) < 1e-8
        np.testing.assert_allclose(state.variances, var, **TOLERANCE)


class Begun:
    """A fit that has done nothing yet but to pose its problem, and the same densely."""

    def __init__(self, n_levels, d=2, scale=1.0, **parameters):
        rng = np.random.default_rng(4)
        X = scale * rng.standard_normal((150, 5)) * rng.uniform(0.3, 3, (150, 1))
        self.lvm = LVM(**PAPER | {"max_iter": 1, "n_neighbors": 6, **parameters}, n_levels=n_levels, n_components=d)
        self.state, _ = (step.state for step in self.lvm.iter_fit(X) if step.state is not None)
        self.problem = self.lvm._solution.problem
        dist = self.dist = np.linalg.norm(X[:, None] - X[None], axis=2)
        *_, E, bridges = dense_graph.neighborhood_graph(dist, 6, 1, "bridge")
        _, D, _, Delta2, _ = dense_scales.base_case(dist, E, bridges, d)
        splits = [(s.members, s.landmarks, s.assignment) for level in self.problem.coarse.splits for s in level]
        grained = dense_coarse.coarse_grain(
            dist, D, np.sqrt(Delta2), splits, vote_power=self.lvm.get_params()["vote_power"]
        )
        self.S, _ = dense_coarse.rescale(E, grained.C, grained.D)


@pytest.mark.parametrize("n_levels", [0, 1, 2])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1000.0])
def test_em_starts_from_the_eigenvectors(n_levels, d, scale):
    begun = Begun(n_levels, d, scale)
    expected = dense_start.first_outputs(begun.S, begun.dist, d)
    # Which way an eigenvector points nothing tells.
    signs = np.sign(np.sum(begun.state.embedding * expected, axis=0))
    assert relative(begun.state.embedding, signs * expected) < 1e-8


@pytest.mark.parametrize("vote_power", [0.0, 1.0, 1.5, 2.0])
def test_the_estimator_counts_votes_as_it_is_told(vote_power):
    begun = Begun(2, vote_power=vote_power)
    edges = begun.problem.likelihood.similar.edges.toarray()
    np.testing.assert_allclose(edges, begun.S + begun.S.T, **TOLERANCE)
    assert np.allclose(edges, Begun(2).problem.likelihood.similar.edges.toarray()) == (vote_power == 2.0)


def test_votes_squared():
    problem = Problem(3, 2, 2, np.inf, n=150, vote_power=2)
    votes = Problem(3, 2, 2, np.inf, n=150)
    np.testing.assert_allclose(problem.objective.similar.edges.toarray(), problem.S + problem.S.T, **TOLERANCE)
    assert not np.allclose(problem.objective.similar.edges.toarray(), votes.objective.similar.edges.toarray())


@pytest.mark.parametrize("n_levels", [1, 2, 3])
def test_every_level_was_applied(n_levels):
    problem = Problem(5, n_levels, 2, 2, n=150)
    assert problem.coarse.n_levels == n_levels
    ours = problem.objective.expectations(problem.embedding, problem.variances)
    theirs = dense_em.forces(problem.embedding, problem.variances, *problem.dense)
    assert relative(ours.gradient, theirs) < 1e-8
