"""The locally linear latent variable model against its equations."""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from reference import lllvm as dense_lllvm
from scipy.spatial import procrustes
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import make_swiss_roll

from latentmap import DataWarning
from latentmap.methods import LLLVM
from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.likelihood import EPSILON, LIKELIHOODS
from latentmap.methods.lllvm.model import LocallyLinear, Precisions
from latentmap.methods.lllvm.neighborhood import Neighborhood, edited
from latentmap.methods.lllvm.out_of_sample import place_points
from latentmap.methods.lllvm.start import start as start_of
from latentmap.model.vectors import Vectors

THETA = Precisions(0.3, 2.0, 5.0)
# The last rows of the roll are not fitted.
N_NEW = 50
REFERENCES = {"normalised": dense_lllvm.Normalised, "paper": dense_lllvm.Model}


@pytest.fixture(params=list(LIKELIHOODS))
def likelihood(request):
    return request.param


def problem(likelihood, seed, n=7, columns=3, d=2, k=2):
    """A model, its dense reference, and a q(x) and q(C) that some EM has made."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(n, columns))
    Y = (Y - Y.mean(axis=0)) / 3
    graph = Neighborhood.nearest(Vectors(Y), k)
    model = LocallyLinear(Y, graph, d, likelihood)
    start = GraphGaussian.known(graph, rng.normal(size=(n, d, columns)), 1.0, model.likelihood.is_whole)
    places = model.positions(start, THETA)
    reference = REFERENCES[likelihood](Y, graph.adjacency.toarray(), d, EPSILON)
    return model, reference, start, places, model.maps(places, THETA)


def dense(graph, posterior):
    """The covariance of one copy as a dense matrix, with NaN where it was not kept."""
    n, d, _ = posterior.mean.shape
    if posterior.full_covariance is not None:
        return posterior.full_covariance.reshape(n * d, n * d)
    matrix = np.full((n, d, n, d), np.nan)
    for i in range(n):
        matrix[i, :, i, :] = posterior.at_rows[i]
    for (i, j), block in zip(graph.pairs, posterior.at_pairs, strict=True):
        matrix[i, :, j, :], matrix[j, :, i, :] = block, block.T
    return matrix.reshape(n * d, n * d)


def stacked(posterior):
    """The means of q(C) as the paper has them, (d_y, n d_x)."""
    return posterior.mean.reshape(-1, posterior.copies).T


def exact(reference, start, theta):
    """q(x) and q(C) after a half step each, by the reference."""
    n, d, _ = start.mean.shape
    mu_x, sigma_x = reference.q_x(stacked(start), np.eye(n * d), theta.alpha, theta.gamma)
    mu_c, sigma_c, _ = reference.q_c(mu_x, sigma_x, theta.beta, theta.gamma)
    return mu_x, sigma_x, mu_c, sigma_c


def assert_known_equal(found, wanted):
    known = np.isfinite(found)
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_posteriors_are_those_of_the_dense_reference(likelihood, seed, d):
    model, reference, start, places, maps = problem(likelihood, seed, d=d)
    mu_x, sigma_x, mu_c, sigma_c = exact(reference, start, THETA)
    np.testing.assert_allclose(places.mean.ravel(), mu_x, rtol=1e-8, atol=1e-10)
    assert_known_equal(dense(model.graph, places), sigma_x)
    assert places.log_determinant == pytest.approx(np.linalg.slogdet(sigma_x)[1])
    np.testing.assert_allclose(stacked(maps), mu_c, rtol=1e-8, atol=1e-10)
    assert_known_equal(dense(model.graph, maps), sigma_c)
    assert maps.log_determinant == pytest.approx(np.linalg.slogdet(sigma_c)[1])


@pytest.mark.parametrize("d", [1, 2])
def test_blocks_are_those_of_the_whole_covariance(d):
    model, _, _, places, maps = problem("normalised", 0, d=d)
    for posterior in (places, maps, maps.scaled(0.5)):
        np.testing.assert_array_equal(posterior.full_covariance, posterior.full_covariance.transpose(2, 3, 0, 1))
        # Without the whole matrix, only the blocks of rows and of neighbours are known.
        known = dense(model.graph, posterior.without_covariances())
        assert np.isnan(known).any()
        assert_known_equal(known, dense(model.graph, posterior))
        with pytest.raises(ValueError, match="were not kept"):
            posterior.without_covariances().products(0, 0)


def test_the_pseudoinverse_is_that_of_the_laplacian():
    graph = problem("normalised", 0)[0].graph
    np.testing.assert_allclose(graph.pseudoinverse, np.linalg.pinv(graph.laplacian.toarray()), atol=1e-12)


def test_the_integral_over_the_rows_is_one_where_normalised_and_less_in_the_paper(likelihood):
    _, reference, *_ = problem(likelihood, 0, n=5, columns=2)
    rng = np.random.default_rng(0)
    X, maps = rng.normal(size=(5, 2)), list(0.3 * rng.normal(size=(5, 2, 2)))

    def at(y):
        return reference.log_likelihood(y.reshape(5, 2), X, maps, 0.7)

    # It is quadratic in y, so that differences are its derivatives.
    zero, unit = np.zeros(10), np.eye(10)
    slope = np.array([at(a) - at(-a) for a in unit]) / 2
    bent = np.array([[at(a) + at(b) - at(a + b) - at(zero) for a in unit] for b in unit])
    integral = (
        at(zero)
        + 0.5 * slope @ np.linalg.solve(bent, slope)
        + 0.5 * np.linalg.slogdet(2 * np.pi * np.linalg.inv(bent))[1]
    )
    if likelihood == "normalised":
        assert integral == pytest.approx(0, abs=1e-8)
    else:
        assert integral < -0.1


def test_the_covariance_of_all_maps_is_a_kronecker_product(likelihood):
    _, reference, start, _, _ = problem(likelihood, 0, n=5)
    mu_x, sigma_x, _, sigma_c = exact(reference, start, THETA)
    whole = reference.q_c(mu_x, sigma_x, THETA.beta, THETA.gamma)[2]
    np.testing.assert_allclose(whole, np.kron(sigma_c, np.eye(3)), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2])
def test_the_bound_is_the_expected_log_joint_and_the_entropies(likelihood, d):
    model, reference, start, places, maps = problem(likelihood, 1, n=5, columns=2, d=d)
    wanted = reference.bound(*exact(reference, start, THETA), *THETA)
    assert model.bound(places, maps, THETA) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.slow
def test_the_bound_is_a_lower_one(likelihood):
    # By importance sampling from q: the log of the mean weight is above the mean of the log weights, (6).
    model, reference, _, places, maps = problem(likelihood, 2, n=4, columns=2, d=1)
    for _ in range(20):
        places = model.positions(maps, THETA)
        maps = model.maps(places, THETA)
    mu_x, sigma_x = reference.q_x(
        stacked(maps), np.where(np.isnan(c := dense(model.graph, maps)), 0, c), THETA.alpha, THETA.gamma
    )
    mu_c, sigma_c, big = reference.q_c(mu_x, sigma_x, THETA.beta, THETA.gamma)
    rng = np.random.default_rng(0)
    root_x, root_c, weights = np.linalg.cholesky(sigma_x), np.linalg.cholesky(big), []
    constant = 0.5 * (np.linalg.slogdet(2 * np.pi * sigma_x)[1] + np.linalg.slogdet(2 * np.pi * big)[1])
    for _ in range(2000):
        e, f = rng.normal(size=len(mu_x)), rng.normal(size=len(big))
        C = mu_c + (root_c @ f).reshape(mu_c.shape, order="F")
        weights.append(reference.log_joint(mu_x + root_x @ e, C, *THETA) + constant + 0.5 * (e @ e + f @ f))
    bound = reference.bound(mu_x, sigma_x, mu_c, sigma_c, *THETA)
    assert np.mean(weights) == pytest.approx(bound, abs=5 * np.std(weights) / np.sqrt(len(weights)))
    assert np.log(np.mean(np.exp(np.array(weights) - bound))) > 0


@pytest.mark.parametrize("held", [{}, {"alpha": 0.01}, {"beta": 1.0}, {"alpha": 1e-3, "beta": 30.0}])
@pytest.mark.parametrize("init", ["spectral", "random"])
def test_the_bound_never_falls_from_one_half_step_to_the_next(likelihood, init, held):
    X, _ = make_swiss_roll(60, random_state=1)
    method = LLLVM(6, likelihood=likelihood, init=init, **held, max_iter=1).fit(X)
    model = method._model
    wanted = {name: held.get(name, "learned") for name in ("alpha", "beta")}
    maps, theta = start_of(model, init, **wanted, rng=np.random.default_rng(0))
    bounds = []
    for _ in range(26):
        places = model.positions(maps, theta)
        bounds.append(model.bound(places, maps, theta))
        maps = model.maps(places, theta)
        bounds.append(model.bound(places, maps, theta))
        theta = model.updated(places, maps, theta, held)
        bounds.append(model.bound(places, maps, theta))
        s = model.best_unit(places, maps, theta, held)
        places, maps, theta = model.in_unit(s, places, maps, theta, held)
        bounds.append(model.bound(places, maps, theta))
    assert bounds[-1] > bounds[0]
    assert np.diff(bounds).min() > -1e-10 * np.abs(bounds).max()


def test_updates_are_stationary_points_of_the_bound(likelihood):
    model, _, _, places, maps = problem(likelihood, 3, n=12)
    best = model.updated(places, maps, THETA)
    for name, value in zip(best._fields, best, strict=True):
        step = 1e-4 * value
        around = [model.bound(places, maps, best._replace(**{name: value + s})) for s in (-step, 0.0, step)]
        assert around[1] >= max(around)
        slope = (around[2] - around[0]) / (2 * 1e-4)
        assert abs(slope) < 1e-4 * abs(around[1])
    for name in ("alpha", "beta"):
        assert getattr(model.updated(places, maps, THETA, held=[name]), name) == getattr(THETA, name)


@pytest.mark.parametrize("held", [(), ("beta",)])
def test_half_steps_and_the_unit_are_stationary_points_of_the_bound(likelihood, held):
    model, _, _, places, maps = problem(likelihood, 4)
    highest = model.bound(places, maps, THETA)
    rng = np.random.default_rng(0)
    way = rng.normal(size=maps.mean.shape)

    def moved(step):
        return replace(maps, mean=maps.mean + step * way)

    up, down = (model.bound(places, moved(step), THETA) for step in (1e-4, -1e-4))
    assert max(up, down) < highest
    assert up == pytest.approx(down, rel=1e-9)
    best = model.best_unit(places, maps, THETA, held)

    def in_unit(s):
        return model.bound(*model.in_unit(s, places, maps, THETA, held))

    assert in_unit(1.0) == pytest.approx(highest)
    assert in_unit(best) > max(in_unit(0.999 * best), in_unit(1.001 * best))


def test_turned_shifted_and_stretched_data_give_the_same_map(likelihood):
    X, _ = make_swiss_roll(80, random_state=1)
    turned = 7.0 * X @ ortho_group.rvs(3, random_state=0) + 100.0
    one, other = (LLLVM(6, likelihood=likelihood, max_iter=15, tol=0).fit(data) for data in (X, turned))
    np.testing.assert_allclose(one.lower_bounds_, other.lower_bounds_, rtol=1e-7)
    np.testing.assert_allclose(one.embedding_, other.embedding_, atol=1e-5)
    np.testing.assert_allclose(one.variances_, other.variances_, rtol=1e-5)


def test_orders_of_the_rows_give_the_same_map(likelihood):
    X, _ = make_swiss_roll(80, random_state=1)
    order = np.random.default_rng(0).permutation(80)
    one, other = (LLLVM(6, likelihood=likelihood, max_iter=15, tol=0).fit(data) for data in (X, X[order]))
    np.testing.assert_allclose(one.lower_bounds_, other.lower_bounds_, rtol=1e-7)
    assert procrustes(one.embedding_[order], other.embedding_)[2] < 1e-8


@pytest.mark.slow
def test_variances_leave_out_the_shift_of_the_whole_map_and_nothing_else(likelihood):
    X, _ = make_swiss_roll(40, random_state=1)
    method = LLLVM(6, likelihood=likelihood, max_iter=3, alpha=0.05).fit(X)
    model = method._model
    begun = start_of(model, "spectral", 0.05, "learned", np.random.default_rng(0))
    _, maps, theta, _, _ = next(model.em(*begun, ["alpha"]))
    reference = REFERENCES[likelihood](model.table, method.graph_.toarray(), 2, EPSILON)
    known = np.nan_to_num(dense(model.graph, maps))
    sigma = reference.q_x(stacked(maps), known, theta.alpha, theta.gamma)[1]
    centring = np.kron(np.eye(40) - 1 / 40, np.eye(2))
    fitted = next(model.em(maps, theta, ["alpha"]))
    wanted = np.diag(centring @ sigma @ centring).reshape(40, 2).mean(axis=1)
    best = model.positions(maps, theta)
    unit = model.best_unit(best, model.maps(best, theta), theta, ["alpha"])
    np.testing.assert_allclose(np.einsum("iaa->i", fitted.covariances()) / 2, unit**2 * wanted, rtol=1e-6)


@pytest.mark.slow
def test_the_map_does_not_depend_on_the_number_of_threads():
    X, _ = make_swiss_roll(300, random_state=1)
    one, two = (LLLVM(8, max_iter=3, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    np.testing.assert_array_equal(one.lower_bounds_, two.lower_bounds_)


def short_roll(n):
    """A roll of one turn, the plane it was rolled from, and the angles."""
    rng = np.random.default_rng(1)
    t, height = 1.5 * np.pi * (1 + rng.uniform(0, 1.2, n)), rng.uniform(0, 14, n)
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return np.column_stack([t * np.cos(t), height, t * np.sin(t)]), np.column_stack([arc, height]), t


@pytest.fixture(scope="module", params=[pytest.param(one, marks=pytest.mark.slow) for one in LIKELIHOODS])
def roll(request):
    # The paper's likelihood does not unroll so few rows; the other takes many times as long for twice as many.
    n = 150 if request.param == "normalised" else 300
    X, plane, _ = short_roll(n + N_NEW)
    return LLLVM(7, likelihood=request.param, tol=1e-4).fit(X[:-N_NEW]), X, plane


def test_a_roll_is_unrolled(roll):
    method, _, plane = roll
    assert procrustes(plane[:-N_NEW], method.embedding_)[2] < 0.07
    assert (np.diff(method.lower_bounds_) > 0).all()
    assert (np.linalg.eigvalsh(method.covariances_) > 0).all()
    np.testing.assert_allclose(np.linalg.eigvalsh(method.covariances_).mean(axis=1), method.variances_, rtol=1e-9)


def test_maps_are_tangent_to_the_roll(roll):
    # The roll's normal is that of its spiral; C_i must send no direction along it.
    method, X, _ = roll
    x, z = X[:-N_NEW, 0], X[:-N_NEW, 2]
    t = np.hypot(x, z)
    along = np.column_stack([x / t - z, np.zeros(len(t)), z / t + x])
    along /= np.linalg.norm(along, axis=1)[:, None]
    normal = np.column_stack([along[:, 2], np.zeros(len(t)), -along[:, 0]])
    lost = np.einsum("iy,iya->ia", normal, method.tangents_)
    assert np.square(lost).sum() < 0.1 * np.square(method.tangents_).sum()


def test_new_rows_lie_where_they_belong(roll):
    method, X, plane = roll
    placed = method.transform(X[-N_NEW:])
    both = procrustes(plane, np.vstack([method.embedding_, placed]))
    away = np.linalg.norm(both[0] - both[1], axis=1)
    assert np.median(away[-N_NEW:]) < 2 * np.median(away[:-N_NEW])
    np.testing.assert_allclose(method.transform(X[-N_NEW:][:2]), placed[:2], atol=1e-7)


def test_new_rows_are_placed_by_the_same_half_steps(roll):
    method, X, _ = roll
    rows = (X[-N_NEW:] - method._unit[0]) / method._unit[1]
    alpha, beta, gamma = method._fitted.theta
    fitted, table, k, columns = method._fitted, method._model.table, 7, 3
    nearest = Vectors(X[:-N_NEW]).query(X[-N_NEW:], k).indices
    found = place_points(rows, nearest, table, fitted.positions, fitted.maps, fitted.theta)
    for y, near, x, S, C in zip(rows, nearest, *found, strict=True):
        C = C.T
        inverse, pull = beta * (EPSILON + 2 * k) * np.eye(2), np.zeros((columns, 2))
        for j in near:
            step = fitted.positions.mean[j, :, 0] - x
            inverse += gamma * (np.outer(step, step) + fitted.positions.at_rows[j] + S)
            pull += gamma * np.outer(table[j] - y, step) + 2 * beta * fitted.maps.mean[j].T
        sigma = np.linalg.inv(inverse)
        np.testing.assert_allclose(C, pull @ sigma, rtol=1e-6, atol=1e-8)
        CC, precision, b = columns * sigma + C.T @ C, alpha * np.eye(2), np.zeros(2)
        for j in near:
            Cj, xj = fitted.maps.mean[j].T, fitted.positions.mean[j, :, 0]
            both = gamma * (CC + columns * fitted.maps.at_rows[j] + Cj.T @ Cj) + 2 * np.eye(2)
            precision += both
            b += both @ xj + gamma * (C + Cj).T @ (y - table[j])
        np.testing.assert_allclose(S, np.linalg.inv(precision), rtol=1e-6)
        np.testing.assert_allclose(x, np.linalg.solve(precision, b), rtol=1e-6, atol=1e-8)


def test_rows_made_for_places_are_the_mean_of_what_neighbours_say(roll):
    method, X, _ = roll
    places = method.embedding_[:5] + 0.05
    made = method.inverse_transform(places)
    for place_, row in zip(places, made, strict=True):
        near = np.argsort(np.linalg.norm(method.embedding_ - place_, axis=1))[:7]
        said = [X[i] + method.tangents_[i] @ (place_ - method.embedding_[i]) for i in near]
        np.testing.assert_allclose(row, np.mean(said, axis=0), rtol=1e-9)
    again = method.inverse_transform(method.transform(X[-N_NEW:]))
    assert np.square(again - X[-N_NEW:]).sum() < 0.02 * np.square(X[-N_NEW:] - X.mean(axis=0)).sum()


def test_a_short_circuit_lowers_the_bound(roll):
    method, X, _ = roll
    X, t = X[:-N_NEW], short_roll(len(X))[2][:-N_NEW]
    D = np.linalg.norm(X[:, None] - X, axis=2) + 100 * (np.abs(t[:, None] - t) < 5)
    i, j = np.unravel_index(np.argmin(D), D.shape)
    wrong = clone(method).set_params(graph=edited(method.graph_, added=[(i, j)])).fit(X)
    assert wrong.graph_.sum() == method.graph_.sum() + 2
    assert wrong.lower_bound_ < method.lower_bound_


def test_parts_of_the_graph_are_joined_by_bridges():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 3)), 50 + rng.normal(size=(20, 3))])
    method = LLLVM(4, max_iter=5).fit(X)
    assert np.linalg.matrix_rank(method._model.graph.laplacian.toarray()) == 39
    assert method.graph_[:20, 20:].sum() == 1
    alone = edited(
        method.graph_, removed=zip(*np.nonzero(np.triu(np.kron([[0, 1], [0, 0]], np.ones((20, 20))))), strict=True)
    )
    with pytest.raises(ValueError, match="falls into 2 parts"):
        LLLVM(4, graph=alone).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize("init", ["spectral", "random"])
def test_what_is_held_stays(likelihood, init):
    X, _ = make_swiss_roll(60, random_state=1)
    common = {"likelihood": likelihood, "init": init, "alpha": 0.01, "tol": 0}
    method = LLLVM(8, beta=2.0, max_iter=20, **common).fit(X)
    assert (method.alpha_, method.beta_) == (0.01, 2.0)
    assert (np.diff(method.lower_bounds_) > -1e-10 * np.abs(method.lower_bounds_).max()).all()
    # What is learned besides has a higher bound, with which there is nothing left to learn.
    learned = LLLVM(8, max_iter=200, **common).fit(X)
    again = LLLVM(8, beta=learned.beta_, max_iter=200, **common).fit(X)
    assert learned.lower_bound_ > method.lower_bound_
    assert again.lower_bound_ == pytest.approx(learned.lower_bound_, rel=1e-2)


def test_of_several_starts_the_one_of_the_highest_bound_is_kept(likelihood):
    X, _ = make_swiss_roll(60, random_state=1)
    settings = {"likelihood": likelihood, "init": "random", "max_iter": 6, "tol": 0}
    seen = []
    kept = LLLVM(6, n_init=4, callback=lambda state: seen.append(state.objective), **settings).fit(X)
    rng = np.random.default_rng(0)
    alone = [LLLVM(6, random_state=rng, **settings).fit(X) for _ in range(4)]
    bounds = [one.lower_bound_ for one in alone]
    assert len(set(bounds)) == 4
    best = alone[int(np.argmax(bounds))]
    np.testing.assert_array_equal(kept.embedding_, best.embedding_)
    np.testing.assert_array_equal(kept.lower_bounds_, best.lower_bounds_)
    assert (kept.n_iter_, kept.lower_bound_) == (6, max(bounds))
    # What is shown, and kept where it is stopped, is the best so far.
    assert len(seen) == 24
    assert (np.diff(seen) >= 0).all()


def test_starts_that_are_not_random_are_one():
    X, _ = make_swiss_roll(60, random_state=1)
    seen = []
    several = LLLVM(6, n_init=3, max_iter=3, tol=0, callback=lambda state: seen.append(state.iteration)).fit(X)
    np.testing.assert_array_equal(several.embedding_, LLLVM(6, max_iter=3, tol=0).fit(X).embedding_)
    assert seen == [1, 2, 3]


def test_stopping_keeps_the_last_state():
    X, _ = make_swiss_roll(60, random_state=1)
    method = LLLVM(8, callback=lambda state: state.iteration == 4).fit(X)
    longer = LLLVM(8, max_iter=4, tol=0).fit(X)
    assert method.n_iter_ == 4
    np.testing.assert_array_equal(method.embedding_, longer.embedding_)
    np.testing.assert_array_equal(method.variances_, longer.variances_)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"alpha": -1.0}, "alpha, how strongly positions are drawn to the centre, is -1.0"),
        ({"alpha": "auto"}, "alpha, how strongly positions are drawn to the centre, is 'auto'"),
        ({"beta": 0}, "beta, how similar the linear maps of neighbours are, is 0"),
        ({"init": "pca"}, "init is 'pca'"),
        ({"likelihood": "normal"}, "likelihood is 'normal'"),
        ({"n_init": 0}, "n_init (starts), the number of random starts, is 0"),
        ({"tol": -1}, "tol, the change of the lower bound"),
        ({"graph": np.ones((3, 3))}, "graph has the shape (3, 3), but X has 60 rows"),
        ({"graph": "zzz"}, "graph must be an array of 60 x 60 numbers, dense or sparse, or None, but is 'zzz'."),
        ({"graph": sp.csr_array((60, 60))}, "falls into 60 parts"),
    ],
)
def test_bad_parameters_are_said_in_a_sentence(settings, says):
    X, _ = make_swiss_roll(60, random_state=1)
    with pytest.raises(ValueError, match=re.escape(says)):
        LLLVM(**settings).fit(X)


def test_too_many_rows_are_said_in_a_sentence():
    for likelihood, most in (("normalised", 3000), ("paper", 5000)):
        with pytest.raises(ValueError, match=re.escape("(LLLVM) counts every pair of rows")) as refused:
            LLLVM(likelihood=likelihood).fit(np.random.default_rng(0).normal(size=(most + 1, 2)))
        assert f"up to {most} rows" in str(refused.value)
    with pytest.raises(ValueError, match="positions on this map must be finite numbers in 2 columns"):
        LLLVM(max_iter=1).fit(np.random.default_rng(0).normal(size=(30, 2))).inverse_transform(np.ones((3, 1)))


def test_more_columns_than_memory_takes_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr("latentmap.methods.lllvm.lllvm.MOST_SLOPES", 60 * 20 * 2 - 1)
    X = np.random.default_rng(0).normal(size=(60, 20))
    with pytest.raises(ValueError, match="principal components"):
        LLLVM(5).fit(X)


@pytest.mark.slow
def test_a_map_that_collapses_is_told_of(recwarn):
    noise = np.random.default_rng(0).normal(size=(60, 5))
    method = LLLVM()
    with pytest.warns(
        DataWarning, match=r"collapsed: all 60 rows lie at one point, since its width is .*e-\d+, down from 2"
    ):
        method.fit(noise)
    assert np.ptp(method.embedding_) < 1e-6
    recwarn.clear()
    LLLVM(max_iter=2).fit(noise)
    assert not recwarn.list
