"""Where an ascent starts: principal components, of vectors and of distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.preprocessing import normalize

from latentmap import LVM, PAPER
from latentmap.model.distances import DistanceGraph, DistanceMatrix
from latentmap.model.principal_start import principal_start
from latentmap.model.vectors import Vectors


def stretched(n=400, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 6)) * [9, 5, 2, 1, 1, 1]


def start(inputs, d=2, seed=0):
    return principal_start(inputs, d, np.random.default_rng(seed))


def correlations(one, other):
    return np.abs([np.corrcoef(a, b)[0, 1] for a, b in zip(one.T, other.T, strict=True)])


@pytest.mark.parametrize("n_columns", [6, 900])
def test_they_are_scikit_learn_s(n_columns):
    X = np.pad(stretched(), ((0, 0), (0, n_columns - 6))) + 0.01 * np.random.default_rng(1).normal(
        size=(400, n_columns)
    )
    np.testing.assert_allclose(correlations(start(Vectors(X)), PCA(2).fit_transform(X)), 1, atol=1e-3)


def test_of_directions_by_the_cosine():
    X = stretched() + 3
    expected = PCA(2).fit_transform(normalize(X))
    np.testing.assert_allclose(correlations(start(Vectors(X, "cosine")), expected), 1, atol=1e-3)


@pytest.mark.parametrize("inputs", [lambda X: Vectors(X, "manhattan"), lambda X: DistanceMatrix(cdist(X, X))])
def test_by_distances_they_are_nearly_the_same(inputs):
    X = stretched()
    assert (correlations(start(inputs(X)), PCA(2).fit_transform(X)) > 0.9).all()


def test_a_graph_of_some_distances_has_none():
    assert start(DistanceGraph(sp.csr_array(np.ones((5, 5))))) is None


def test_one_row_far_out_is_no_component_of_its_own():
    X = stretched()
    X[7] = [0, 0, 0, 0, 0, 1e30]
    others = np.arange(400) != 7
    found = start(Vectors(X))
    assert (correlations(found[others], PCA(2).fit_transform(X[others])) > 0.99).all()
    assert np.abs(found).max() < 20 * found[others].std(axis=0).max()


def test_turning_the_rows_changes_nothing():
    X = stretched()
    turned = X @ np.linalg.qr(np.random.default_rng(2).standard_normal((6, 6)))[0]
    np.testing.assert_allclose(start(Vectors(turned)), start(Vectors(X)), atol=1e-6)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_rows_in_the_very_middle_overflow_nothing():
    X = np.vstack([np.zeros((60, 4)), stretched(40)[:, :4]])
    assert np.isfinite(start(Vectors(X))).all()


@pytest.mark.parametrize("X", [np.arange(50.0)[:, None], np.outer(np.arange(50.0), [1, 2, 3])])
def test_rows_on_a_line_leave_it(X):
    found = start(Vectors(X))
    assert 0.01 < found[:, 1].std() / found[:, 0].std() < 0.1


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_the_start_is_as_wide_as_a_finished_map(factor):
    X = factor * stretched()
    states = [step.state for step in LVM().iter_fit(X) if step.state]
    assert 0.3 < states[0].embedding.std() / states[-1].embedding.std() < 3


def test_most_rows_being_copies_is_no_scale():
    X = np.repeat(stretched(12), 12, axis=0)
    with pytest.warns(UserWarning, match="duplicates"):
        embedding = LVM(5).fit_transform(X)
    centres = embedding.reshape(12, 12, 2).mean(axis=1)
    usual = np.median(cdist(X[::12], X[::12]))
    assert 0.1 * usual < np.median(cdist(centres, centres)) < 100 * usual


def test_smoothing_moves_rows_half_way_to_the_mean_of_their_neighbours():
    X, edges = stretched(40), np.triu(np.random.default_rng(3).uniform(size=(40, 40)) < 0.2, 1).astype(float)
    edges[np.arange(39), np.arange(1, 40)] = 2.0
    edges = edges + edges.T
    expected = start(Vectors(X))
    for _ in range(20):
        expected = 0.5 * expected + 0.5 * (edges / edges.sum(axis=1, keepdims=True)) @ expected
    found = principal_start(Vectors(X), 2, np.random.default_rng(0), sp.csr_array(edges))
    expected -= expected.mean(axis=0)
    # The last step fills thin directions with noise; these are wide.
    assert (expected.std(axis=0) > 0.05 * expected.std(axis=0).max()).all()
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


def test_rows_that_two_components_tear_apart_come_closer():
    # One group of neighbours in a third column, whose halves lie far apart in the first two.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3)) * [1, 1, 0.3]
    X[:200, 0], X[200:400, 0], X[:400, 1] = 6, -6, rng.standard_normal(400)
    X[:400, 2] += 30
    graph = LVM(max_iter=1).fit(X[:400][:, [1, 2]]).graph_
    edges = sp.block_diag([graph, LVM(max_iter=1).fit(X[400:]).graph_], format="csr")
    plain, smoothed = (principal_start(Vectors(X[:, :2]), 2, np.random.default_rng(0), e) for e in (None, edges))

    def gap(Y):
        return np.linalg.norm(Y[:200].mean(axis=0) - Y[200:400].mean(axis=0)) / Y.std(axis=0).max()

    assert gap(smoothed) < 0.5 * gap(plain)


def test_smoothing_leaves_noise_in_thin_directions():
    n = 50
    edges = sp.csr_array(np.eye(n, k=1) + np.eye(n, k=-1))
    found = principal_start(Vectors(np.arange(float(n))[:, None]), 2, np.random.default_rng(0), edges)
    assert 0.01 < found[:, 1].std() / found[:, 0].std() < 0.1


def test_plain_components_are_still_offered():
    X = stretched(300)
    smoothed, plain = (next(s.state for s in LVM(init=i).iter_fit(X) if s.state) for i in ("smoothed_pca", "pca"))
    assert not np.allclose(smoothed.embedding, plain.embedding, rtol=1e-3)


def test_the_paper_starts_from_eigenvectors():
    X = stretched(100)
    settings = {**PAPER, "max_iter": 1}
    np.testing.assert_array_equal(
        LVM(**settings).fit_transform(X), LVM(**{**settings, "init": "spectral"}).fit_transform(X)
    )
    assert not np.allclose(LVM(**settings).fit_transform(X), LVM(**{**settings, "init": "pca"}).fit_transform(X))


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_number_of_threads(metric):
    X = stretched(3000)
    one, two = (LVM(9, metric=metric, max_iter=2, n_jobs=n).fit_transform(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
