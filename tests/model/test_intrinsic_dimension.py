"""The intrinsic dimension of a table, and the tails of its map that follow from it."""

import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import NearestNeighbors

from latentmap import DETAIL, LVM
from latentmap.model.data_warnings import DataWarning
from latentmap.model.intrinsic_dimension import intrinsic_dimension


def distances(X, k=10):
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors()[0]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_points_spread_evenly_have_the_dimension_of_their_space(d):
    """Those at the edges of it have fewer neighbours, and lower it."""
    X = np.random.default_rng(0).uniform(size=(4000, d))
    assert 0.8 * d < intrinsic_dimension(distances(X)) <= 1.02 * d


def test_it_is_that_of_the_surface_whatever_is_around_it():
    X = np.random.default_rng(0).uniform(size=(3000, 2))
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(50, 50)))[0]
    wide = np.hstack([X, np.zeros((3000, 48))]) @ rotation
    np.testing.assert_allclose(intrinsic_dimension(distances(wide)), intrinsic_dimension(distances(X)))


def test_neither_units_nor_copies_of_rows_change_it():
    X = np.random.default_rng(0).normal(size=(1000, 4))
    known = intrinsic_dimension(distances(X))
    np.testing.assert_allclose(intrinsic_dimension(1e-9 * distances(X)), known)
    twice = intrinsic_dimension(distances(np.repeat(X, 2, axis=0), 20))
    assert abs(twice - known) < 0.15 * known


def test_distances_that_say_nothing_are_of_no_dimension():
    assert intrinsic_dimension(np.ones((50, 10))) == np.inf
    assert intrinsic_dimension(np.zeros((50, 10))) == np.inf
    assert intrinsic_dimension(np.arange(6.0).reshape(2, 3)) == np.inf
    assert intrinsic_dimension(np.full((50, 10), np.inf)) == np.inf


@pytest.mark.parametrize(("name", "expected"), [("roll", 8), ("cube", 4), ("cloud", 2)])
def test_the_tails_follow_from_it(name, expected):
    rng = np.random.default_rng(0)
    X = {
        "roll": make_swiss_roll(500, random_state=0)[0],
        "cube": rng.uniform(size=(500, 3)),
        "cloud": rng.normal(size=(500, 20)),
    }[name]
    lvm = LVM(dof="intrinsic", max_iter=3).fit(X)
    assert lvm.dof_ == expected
    assert lvm.n_levels_ == 0
    same = LVM(dof=float(expected), max_iter=3).fit_transform(X)
    np.testing.assert_array_equal(lvm.embedding_, same)


@pytest.mark.parametrize("parameters", [{"n_components": 3}, {"n_components": 1}, {"n_levels": 1}, {"solver": "em"}])
def test_elsewhere_than_in_the_plane_the_tails_are_those_of_the_dimensions(parameters):
    X = np.random.default_rng(0).uniform(size=(120, 2))
    lvm = LVM(dof="intrinsic", max_iter=3, **parameters).fit(X)
    assert lvm.dof_ == parameters.get("n_components", 2)


@pytest.mark.slow
def test_detail_keeps_more_neighbours_where_the_table_has_few_dimensions():
    """Of a cube and a sheet, maps with tails as heavy as the dimensions kept .68 and .77 of them."""
    X = make_swiss_roll(1500, random_state=0)[0]
    near = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(return_distance=False)

    def recall(**parameters):
        Y = LVM(**{**DETAIL, **parameters}).fit_transform(X)
        kept = NearestNeighbors(n_neighbors=10).fit(Y).kneighbors(return_distance=False)
        return np.mean([len({*a} & {*b}) / 10 for a, b in zip(near, kept, strict=True)])

    assert recall() > recall(dof="auto") + 0.03


def test_new_rows_are_placed_by_the_same_tails():
    X = np.random.default_rng(0).uniform(size=(600, 3))
    lvm = LVM(**{**DETAIL, "max_iter": 200}).fit(X[:500])
    assert lvm.dof_ == 4
    near = NearestNeighbors(n_neighbors=1).fit(X[:500]).kneighbors(X[500:], return_distance=False)[:, 0]
    placed = lvm.transform(X[500:])
    apart = np.linalg.norm(placed - lvm.embedding_[near], axis=1)
    usual = np.linalg.norm(lvm.embedding_ - lvm.embedding_.mean(axis=0), axis=1)
    assert np.median(apart) < 0.1 * np.median(usual)


def test_rows_that_are_copies_but_for_rounding_do_not_lower_it():
    """The logarithm of a distance near 0 would outweigh all others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 10))
    known = intrinsic_dimension(distances(X))
    nearly = np.repeat(X, 3, axis=0) * (1 + 1e-6 * rng.normal(size=(1200, 10)))
    assert abs(intrinsic_dimension(distances(nearly)) - known) < 0.3 * known
    assert LVM(10, dof="intrinsic", max_iter=2).fit(nearly).dof_ == 2


@pytest.mark.filterwarnings("ignore:.* duplicates")
def test_copies_that_a_metric_puts_apart_by_rounding_do_not_lower_it():
    X = np.repeat(np.random.default_rng(0).normal(size=(400, 10)), 3, axis=0)
    lvm = LVM(10, dof="intrinsic", metric="correlation", max_iter=2).fit(X)
    assert 0 < lvm.neighbors_.distances[lvm.neighbors_.distances > 0].min() < 1e-12
    assert lvm.dof_ == 2


def directions(n, d):
    X = np.random.default_rng(0).normal(size=(n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize(("d", "dof"), [(3, 8), (4, 4), (10, 2)])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "sqeuclidean"])
def test_it_is_the_same_by_distances_that_are_squares(metric, d, dof):
    """The cosine distance of directions is half their squared distance."""
    assert LVM(10, dof="intrinsic", metric=metric, max_iter=2).fit(directions(600, d)).dof_ == dof


@pytest.mark.filterwarnings("ignore:.* are duplicates")
def test_it_is_said_if_copies_hide_it():
    """With more than half as many copies as neighbours, all others are equally far."""
    X = np.random.default_rng(0).uniform(size=(60, 2))
    with pytest.warns(DataWarning, match="copies or equally far.*dof is 2"):
        assert LVM(10, dof="intrinsic", max_iter=2).fit(np.repeat(X, 7, axis=0)).dof_ == 2


def test_nothing_is_said_where_it_is_known_or_not_asked_for(recwarn):
    X = np.random.default_rng(0).uniform(size=(60, 2))
    LVM(10, dof="intrinsic", max_iter=2).fit(X)
    LVM(3, dof="intrinsic", max_iter=2).fit(X)
    LVM(10, max_iter=2).fit(np.repeat(X, 7, axis=0))
    assert not [warning for warning in recwarn if "intrinsic" in str(warning.message)]
