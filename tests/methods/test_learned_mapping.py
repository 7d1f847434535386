"""The mapping learned from rows and their places."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from latentmap.methods import Isomap, LearnedMapping
from latentmap.methods.learned_mapping import REGRESSORS


@pytest.mark.slow
@parametrize_with_checks([LearnedMapping(name, n_neighbors=2) for name in ("neighbors", "kernel")])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def unrolled():
    X, _ = make_swiss_roll(1000, random_state=0)
    return X, Isomap(12).fit_transform(X)


@pytest.mark.slow
@pytest.mark.parametrize("regressor", [*REGRESSORS, RandomForestRegressor(random_state=0)], ids=str)
def test_rows_that_were_held_out_come_near_their_places(regressor, unrolled):
    X, places = unrolled
    found = LearnedMapping(regressor).fit(X[:800], places[:800]).transform(X[800:])
    left = np.square(found - places[800:]).sum() / np.square(places[800:] - places.mean(axis=0)).sum()
    assert left < 0.05


def test_neighbours_put_rows_of_the_map_back(unrolled):
    X, places = unrolled
    np.testing.assert_allclose(LearnedMapping().fit(X, places).transform(X), places, atol=1e-9)


@pytest.mark.parametrize("regressor", REGRESSORS)
def test_a_batch_is_placed_as_its_rows_alone_are(regressor, unrolled):
    X, places = unrolled
    mapping = LearnedMapping(regressor).fit(X[:200], places[:200])
    alone = np.vstack([mapping.transform(row[None]) for row in X[900:910]])
    np.testing.assert_allclose(mapping.transform(X[900:910]), alone, rtol=1e-9, atol=1e-9)


def test_rows_without_a_place_teach_nothing(unrolled):
    X, places = unrolled
    holes = places.copy()
    holes[100:] = np.nan
    np.testing.assert_array_equal(
        LearnedMapping().fit(X, holes).transform(X), LearnedMapping().fit(X[:100], places[:100]).transform(X)
    )


@pytest.mark.parametrize(
    ("settings", "places", "says"),
    [
        ({"regressor": "tree"}, np.ones((150, 2)), "regressor is 'tree'"),
        ({"regressor": LogisticRegression()}, np.ones((150, 2)), "or a scikit-learn regressor"),
        ({}, np.ones((3, 2)), "The positions have the shape (3, 2), but X has 150 rows"),
        ({}, None, "Give the positions of the rows"),
        ({"n_neighbors": 0}, np.ones((150, 2)), "n_neighbors (k), the neighbours of each row, is 0"),
    ],
)
def test_bad_input_is_said_in_a_sentence(settings, places, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        LearnedMapping(**settings).fit(load_iris().data, places)
