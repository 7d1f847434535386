"""Stochastic neighbour embedding, with which the elastic embedding's figures are compared, against its equations."""

import importlib

import numpy as np
import pytest
from reference import elastic
from scipy.optimize import check_grad

from latentmap.model.workers import Workers


@pytest.fixture
def sne(pytestconfig, monkeypatch):
    """The module of benchmarks, which is not installed."""
    pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return importlib.import_module("benchmarks.elastic.sne")


def problem(d, n=13):
    rng = np.random.default_rng(d)
    P = rng.uniform(0.1, 1, (n, n)) * (1 - np.eye(n))
    return P / P.sum(axis=1, keepdims=True), rng.normal(size=(n, d)), rng.normal(size=(n, d))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_cost_is_the_paper_s_but_for_a_constant(sne, d):
    P, X, other = problem(d)
    cost = sne.Cost((P + P.T) / 2, Workers(2))
    found = cost(X)[0] - cost(other)[0]
    np.testing.assert_allclose(
        found, elastic.stochastic_neighbors(X, P) - elastic.stochastic_neighbors(other, P), rtol=1e-10
    )


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_gradient_is_that_of_finite_differences(sne, d):
    P, X, _ = problem(d)
    cost = sne.Cost((P + P.T) / 2, Workers(1))
    error = check_grad(lambda x: cost(x.reshape(X.shape))[0], lambda x: cost(x.reshape(X.shape))[1].ravel(), X.ravel())
    assert error < 1e-5 * np.linalg.norm(cost(X)[1])


def test_the_map_ends_where_the_cost_is_flat(sne):
    rng = np.random.default_rng(0)
    table = np.repeat(rng.normal(scale=9, size=(3, 4)), 20, axis=0) + rng.normal(size=(60, 4))
    start = 0.01 * rng.normal(size=(60, 2))
    points = sne.embed(table, 10, start, 2000)
    from_start, at_end = (sne.Cost(sne.affinities(table, 10), Workers(1))(at) for at in (start, points))
    assert at_end[0] < from_start[0]
    assert np.abs(at_end[1]).max() < 1e-3
    groups = np.repeat(range(3), 20)
    nearest = np.linalg.norm(points[:, None] - points, axis=2) + 1e9 * np.eye(60)
    assert (groups[nearest.argmin(axis=1)] == groups).mean() > 0.9
