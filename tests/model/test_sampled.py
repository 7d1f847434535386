"""The sampled likelihood against dense, literal transcriptions of the paper, and against itself."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import numpy as np
import pytest
from reference import em as dense_em
from reference import graph as dense_graph
from reference import scales as dense_scales
from scipy.sparse import csr_array
from sklearn.datasets import load_digits

from latentmap.model.ascent import ascent
from latentmap.model.coarse import coarsen
from latentmap.model.graph import neighbor_graph
from latentmap.model.heavy_tailed import HeavyTailedLikelihood
from latentmap.model.kd_tree import leaf_bounds, leaves
from latentmap.model.objective import Objective, calibration
from latentmap.model.sampled import SampledPairs
from latentmap.model.similar import SimilarPairs
from latentmap.model.state import State
from latentmap.model.variances import updated_variances
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers

REPULSION = 7.0
PAPER = {"min_neighbors": 0, "local_scaling": 0.0, "row_normalized": False}
DEFAULT = {"min_neighbors": 3, "local_scaling": 0.8, "row_normalized": True}
SCALE = 0.6
# Dimensions and degrees of freedom.
TAILS = ((1, 1), (2, 2), (2, 4), (2, 8), (3, 3))


def relative(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


class Problem:
    """Random rows, not all equally far apart, and a random map of them."""

    def __init__(self, n, d, *, dof=None, n_jobs=1, seed=0, k=6, weights=PAPER):
        rng = np.random.default_rng(17)
        self.X = rng.standard_normal((n, 5)) * rng.uniform(0.3, 3, (n, 1))
        self.n, self.d, self.k, self.dof = n, d, k, dof or d
        self.light = None if self.dof == d else self.dof
        self.workers = Workers(n_jobs)
        inputs = Vectors(self.X)
        graph_weights = {name: weights[name] for name in ("min_neighbors", "local_scaling")}
        self.weights, self.graph = weights, neighbor_graph(inputs, inputs.kneighbors(k), n_steps=2, **graph_weights)
        unit = calibration(self.dof)
        self.coarse = coarsen(
            self.graph.longest_edge / np.sqrt(unit), inputs.nearest, 0, calibration=unit, random_state=rng
        )
        self.similar = SimilarPairs(self.graph, self.coarse, unit, SCALE, row_normalized=weights["row_normalized"])
        self.sampled = self.likelihood(SampledPairs(n, self.workers, seed, self.light))
        self.variances = self.graph.longest_edge**2 / (2 * d) * rng.uniform(0.2, 2, n)
        self.embedding = rng.standard_normal((n, d)) * 3 * np.sqrt(self.variances.mean())

    def likelihood(self, pairs):
        reach2 = self.graph.longest_edge**2 / calibration(self.dof)
        return HeavyTailedLikelihood(self.similar, reach2, self.d, REPULSION, pairs, self.workers, self.light)

    @property
    def exact(self):
        return Objective(
            self.graph,
            self.coarse,
            self.dof,
            self.workers,
            repulsion=REPULSION,
            similarity_scale=SCALE,
            row_normalized=self.weights["row_normalized"],
        )


class TestSmall:
    """Up to 1024 points all pairs are counted."""

    @pytest.fixture(scope="class", params=product([*TAILS, (10, 10)], [PAPER, DEFAULT]), ids=str)
    def problem(self, request):
        (d, dof), weights = request.param
        return Problem(90, d, dof=dof, weights=weights)

    @pytest.fixture(scope="class")
    def dense(self, problem):
        dist = np.linalg.norm(problem.X[:, None] - problem.X[None], axis=2)
        *_, E, bridges = dense_graph.neighborhood_graph(dist, problem.k, 2, "bridge")
        ranked = np.sort(np.where(np.eye(problem.n), np.inf, dist), axis=1)
        if m := problem.weights["min_neighbors"]:
            E |= (dist <= ranked[:, [m - 1]]) & ~np.eye(problem.n, dtype=bool)
        r = ranked[:, : problem.k].mean(axis=1)
        widths = (r / np.median(r)) ** (problem.weights["local_scaling"] / 2)
        S, D, delta2, Delta2, _ = dense_scales.base_case(
            dist / np.outer(widths, widths), E, bridges, problem.d, problem.dof
        )
        if problem.weights["row_normalized"]:
            S = S * E.sum() / problem.n / E.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(S.sum(axis=1), S.sum() / problem.n)
        return S, D * REPULSION * S.sum() / D.sum(), SCALE**2 * delta2, Delta2, problem.dof

    def test_weights(self, problem, dense):
        S, D = dense[:2]
        np.testing.assert_allclose(problem.sampled.weight(REPULSION), (S + S.T + D + D.T).sum(axis=1), rtol=1e-9)
        np.testing.assert_allclose(problem.exact.weight(REPULSION), (S + S.T + D + D.T).sum(axis=1), rtol=1e-9)
        np.testing.assert_allclose(problem.sampled.weight(2), problem.exact.weight(2), rtol=1e-9)

    def test_slopes(self, problem, dense):
        gradient, spread = problem.sampled.slopes(problem.embedding, problem.variances, REPULSION, 0)
        assert relative(gradient, dense_em.forces(problem.embedding, problem.variances, *dense)) < 1e-5
        by_variance = dense_em.variance_forces(problem.embedding, problem.variances, *dense)
        assert relative(spread, 2 * by_variance) < 1e-5

    @pytest.mark.parametrize("repulsion", [1, REPULSION, 100])
    def test_slopes_are_those_of_the_exact_likelihood(self, problem, repulsion):
        ours = problem.sampled.slopes(problem.embedding, problem.variances, repulsion, 3)
        theirs = problem.exact.slopes(problem.embedding, problem.variances, repulsion, 3)
        for mine, other in zip(ours, theirs, strict=True):
            assert relative(mine, other) < 1e-5

    def test_log_likelihood(self, problem, dense):
        ours = problem.sampled.log_likelihood(problem.embedding, problem.variances)
        theirs = dense_em.log_likelihood(problem.embedding, problem.variances, *dense)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)

    def test_close_points_lose_no_precision(self, problem):
        """Where P is near 1, 1 - P must not be what is left of a subtraction."""
        embedding, variances = 1e-4 * problem.embedding, 1e-8 * problem.variances
        ours = problem.sampled.slopes(embedding, variances, REPULSION, 0)
        theirs = problem.exact.slopes(embedding, variances, REPULSION, 0)
        for mine, other in zip(ours, theirs, strict=True):
            assert relative(mine, other) < 1e-4


class TestLarge:
    """With more points pairs are sampled."""

    @pytest.fixture(scope="class", params=TAILS, ids="d and dof {}".format)
    def problem(self, request):
        d, dof = request.param
        return Problem(3000, d, dof=dof)

    @pytest.mark.slow
    def test_the_mean_of_many_samples_is_the_gradient(self, problem):
        gradient, spread = problem.exact.slopes(problem.embedding, problem.variances, REPULSION, 0)
        samples = [problem.sampled.slopes(problem.embedding, problem.variances, REPULSION, t) for t in range(420)]
        for k, exact in enumerate((gradient, spread)):
            drawn = np.array([sample[k] for sample in samples])
            error = drawn.mean(axis=0) - exact
            noise = drawn.std(axis=0) / np.sqrt(len(drawn))
            assert (drawn.std(axis=0) > 0).mean() > 0.99
            # A bias would show in every point.
            assert 0.8 < np.sqrt(np.mean((error / noise) ** 2)) < 1.25
            assert abs(drawn.mean(axis=0).sum() - exact.sum()) < 0.01 * np.abs(exact).sum()

    def test_the_mean_of_many_estimates_is_the_log_likelihood(self, problem):
        exact = problem.exact.log_likelihood(problem.embedding, problem.variances)
        estimates = [
            problem.likelihood(SampledPairs(problem.n, problem.workers, s, problem.light)).log_likelihood(
                problem.embedding, problem.variances
            )
            for s in range(30)
        ]
        assert abs(np.mean(estimates) - exact) < 4 * np.std(estimates) / np.sqrt(30) + 1e-4 * abs(exact)
        assert np.std(estimates) < 0.02 * abs(exact)

    def test_asking_for_the_log_likelihood_changes_no_later_step(self, problem):
        first = problem.sampled.slopes(problem.embedding, problem.variances, REPULSION, 0)
        problem.sampled.log_likelihood(2 * problem.embedding, problem.variances)
        problem.sampled.slopes(problem.embedding, problem.variances, REPULSION, 0)
        again = problem.sampled.slopes(problem.embedding, problem.variances, REPULSION, 0)
        np.testing.assert_array_equal(first[0], again[0])
        np.testing.assert_array_equal(first[1], again[1])


@pytest.mark.parametrize("n", [1100, 2500, 3000])
def test_groups_that_cannot_be_dealt_out_evenly_count_as_much_as_others(n):
    """All points are alike, so each must be repelled by n - 1 others; those of smaller groups are met less often."""
    points = np.zeros((n, 4), np.float32)
    points[:, :2] = 1
    pairs, drawn = SampledPairs(n, Workers(1), 0), []
    for step in range(0, 3000, 10):
        slopes = np.zeros((n, 3))
        pairs.repel(points, 1.0, step, slopes)
        drawn.append(slopes[:, 0] / (n - 1))
    mean, noise = np.mean(drawn, axis=0), np.std(drawn, axis=0) / np.sqrt(len(drawn))
    assert (noise < 0.001 * mean).all()
    assert 0.85 < np.sqrt(np.mean(((mean - mean.mean()) / noise) ** 2)) < 1.15
    np.testing.assert_allclose(mean, mean[0], rtol=0.004)


def test_the_log_likelihood_may_be_asked_for_amid_a_step():
    problem = Problem(3000, 2)
    here, there = (problem.embedding, problem.variances), (5 * problem.embedding, 2 * problem.variances)
    expected = [problem.sampled.slopes(*here, REPULSION, step) for step in range(20)]
    value = problem.sampled.log_likelihood(*there)
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(lambda: {problem.sampled.log_likelihood(*there) for _ in range(50)})
        for step, slopes in enumerate(expected):
            for ours, known in zip(problem.sampled.slopes(*here, REPULSION, step), slopes, strict=True):
                np.testing.assert_array_equal(ours, known)
        assert asked.result() == {value}


@pytest.mark.parametrize("n", [1025, 1500, 5003])
@pytest.mark.parametrize("depth", [1, 3, 6])
def test_leaves_hold_each_point_once_and_are_of_equal_size(n, depth):
    points = np.random.default_rng(0).standard_normal((2, n)).astype(np.float32)
    points[:, : n // 3] = points[:, :1]  # many at one place
    order, bounds = leaves(points, depth, np.eye(2), Workers(1))
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    np.testing.assert_array_equal(bounds, leaf_bounds(n, depth))
    assert bounds[-1] == n
    assert np.ptp(np.diff(bounds)) <= 1


def test_leaves_are_apart():
    points = np.random.default_rng(0).standard_normal((2, 4096)).astype(np.float32)
    order, bounds = leaves(points, 5, np.eye(2), Workers(1))
    area = sum(np.prod(np.ptp(points[:, order[a:b]], axis=1)) for a, b in pairwise(bounds))
    assert area < 1.05 * np.prod(np.ptp(points, axis=1))


def climbed(likelihood, problem, **parameters):
    states = list(ascent(likelihood, problem.embedding, problem.variances, **parameters))
    assert [state.iteration for state in states] == list(range(len(states)))
    return states[-1]


class TestAscent:
    @pytest.mark.parametrize("tied", [False, True])
    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_it_rises_and_ends_near_a_top(self, d, tied):
        problem = Problem(150, d)
        state = climbed(problem.exact, problem, max_iter=1500, tied_variances=tied)
        assert state.log_likelihood > problem.exact.log_likelihood(problem.embedding, problem.variances)
        slopes = [
            np.linalg.norm(problem.exact.slopes(mu, var, REPULSION, 0)[0]) * problem.similar.unit
            for mu, var in ((problem.embedding, problem.variances), (state.embedding, state.variances))
        ]
        assert slopes[1] < 0.05 * slopes[0]
        assert len(np.unique(state.variances)) == (1 if tied else 150)

    @pytest.mark.slow
    def test_samples_lead_where_the_exact_gradient_leads(self):
        problem = Problem(1500, 2, k=9)
        exact = climbed(problem.exact, problem, max_iter=300)
        sampled = climbed(problem.sampled, problem, max_iter=300)
        ends = [problem.exact.log_likelihood(state.embedding, state.variances) for state in (exact, sampled)]
        start = problem.exact.log_likelihood(problem.embedding, problem.variances)
        assert ends[1] - start > 0.99 * (ends[0] - start)

    @pytest.mark.slow
    def test_it_rises_above_em_in_as_many_iterations(self):
        from latentmap import LVM, PAPER

        X = load_digits().data[:800]
        alike = dict(PAPER, tol=0, max_iter=100, dof=2)
        by_em, by_ascent = (LVM(**dict(alike, solver=solver)).fit(X) for solver in ("em", "ascent"))
        assert by_ascent.log_likelihood_[-1] > by_em.log_likelihood_[-1]


def test_updated_variances_stay_above_the_floor():
    updated = updated_variances(np.array([1.0, 1.0]), np.array([-4.0, 1.0]), np.array([1.0, 1.0]), 2, (0.1, 10.0))
    np.testing.assert_allclose(updated, [0.1, 1.5])


def test_the_likelihood_of_a_state_waits_until_it_is_asked_for():
    asked = []
    state = State(0, np.zeros((1, 2)), np.ones(1), lambda *where: asked.append(where) or -1.0)
    assert not asked
    assert state.log_likelihood == state.log_likelihood == -1.0
    assert len(asked) == 1


class TestLayout:
    """Many rows are kept in the order of the map; nothing but rounding and the sample may tell."""

    @pytest.fixture
    def few_are_many(self, monkeypatch):
        monkeypatch.setattr("latentmap.model.heavy_tailed._MANY_ROWS", 1)
        monkeypatch.setattr("latentmap.model.lvm._FEW_ROWS", 0)

    @pytest.fixture
    def problem(self):
        return Problem(900, 2, weights=DEFAULT)

    def test_slopes_and_likelihood_are_those_of_the_rows_as_they_came(self, problem, few_are_many):
        here = (problem.embedding, problem.variances)
        for step in (0, 1, 50, 51):  # reordered twice
            ours = problem.sampled.slopes(*here, REPULSION, step)
            for mine, other in zip(ours, problem.exact.slopes(*here, REPULSION, step), strict=True):
                assert relative(mine, other) < 1e-5
            np.testing.assert_allclose(
                problem.sampled.log_likelihood(*here), problem.exact.log_likelihood(*here), rtol=1e-5
            )

    def test_rows_that_are_close_on_the_map_come_to_be_close_in_memory(self, problem, few_are_many):
        problem.sampled.slopes(problem.embedding, problem.variances, REPULSION, 0)
        rows = problem.sampled._laid_out[0].rows
        np.testing.assert_array_equal(np.sort(rows), np.arange(problem.n))
        ways = [np.linalg.norm(np.diff(y, axis=0), axis=1).mean() for y in (problem.embedding, problem.embedding[rows])]
        assert ways[1] < 0.7 * ways[0]

    def test_the_map_is_the_same_for_any_number_of_threads(self, few_are_many):
        from latentmap import LVM

        X = load_digits().data
        one, two = (LVM(n_jobs=n, max_iter=120).fit(X) for n in (1, 2))
        np.testing.assert_array_equal(one.embedding_, two.embedding_)
        np.testing.assert_array_equal(one.log_likelihood_, two.log_likelihood_)

    def test_edges_are_the_same_edges(self, problem):
        edges = problem.sampled._laid_out[0].edges
        order = np.random.default_rng(0).permutation(problem.n)
        there = edges.reordered(order)
        for values in ("similarity", "delta2", "directions"):
            before, after = (
                csr_array((getattr(e, values).astype(float), e.indices, e.indptr), (problem.n, problem.n)).toarray()
                for e in (edges, there)
            )
            np.testing.assert_array_equal(after, before[np.ix_(order, order)])
