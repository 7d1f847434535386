"""How wide a table is, by any metric, and whatever a few rows do."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference import start as reference
from scipy.spatial.distance import cdist

from latentmap import LVM, PAPER
from latentmap.model.distances import DistanceGraph, DistanceMatrix
from latentmap.model.rms_radius import rms_radius
from latentmap.model.vectors import Vectors


def rows(n=150, n_columns=4):
    return np.random.default_rng(0).standard_normal((n, n_columns)) * np.arange(1, n_columns + 1)


def found(inputs, largest=np.inf):
    return rms_radius(inputs, largest, np.random.default_rng(0))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_vectors(scale):
    X = scale * rows()
    assert found(Vectors(X)) == pytest.approx(np.sqrt(X.var(axis=0).sum()))
    assert found(Vectors(X)) == pytest.approx(reference.width(cdist(X, X)))


@pytest.mark.parametrize("metric", ["manhattan", "cosine"])
def test_other_metrics(metric):
    X = rows()
    D = cdist(X, X, "cityblock" if metric == "manhattan" else metric)
    assert found(Vectors(X, metric)) == pytest.approx(reference.width(D))
    assert found(DistanceMatrix(D)) == pytest.approx(reference.width(D))


def test_a_graph_of_all_distances_is_as_wide_as_their_matrix():
    D = cdist(rows(), rows())
    assert found(DistanceGraph(sp.csr_array(D))) == pytest.approx(found(DistanceMatrix(D)))


def test_of_many_rows_some_tell_the_width():
    X = rows(5000)
    assert found(Vectors(X)) == pytest.approx(np.sqrt(X.var(axis=0).sum()), rel=0.05)


def test_a_row_very_far_out_does_not_set_the_width():
    X = rows()
    usual = found(Vectors(X), 100.0)
    X[3] = 1e12
    assert usual < found(Vectors(X), 100.0) < 3 * usual


def test_the_diagonal_is_not_read():
    D = cdist(rows(), rows())
    np.fill_diagonal(D, np.nan)
    assert np.isfinite(found(DistanceMatrix(D)))


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_em_starts_from_eigenvectors_whose_unit_is_the_width(metric):
    X = rows(400)
    lvm = LVM(**PAPER | {"max_iter": 1}, metric=metric)
    table = X if metric == "euclidean" else cdist(X, X)
    first, _ = (step.state for step in lvm.iter_fit(table) if step.state is not None)
    expected = np.sqrt(X.var(axis=0).sum())
    np.testing.assert_allclose(np.linalg.norm(first.embedding, axis=0), expected, rtol=0.1)
