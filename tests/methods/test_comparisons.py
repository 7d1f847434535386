"""Comparisons of cells, the likelihood of a map under them, and the maps made from them."""

import re

import numpy as np
import pandas as pd
import pytest
from reference import comparisons as reference
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from latentmap import DataWarning
from latentmap.methods import ComparisonEmbedding, Comparisons
from latentmap.methods.comparisons.cost import ComparisonCost
from latentmap.methods.descent import QuasiNewton, descend


def mixed(n=12, seed=0):
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(n, 4, replace=False) for _ in range(30)])
    return (
        Comparisons.from_triplets(rows[:10, :3])
        + Comparisons.from_quadruplets(rows[10:20])
        + Comparisons.from_pairs(rows[20:25, :2], rows[25:, :2])
    )


def triplets_of(places, m, seed=0):
    """True triplets of points."""
    distances = squareform(pdist(places))
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(len(places), 3, replace=False) for _ in range(m)])
    i, j, k = rows.T
    return np.where((distances[i, j] < distances[i, k])[:, None], rows, rows[:, [0, 2, 1]])


def of_classes(y, m, seed=0):
    """Triplets of which the first two have one class and the third another."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(y), (20 * m, 3))
    i, j, k = rows.T
    return rows[(y[i] == y[j]) & (y[i] != y[k]) & (i != j)][:m]


@pytest.mark.parametrize("dof", [1.0, 3.0, np.inf])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_cost_and_gradient_are_those_of_the_paper(d, dof):
    said = mixed()
    Y = np.random.default_rng(1).normal(size=(12, d))
    cost, gradient = ComparisonCost(said, 12, dof).cost(Y)
    np.testing.assert_allclose(cost, reference.cost(Y, said.quadruplets, dof), rtol=1e-12)
    slopes = approx_fprime(Y.ravel(), lambda y: reference.cost(y.reshape(Y.shape), said.quadruplets, dof), 1e-7)
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=2e-5)


def test_pairs_are_held_against_the_unit_of_the_map():
    said = Comparisons.from_pairs(similar=[[0, 1]], dissimilar=[[0, 2]])
    for end, agrees in ((2.0, 1.0), (0.9, 0.5)):
        assert said.accuracy(np.array([[0.0], [0.5], [end]])) == agrees


def test_comparisons_among_some_rows_are_those_of_these_rows():
    said, kept = mixed(), np.array([7, 1, 4, 9, 3, 0, 11])
    places = np.random.default_rng(2).normal(size=(12, 2))
    among = said.among(kept)
    whole = said.take(np.isin(said.quadruplets, [*kept, -1]).all(axis=1))
    assert 0 < len(among) == len(whole) < len(said)
    assert among.accuracy(places[kept]) == whole.accuracy(places)
    assert reference.cost(places[kept], among.quadruplets, 1.0) == reference.cost(places, whole.quadruplets, 1.0)


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.9])
def test_the_cost_never_rises(weight):
    X, y = load_iris(return_X_y=True)
    method = ComparisonEmbedding(feature_weight=weight, tol=0, max_iter=60).fit(X, of_classes(y, 500))
    assert method.costs_[-1] < method.costs_[0]
    assert (np.diff(method.costs_) <= 0).all()
    assert method.n_iter_ == len(method.costs_) - 1
    assert method.accuracy_ > 0.9


def test_the_cost_is_that_of_the_notes():
    X, y = load_iris(return_X_y=True)
    said = of_classes(y, 100)
    method = ComparisonEmbedding(feature_weight=0.7, held_out=0).fit(X, said)
    quadruplets = Comparisons.from_triplets(said).quadruplets
    likelihood = reference.cost(method.embedding_, quadruplets, 1.0)
    by_features = method._features.start(X) + method._features.basis(X) @ method._bends
    own = (method.embedding_ - by_features) / np.sqrt(0.1)
    penalty = 0.1 * 0.7 / 0.3 / 2 * (np.square(method._bends).sum() + np.square(own).sum())
    assert method.cost_ == pytest.approx(likelihood + penalty, rel=1e-9)


def test_comparisons_alone_give_back_the_geometry():
    true = np.random.default_rng(3).normal(size=(15, 2))
    said = triplets_of(true, 1500)
    one, other = (
        ComparisonEmbedding(feature_weight=0, dof=np.inf).fit(X, said)
        for X in (np.arange(15.0)[:, None], np.random.default_rng(4).normal(size=(15, 7)))
    )
    # The features do not count.
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
    assert one.held_out_accuracy_ > 0.95
    assert np.corrcoef(pdist(one.embedding_), pdist(true))[0, 1] > 0.95
    with pytest.raises(ValueError, match="feature_weight above 0"):
        one.transform(np.zeros((1, 1)))


def test_a_few_comparisons_move_cells_that_none_of_them_names():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    # The third column and the fourth tell the classes; noise as large as these hides them.
    X = np.column_stack([X - X.mean(axis=0), 2 * rng.normal(size=(150, 2))])
    named = rng.permutation(150)[:75]
    others = np.setdiff1d(np.arange(150), named)
    asked = Comparisons.from_triplets(of_classes(y, 3000, seed=7)).among(others)
    said = named[of_classes(y[named], 60)]
    before = ComparisonEmbedding(feature_weight=0.999).fit(X, said)
    after = ComparisonEmbedding(held_out=0).fit(X, said)
    assert np.isnan(after.held_out_accuracy_)
    assert asked.accuracy(after.embedding_[others]) > asked.accuracy(before.embedding_[others]) + 0.05


def test_with_a_weight_of_one_the_map_is_that_of_the_features():
    X, y = load_iris(return_X_y=True)
    said = of_classes(y, 50)
    rigid = ComparisonEmbedding(feature_weight=1).fit(X, said).embedding_
    centred = X - X.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:2]
    one, other = pdist(rigid), pdist(centred @ directions.T)
    np.testing.assert_allclose(one / one.max(), other / other.max(), atol=1e-5)


def test_a_fifth_of_the_comparisons_is_held_out_and_not_learned_from():
    X, y = load_iris(return_X_y=True)
    said = of_classes(y, 100)
    method = ComparisonEmbedding().fit(X, said)
    both = Comparisons.from_triplets(said).accuracy(method.embedding_)
    assert both == pytest.approx(0.8 * method.accuracy_ + 0.2 * method.held_out_accuracy_)
    # At random said comparisons can be learned by heart, but tell nothing of others.
    wrong = np.where(np.random.default_rng(0).random((100, 1)) < 0.5, said, said[:, [0, 2, 1]])
    fooled = ComparisonEmbedding(feature_weight=0.01).fit(X, wrong)
    assert fooled.accuracy_ > fooled.held_out_accuracy_ + 0.15
    assert np.isnan(ComparisonEmbedding().fit(X, said[:19]).held_out_accuracy_)


def test_pairs_and_quadruplets_are_learned_from():
    X, y = load_iris(return_X_y=True)
    rows = of_classes(y, 200)
    pairs = Comparisons.from_pairs(similar=rows[:, :2], dissimilar=rows[:, [0, 2]])
    quadruplets = np.column_stack([rows[:-1, :2], rows[1:, [0, 2]]])
    for said in (pairs, quadruplets):
        assert ComparisonEmbedding().fit(X, said).held_out_accuracy_ > 0.85


def test_stopping_keeps_the_last_state():
    X, y = load_iris(return_X_y=True)
    said = of_classes(y, 100)
    method = ComparisonEmbedding(callback=lambda state: state.iteration == 4).fit(X, said)
    assert method.n_iter_ == 4
    np.testing.assert_array_equal(method.embedding_, ComparisonEmbedding(max_iter=4, tol=0).fit(X, said).embedding_)


def test_rows_of_which_nothing_is_said_are_told_of():
    with pytest.warns(DataWarning, match="name 3 of 150 rows"):
        ComparisonEmbedding(feature_weight=0).fit(load_iris().data, [[0, 1, 100]])


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (None, "Give y as row numbers of X, counted from 0: three columns (i, j, k) mean"),
        ([[0, 1]], "Comparisons.from_pairs(similar, dissimilar)"),
        (np.zeros(149), "y has the shape (149,), which is not a shape of comparisons"),
        (np.zeros(150), "y names 1 class (0.0), but pairs need at least two classes"),
        (np.empty((0, 3)), "y holds no comparisons"),
        ([[0, 1, 150]], "y names row 150, but X has 150 rows, counted from 0 to 149"),
        ([[0, 1, 2], [3, 4, 4]], "1 of 2 comparisons compare a row with itself, or a pair with the same pair"),
        ([[0, 1, 1, 0]], "(the first is number 0, [0, 1, 1, 0])"),
        ([[0, 1, 2.5]], "Triplets contain 2.5, which are not"),
        ([[True, False, True]], "Triplets contain True, False, True, which are not"),
        ([["a", "b", "c"]], "which are not row numbers"),
        ([[0, -1, 2]], "negative row numbers"),
        ([[0, -1, 2, 3]], "negative row numbers"),
    ],
)
def test_what_are_no_comparisons_is_said_in_a_sentence(y, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        ComparisonEmbedding().fit(load_iris().data, y)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            {"feature_weight": 1.1},
            "feature_weight, the weight of the features, is 1.1; it must be a number from 0 to 1",
        ),
        ({"held_out": -0.1}, "held_out, the fraction held out of learning"),
        ({"dof": 0}, "dof, the degrees of freedom, is 0"),
        ({"tol": -1}, "tol, the change of the cost"),
    ],
)
def test_bad_parameters_are_said_in_a_sentence(settings, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        ComparisonEmbedding(**settings).fit(load_iris().data, [[0, 1, 2]])


def test_a_quasi_newton_descent_finds_the_bottom_of_a_narrow_valley():
    scales = np.geomspace(1, 100, 20)

    def valley(points):
        return float(scales @ np.square(points - 1)[:, 0]), 2 * scales[:, None] * (points - 1)

    *_, last = descend(valley, np.zeros((20, 1)), QuasiNewton(), max_iter=200, tol=0)
    np.testing.assert_allclose(last.points, 1, atol=1e-4)
    *_, slow = descend(valley, np.zeros((20, 1)), lambda _, slope: -slope / 200, max_iter=200, tol=0)
    assert last.cost < 1e-6 * slow.cost


def test_classes_say_which_cells_are_alike():
    X, y = load_iris(return_X_y=True)
    names = pd.Series(y).map({0: "setosa", 1: "versicolor", 2: None})
    said = Comparisons.from_classes(names, n_each=3)
    assert len(said) == 300
    row, like, again, unlike = said.quadruplets.T
    assert (row == again).all()
    assert (row != like).all()
    assert (y[row] == y[like]).all()
    assert ((y[row] != y[unlike]) & (y[unlike] < 2)).all()
    assert set(row) == set(range(100))
    by_classes, by_features = (ComparisonEmbedding(held_out=0).fit(X, one) for one in (y, said))
    assert by_classes.accuracy_ > 0.95
    assert by_features.accuracy_ > 0.95


def test_a_row_of_the_map_keeps_its_place():
    X, y = load_iris(return_X_y=True)
    method = ComparisonEmbedding(max_iter=20).fit(X, y)
    X, first = np.unique(X, axis=0, return_index=True)
    np.testing.assert_array_equal(method.transform(X), method.embedding_[first])


def test_a_gap_in_a_list_of_classes_is_no_class():
    classes = ["B", "T", float("nan"), "B", "T", np.nan]
    assert Comparisons.read(classes, 6).rows().tolist() == [0, 1, 3, 4]


def test_classes_without_a_class_are_no_comparisons():
    with pytest.raises(ValueError, match="y holds no comparisons"):
        ComparisonEmbedding().fit(np.eye(6), [np.nan] * 6)
