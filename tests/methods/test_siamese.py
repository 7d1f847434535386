"""A network learned from pairs: its gradient, its pairs, and what it learns."""

import re
from itertools import pairwise

import numpy as np
import pytest
from reference import siamese as reference
from scipy.optimize import approx_fprime
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier

from latentmap.methods import Siamese
from latentmap.methods.classes import read_classes
from latentmap.methods.siamese.network import Network, contrastive
from latentmap.methods.siamese.pairs import Drawn, Pairs
from latentmap.methods.siamese.siamese import _gradient


def problem(sizes=(4, 5, 3, 2), n=9, seed=0):
    rng = np.random.default_rng(seed)
    network = Network(sizes, rng)
    network.values += 0.1 * rng.normal(size=len(network.values))
    return network, rng.normal(size=(n, sizes[0]))


def layers_of(network, sizes):
    start, layers = 0, []
    for a, b in pairwise(sizes):
        whole = network.values[start : start + (a + 1) * b].reshape(a + 1, b)
        layers.append((whole[:-1], whole[-1]))
        start += (a + 1) * b
    return layers


@pytest.mark.parametrize("sizes", [(4, 5, 3, 2), (3, 6, 1), (2, 2)])
def test_a_network_is_neurons_added_up(sizes):
    network, X = problem(sizes)
    np.testing.assert_allclose(network.positions(X), reference.places(X, layers_of(network, sizes)), atol=1e-12)


def test_the_loss_and_its_gradient_are_those_of_the_paper():
    rng = np.random.default_rng(1)
    one, other, is_similar = rng.normal(size=(20, 2)), rng.normal(size=(20, 2)), rng.random(20) < 0.5
    value, gradient = contrastive(one, other, is_similar, 1.5)
    assert value == pytest.approx(reference.loss(one, other, is_similar, 1.5), rel=1e-12)
    for sign, points in ((1, one), (-1, other)):

        def cost(x, points=points):
            moved = x.reshape(points.shape)
            pair = (moved, other) if points is one else (one, moved)
            return reference.loss(*pair, is_similar, 1.5)

        np.testing.assert_allclose(sign * gradient.ravel(), approx_fprime(points.ravel(), cost, 1e-7), atol=1e-6)


def test_the_gradient_by_the_weights_is_that_of_finite_differences():
    network, X = problem()
    drawn = Drawn(np.arange(8), np.arange(1, 9), np.arange(8) % 2 == 0)
    start = network.values.copy()

    def cost(values):
        network.values = values
        places = network.positions(X)
        return reference.loss(places[drawn.one], places[drawn.other], drawn.is_similar, 1.0)

    slopes = approx_fprime(start, cost, 1e-7)
    network.values = start
    np.testing.assert_allclose(
        _gradient(network, X[drawn.one], X[drawn.other], drawn.is_similar, 1.0), slopes, atol=1e-6
    )


def test_a_dissimilar_pair_at_one_place_is_no_accident():
    value, gradient = contrastive(np.zeros((1, 2)), np.zeros((1, 2)), np.array([False]), 1.0)
    assert value == 0.5
    assert np.isfinite(gradient).all()


def test_pairs_are_of_one_class_or_of_two_and_else_of_neighbours_or_of_others():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 4, 60)
    among = np.arange(0, 60, 2)
    neighbors = rng.choice(among, (60, 5))
    drawn = Pairs(codes, among, neighbors).draw(np.repeat(np.arange(60), 20), rng)
    assert np.isin(drawn.other, among).all()
    assert (drawn.one != drawn.other).all()
    has_class = codes[drawn.one] >= 0
    a, b, similar = codes[drawn.one], codes[drawn.other], drawn.is_similar
    assert ((a == b) == similar)[has_class].all()
    assert (b[has_class] >= 0).all()
    near = (neighbors[drawn.one] == drawn.other[:, None]).any(axis=1)
    assert (near == similar)[~has_class].all()
    # Every pair that can be drawn is drawn.
    row = int(np.flatnonzero(codes == 1)[0])
    others = {other for other in among if codes[other] >= 0 and other != row}
    assert set(Pairs(codes, among, neighbors).draw(np.full(2000, row), rng).other.tolist()) == others


def test_names_numbers_and_gaps_are_read_as_classes():
    for y in (["a", "b", "", "a", None], [7, 3, -1, 7, np.nan], np.array(["a", "b", None, "a", ""], dtype=object)):
        assert read_classes(y, 5).tolist() == [0, 1, -1, 0, -1]
    assert read_classes([-1, -1], 2).tolist() == [-1, -1]


def test_a_gap_among_names_in_a_list_is_no_class():
    """NumPy makes the word "nan" of it, where all else is words."""
    assert read_classes(["a", "b", float("nan"), "a", np.nan], 5).tolist() == [0, 1, -1, 0, -1]
    assert read_classes([["a"], ["b"], [np.nan], ["a"]], 4).tolist() == [0, 1, -1, 0]


@pytest.mark.slow
def test_new_rows_are_told_apart_by_their_classes_better_than_by_principal_components():
    X, y = load_digits(return_X_y=True)
    one, other = np.arange(len(X)) % 3 > 0, np.arange(len(X)) % 3 == 0
    method = Siamese(max_iter=15).fit(X[one], y[one])
    assert method.held_out_auc_ > 0.95
    pca = PCA(2).fit(X[one])
    learned, linear = (
        KNeighborsClassifier(1).fit(map_.transform(X[one]), y[one]).score(map_.transform(X[other]), y[other])
        for map_ in (method, pca)
    )
    assert learned > 0.85 > 0.65 > linear
    np.testing.assert_allclose(method.transform(X[one]), method.embedding_, atol=1e-9)


@pytest.mark.slow
def test_without_classes_neighbours_stay_neighbours():
    method = Siamese(max_iter=15).fit(load_digits().data)
    assert method.held_out_auc_ > 0.9
    assert method.losses_[-1] < 0.2 * method.losses_[0]


@pytest.mark.slow
def test_rows_held_out_teach_nothing():
    X, y = load_digits(return_X_y=True)
    # Classes told at random can be learned by heart, but not of rows held out.
    told = np.random.default_rng(0).permutation(y)
    method = Siamese(max_iter=15).fit(X[:400], told[:400])
    assert method.losses_[-1] < 0.8 * method.losses_[1]
    assert 0.4 < method.held_out_auc_ < 0.6
    by_heart, blurred = (Siamese(max_iter=15, noise=noise).fit(X[:400], told[:400]).losses_ for noise in (0, 1))
    assert by_heart[-1] < 0.9 * blurred[-1]
    assert np.isnan(Siamese(max_iter=1, held_out=0).fit(X[:400], told[:400]).held_out_auc_)
    assert np.isnan(Siamese(max_iter=1).fit(X[:90], told[:90]).held_out_auc_)


def test_the_unit_of_a_table_does_not_matter():
    X, y = load_iris(return_X_y=True)
    one, other = (Siamese(max_iter=3).fit_transform(Z, y) for Z in (X, 1024 * X))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_stopping_keeps_the_last_epoch():
    X, y = load_iris(return_X_y=True)
    method = Siamese(callback=lambda state: state.iteration == 2).fit(X, y)
    assert method.n_iter_ == 2
    np.testing.assert_allclose(method.transform(X), method.embedding_, atol=1e-9)


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (np.zeros(10), "y holds 10 classes, but X has 150 rows"),
        (np.zeros(150), "y names 1 class (0.0), but pairs need at least two"),
        (np.where(np.arange(150) < 2, np.arange(150), -1), "y names 2 classes (0, 1), but pairs need at least two"),
    ],
)
def test_classes_that_make_no_pairs_are_told_of(y, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        Siamese().fit(load_iris().data, y)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"margin": 0}, "margin, the distance beyond which"),
        ({"n_hidden": 0}, "n_hidden (neurons), the neurons of each hidden layer, is 0"),
        ({"learning_rate": -1.0}, "learning_rate, the length of the first step, is -1.0"),
        ({"noise": -1}, "noise, the noise added to the features during learning, is -1"),
        ({"held_out": 1.0}, "held_out, the fraction held out of learning"),
    ],
)
def test_bad_parameters_are_said_in_a_sentence(settings, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        Siamese(**settings).fit(load_iris().data)


def test_a_fit_that_fails_spoils_no_map():
    X = load_iris().data
    method = Siamese(max_iter=2).fit(X)
    placed = method.transform(X)
    method.n_hidden = 10**9  # more than memory takes
    with pytest.raises(ValueError, match=r"GiB are free\. Lower n_hidden\."):
        method.fit(100 * X + 7)
    np.testing.assert_array_equal(method.transform(X), placed)


def test_k_does_not_count_where_all_have_a_class():
    X, y = load_iris(return_X_y=True)
    one, other = (Siamese(k, max_iter=2).fit(X, y) for k in (5, 149))
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
    assert one.held_out_auc_ == other.held_out_auc_


def test_too_few_held_out_are_told_of():
    X = load_iris().data[::5]
    assert Siamese(5, max_iter=2).fit(X).remarks() == ["Too few cells were held out to evaluate the network."]
    assert Siamese(5, max_iter=2, held_out=0).fit(X).remarks() == []
