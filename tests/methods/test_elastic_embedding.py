"""The elastic embedding against its equations."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from reference import elastic
from scipy.optimize import approx_fprime, check_grad
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from latentmap import DataWarning
from latentmap.methods import ElasticEmbedding, affinities, all_pairs
from latentmap.methods.elastic.energy import Energy
from latentmap.methods.elastic.splitting import SPLITTINGS, direction_of
from latentmap.methods.elastic.weights import Weights
from latentmap.model.state import FitProgress
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers

_NOW = FitProgress("neighbours", 0, 1)


def returned(steps):
    """What a generator returns."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


def problem(seed, n=17, d=2, is_sparse=False):
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(n, 4))
    squared = cdist(Y, Y, "sqeuclidean")
    attractive = np.exp(-0.5 * squared) * (1 - np.eye(n))
    if is_sparse:
        attractive *= attractive > np.median(attractive)
    X = rng.normal(size=(n, d))
    return X, sp.csr_array(attractive) if is_sparse else attractive, squared


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_cost_and_gradient_are_those_of_the_paper(d, is_sparse):
    for seed in range(5):
        X, attractive, repulsive = problem(seed, d=d, is_sparse=is_sparse)
        dense = attractive.toarray() if is_sparse else attractive
        cost, gradient = Energy(attractive, repulsive, Workers(2)).cost(X, 0.7)
        np.testing.assert_allclose(cost, elastic.energy(X, dense, repulsive, 0.7), rtol=1e-12)
        np.testing.assert_allclose(gradient, elastic.gradient(X, dense, repulsive, 0.7), rtol=1e-9, atol=1e-11)


def test_the_gradient_is_that_of_finite_differences():
    X, attractive, repulsive = problem(3)
    energy = Energy(attractive, repulsive, Workers(1))
    error = check_grad(
        lambda x: energy.cost(x.reshape(X.shape), 0.7)[0],
        lambda x: energy.cost(x.reshape(X.shape), 0.7)[1].ravel(),
        X.ravel(),
    )
    assert error < 1e-4 * np.linalg.norm(energy.cost(X, 0.7)[1])


@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_bounds_enclose_the_lambda_at_which_the_points_part(is_sparse):
    for seed in range(8):
        _, attractive, repulsive = problem(seed, is_sparse=is_sparse)
        energy = Energy(attractive, repulsive, Workers(1))
        lower, upper = energy.bounds()
        critical, direction = energy.critical()
        assert lower * (1 - 1e-9) - 1e-14 <= critical <= upper * (1 + 1e-9) + 1e-14
        dense = attractive.toarray() if is_sparse else attractive

        def least(strength, dense=dense, repulsive=repulsive):
            both = elastic.laplacian(dense) - strength * elastic.laplacian(repulsive)
            return np.linalg.eigvalsh(both)[0]

        scale = np.abs(elastic.laplacian(dense)).max()
        assert least(0.99 * critical) > -1e-10 * scale
        # Where the graph falls apart the points part at once.
        assert least(max(1.01 * critical, 1e-6)) < -1e-10 * scale
        both = elastic.laplacian(dense) - critical * elastic.laplacian(repulsive)
        np.testing.assert_allclose(both @ direction, 0, atol=1e-8 * scale)


def test_two_points_part_as_the_paper_says():
    # Fig. 1: x^2 = max(0, log(lambda / lambda_1)).
    pair = np.array([[0.0, 1.0], [1.0, 0.0]])
    for lam in (0.5, 0.9, 1.5, 3.0, 100.0):
        embedding = ElasticEmbedding(
            1, 1, attraction=pair, repulsion=pair, lam=lam, tol=0, max_iter=3000
        ).fit_transform(np.array([[0.0], [1.0]]))
        assert np.ptp(embedding) ** 2 == pytest.approx(max(0.0, np.log(lam)), abs=1e-3)


@pytest.mark.parametrize("splitting", ["degree", "laplacian", "both degrees", "gradient"])
@pytest.mark.parametrize("attraction", ["perplexity", "neighbors", "gaussian"])
def test_the_cost_never_rises(splitting, attraction):
    X, _ = make_swiss_roll(120, random_state=1)
    method = ElasticEmbedding(8, attraction=attraction, splitting=splitting, max_iter=60, tol=0)
    method.fit(X)
    assert method.costs_[-1] < method.costs_[0]
    assert (np.diff(method.costs_) <= 1e-12 * np.abs(method.costs_[1:])).all()
    assert method.n_iter_ == len(method.costs_) - 1


def test_a_homotopy_begins_where_the_points_part_and_lowers_the_cost_at_each_lambda():
    X, _ = make_swiss_roll(100, random_state=1)
    method = ElasticEmbedding(8, attraction="gaussian", width=4.0, lam=1.0, n_strengths=12, max_iter=50).fit(X)
    assert len(np.unique(method.strengths_)) == 12
    assert method.lam_ == pytest.approx(1.0)
    for strength in np.unique(method.strengths_):
        costs = method.costs_[method.strengths_ == strength]
        assert (np.diff(costs) <= 1e-12 * np.abs(costs[1:])).all()


def test_the_map_does_not_depend_on_the_number_of_threads():
    X, _ = make_swiss_roll(700, random_state=1)
    one, two = (ElasticEmbedding(max_iter=5, n_jobs=n_jobs).fit_transform(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_rescaled_data_with_rescaled_lambda_give_the_same_map():
    # E(X; lambda; Y, sigma) = E(X; lambda / alpha^2; alpha Y, alpha sigma), section 4.
    X, _ = make_swiss_roll(80, random_state=1)
    settings = {"attraction": "gaussian", "max_iter": 30, "tol": 0}
    one = ElasticEmbedding(8, lam=2.0, width=3.0, **settings).fit_transform(X)
    other = ElasticEmbedding(8, lam=2.0 / 16, width=12.0, **settings).fit_transform(4 * X)
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("attraction", ["perplexity", "neighbors", "gaussian"])
def test_each_new_row_lies_where_its_own_cost_is_least(attraction):
    X, _ = make_swiss_roll(150, random_state=1)
    method = ElasticEmbedding(8, attraction=attraction, max_iter=100).fit(X[:120])
    new = X[120:]
    placed = method.transform(new)
    weights = method.weights_.for_new_rows(cdist(new, X[:120], "sqeuclidean"))[0]
    for row, place, own in zip(new, placed, weights, strict=True):

        def cost(x, row=row, own=own):
            return elastic.energy_of_new(x, row, method.embedding_, X[:120], lambda _, n: own[n], method.lam_)

        start = method.embedding_[np.argmin(np.sum((X[:120] - row) ** 2, axis=1))]
        assert cost(place) <= cost(start)
        slope = approx_fprime(place, cost, 1e-7)
        assert np.linalg.norm(slope) < 1e-2 * 4 * own.sum()


def test_a_batch_is_placed_as_its_rows_alone_are():
    X, _ = make_swiss_roll(90, random_state=1)
    method = ElasticEmbedding(8, max_iter=50).fit(X[:70])
    together = method.transform(X[70:])
    alone = np.concatenate([method.transform(row[None]) for row in X[70:]])
    np.testing.assert_allclose(together, alone, atol=1e-9)


@pytest.mark.parametrize("attraction", ["perplexity", "gaussian"])
def test_each_row_made_for_a_place_has_the_least_cost_there(attraction):
    X, _ = make_swiss_roll(100, random_state=1)
    method = ElasticEmbedding(8, attraction=attraction, max_iter=100).fit(X)
    places = method.embedding_[:10] + 0.05
    made = method.inverse_transform(places)
    kernel = method.weights_.kernel

    def attraction_to(y, n):
        return kernel(cdist(y[None], X, "sqeuclidean"))[0][0, n]

    for place, row in zip(places, made, strict=True):

        def cost(y, place=place):
            return elastic.energy_of_new(place, y, method.embedding_, X, attraction_to, method.lam_)

        nearest = X[np.argmin(np.sum((method.embedding_ - place) ** 2, axis=1))]
        assert cost(row) <= cost(nearest)
        scale = 4 * method.lam_ * np.exp(-np.sum((method.embedding_ - place) ** 2, axis=1)).sum()
        assert np.linalg.norm(approx_fprime(row, cost, 1e-6)) < 1e-3 * scale * X.std()


def test_a_new_row_is_attracted_by_no_more_rows_than_an_old_one():
    X, _ = make_swiss_roll(100, random_state=1)
    method = ElasticEmbedding(8, attraction="neighbors", max_iter=5).fit(X[:90])
    squared = cdist(X[90:], X[:90], "sqeuclidean")
    attractive = method.weights_.kernel(squared)[0]
    nearest = np.argsort(squared, axis=1)[:, :8]
    assert (np.take_along_axis(attractive, nearest, axis=1) > 0).all()
    assert ((attractive > 0).sum(axis=1) == 8).all()


def test_a_spectral_start_has_the_size_of_least_cost():
    X, _ = make_swiss_roll(100, random_state=1)
    seen = []
    method = ElasticEmbedding(8, init="spectral", max_iter=1, callback=lambda now: seen.append(now.embedding)).fit(X)
    weights = method.weights_.attractive, method.weights_.repulsive

    def cost(size):
        return Energy(*weights, Workers(1)).cost(size * seen[0], method.lam_)[0]

    assert cost(1.0) < min(cost(0.99), cost(1.01))


@pytest.mark.parametrize(("k", "lost"), [(1, r"1\d\d of 150 rows \(0, .*, \.\.\.\)"), (5, r"1 of 150 rows \(7\)")])
def test_rows_that_see_nothing_of_their_neighbours_are_named(k, lost):
    X = np.random.default_rng(0).standard_normal((150, 4))
    X[7, 0] += 3000
    method = ElasticEmbedding(k, max_iter=5).fit(X)
    with pytest.raises(ValueError, match=f"Rows cannot be computed for positions: {lost} are too many"):
        method.inverse_transform(method.embedding_[:3])


@pytest.mark.slow
def test_learned_affinities_sum_the_gradient():
    # X L = 0 at a minimum, section 4.
    X, _ = make_swiss_roll(60, random_state=1)
    method = ElasticEmbedding(8, max_iter=5000, tol=0, splitting="laplacian").fit(X)
    learned = method.learned_affinities(np.arange(60))
    np.testing.assert_allclose(
        elastic.laplacian(learned) @ method.embedding_, 0, atol=1e-5 * np.abs(learned).sum(axis=1).max()
    )
    assert (learned < 0).any()


def test_stopping_keeps_the_last_state():
    X, _ = make_swiss_roll(60, random_state=1)
    method = ElasticEmbedding(8, callback=lambda state: state.iteration == 4).fit(X)
    assert method.n_iter_ == 4
    longer = ElasticEmbedding(8, max_iter=4, tol=0).fit(X)
    np.testing.assert_array_equal(method.embedding_, longer.embedding_)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"n_neighbors": 0}, "n_neighbors (k), the neighbours of each row, is 0"),
        ({"attraction": "near"}, "attraction is 'near'"),
        ({"lam": -1.0}, "lam, the weight of repulsion, is -1.0"),
        ({"attraction": np.ones((3, 3))}, "attraction is an array of shape (3, 3), but there are 60 rows"),
        ({"repulsion": -np.ones((60, 60))}, "Some weights in repulsion are negative"),
        ({"lam": 1e-30, "n_strengths": 3}, "the points separate only at some value up to"),
        ({"init": "pca"}, "init is 'pca'"),
        ({"n_strengths": 10**9}, "n_strengths is 1000000000: give at most 10000 steps"),
    ],
)
def test_bad_parameters_are_said_in_a_sentence(settings, says):
    X, _ = make_swiss_roll(60, random_state=1)
    with pytest.raises(ValueError, match=re.escape(says)):
        ElasticEmbedding(**settings).fit(X)


def test_weights_of_perplexity_are_those_of_stochastic_neighbour_embedding():
    X, _ = make_swiss_roll(50, random_state=1)
    squared = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(squared, np.inf)
    weights = returned(Weights.from_inputs(Vectors(X), squared, "perplexity", "distance", 7, "auto", _NOW))
    assert weights.attractive.sum() == pytest.approx(50)
    own = weights.kernel(squared)[0].T
    np.testing.assert_allclose((own + own.T) / 2, weights.attractive, rtol=1e-9, atol=1e-300)
    entropy = -np.sum(own * np.log(np.maximum(own, 1e-300)), axis=1)
    np.testing.assert_allclose(np.exp(entropy), 7, rtol=1e-9)


def test_between_batches_of_rows_it_can_be_stopped_and_the_weights_are_the_same(monkeypatch):
    X, _ = make_swiss_roll(90, random_state=1)
    whole = ElasticEmbedding(7, max_iter=3).fit(X)
    monkeypatch.setattr(all_pairs, "_BATCH", 24)
    monkeypatch.setattr(affinities, "CHUNK", 90 * 20)
    batched = ElasticEmbedding(7, max_iter=3)
    steps = list(batched.iter_fit(X))
    assert [step.stage for step in steps[:9]] == 8 * ["neighbours"] + ["start"]  # 3 batches of 24 or more, 5 of 20
    np.testing.assert_array_equal(batched.weights_.attractive, whole.weights_.attractive)
    np.testing.assert_array_equal(batched.weights_.widths, whole.weights_.widths)
    np.testing.assert_array_equal(batched.embedding_, whole.embedding_)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_distances_of_many_rows_are_those_found_at_once(metric):
    X = np.random.default_rng(0).normal(size=(1601, 9))
    inputs = Vectors(X, metric=metric)
    at_once = np.square(inputs.distances_from(np.arange(len(X))))
    np.fill_diagonal(at_once, 0)
    np.testing.assert_array_equal(returned(all_pairs.all_squared(inputs, _NOW)), (at_once + at_once.T) / 2)


def test_parts_that_nothing_ties_together_are_not_thrown_apart():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 3)), 1e4 + rng.normal(size=(30, 3))])
    points = ElasticEmbedding(9, max_iter=50).fit_transform(X)
    assert np.ptp(points, axis=0).max() < 100


def test_a_graph_of_neighbours_can_start_from_its_own_eigenvectors():
    X = np.random.default_rng(0).normal(size=(60, 3))
    method = ElasticEmbedding(9, attraction="neighbors", init="spectral", max_iter=5).fit(X)
    assert np.isfinite(method.embedding_).all()
    assert (np.diff(method.costs_) <= 0).all()


@pytest.mark.slow
def test_each_lambda_of_a_homotopy_ends_near_a_minimum():
    X, _ = make_swiss_roll(150, random_state=1)
    settings = {"attraction": "neighbors", "width": 15.0}
    method = ElasticEmbedding(8, **settings, lam=1.0, n_strengths=12, max_iter=100, tol=1e-3).fit(X)
    rng = np.random.default_rng(0)
    for strength in np.unique(method.strengths_):
        cost = method.costs_[method.strengths_ == strength][-1]
        start = rng.standard_normal((len(X), 2))
        longer = ElasticEmbedding(8, **settings, lam=strength, init=start, max_iter=500, tol=1e-8).fit(X)
        assert cost < 1.1 * longer.cost_


@pytest.mark.parametrize("kind", [sp.csr_array, np.asarray])
def test_weights_of_the_user_are_not_changed(kind):
    X = load_iris().data[::3]
    given = kneighbors_graph(X, 7, include_self=True).toarray()
    weights = kind(given)
    ElasticEmbedding(attraction=weights, repulsion=weights, max_iter=2).fit(X)
    np.testing.assert_array_equal(weights.toarray() if sp.issparse(weights) else weights, given)
    assert not sp.issparse(weights) or weights.nnz == np.count_nonzero(given)


@pytest.mark.parametrize("attraction", ["neighbors", "gaussian"])
@pytest.mark.parametrize("width", [1e-4, 1e-2])
def test_a_width_at_which_nothing_attracts_is_told(attraction, width):
    with pytest.raises(ValueError, match=r"With this width .* of 150 rows attract no other"):
        ElasticEmbedding(attraction=attraction, width=width).fit(load_iris().data)


def test_weights_of_the_user_that_are_all_0_are_told():
    with pytest.raises(ValueError, match="With this attraction 150 of 150 rows attract almost no other"):
        ElasticEmbedding(attraction=np.zeros((150, 150))).fit(load_iris().data)


def test_a_row_far_out_is_no_reason_to_refuse():
    X = np.vstack([load_iris().data, np.full((1, 4), 1e4)])
    assert np.isfinite(ElasticEmbedding(attraction="neighbors", max_iter=5).fit(X).embedding_).all()


def test_places_of_which_all_are_far_off_get_the_nearest_rows():
    method = ElasticEmbedding(max_iter=20).fit(load_iris().data)
    with pytest.warns(DataWarning, match="3 of 3 positions are so far off"):
        made = method.inverse_transform(np.array([[1e4, 0.0], [0.0, 1e4], [-1e4, 0.0]]))
    assert (made[:, None] == load_iris().data).all(axis=2).any(axis=1).all()


@pytest.mark.parametrize("splitting", SPLITTINGS)
def test_a_step_is_the_gradient_divided_by_what_the_splitting_says(splitting):
    rng, strength = np.random.default_rng(5), 3.0
    squared = cdist(rows := rng.normal(size=(17, 4)), rows, "sqeuclidean")
    attractive, repulsive = np.exp(-0.5 * squared) * (1 - np.eye(17)), squared
    points = rng.normal(size=(17, 2))
    energy = Energy(attractive, repulsive, Workers(1))
    gradient = 1e-4 * energy.cost(points, strength)[1]  # so small that no step is cut short
    degrees = np.diag(attractive.sum(axis=1))
    repelled = np.diag((repulsive * np.exp(-cdist(points, points, "sqeuclidean"))).sum(axis=1))
    divisor = {
        "degree": degrees,
        "laplacian": degrees - attractive,
        "both degrees": degrees + strength * repelled,
        "gradient": degrees.max() * np.eye(17),
    }[splitting]
    step = direction_of(splitting, energy, strength)(points, gradient)
    if splitting == "laplacian":  # which is singular: a step along all points changes nothing
        step = step - step.mean(axis=0)
    np.testing.assert_allclose(step, -np.linalg.pinv(4 * divisor) @ gradient, rtol=1e-4, atol=1e-10)
