"""A sentinel among the values of a feature is told, whatever it is scaled by."""

import numpy as np
import pytest

from latentmap.table.placeholders import placeholders


def column(seed=0, n=300):
    return np.random.default_rng(seed).lognormal(size=n)


@pytest.mark.parametrize("value", [-9999.0, 65535.0, 2.0**32 - 1, -1e20])
@pytest.mark.parametrize("count", [1, 40])
def test_a_value_far_beyond_all_others_is_told(value, count):
    X = np.column_stack([column(), column(1)])
    X[:count, 1] = value
    (said,) = placeholders(X, ["area", "DNA"])
    assert said.startswith(f"{count} of 300 cells ha{'s' if count == 1 else 've'} {value:.10g} in DNA")


def test_two_of_them_in_one_feature_are_both_told():
    X = column()
    X[3], X[8] = -9999, 9999
    said = " ".join(placeholders(X[:, None], ["DNA"]))
    assert "-9999 in DNA" in said
    assert " 9999 in DNA" in said


@pytest.mark.parametrize("value", [65535.0, 99999.0, -99999.0])
@pytest.mark.parametrize("count", [1, 40])
def test_what_mostly_stands_for_a_missing_value_is_told_nearer_by(value, count):
    X = np.random.default_rng(0).uniform(0, 5000, size=(300, 1)).round()
    X[:count] = value
    (said,) = placeholders(X, ["DNA"])
    assert f"{value:.10g} in DNA" in said
    X[:count] = 0.9 * value
    assert placeholders(X, ["DNA"]) == []


@pytest.mark.parametrize(
    "usual",
    [
        column(),
        np.exp(2 * np.random.default_rng(0).normal(size=5000)),
        np.random.default_rng(0).poisson(0.1, size=3000).astype(float),
        np.r_[np.zeros(500), 1.0],
        np.full(20, 3.0),
        np.full(20, np.nan),
        np.minimum(40_000 * column(n=5000), 65535),
        np.arange(1000.0),
    ],
    ids=["log-normal", "heavy tails", "counts", "one in many", "constant", "empty", "saturated", "numbered"],
)
def test_of_usual_values_nothing_is_said(usual):
    assert placeholders(usual[:, None], ["DNA"]) == []


def test_most_cells_may_have_it():
    X = column()[:, None]
    X[:180] = -9999
    (said,) = placeholders(X, ["nuclear area"])
    assert said.startswith("180 of 300 cells have -9999 in nuclear area")


def test_minus_one_among_distances_or_counts_is_told():
    X = np.abs(np.random.default_rng(0).normal(20, 9, size=(300, 1)))
    X[::3] = -1
    (said,) = placeholders(X, ["distance"])
    assert said.startswith("100 of 300 cells have -1 in distance")


@pytest.mark.parametrize(
    "usual",
    [np.tile([-1.0, 0, 1], 50), np.arange(-1.0, 90), np.r_[-1.0, -1, -0.5, np.arange(40.0)], np.full(30, -1.0)],
    ids=["signs", "once", "below 0", "constant"],
)
def test_minus_one_among_others_is_a_number(usual):
    assert placeholders(usual[:, None], ["DNA"]) == []
