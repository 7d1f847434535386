"""New rows on a finished map."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from reference import em as reference
from reference import scales
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer

from latentmap import LVM
from latentmap.model.inputs import Neighbors
from latentmap.model.out_of_sample import place_points
from latentmap.model.workers import Workers

DOFS = [np.inf, 2]
SETTINGS = [
    pytest.param(setting, marks=[pytest.mark.slow] if "em" in setting else [])
    for setting in product(["ascent", "em"], [0, 1, 2], [1, 2], DOFS)
]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, train_size=700, test_size=300, random_state=0, stratify=y)


@pytest.fixture(scope="module", params=SETTINGS, ids=lambda setting: "{}, l={}, s={}, dof={}".format(*setting))
def placed(request, digits):
    """A map of some digits, and others placed on it."""
    solver, n_levels, n_steps, dof = request.param
    X, X_new, _, _ = digits
    paper = {"solver": "em", "repulsion": 1.0, "similarity_scale": 1.0, "init": "spectral"}
    model = paper if solver == "em" else {}
    lvm = LVM(9, n_steps, n_levels, **model, dof=dof, max_iter=100).fit(X)
    assert lvm.n_levels_ == n_levels
    return lvm, *lvm.transform_with_variances(X_new)


def test_new_rows_lie_among_those_of_their_class(placed, digits):
    lvm, embedding, variances = placed
    X, X_new, y, y_new = digits
    on_the_map = KNeighborsClassifier(9).fit(lvm.embedding_, y)
    accuracy = on_the_map.score(embedding, y_new)
    old_neighbors = on_the_map.kneighbors(return_distance=False)  # of each row, without itself
    accuracy_of_old = np.mean([np.bincount(y[near]).argmax() for near in old_neighbors] == y)
    assert accuracy > accuracy_of_old - 0.05
    assert accuracy > KNeighborsClassifier(9).fit(X, y).score(X_new, y_new) - 0.07
    assert np.isfinite(embedding).all()
    assert (variances > 0).all()


def test_many_at_once_are_placed_as_one_by_one(placed, digits):
    lvm, embedding, variances = placed
    X_new = digits[1]
    for i in (0, 7, 123, 299):
        alone = lvm.transform_with_variances(X_new[i : i + 1])
        np.testing.assert_array_equal(alone[0], embedding[[i]])
        np.testing.assert_array_equal(alone[1], variances[[i]])
    backwards = lvm.transform(X_new[59::-1])
    np.testing.assert_array_equal(backwards[::-1], embedding[:60])


def test_rows_of_the_map_stay_in_their_places(placed, digits):
    lvm, _, _ = placed
    embedding, variances = lvm.transform_with_variances(digits[0])
    np.testing.assert_array_equal(embedding, lvm.embedding_)
    np.testing.assert_array_equal(variances, lvm.variances_)


def test_the_map_does_not_move(placed, digits):
    lvm, embedding, _ = placed
    before = lvm.embedding_.copy()
    np.testing.assert_array_equal(lvm.transform(digits[1][:60]), embedding[:60])
    np.testing.assert_array_equal(lvm.embedding_, before)


def test_a_row_moved_very_little_moves_very_little_on_the_map(placed, digits):
    # Not so for each: what changes is whether its neighbours would count it among theirs.
    lvm, _, _ = placed
    X = digits[0][:200]
    moved = lvm.transform(X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape))
    shift = np.linalg.norm(moved - lvm.embedding_[:200], axis=1)
    extent = np.linalg.norm(lvm.embedding_ - lvm.embedding_.mean(axis=0), axis=1).mean()
    assert np.median(shift) < 0.05 * extent
    assert np.quantile(shift, 0.95) < 0.25 * extent


@pytest.mark.slow
@pytest.mark.parametrize(("n", "n_levels"), [(1000, None), (1001, 1), (1600, 1)])
def test_on_a_large_map_landmarks_lead_new_rows_to_their_positions(n, n_levels):
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, train_size=n, test_size=150, random_state=0, stratify=y)
    lvm = LVM(random_state=0).fit(X)
    on_the_map = KNeighborsClassifier(9).fit(lvm.embedding_, y)
    assert on_the_map.score(lvm.transform(X_new), y_new) > 0.95
    frozen = lvm._solution.frozen
    assert frozen.coarse.n_levels == 0
    assert (frozen.guide and frozen.guide.coarse.n_levels) == n_levels


# With a smaller budget, 1600 rows get landmarks alone, as more than 4472 do with the usual one.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "pair_budget", "least"), [(400, 20_000_000, 0.6), (1600, 20_000_000, 0.6), (1600, 10**6, 0.3)]
)
def test_variances_of_new_rows_compare_with_those_of_the_map(n, pair_budget, least):
    X = load_digits().data[:n]
    lvm = LVM(random_state=0, pair_budget=pair_budget).fit(X)
    rows = np.arange(1, n, 7)
    near = lvm.neighbors_
    with Workers(2) as workers:
        variances = place_points(lvm._solution.frozen, Neighbors(near.indices[rows], near.distances[rows]), workers)[1]
    ratio = variances / lvm.variances_[rows]
    assert 0.8 < np.median(ratio) < 1.25
    assert spearmanr(variances, lvm.variances_[rows]).statistic > least


class OneMore:
    """The literal terms of the likelihood that one new row adds to a map without levels and with s = 1."""

    def __init__(self, lvm, X, x, n_neighbors):
        n = len(X)
        dist = cdist(X, X)
        np.fill_diagonal(dist, np.inf)
        by_rank = np.sort(dist, axis=1)[:, :n_neighbors]
        way = cdist(x[None], X)[0]
        neighbors = np.argsort(way)[:n_neighbors]
        mutual = neighbors[way[neighbors] <= by_rank[neighbors, -1]]
        near = np.union1d(mutual, neighbors[: max(1, lvm.min_neighbors_)])

        E = lvm.graph_.toarray() > 0
        c = scales.calibration(lvm.dof)
        # Half of the exponent for either row.
        usual = np.median(by_rank.mean(axis=1))
        widths = (by_rank.mean(axis=1) / usual) ** (lvm.local_scaling / 2)
        length = way / widths / (way[neighbors].mean() / usual) ** (lvm.local_scaling / 2)
        lengths = dist / np.outer(widths, widths)
        self.S, self.D = np.zeros((2, n + 1, n + 1))
        self.S[n, near] = E.sum() / n / len(near) if lvm.row_normalized else 1
        self.S[mutual, n] = E.sum() / n / E.sum(axis=1)[mutual] if lvm.row_normalized else 1
        # Among the old rows each pair is either similar or dissimilar, and the sums are made equal.
        repulsion = E.sum() / (n * (n - 1) - E.sum())
        self.D[n, :n] = self.D[:n, n] = repulsion
        self.D[n, near] = self.D[mutual, n] = 0
        self.delta2, self.Delta2 = np.full((2, n + 1, n + 1), np.nan)
        self.delta2[n, :n] = self.delta2[:n, n] = (lvm.similarity_scale_ * length) ** 2 / c
        self.Delta2[n, :n] = length[near].max() ** 2 / c
        self.Delta2[:n, n] = np.where(E, np.where(E, lengths, 0), 0).max(axis=1) ** 2 / c
        self.lvm = lvm

    def log_likelihood(self, mu, variance):
        lvm = self.lvm
        return reference.log_likelihood(
            np.vstack([lvm.embedding_, mu]),
            np.append(lvm.variances_, variance),
            self.S,
            self.D,
            self.delta2,
            self.Delta2,
            lvm.dof,
        )


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("weights", [{"min_neighbors": 0, "row_normalized": False, "local_scaling": 0.0}, {}], ids=str)
def test_a_new_row_climbs_its_own_likelihood_and_rests_at_the_top(weights, dof, tied):
    rng = np.random.default_rng(5)
    X, X_new = rng.standard_normal((60, 5)), rng.standard_normal((6, 5))
    model = {"solver": "em", "repulsion": 1.0, "init": "spectral"}
    lvm = LVM(6, 1, 0, **model, **weights, dof=dof, max_iter=60, tied_variances=tied, momentum=0).fit(X)
    finished = lvm._solution.frozen
    problems = [OneMore(lvm, X, x, 6) for x in X_new]
    values = []
    for n_iter in (1, 2, 5, 20, 100, 3000):
        vars(lvm._solution)["frozen"] = replace(finished, state=replace(finished.state, iteration=n_iter))
        places = list(zip(problems, *lvm.transform_with_variances(X_new), strict=True))
        values.append([problem.log_likelihood(mu, variance) for problem, mu, variance in places])
    assert np.diff(values, axis=0).min() > -1e-9
    assert np.diff(values, axis=0).max(axis=1)[0] > 1e-3
    for problem, mu, variance in places:
        best = minimize(lambda y, p=problem, v=variance: -p.log_likelihood(y, v), mu, method="Nelder-Mead")
        assert -best.fun - problem.log_likelihood(mu, variance) < 1e-3
        if tied:
            assert variance == lvm.variances_[0]


def normal(n, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 20))


@pytest.mark.parametrize("n_levels", [0, 1])
def test_distances_place_rows_where_their_vectors_do(n_levels):
    X, X_new = normal(120), normal(15, seed=1)
    settings = {"n_levels": n_levels, "max_iter": 20, "init": "spectral"}
    by_vectors = LVM(**settings).fit(X)
    by_distances = LVM(**settings, metric="precomputed").fit(cdist(X, X))
    extent = np.abs(by_vectors.embedding_).max()
    np.testing.assert_allclose(by_distances.embedding_, by_vectors.embedding_, atol=1e-6 * extent)
    np.testing.assert_allclose(by_distances.transform(cdist(X_new, X)), by_vectors.transform(X_new), atol=1e-4 * extent)


@pytest.mark.parametrize("n_levels", [0, 1])
def test_a_graph_of_distances_places_new_rows(n_levels):
    X, X_new = normal(120), normal(15, seed=1)
    transformer = KNeighborsTransformer(mode="distance", n_neighbors=12).fit(X)
    lvm = LVM(9, n_levels=n_levels, max_iter=20, metric="precomputed").fit(transformer.transform(X))
    embedding = lvm.transform(transformer.transform(X_new))
    dense = LVM(9, n_levels=n_levels, max_iter=20, init="spectral").fit(X)
    if n_levels == 0:  # with levels the ways to the landmarks differ: along the graph, they are longer
        np.testing.assert_allclose(embedding, dense.transform(X_new), atol=1e-4 * np.abs(dense.embedding_).max())
    assert np.isfinite(embedding).all()
    np.testing.assert_array_equal(lvm.transform(transformer.transform(X)), lvm.embedding_)


def test_distances_to_all_rows_are_asked_for_where_only_the_largest_part_was_kept():
    X = np.concatenate([normal(40), 100 + normal(25, seed=2)])
    shuffled = np.random.default_rng(0).permutation(65)
    X = X[shuffled]
    with pytest.warns(UserWarning, match="2 parts"):
        by_distances = LVM(5, metric="precomputed", connect="largest", max_iter=20, init="spectral").fit(cdist(X, X))
    with pytest.warns(UserWarning, match="2 parts"):
        by_vectors = LVM(5, connect="largest", max_iter=20, init="spectral").fit(X)
    kept = np.flatnonzero(shuffled < 40)
    X_new = X[kept] + 0.01
    extent = np.abs(by_vectors.embedding_[kept]).max()
    expected = by_vectors.transform(X_new)
    np.testing.assert_allclose(by_distances.transform(cdist(X_new, X)), expected, atol=1e-4 * extent)
    np.testing.assert_array_equal(by_vectors.transform(X[kept]), by_vectors.embedding_[kept])


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "correlation", "sqeuclidean", "chebyshev"])
def test_rows_of_the_map_stay_in_their_places_by_any_metric(metric):
    X = normal(120)
    lvm = LVM(metric=metric, max_iter=10).fit(X)
    np.testing.assert_array_equal(lvm.transform(X), lvm.embedding_)
    np.testing.assert_array_equal(lvm.transform(X[17:18]), lvm.embedding_[17:18])


@pytest.mark.parametrize("metric", ["manhattan", "cosine", lambda x, y: np.abs(x - y).max()])
def test_many_at_once_are_placed_as_one_by_one_by_any_metric(metric):
    X, X_new = normal(120), normal(15, seed=1)
    lvm = LVM(metric=metric, max_iter=10).fit(X)
    together = lvm.transform(X_new)
    np.testing.assert_array_equal(np.concatenate([lvm.transform(row[None]) for row in X_new]), together)


def test_a_copy_of_a_copied_row_takes_a_place_that_one_of_them_has():
    X = np.repeat(normal(50), 2, axis=0)
    with pytest.warns(UserWarning, match="duplicates"):
        lvm = LVM(max_iter=10).fit(X)
    embedding = lvm.transform(X[::2])
    assert ((embedding == lvm.embedding_[::2]) | (embedding == lvm.embedding_[1::2])).all()


def test_a_row_far_from_all_others_finds_a_finite_place_and_is_uncertain():
    X = normal(120)
    lvm = LVM(max_iter=50).fit(X)
    embedding, variances = lvm.transform_with_variances(np.full((1, 20), 1e3))
    assert np.isfinite(embedding).all()
    assert variances[0] > np.median(lvm.variances_)


def test_other_parameters_set_after_the_fit_do_not_change_the_map():
    X, X_new = normal(120), normal(15, seed=1)
    lvm = LVM(max_iter=10).fit(X)
    expected = lvm.transform(X_new)
    lvm.set_params(n_neighbors=3, n_steps=2, metric="manhattan")
    np.testing.assert_array_equal(lvm.transform(X_new), expected)


def test_no_new_rows_are_refused_as_scikit_learn_does():
    lvm = LVM(max_iter=5).fit(normal(60))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        lvm.transform(np.empty((0, 20)))
