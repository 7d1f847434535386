"""The nearest rows of new rows in the lists of a partition: what is found, and that no new row depends on others."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from latentmap import LVM
from latentmap.model.vectors import Vectors

N, M, K = 12_000, 300, 15


@pytest.fixture(scope="module", params=[np.float64, np.float32])
def rows(request):
    rng = np.random.default_rng(1)
    means = rng.normal(size=(9, 20))
    return (3 * means[rng.integers(9, size=N + M)] + rng.normal(size=(N + M, 20))).astype(request.param)


@pytest.fixture(scope="module")
def vectors(rows):
    return Vectors(rows[:N], n_jobs=2)


def test_99_percent_of_the_nearest_are_found_with_their_distances(rows, vectors):
    found = vectors.query(rows[N:], K)
    D = cdist(rows[N:].astype(float), rows[:N].astype(float))
    nearest = np.argsort(D, axis=1)[:, :K]
    assert np.mean((found.indices[:, :, None] == nearest[:, None]).any(axis=2)) >= 0.99
    np.testing.assert_allclose(found.distances, np.take_along_axis(D, found.indices, axis=1), rtol=1e-12)
    assert (np.diff(found.distances, axis=1) >= 0).all()


def test_one_by_one_by_another_number_of_threads_and_from_a_file_are_the_same_to_the_bit(rows, vectors):
    found = vectors.query(rows[N:], K)
    again = [vectors.query(rows[N + i : N + i + 1], K) for i in range(40)]
    others = Vectors(rows[:N], n_jobs=1).query(rows[N:][::-1], K)
    reopened = pickle.loads(pickle.dumps(vectors)).query(rows[N:], K)
    for part in (0, 1):
        np.testing.assert_array_equal(np.concatenate([one[part] for one in again]), found[part][:40])
        np.testing.assert_array_equal(others[part][::-1], found[part])
        np.testing.assert_array_equal(reopened[part], found[part])


def test_another_k_before_changes_nothing(rows, vectors):
    fresh = vectors.query(rows[N:], K)
    vectors.query(rows[N:], 3)
    np.testing.assert_array_equal(vectors.query(rows[N:], K).indices, fresh.indices)


def test_the_lists_are_not_kept_in_a_file(vectors, rows):
    size = len(pickle.dumps(vectors))
    vectors.query(rows[N:], K)
    assert len(pickle.dumps(vectors)) == size


def test_copies_of_rows_find_them_the_first_ones_first(rows):
    X = np.concatenate([rows[: N - 100], np.repeat(rows[:1], 100, axis=0)])
    found = Vectors(X).query(X[[0, 5, N - 1]], K)
    assert found.distances[:, 0].tolist() == [0, 0, 0]
    assert found.indices[1, 0] == 5
    for copies in found.indices[[0, 2]]:
        assert copies.tolist() == [0, *range(N - 100, N - 100 + K - 1)]


def test_directions(rows):
    vectors = Vectors(rows[:N], "cosine")
    found = vectors.query(rows[N:], K)
    exact = Vectors(rows[:N], "cosine", method="exact").query(rows[N:], K)
    assert np.mean((found.indices[:, :, None] == exact.indices[:, None]).any(axis=2)) >= 0.99
    np.testing.assert_allclose(found.distances[:, 0], exact.distances[:, 0], atol=1e-6)


@pytest.mark.slow
def test_a_map_places_copies_of_its_rows_where_these_are(rows):
    lvm = LVM(max_iter=10).fit(rows[:N])
    np.testing.assert_allclose(lvm.transform(rows[[3, 700, N - 1]]), lvm.embedding_[[3, 700, N - 1]], rtol=1e-6)


def test_few_rows_in_lists(rows):
    few = Vectors(rows[:60], method="approximate")
    found = few.query(rows[60:64], 50)
    exact = Vectors(rows[:60], method="exact").query(rows[60:64], 50)
    np.testing.assert_array_equal(found.indices, exact.indices)
