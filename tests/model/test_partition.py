"""The approximate search against all distances: what it finds, what it never does, and that threads change nothing."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from latentmap.model import partition
from latentmap.model.partition import Partition
from latentmap.model.vectors import EXACT_LIMIT, Vectors
from latentmap.model.workers import Workers


def searched(X, k, seed=0, n_jobs=1):
    with Workers(n_jobs) as workers:
        return Partition(X, k, seed, workers).kneighbors(k)


def recall(X, indices, seed=0):
    """What part of the nearest neighbours was found, for up to 1000 rows."""
    n, k = indices.shape
    rows = np.random.default_rng(seed).choice(n, min(n, 1000), replace=False)
    dist = cdist(X[rows], X)
    dist[np.arange(len(rows)), rows] = np.inf
    nearest = np.argpartition(dist, k - 1, axis=1)[:, :k]
    return (indices[rows][:, :, None] == nearest[:, None, :]).any(axis=2).mean()


@cache
def jittered_digits(n_times):
    """Scikit-learn's handwritten digits, each several times, with some noise on each pixel."""
    X = np.repeat(load_digits().data, n_times, axis=0)
    X += np.random.default_rng(0).standard_normal(X.shape)
    X.flags.writeable = False
    return X


def assert_sound(X, indices, distances):
    """No row is its own neighbour or listed twice, and distances are measured and sorted."""
    assert (indices.dtype, distances.dtype) == (np.int64, np.float64)
    assert indices.min() >= 0
    assert not (indices == np.arange(len(X))[:, None]).any()
    assert (np.diff(np.sort(indices, axis=1), axis=1) > 0).all()
    assert (np.diff(distances, axis=1) >= 0).all()
    X = np.asarray(X, float)
    # Column by column, as all at once are more numbers than the processor's cache holds.
    measured = np.column_stack([np.linalg.norm(X - X[column], axis=1) for column in indices.T])
    np.testing.assert_allclose(distances, measured, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [5, 15, 30])
def test_99_percent_of_the_neighbors_of_digits_are_found(k, seed):
    X = jittered_digits(3)
    indices, distances = searched(X, k, seed)
    assert_sound(X, indices, distances)
    assert recall(X, indices) >= 0.99


@pytest.mark.parametrize("n_columns", [1, 2, 8, 50])
@pytest.mark.parametrize("sample", ["random", "standard_normal"])
def test_data_without_clusters_are_searched_more_widely(sample, n_columns):
    X = getattr(np.random.default_rng(0), sample)((4000, n_columns))
    assert recall(X, searched(X, 10)[0]) >= 0.985


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("size", "offset"), [(1, 0), (1, 1e4), (1e-20, 0), (1e15, 0)])
def test_neither_size_nor_place_of_the_data_matters(size, offset, order, dtype):
    X = np.asarray(size * (jittered_digits(2) + offset), dtype, order=order)
    indices, distances = searched(X, 10)
    assert_sound(X, indices, distances)
    assert recall(X.astype(float), indices) >= 0.99


def test_one_row_that_lies_very_far_away_changes_little():
    X = np.concatenate([jittered_digits(2), np.full((1, 64), 1e4)])
    indices, distances = searched(X, 10)
    assert_sound(X, indices, distances)
    assert recall(X, indices) >= 0.99


@pytest.mark.parametrize("n", [2, 7, 40, 300])
def test_few_rows_are_all_compared(n):
    X = np.random.default_rng(0).standard_normal((n, 3))
    dist = cdist(X, X)
    np.fill_diagonal(dist, np.inf)
    for k in {1, n // 2, n - 1}:
        indices, distances = searched(X, k)
        assert_sound(X, indices, distances)
        if n < 300 or k == n - 1:
            np.testing.assert_array_equal(indices, np.argsort(dist, axis=1)[:, :k])


@pytest.mark.parametrize("n_copies", [2, 40, 1000])
def test_copies_are_neighbors_at_distance_zero(n_copies):
    X = np.repeat(jittered_digits(1)[: 4000 // n_copies], n_copies, axis=0)
    X = X[np.random.default_rng(1).permutation(len(X))]
    indices, distances = searched(X, 9)
    assert_sound(X, indices, distances)
    assert (distances[:, : min(9, n_copies - 1)] == 0).all()
    if n_copies == 2:
        assert recall(X, indices) >= 0.99


def test_where_half_of_the_rows_are_the_same_the_others_keep_their_neighbors():
    X = np.concatenate([np.zeros((3594, 64)), jittered_digits(2)])
    indices, distances = searched(X, 10)
    assert_sound(X, indices, distances)
    # The first of many copies come first, as in an exact search.
    np.testing.assert_array_equal(indices[100:3594], np.tile(np.arange(10), (3494, 1)))
    others = np.arange(3594, len(X))
    assert recall(X[others], searched(X[others], 10)[0]) >= 0.99
    assert (indices[others] >= 3594).mean() > 0.99


def test_equally_near_rows_come_by_their_number():
    X = np.round(np.random.default_rng(0).standard_normal((2000, 2)), 1)
    indices, distances = searched(X, 12)
    assert_sound(X, indices, distances)
    tied = np.diff(distances, axis=1) == 0
    assert tied.any()
    assert (np.diff(indices, axis=1)[tied] > 0).all()


@pytest.mark.parametrize("n_columns", [3, 64])
def test_the_result_is_the_same_bits_for_any_number_of_threads(n_columns):
    X = jittered_digits(4)[:, :n_columns]
    for one, other in zip(searched(X, 9, n_jobs=1), searched(X, 9, n_jobs=3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_seed_decides():
    X = jittered_digits(3)
    first, again, other = (searched(X, 9, seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_read_only_memory_map_is_searched_as_the_array_it_holds(tmp_path):
    X = jittered_digits(2).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for found, expected in zip(searched(mapped, 9), searched(X, 9), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
def test_the_recall_that_is_asked_for_decides_how_many_lists_are_searched(monkeypatch):
    X = jittered_digits(4)
    monkeypatch.setattr(partition, "RECALL", 0.7)
    low = recall(X, searched(X, 10)[0])
    assert 0.65 < low < 0.9


class TestVectors:
    X = jittered_digits(6)  # 10 782 rows

    @pytest.mark.slow
    def test_auto_is_exact_up_to_the_limit_and_approximate_beyond(self):
        assert len(self.X) > EXACT_LIMIT
        auto, few = Vectors(self.X), Vectors(self.X[:EXACT_LIMIT])
        np.testing.assert_array_equal(auto.kneighbors(7).indices, searched(self.X, 7)[0])
        np.testing.assert_array_equal(few.kneighbors(7).indices, few.query(few.X, 8).indices[:, 1:])

    @pytest.mark.parametrize("metric", ["l2", "minkowski"])
    def test_other_names_of_the_euclidean_distance_are_approximate_too(self, metric):
        found = Vectors(self.X, metric).kneighbors(7)
        np.testing.assert_array_equal(found.indices, searched(self.X, 7)[0])

    @pytest.mark.parametrize(("metric", "params"), [("manhattan", {}), ("minkowski", {"p": 3})])
    def test_other_metrics_stay_exact(self, metric, params):
        X = self.X[:, :3]
        found = Vectors(X, metric, params).kneighbors(3)
        rows = np.arange(0, len(X), 50)
        dist = cdist(X[rows], X, "cityblock" if metric == "manhattan" else metric, **params)
        dist[np.arange(len(rows)), rows] = np.inf
        np.testing.assert_array_equal(found.indices[rows], np.argsort(dist, axis=1)[:, :3])

    @pytest.mark.slow
    def test_the_cosine_distance_is_approximate_and_measured_as_ever(self):
        found = Vectors(self.X, "cosine").kneighbors(10)
        assert recall(self.X / np.linalg.norm(self.X, axis=1, keepdims=True), found.indices) >= 0.99
        for row in (0, 5000, 10_000):
            expected = cdist(self.X[[row]], self.X[found.indices[row]], "cosine")[0]
            np.testing.assert_allclose(found.distances[row], expected, rtol=1e-9)

    def test_a_metric_that_the_search_does_not_know_is_refused_in_words(self):
        with pytest.raises(ValueError, match="only Euclidean and cosine distance, but metric is 'manhattan'"):
            Vectors(self.X, "manhattan", method="approximate")
