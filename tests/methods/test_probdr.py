"""ProbDR against its equations."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from reference import probdr
from scipy.optimize import approx_fprime
from scipy.stats import wishart
from sklearn.datasets import load_digits, make_blobs

from latentmap.methods import ProbDR
from latentmap.methods.affinities import adjacency
from latentmap.methods.probdr.landmarks import LandmarkWishart
from latentmap.methods.probdr.pairs import EveryPair, PairLikelihood, Sample
from latentmap.methods.probdr.probdr import MOST_BY_LANDMARKS, MOST_ROWS
from latentmap.methods.probdr.wishart import WishartLikelihood
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers
from latentmap.quality import knn_error, neighbor_recall

MODELS = ("cne", "bernoulli", "wishart", "wishart-normalised")
NEGATIVES, NEIGHBORS = 2, 3


def small(A):
    """n~ = n_- n_# / n, where n_# is how many neighbours are asked for."""
    return NEGATIVES * NEIGHBORS / A.shape[0]


def problem(seed, n=16, d=2):
    rng = np.random.default_rng(seed)
    A = adjacency(Vectors(rng.normal(size=(n, 3))).kneighbors(NEIGHBORS))
    X = 1.5 * rng.normal(size=(n, d))
    # Apart even in one dimension: what is added to squared distances lest they are 0 must not be seen.
    X[:, 0] = 0.5 * rng.permutation(n) + rng.uniform(0, 0.2, n)
    return X, A


def literal(model, X, A):
    if model == "cne":
        return probdr.cne_bound(X, A, small(A))
    if model == "bernoulli":
        return probdr.bernoulli(X, A, small(A))
    covariance = probdr.covariance if model == "wishart" else probdr.alternative_covariance
    constant = np.trace(probdr.laplacian(A)) / small(A) / 2
    return probdr.wishart(covariance(X, A, small(A)), A, small(A)) + constant


def made(model, A, d=2, sampled=False):
    if model.startswith("wishart"):
        return WishartLikelihood(A, small(A), model == "wishart-normalised")
    weight, share = (small(A), 1.0) if model == "cne" else (1.0, small(A))
    n = A.shape[0]
    apart = Sample(n, share, Workers(1), 0) if sampled else EveryPair(n, share, Workers(2))
    return PairLikelihood(A, weight, share, apart)


@pytest.fixture(scope="module")
def mapped():
    """Places of digits in mid-ascent of the Wishart model, and which are neighbours."""
    method = ProbDR(10, model="wishart", max_iter=25).fit(load_digits().data[:600])
    return method.embedding_, method.adjacency_, 5 * 10 / 600


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_log_posterior_and_gradient_are_those_of_the_paper(model, d):
    for seed in range(3):
        X, A = problem(seed, d=d)
        dense, likelihood = A.toarray(), made(model, A, d)
        assert likelihood.value(X) == pytest.approx(literal(model, X, dense), rel=1e-5)
        slope = approx_fprime(X.ravel(), lambda x, A=dense, X=X: literal(model, x.reshape(X.shape), A), 1e-6)
        scale = np.abs(slope).max()
        np.testing.assert_allclose(likelihood.gradient(X, 0).ravel(), slope, rtol=1e-3, atol=1e-4 * scale)


@pytest.mark.parametrize("model", MODELS)
def test_the_gradient_is_that_of_finite_differences_of_its_own_value(model):
    X, A = problem(7)
    likelihood = made(model, A)
    found = likelihood.gradient(X, 0).ravel()
    slope = np.empty(X.size)
    for k in range(X.size):
        step = 1e-5 * np.eye(X.size)[k].reshape(X.shape)
        slope[k] = (likelihood.value(X + step) - likelihood.value(X - step)) / 2e-5
    np.testing.assert_allclose(found, slope, rtol=1e-5, atol=1e-6 * np.abs(slope).max())


def test_the_wishart_density_is_that_of_scipy_in_sign_and_scale():
    # SciPy wants a matrix of full rank for that of the Laplacian; what differs between two maps must not depend on it.
    X, A = problem(1)
    dense, n = A.toarray(), A.shape[0]
    near_laplacian = probdr.laplacian(dense) / small(dense) + 1e-7 * np.eye(n)
    covariances = [probdr.covariance(points, dense, small(dense)) for points in (X, 2 * X)]
    one, other = (wishart(df=n, scale=np.linalg.inv(C)).logpdf(near_laplacian) for C in covariances)
    likelihood = made("wishart", A)
    assert likelihood.value(2 * X) - likelihood.value(X) == pytest.approx(other - one, rel=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_the_log_posterior_sees_no_shift_and_no_rotation(model):
    X, A = problem(3)
    likelihood = made(model, A)
    turned = X @ np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0] + [3.0, -2.0]
    assert likelihood.value(turned) == pytest.approx(likelihood.value(X), rel=1e-10)
    np.testing.assert_allclose(likelihood.gradient(turned, 0).sum(axis=0), 0, atol=1e-8)


def test_the_cne_bound_is_below_the_bernoulli_likelihood_where_the_paper_bounds_it():
    # log(1 + 1/x) >= 1/(1 + x): the part of (3) of what is not adjacent is below n~ -> 0 of that of (4).
    for seed in range(5):
        X, A = problem(seed)
        dense = A.toarray()
        off = ~np.eye(len(X), dtype=bool)
        near = 1 / (1 + probdr.squared(X)[off])
        tiny = 1e-4
        bound = tiny * ((1 - dense[off]) * np.log1p(-near)).sum()
        assert bound <= ((1 - dense[off]) * np.log1p(-tiny * near)).sum()


@pytest.mark.parametrize("model", ["cne", "bernoulli"])
def test_up_to_a_thousand_rows_a_sample_is_every_pair(model):
    X, A = problem(2, n=200)
    counted, sampled = made(model, A), made(model, A, sampled=True)
    assert sampled.value(X) == pytest.approx(counted.value(X), rel=1e-5)
    gradient = counted.gradient(X, 0)
    np.testing.assert_allclose(sampled.gradient(X, 0), gradient, atol=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize("model", ["cne", "bernoulli"])
def test_a_sample_estimates_the_gradient_without_bias(model):
    X, A = problem(4, n=3000)
    X *= 10
    counted, sampled = made(model, A), made(model, A, sampled=True)
    assert sampled.value(X) == pytest.approx(counted.value(X), rel=0.01)
    pushed = counted._apart.gradient(X, 0)
    drawn = np.array([sampled._apart.gradient(X, step) for step in range(200)])
    spread = drawn.std(axis=0) / np.sqrt(len(drawn))
    # Of so many means, four standard errors hold nearly all, and the mean over all rows is far closer.
    wrong = np.abs(drawn.mean(axis=0) - pushed) > 5 * spread + 1e-3 * np.abs(pushed).max()
    assert wrong.mean() < 0.01
    assert np.vdot(drawn.mean(axis=0), pushed) == pytest.approx(np.vdot(pushed, pushed), rel=0.02)


def test_the_graph_is_binary_and_symmetric():
    X = load_digits().data[:150]
    A = ProbDR(5, max_iter=1).fit(X).adjacency_
    neighbors = Vectors(X).kneighbors(5).indices
    wanted = np.zeros((150, 150))
    wanted[np.repeat(np.arange(150), 5), neighbors.ravel()] = 1
    np.testing.assert_array_equal(A.toarray(), np.maximum(wanted, wanted.T))


@pytest.mark.parametrize("model", MODELS)
def test_rows_repel_by_the_neighbours_that_are_asked_for(model):
    X = load_digits().data[:40]
    method = ProbDR(NEIGHBORS, model=model, n_negatives=NEGATIVES, max_iter=5).fit(X)
    A = method.adjacency_.toarray()
    assert A.sum() > NEIGHBORS * len(X)
    assert method.log_posterior_ == pytest.approx(literal(model, method.embedding_, A), rel=1e-4)


@pytest.mark.parametrize("init", ["spectral", "random"])
@pytest.mark.parametrize("model", MODELS)
def test_the_log_posterior_rises(model, init):
    X = load_digits().data[:250]
    values = []
    method = ProbDR(8, model=model, init=init, n_negatives=2, max_iter=60)
    method.set_params(callback=lambda state: values.append(state.objective)).fit(X)
    assert values[-1] > values[0]
    assert (np.diff(values[-20:]) > -1e-3 * np.ptp(values)).all()
    assert method.log_posterior_ == pytest.approx(values[-1])


@pytest.mark.slow
def test_groups_come_apart():
    X, y = make_blobs(300, 10, centers=4, cluster_std=1.0, random_state=0)
    for model in ("cne", "bernoulli", "wishart"):
        places = ProbDR(10, model=model, n_negatives=3, max_iter=100).fit_transform(X)
        assert knn_error(places, y, n_neighbors=5) == 0


@pytest.mark.slow
def test_a_sampled_map_is_as_good_as_one_of_every_pair(load_data, monkeypatch):
    rows = load_data("mnist70k")["X"][:1500].astype(float)
    method = ProbDR(10, max_iter=60)
    sampled = method.fit_transform(rows)
    start = ProbDR(10, max_iter=1).fit_transform(rows)
    monkeypatch.setattr(
        "latentmap.methods.probdr.probdr.Sample", lambda n, share, workers, seed: EveryPair(n, share, workers)
    )
    counted = method.fit_transform(rows)
    judge = made("cne", method.adjacency_)
    values = [judge.value(places) for places in (start, sampled, counted)]
    assert values[2] - values[1] < 0.05 * (values[2] - values[0])
    # Of one sample; how it falls differs a little from processor to processor.
    assert neighbor_recall(rows, sampled, 10) > neighbor_recall(rows, counted, 10) - 0.03


def test_rows_at_one_place_stay_finite():
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 3)), 12, axis=0)
    for model in MODELS:
        with pytest.warns(match="duplicates"):
            method = ProbDR(5, model=model, n_negatives=2, max_iter=30).fit(X)
        assert np.isfinite(method.embedding_).all()
        assert np.isfinite(method.log_posterior_)


def test_a_graph_in_parts_makes_a_map():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 3)), 1e4 + rng.normal(size=(30, 3))])
    places = ProbDR(5, max_iter=50).fit_transform(X)
    assert knn_error(places, np.repeat([0, 1], 30), n_neighbors=3) < 0.1


def test_groups_are_full_and_no_rings():
    # From the spectral start alone, which draws each group together to nearly a point, they become hollow.
    X, y = make_blobs(600, 8, centers=3, center_box=(-30, 30), random_state=0)
    places = ProbDR(10, max_iter=50).fit_transform(X)
    for group in range(3):
        own = places[y == group] - places[y == group].mean(axis=0)
        away = np.linalg.norm(own, axis=1)
        # In a full disc a quarter of the points lie within half the radius.
        assert (away < 0.5 * np.quantile(away, 0.95)).mean() > 0.15


def test_a_given_start_is_where_it_starts():
    X = load_digits().data[:100]
    first = np.random.default_rng(1).normal(size=(100, 2))
    states = []
    ProbDR(8, init=first, max_iter=2, callback=states.append).fit(X)
    np.testing.assert_array_equal(states[0].embedding, first)


@pytest.mark.parametrize("model", MODELS)
def test_the_map_does_not_depend_on_the_number_of_threads(model):
    X = load_digits().data[:1200:2] if model.startswith("wishart") else load_digits().data
    one, two = (ProbDR(model=model, max_iter=5, n_jobs=n_jobs).fit_transform(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_three_dimensions_count_every_pair():
    X = load_digits().data[:200]
    places = ProbDR(8, 3, max_iter=60).fit_transform(X)
    assert neighbor_recall(X, places, 8) > neighbor_recall(X, ProbDR(8, 2, max_iter=60).fit_transform(X), 8)


def test_it_places_no_new_rows():
    assert not hasattr(ProbDR(), "transform")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model": "umap"}, "model is 'umap'"),
        ({"n_negatives": 0}, "n_negatives (n_-), the strength of repulsion"),
        ({"model": "bernoulli", "n_negatives": 50}, "Lower n_negatives"),
        ({"learning_rate": 0.0}, "learning_rate, the length of the first steps, is 0.0"),
        ({"init": "pca"}, "init is 'pca'"),
    ],
)
def test_bad_parameters_are_said_in_a_sentence(settings, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        ProbDR(**settings).fit(load_digits().data[:60])


@pytest.mark.parametrize(("model", "most"), [("wishart", MOST_BY_LANDMARKS), ("wishart-normalised", MOST_ROWS)])
def test_too_many_rows_for_a_wishart_model_are_said_in_a_sentence(model, most):
    X = np.random.default_rng(0).normal(size=(most + 1, 2))
    with pytest.raises(ValueError, match=rf'up to {most} rows, but there are {most + 1}.*or .*model="cne"'):
        ProbDR(model=model).fit(X)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_with_all_rows_as_landmarks_the_estimate_is_exact(d):
    for seed in range(3):
        X, A = problem(seed, d=d)
        exact, estimate = made("wishart", A, d), LandmarkWishart(A, small(A), Workers(1), 0)
        assert estimate.value(X) == pytest.approx(exact.value(X), rel=1e-6)
        gradient = exact.gradient(X, 0)
        np.testing.assert_allclose(estimate.gradient(X, 0), gradient, atol=1e-5 * np.abs(gradient).max())


@pytest.mark.slow
def test_few_landmarks_are_near_the_exact_gradient_and_below_the_exact_value(mapped):
    X, A, scale = mapped
    exact = WishartLikelihood(A, scale, False)
    value, gradient = exact.value(X), exact.gradient(X, 0)
    off, values = [], []
    for count in (30, 100, 300):
        estimate = LandmarkWishart(A, scale, Workers(1), 0, count)
        off.append(np.linalg.norm(estimate.gradient(X, 0) - gradient) / np.linalg.norm(gradient))
        values.append(estimate.value(X))
    assert off == sorted(off, reverse=True)
    assert off[1] < 0.3
    assert off[2] < 0.1
    assert values == sorted(values)
    assert values[-1] < value


def test_each_step_has_landmarks_of_its_own_and_the_value_always_the_same(mapped):
    X, A, scale = mapped
    estimate = LandmarkWishart(A, scale, Workers(1), 0)
    assert not np.array_equal(estimate.gradient(X, 0), estimate.gradient(X, 1))
    assert estimate.value(X) == estimate.value(X)


def test_landmark_gradients_do_not_depend_on_blocks_or_threads(mapped, monkeypatch):
    X, A, scale = mapped
    whole = LandmarkWishart(A, scale, Workers(1), 0).gradient(X, 0)
    monkeypatch.setattr("latentmap.methods.probdr.landmarks._PAIRS", 7 * len(X))
    one, two = (LandmarkWishart(A, scale, Workers(n_jobs), 0).gradient(X, 0) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    # How BLAS multiplies blocks of another size is its own affair, in single precision.
    np.testing.assert_allclose(one, whole, atol=1e-5 * np.abs(whole).max())


@pytest.mark.slow
def test_a_map_by_landmarks_is_as_good_as_the_exact_one(monkeypatch):
    X = load_digits().data[:600]
    method = ProbDR(10, model="wishart", max_iter=50)
    exact = method.fit_transform(X)
    monkeypatch.setattr("latentmap.methods.probdr.probdr.MOST_ROWS", 599)
    values = []
    estimated = method.set_params(callback=lambda state: values.append(state.objective)).fit_transform(X)
    assert neighbor_recall(X, estimated, 10) > neighbor_recall(X, exact, 10) - 0.02
    judge = WishartLikelihood(method.adjacency_, 5 * 10 / 600, False)
    assert judge.value(estimated) == pytest.approx(judge.value(exact), rel=0.01)
    assert values[-1] > values[0]
    assert method.log_posterior_ == values[-1]


@pytest.mark.slow
def test_beyond_the_rows_of_a_determinant_landmarks_make_the_same_map_for_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(MOST_ROWS + 1, 2))
    one, two = (ProbDR(model="wishart", max_iter=2, n_jobs=n_jobs).fit_transform(X) for n_jobs in (1, 2))
    assert np.isfinite(one).all()
    np.testing.assert_array_equal(one, two)


def test_two_adjacent_rows_lie_where_the_bernoulli_model_has_them():
    # Of two rows alone the likeliest distance is 0: nothing is left that is not adjacent.
    both = sp.csr_array([[0.0, 1.0], [1.0, 0.0]])
    model = PairLikelihood(both, 1.0, 0.5, EveryPair(2, 0.5, Workers(1)))
    apart, together = np.array([[0.0], [1.0]]), np.array([[0.0], [0.01]])
    assert model.gradient(apart, 0)[0, 0] > 0
    assert model.value(together) > model.value(apart)
