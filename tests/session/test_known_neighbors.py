import numpy as np
import pytest

from latentmap import LVM
from latentmap.session.known_neighbors import KnownNeighbors


def values(n=300, n_columns=8, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_columns))


@pytest.fixture
def known():
    return KnownNeighbors()


@pytest.fixture
def searches(monkeypatch):
    """The numbers of neighbours that were searched for."""
    made, search = [], LVM.find_neighbors

    def counted(self, X):
        made.append(self.n_neighbors)
        return search(self, X)

    monkeypatch.setattr(LVM, "find_neighbors", counted)
    return made


def assert_as_searched(found, estimator, X):
    for mine, theirs in zip(found, KnownNeighbors().of(estimator, X), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
@pytest.mark.parametrize("n_columns", [3, 30])
def test_fewer_neighbors_are_the_first_of_more(known, searches, metric, n_columns):
    X = values(n_columns=n_columns)
    for k in (30, 22, 15, 1):
        found = known.of(LVM(k, metric=metric), X)
        assert found[0].shape == (300, k)
        assert searches == [30]
        fresh = LVM(k, metric=metric).find_neighbors(X)
        searches.pop()
        for mine, theirs in zip(found, fresh, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_more_neighbors_are_searched(known, searches):
    known.of(LVM(10), values())
    known.of(LVM(11), values())
    known.of(LVM(10, repulsion=5), values())
    assert searches == [10, 11]


@pytest.mark.parametrize("change", [{"metric": "cosine"}, {"other": True}])
def test_other_values_and_metrics_are_searched(known, searches, change):
    known.of(LVM(10), values())
    X = values(seed=1) if change.pop("other", False) else values()
    found = known.of(LVM(10, **change), X)
    assert searches == [10, 10]
    assert_as_searched(found, LVM(10, **change), X)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("seed", range(5))
def test_among_equally_far_neighbors_none_is_guessed(known, metric, seed):
    X = np.random.default_rng(seed).integers(0, 4, (200, 4)).astype(float) + 1
    for k in (20, 12, 7, 20, 3):
        assert_as_searched(known.of(LVM(k, metric=metric), X), LVM(k, metric=metric), X)


def test_nearly_half_of_all_rows(known):
    X = values(40)
    for k in (30, 19, 18, 5):
        assert_as_searched(known.of(LVM(k), X), LVM(k), X)


def test_an_approximate_search_answers_for_its_own_number_and_seed_only(known, searches):
    X = values(10_500, 6)
    known.of(LVM(12), X)
    known.of(LVM(12, repulsion=5), X)
    assert searches == [12]
    known.of(LVM(12, random_state=1), X)
    known.of(LVM(8, random_state=1), X)
    assert searches == [12, 12, 8]
