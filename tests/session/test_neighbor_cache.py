import numpy as np
import pytest

from latentmap import LVM
from latentmap.methods import METHODS
from latentmap.model import found_graph, validation
from latentmap.model.data_warnings import collect_warnings
from latentmap.model.vectors import Vectors
from latentmap.session.neighbor_cache import NeighborCache


def values(n=300, n_columns=8, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_columns))


@pytest.fixture
def known():
    return NeighborCache()


@pytest.fixture
def searches(monkeypatch):
    """The numbers of neighbours that were searched for."""
    made, search = [], Vectors._searched

    def counted(self, k):
        made.append(k)
        return search(self, k)

    monkeypatch.setattr(Vectors, "_searched", counted)
    return made


@pytest.fixture
def checks(monkeypatch):
    """The shapes of the tables that were checked."""
    made, check = [], validation.check_array

    def counted(X, **kwargs):
        made.append(X.shape)
        return check(X, **kwargs)

    monkeypatch.setattr(validation, "check_array", counted)
    return made


def find(known, estimator, X):
    return estimator.find_neighbors(known.of(estimator, X))


def assert_as_searched(found, estimator, X):
    for mine, theirs in zip(found, estimator.find_neighbors(X), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
@pytest.mark.parametrize("n_columns", [3, 30])
def test_fewer_neighbors_are_the_first_of_more(known, searches, metric, n_columns):
    X = values(n_columns=n_columns)
    for k in (30, 22, 15, 1):
        found = find(known, LVM(k, metric=metric), X)
        assert found[0].shape == (300, k)
        assert searches == [30]
        fresh = LVM(k, metric=metric).find_neighbors(X)
        searches.pop()
        for mine, theirs in zip(found, fresh, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_more_neighbors_are_searched(known, searches):
    find(known, LVM(10), values())
    find(known, LVM(11), values())
    find(known, LVM(10, repulsion=5), values())
    assert searches == [10, 11]


@pytest.mark.parametrize("change", [{"metric": "cosine"}, {"other": True}])
def test_other_values_and_metrics_are_searched(known, searches, change):
    find(known, LVM(10), values())
    X = values(seed=1) if change.pop("other", False) else values()
    found = find(known, LVM(10, **change), X)
    assert searches == [10, 10]
    assert_as_searched(found, LVM(10, **change), X)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("seed", range(5))
def test_among_equally_far_neighbors_none_is_guessed(known, metric, seed):
    X = np.random.default_rng(seed).integers(0, 4, (200, 4)).astype(float) + 1
    for k in (20, 12, 7, 20, 3):
        assert_as_searched(find(known, LVM(k, metric=metric), X), LVM(k, metric=metric), X)


def test_nearly_half_of_all_rows(known):
    X = values(40)
    for k in (30, 19, 18, 5):
        assert_as_searched(find(known, LVM(k), X), LVM(k), X)


def test_an_approximate_search_answers_for_its_own_number_and_seed_only(known, searches):
    X = values(10_500, 6)
    find(known, LVM(12), X)
    find(known, LVM(12, repulsion=5), X)
    assert searches == [12]
    find(known, LVM(12, random_state=1), X)
    find(known, LVM(8, random_state=1), X)
    assert searches == [12, 12, 8]


@pytest.mark.parametrize("seeds", [(0, 0), (0, 1)])
def test_an_exact_search_answers_for_any_seed(known, searches, seeds):
    first, second = (find(known, LVM(12, random_state=seed), values()) for seed in seeds)
    assert searches == [12]
    np.testing.assert_array_equal(first.indices, second.indices)
    np.testing.assert_array_equal(first.distances, second.distances)


def test_rows_are_checked_once_for_all_methods_that_share_a_metric(known, searches, checks):
    X = values()
    for name in ("lvm", "probdr", "isomap", "laplacian-eigenmaps", "lle", "siamese", "elastic-embedding"):
        method = METHODS[name].kind()
        method.set_params(**{"n_neighbors": 12, "max_iter": 2} if hasattr(method, "max_iter") else {"n_neighbors": 12})
        method.fit(known.of(method, X))
    assert checks == [X.shape]
    # A locally linear embedding searches among the rows that differ, a Siamese network among those it learns from.
    assert searches == [12, 12, 12]
    assert_as_searched(find(known, LVM(12), X), LVM(12), X)


def test_rows_of_another_metric_are_checked_again(known, checks):
    for metric in ("euclidean", "cosine", "euclidean"):
        find(known, LVM(12, metric=metric), values())
    assert len(checks) == 3


def test_all_rows_and_those_of_their_largest_part_are_both_remembered(known, checks, searches):
    for _ in range(2):
        for n in (300, 250):
            find(known, LVM(12, connect="largest"), values()[:n])
    assert checks == [(300, 8), (250, 8)]
    assert searches == [12, 12]


def test_rows_with_another_metric_than_the_method_are_read_by_its_own(known):
    X = values()
    plain = LVM(12, metric="cosine", max_iter=2).fit(X)
    again = LVM(12, metric="cosine", max_iter=2).fit(known.of(LVM(), X))
    np.testing.assert_array_equal(again.embedding_, plain.embedding_)


def test_warnings_about_the_rows_are_given_each_time(known):
    X = values()
    X[3, 1] = 1e6
    for _ in range(2):
        heard = []
        with collect_warnings(heard):
            known.of(LVM(), X)
        assert len(heard) == 1
        assert heard[0].startswith("1 of 300 rows lie")


def test_what_is_wrong_with_rows_is_said_each_time(known):
    for _ in range(2):
        with pytest.raises(ValueError, match="same"):
            known.of(LVM(), np.ones((20, 3)))


@pytest.fixture
def graphs(monkeypatch):
    """The graphs that were made; nothing can be written into them."""
    made, make = [], found_graph.neighbor_graph

    def counted(*args, **kwargs):
        made.append(make(*args, **kwargs))
        for matrix in (made[-1].edges, made[-1].lengths):
            for array in (matrix.data, matrix.indices, matrix.indptr):
                array.flags.writeable = False
        for array in (made[-1].rows, made[-1].widths, made[-1].longest_edge):
            array.flags.writeable = False
        return made[-1]

    monkeypatch.setattr(found_graph, "neighbor_graph", counted)
    return made


@pytest.mark.parametrize(
    "change",
    [
        {"repulsion": 5.0},
        {"similarity_scale": 2.0},
        {"init": "spectral"},
        {"dof": 3.7, "n_levels": 1},
        {"solver": "em", "n_levels": 2, "max_iter": 2},
        {"row_normalized": False, "n_components": 3},
        {"tied_variances": True},
    ],
)
def test_the_graph_is_made_once_and_the_map_has_the_same_bits(known, graphs, change):
    X = values()
    LVM(10, max_iter=3).fit(known.of(LVM(10), X))
    changed = LVM(10, **{"max_iter": 3, **change})
    here = changed.fit(known.of(changed, X))
    assert len(graphs) == 1
    again = LVM(10, **{"max_iter": 3, **change}).fit(X)
    np.testing.assert_array_equal(here.embedding_, again.embedding_)
    np.testing.assert_array_equal(here.variances_, again.variances_)


@pytest.mark.parametrize("change", [{"n_neighbors": 9}, {"n_steps": 3}, {"min_neighbors": 2}, {"local_scaling": 0.5}])
def test_what_the_graph_depends_on_makes_another(known, graphs, change):
    X = values()
    LVM(10, max_iter=3).fit(known.of(LVM(10), X))
    changed = LVM(**{"n_neighbors": 10, "max_iter": 3, **change})
    here = changed.fit(known.of(changed, X))
    assert len(graphs) == 2
    np.testing.assert_array_equal(here.embedding_, LVM(**changed.get_params()).fit(X).embedding_)
