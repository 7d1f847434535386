"""Locally linear embedding and Laplacian eigenmaps against their equations."""

import re

import numpy as np
import pytest
from reference import scaling as reference
from sklearn import manifold
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.linear_model import LinearRegression

from latentmap import DataWarning
from latentmap.methods import LaplacianEigenmaps, LocallyLinearEmbedding
from latentmap.methods.locally_linear import VARIANTS


def roll(n=300):
    X, t = make_swiss_roll(n, random_state=0)
    return X, t


def halves():
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(40, 4)), 50 + rng.normal(size=(40, 4))])


def explained(places, t):
    """Return how much of t a linear function of the map explains."""
    return LinearRegression().fit(places, t).score(places, t)


def up_to_signs(points):
    return points * np.sign(points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])])


class TestLocallyLinear:
    def test_it_is_roweis_and_saul_s(self):
        X, _ = roll()
        method = LocallyLinearEmbedding(9).fit(X)
        places, error = reference.locally_linear(X, 9, 2, 1e-3)
        np.testing.assert_allclose(up_to_signs(method.embedding_), up_to_signs(places), atol=1e-6)
        assert method.reconstruction_error_ == pytest.approx(error, abs=1e-12)

    @pytest.mark.slow
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_every_variant_unrolls_the_roll(self, variant):
        X, t = roll(1100)
        assert explained(LocallyLinearEmbedding(12, variant=variant).fit_transform(X), t) > 0.95

    def test_copies_of_a_row_get_its_place_and_change_nothing(self):
        X, _ = roll()
        places = LocallyLinearEmbedding(9).fit_transform(np.vstack([X, np.repeat(X[:3], 12, axis=0)]))
        np.testing.assert_array_equal(places[300:], np.repeat(places[:3], 12, axis=0))
        np.testing.assert_allclose(up_to_signs(places[:300]), up_to_signs(LocallyLinearEmbedding(9).fit_transform(X)))

    def test_new_rows_are_made_of_their_neighbours(self):
        X, t = roll(1100)
        method = LocallyLinearEmbedding(12).fit(X[:1000])
        fitted = LinearRegression().fit(method.embedding_, t[:1000])
        assert fitted.score(method.transform(X[1000:]), t[1000:]) > 0.95
        np.testing.assert_allclose(method.transform(X[:5]), method.embedding_[:5], atol=1e-2)

    def test_parts_are_told_of(self):
        with pytest.warns(DataWarning, match="falls into 2 parts"):
            assert np.isfinite(LocallyLinearEmbedding(9).fit_transform(halves())).all()

    @pytest.mark.parametrize(
        ("settings", "says"),
        [
            ({"variant": "other"}, "variant is 'other'"),
            ({"variant": "hessian", "n_neighbors": 5}, 'variant="hessian" needs at least 6 neighbours'),
            ({"n_neighbors": 2}, 'variant="standard" needs at least 3 neighbours'),
            ({"n_components": 5}, "has at most as many dimensions as X has columns (n_features = 4)"),
            ({"reg": -1.0}, "reg, the regularisation of the weights"),
            ({"reg": np.inf}, "reg, the regularisation of the weights"),
            (
                {"reg": 0.0, "n_neighbors": 15},
                "cannot be computed with reg=0, as there are more neighbours than independent directions",
            ),
        ],
    )
    def test_bad_parameters_are_said_in_a_sentence(self, settings, says):
        with pytest.raises(ValueError, match=re.escape(says)):
            LocallyLinearEmbedding(**settings).fit(load_iris().data)

    def test_too_many_copies_are_said_in_a_sentence(self):
        with pytest.raises(ValueError, match="Only 3 of the 51 rows differ"):
            LocallyLinearEmbedding(9).fit(np.repeat(np.random.default_rng(0).normal(size=(3, 3)), 17, axis=0))


class TestLaplacian:
    @pytest.mark.parametrize("weights", ["binary", "gaussian"])
    def test_it_is_belkin_and_niyogi_s(self, weights):
        X, _ = roll()
        method = LaplacianEigenmaps(9, weights=weights).fit(X)
        W = method.graph_.toarray()
        np.testing.assert_array_equal(W, W.T)
        places, total = reference.eigenmaps(W, 2)
        np.testing.assert_allclose(up_to_signs(method.embedding_), up_to_signs(places), atol=1e-7)
        assert method.eigenvalue_sum_ == pytest.approx(total)

    def test_neighbours_are_tied_and_no_others(self):
        X, _ = roll(60)
        away = np.linalg.norm(X[:, None] - X, axis=2)
        np.fill_diagonal(away, np.inf)
        near = away <= np.sort(away, axis=1)[:, 4:5]
        graph = LaplacianEigenmaps(5).fit(X).graph_.toarray()
        np.testing.assert_array_equal(graph, near | near.T)
        width = np.median(np.sort(away, axis=1)[:, 4])
        weighted = LaplacianEigenmaps(5, weights="gaussian").fit(X).graph_.toarray()
        far = np.minimum(away, 3 * width)
        np.testing.assert_allclose(weighted, np.where(near | near.T, np.exp(-(far**2) / (2 * width**2)), 0))

    def test_it_unrolls_the_roll(self):
        X, t = roll(1100)
        angles = np.column_stack([t, t**2, t**3])
        first = LaplacianEigenmaps(12).fit_transform(X)[:, 0]
        assert explained(angles, first) > 0.95

    @pytest.mark.parametrize("weights", ["binary", "gaussian"])
    def test_parts_are_joined_and_come_apart_first(self, weights):
        X = halves()
        method = LaplacianEigenmaps(9, weights=weights).fit(X)
        assert method.graph_[:40, 40:].nnz == 1
        first = method.embedding_[:, 0]
        assert np.ptp(np.sign(first[:40])) == np.ptp(np.sign(first[40:])) == 0
        assert first[0] * first[-1] < 0

    def test_as_many_dimensions_as_there_can_be(self):
        X = np.random.default_rng(0).normal(size=(6, 3))
        assert np.isfinite(LaplacianEigenmaps(3, 5).fit_transform(X)).all()

    def test_its_graph_is_what_scikit_learn_embeds(self):
        X, _ = roll()
        method = LaplacianEigenmaps(9).fit(X)
        graph = method.graph_.copy()
        # scikit-learn takes no indices of 64 bits.
        graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
        theirs = manifold.SpectralEmbedding(2, affinity="precomputed", random_state=0).fit_transform(graph)
        np.testing.assert_allclose(up_to_signs(method.embedding_), up_to_signs(theirs), atol=1e-9)

    def test_a_bad_width_is_said_in_a_sentence(self):
        with pytest.raises(ValueError, match="width, sigma of the Gaussians, is 0"):
            LaplacianEigenmaps(width=0).fit(load_iris().data)
