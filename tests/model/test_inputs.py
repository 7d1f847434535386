"""Neighbours, each kind of inputs against all distances written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference import graph as reference
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

from latentmap import LVM
from latentmap.model.distances import DistanceGraph, DistanceMatrix
from latentmap.model.inputs import Neighbors, without_self
from latentmap.model.metric_names import OF_PYNNDESCENT, OF_SCIKIT_LEARN
from latentmap.model.vectors import Vectors


def normal(n, n_columns, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_columns))


def with_copies(n=60, n_columns=4, n_in_clump=12):
    """Rows of which half come twice and one comes in many more copies than any k asked for here."""
    X = normal(n, n_columns)
    X = np.concatenate([X, X[: n // 2], np.repeat(X[-1:], n_in_clump, axis=0)])
    return X[np.random.default_rng(1).permutation(len(X))]


def nearest_others(dist, k):
    """All distances, sorted; equally near rows by their number."""
    dist = dist.copy()
    np.fill_diagonal(dist, np.inf)
    order = np.argsort(dist, axis=1, kind="stable")[:, :k]
    return Neighbors(order, np.take_along_axis(dist, order, 1))


def cosine_by_hand(x, y):
    return 1 - (x @ y) / np.sqrt((x @ x) * (y @ y))


def hellinger(x, y):
    return np.sqrt(max(0.0, 1 - np.sqrt(x * y).sum() / np.sqrt(x.sum() * y.sum())))


def weighted_manhattan(x, y):
    return np.abs(x - y) @ np.arange(1, len(x) + 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_columns", [1, 3, 15, 16, 40])
@pytest.mark.parametrize("k", [1, 7, 89])
def test_euclidean_neighbors_are_exact(n_columns, k, dtype):
    X = normal(90, n_columns).astype(dtype)
    found = Vectors(X).kneighbors(k)
    expected = nearest_others(cdist(X, X), k)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-12)
    assert (found.indices.dtype, found.distances.dtype) == (np.int64, np.float64)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("offset", [0, 1e4])
def test_euclidean_neighbors_of_far_away_data_are_exact(offset, order):
    # Scalar products of numbers that large have few digits left for their differences.
    X = np.asarray(normal(200, 20) + offset, order=order)
    found, expected = Vectors(X).kneighbors(5), nearest_others(cdist(X, X), 5)
    np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-9)


@pytest.mark.parametrize("n_columns", [4, 20])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "precomputed"])
def test_copies_of_a_row_are_its_neighbors_and_it_is_not(metric, n_columns):
    X = with_copies(n_columns=n_columns)
    dist = cdist(X, X, {"manhattan": "cityblock", "precomputed": "euclidean"}.get(metric, metric))
    inputs = DistanceMatrix(dist) if metric == "precomputed" else Vectors(X, metric)
    found = inputs.kneighbors(6)
    assert not (found.indices == np.arange(len(X))[:, None]).any()
    assert (np.diff(np.sort(found.indices, axis=1), axis=1) > 0).all()
    np.testing.assert_allclose(found.distances, nearest_others(dist, 6).distances, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "l2", "cosine", "manhattan"])
def test_copies_of_a_row_are_at_distance_zero(metric):
    X = np.repeat(normal(40, 20), 2, axis=0)
    assert (Vectors(X, metric).kneighbors(3).distances[:, 0] == 0).all()


METRICS = {
    "cosine": ("cosine", {}),
    "correlation": ("correlation", {}),
    "manhattan": ("cityblock", {}),
    "l2": ("euclidean", {}),
    "chebyshev": ("chebyshev", {}),
    "canberra": ("canberra", {}),
    "braycurtis": ("braycurtis", {}),
    "sqeuclidean": ("sqeuclidean", {}),
    "seuclidean": ("seuclidean", lambda X: {"V": X.var(axis=0, ddof=1)}),
    "mahalanobis": ("mahalanobis", lambda X: {"VI": np.linalg.inv(np.cov(X.T))}),
    "minkowski": ("minkowski", {"p": 3}),
}


@pytest.mark.parametrize("n_columns", [5, 20])
@pytest.mark.parametrize("metric", METRICS)
def test_named_metrics_mean_what_scipy_means_by_them(metric, n_columns):
    X = np.abs(normal(150, n_columns)) + 0.01
    name, params = METRICS[metric]
    by_default = params(X) if callable(params) else params
    found = Vectors(X, metric, {} if callable(params) else params).kneighbors(6)
    expected = nearest_others(cdist(X, X, name, **by_default), 6)
    np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-7)
    np.testing.assert_array_equal(found.indices, expected.indices)


@pytest.mark.parametrize("n_columns", [5, 20])
@pytest.mark.parametrize("metric", [cosine_by_hand, weighted_manhattan])
def test_callable_metrics_are_searched_exactly(metric, n_columns):
    # A distance that breaks the triangle inequality, such as the cosine's, is none that a tree may be trusted with.
    X = normal(150, n_columns)
    found, expected = Vectors(X, metric).kneighbors(6), nearest_others(cdist(X, X, metric), 6)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-9)


@pytest.mark.filterwarnings("error")
def test_parameters_of_a_metric_raise_no_warning():
    Vectors(normal(50, 3), "minkowski", {"p": 3}).kneighbors(3)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("n_columns", [5, 20])
def test_neighbors_are_the_same_bits_for_any_number_of_threads(metric, n_columns):
    X = np.round(normal(2500, n_columns), 1)  # rounded: many rows are equally near
    one, two = (Vectors(X, metric, n_jobs=n_jobs).kneighbors(9) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", cosine_by_hand])
@pytest.mark.parametrize("n_columns", [5, 20])
def test_a_query_in_one_go_equals_one_by_one(metric, n_columns):
    X, X_new = normal(200, n_columns), normal(23, n_columns, seed=1)
    inputs = Vectors(X, metric)
    together = inputs.query(X_new, 4)
    alone = [inputs.query(row[None], 4) for row in X_new]
    np.testing.assert_array_equal(together.indices, np.concatenate([found.indices for found in alone]))
    np.testing.assert_array_equal(together.distances, np.concatenate([found.distances for found in alone]))


@pytest.mark.parametrize("n", [40, 600])
def test_nearest_candidate_of_each_member(n):
    X = normal(n, 20)
    dist = cdist(X, X)
    rng = np.random.default_rng(2)
    members, candidates = rng.permutation(n)[: n // 2], rng.permutation(n)[: n // 3]
    expected = dist[np.ix_(members, candidates)]
    complete = DistanceGraph(sp.csr_array(dist))
    for inputs in (Vectors(X), Vectors(X.astype(np.float32)), DistanceMatrix(dist), complete):
        which, distances = inputs.nearest(members, candidates)
        np.testing.assert_array_equal(which, expected.argmin(axis=1))
        np.testing.assert_allclose(distances, expected.min(axis=1), rtol=1e-6, atol=1e-12)


def test_in_a_graph_nearest_is_measured_along_it():
    # Rows on a line, each knowing the next: 0 -1- 1 -1- 2 -1- 3 -5- 4
    graph = sp.csr_array(([1.0, 1.0, 1.0, 5.0], ([0, 1, 2, 3], [1, 2, 3, 4])), (5, 5))
    which, distances = DistanceGraph(graph).nearest(np.arange(5), np.array([4, 0]))
    np.testing.assert_array_equal(which, [1, 1, 1, 1, 0])
    np.testing.assert_array_equal(distances, [0, 1, 2, 3, 0])


def test_zero_distances_in_a_graph_are_known_distances():
    graph = sp.csr_array(([0.0, 2.0, 0.0, 3.0], ([0, 0, 1, 2], [1, 2, 0, 1])), (3, 3))
    which, distances = DistanceGraph(graph).nearest(np.array([1, 2]), np.array([0]))
    np.testing.assert_array_equal(which, [0, 0])
    np.testing.assert_array_equal(distances, [0, 2])


@pytest.mark.parametrize("make", [Vectors, lambda X: DistanceMatrix(cdist(X, X))])
def test_shortest_bridges(make):
    X = normal(60, 3)
    part = np.random.default_rng(3).permutation(np.repeat([0, 1, 2], [30, 20, 10]))
    dist = cdist(X, X)
    bridges = make(X).shortest_bridges(part)
    assert sorted(part[i] for i, _, _ in bridges) == [1, 2]
    for i, j, distance in bridges:
        here = part == part[i]
        assert not here[j]
        assert distance == pytest.approx(dist[i, j]) == dist[np.ix_(here, ~here)].min()


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("spread", [0.5, 3.0, 12.0])
def test_bridges_between_near_and_far_parts_are_the_shortest(metric, spread):
    rng = np.random.default_rng(5)
    part = rng.permutation(np.repeat(np.arange(7), [400, 90, 60, 30, 10, 2, 1]))
    X = spread * rng.standard_normal((7, 4))[part] + rng.standard_normal((len(part), 4)) * rng.gamma(
        2, 1, (len(part), 1)
    )
    dist = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    bridges = {part[i]: (i, j, distance) for i, j, distance in Vectors(X, metric).shortest_bridges(part)}
    assert sorted(bridges) == [1, 2, 3, 4, 5, 6]
    for number, (i, j, distance) in bridges.items():
        here = part == number
        assert not here[j]
        assert distance == pytest.approx(dist[i, j]) == dist[np.ix_(here, ~here)].min()


def test_bridges_of_directions_reach_a_row_of_zeros():
    # Its cosine distance to every row is 1, though it lies nearer to all directions than they may lie to each other.
    X = np.array([[1.0, 0, 0], [1, 0.1, 0], [0, 0, 0], [0.1, 1, 0], [0, 0, 1], [0, 0.1, 1], [0, 0, 1.1]])
    part = np.array([0, 0, 1, 1, 2, 2, 2])
    dist = cdist(X, X, "cosine")
    dist[2] = dist[:, 2] = 1
    for i, j, distance in Vectors(X, "cosine").shortest_bridges(part):
        here = part == part[i]
        assert distance == pytest.approx(dist[i, j]) == dist[np.ix_(here, ~here)].min()


def test_of_bridges_as_short_as_each_other_the_one_between_the_first_rows_is_found():
    X = np.repeat([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]], [5, 4, 3], axis=0)
    part = np.repeat([0, 1, 2], [5, 4, 3])
    assert Vectors(X).shortest_bridges(part) == [(5, 0, 3.0), (9, 0, 3.0)]


def test_bridges_of_very_many_rows_start_from_some_of_them_and_become_short(monkeypatch):
    rng = np.random.default_rng(0)
    centres = 12 * rng.standard_normal((5, 3))
    part = rng.permutation(np.repeat(np.arange(5), [900, 500, 300, 200, 3]))
    X = centres[part] + rng.standard_normal((len(part), 3))
    exact = {part[i]: distance for i, _, distance in Vectors(X).shortest_bridges(part)}
    monkeypatch.setattr("latentmap.model.vectors._BRIDGE_PAIRS", 10**5)
    monkeypatch.setattr("latentmap.model.bridges._START_ROWS", 100)
    bridges, again = (Vectors(X, n_jobs=n_jobs).shortest_bridges(part) for n_jobs in (1, 2))
    assert bridges == again
    assert len({part[i] for i, _, _ in bridges}) == len(bridges) == 4
    for i, j, distance in bridges:
        assert part[i] != part[j]
        assert distance == pytest.approx(np.linalg.norm(X[i] - X[j]))
        if part[i] in exact:
            assert distance <= 1.2 * exact[part[i]]


@pytest.mark.parametrize("include_self", [True, False])
def test_a_graph_of_scikit_learn_holds_the_same_neighbors(include_self):
    X = with_copies(n_columns=20)
    expected = nearest_others(cdist(X, X), 5).distances
    graph = kneighbors_graph(X, 20, mode="distance", include_self=include_self)
    found = DistanceGraph(sp.csr_array(graph)).kneighbors(5)
    assert not (found.indices == np.arange(len(X))[:, None]).any()
    np.testing.assert_allclose(found.distances, expected, atol=1e-6)


def test_a_kneighbors_transformer_holds_the_same_neighbors():
    X = normal(80, 20)
    graph = KNeighborsTransformer(mode="distance", n_neighbors=6).fit_transform(X)
    found, expected = DistanceGraph(sp.csr_array(graph)).kneighbors(6), nearest_others(cdist(X, X), 6)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.distances, expected.distances)


@pytest.mark.parametrize("n_stored", [6, 12])
@pytest.mark.parametrize("with_self", [True, False])
@pytest.mark.parametrize("shuffled", [True, False])
def test_neighbors_found_already_are_taken_as_they_are(n_stored, with_self, shuffled):
    X = normal(80, 20)
    given = nearest_others(cdist(X, X), n_stored)
    if with_self:
        given = Neighbors(
            np.column_stack([np.arange(80), given.indices]), np.column_stack([np.zeros(80), given.distances])
        )
    if shuffled:
        columns = np.random.default_rng(4).permutation(given.indices.shape[1])
        given = Neighbors(given.indices[:, columns], given.distances[:, columns])
    found, expected = Vectors(X, method=given).kneighbors(6), nearest_others(cdist(X, X), 6)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_without_self_where_only_some_rows_list_themselves():
    indices = np.array([[0, 1, 2], [0, 2, 1], [0, 1, 3], [3, 0, 1]])
    distances = np.array([[0.0, 1, 2], [1, 1, 2], [1, 2, 3], [0, 4, 5]])
    found = without_self(Neighbors(indices, distances), 2)
    np.testing.assert_array_equal(found.indices, [[1, 2], [0, 2], [0, 1], [0, 1]])
    np.testing.assert_array_equal(found.distances, [[1, 2], [1, 1], [1, 2], [4, 5]])


def test_subset_renumbers_the_rows():
    X = normal(50, 3)
    dist = cdist(X, X)
    rows = np.array([3, 7, 8, 20, 21, 22, 40, 49])
    expected = nearest_others(dist[np.ix_(rows, rows)], 3)
    for inputs in (Vectors(X), DistanceMatrix(dist), DistanceGraph(sp.csr_array(dist))):
        found = inputs.subset(rows).kneighbors(3)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.distances, expected.distances)


@pytest.mark.slow
class TestPynndescent:
    """All that needs it stands together: it compiles for some twenty seconds in each process."""

    def test_the_names_of_its_metrics_are_known_without_it(self):
        from pynndescent.distances import named_distances

        assert set(named_distances) - OF_SCIKIT_LEARN == OF_PYNNDESCENT

    def test_it_finds_nearly_all_and_measures_exactly(self):
        X = normal(800, 8)
        found, again = (Vectors(X, method="pynndescent", n_jobs=n_jobs).kneighbors(10) for n_jobs in (1, 2))
        expected = nearest_others(cdist(X, X), 10)
        hits = (found.indices[:, :, None] == expected.indices[:, None, :]).any(axis=2)
        assert hits.mean() > 0.95
        np.testing.assert_allclose(found.distances, np.linalg.norm(X[:, None] - X[found.indices], axis=2), rtol=1e-12)
        np.testing.assert_array_equal(found.indices, again.indices)

    @pytest.mark.parametrize("n", [8, 13])
    def test_it_can_do_with_few_rows(self, n):
        X = normal(n, 4)
        found, expected = Vectors(X, method="pynndescent").kneighbors(5), nearest_others(cdist(X, X), 5)
        np.testing.assert_array_equal(found.indices, expected.indices)

    def test_copies_of_rows_leave_no_gap(self):
        X = np.repeat(normal(20, 6), 40, axis=0)
        found = Vectors(X, method="pynndescent").kneighbors(9)
        assert not (found.indices == np.arange(len(X))[:, None]).any()
        assert (np.diff(np.sort(found.indices, axis=1), axis=1) > 0).all()
        assert found.indices.min() >= 0
        assert np.isfinite(found.distances).all()

    def test_the_map_is_that_of_exact_neighbours_but_for_a_few_and_of_any_number_of_threads(self):
        X = normal(150, 20)
        exact, one, two = (
            LVM(9, neighbors=neighbors, max_iter=10, n_jobs=n_jobs).fit(X)
            for neighbors, n_jobs in (("exact", None), ("pynndescent", 1), ("pynndescent", 2))
        )
        for name in ("embedding_", "variances_", "log_likelihood_", "landmarks_"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        assert (one.n_iter_, one.n_levels_) == (two.n_iter_, two.n_levels_)
        missed = (one.graph_.toarray() > 0) != (exact.graph_.toarray() > 0)
        assert missed.sum() < 0.05 * exact.graph_.nnz

    @pytest.mark.parametrize("n_columns", [5, 20])
    def test_a_metric_that_it_alone_has_is_searched_exactly(self, n_columns):
        X = np.abs(normal(120, n_columns))
        inputs, expected = Vectors(X, "hellinger"), nearest_others(cdist(X, X, hellinger), 5)
        found = inputs.kneighbors(5)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-3)  # it computes in float32
        which, _ = inputs.nearest(np.arange(100), np.arange(100, 120))
        np.testing.assert_array_equal(which, cdist(X[:100], X[100:], hellinger).argmin(axis=1))

    def test_a_map_by_such_a_metric(self):
        X = np.abs(normal(150, 20))
        lvm = LVM(9, 1, 1, metric="hellinger", min_neighbors=0, max_iter=10).fit(X)
        expected = reference.neighborhood_graph(cdist(X, X, hellinger), 9).E
        np.testing.assert_array_equal(lvm.graph_.toarray() > 0, expected)
        assert np.isfinite(lvm.transform(X[:5] + 0.01)).all()

    def test_a_metric_that_not_even_it_has_is_named(self):
        with pytest.raises(
            ValueError, match=r"metric is 'eucledian', which neither .* knows; did you mean \"euclidean\"\? .*\.$"
        ):
            LVM(metric="eucledian", max_iter=2).fit(normal(30, 6))


@pytest.mark.parametrize("metric", ["euclidean", "l2", "cosine", "manhattan", "minkowski", "correlation"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_to_all_rows(metric, dtype):
    X = (10 + normal(80, 5)).astype(dtype)
    new = np.vstack([X[7], normal(20, 5, seed=1)]).astype(dtype)
    found = Vectors(X, metric).distances_to(new)
    assert found.dtype == float
    np.testing.assert_allclose(
        found, cdist(new, X, {"l2": "euclidean", "manhattan": "cityblock"}.get(metric, metric)), rtol=1e-6, atol=1e-7
    )
    assert metric == "correlation" or found[0, 7] == 0
    np.testing.assert_array_equal(found[5:6], Vectors(X, metric).distances_to(new[5:6]))


def test_distances_to_all_rows_of_what_is_given_by_distances():
    D = cdist(normal(6, 2), normal(6, 2))
    np.testing.assert_array_equal(DistanceMatrix(D).distances_to(D[:2]), D[:2])
    known = DistanceGraph(sp.csr_array(np.array([[0, 1.0, 0], [1, 0, 2], [0, 2, 0]])))
    np.testing.assert_array_equal(known.distances_to(known.graph[[1]]), [[1, np.inf, 2]])


def test_the_spread_given_for_mahalanobis_counts():
    X, V = normal(50, 3), np.diag([1.0, 25.0, 0.04])
    given, inverted = (Vectors(X, "mahalanobis", params) for params in ({"V": V}, {"VI": np.linalg.inv(V)}))
    found, expected = given.kneighbors(4), inverted.kneighbors(4)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.distances, expected.distances)
    one = Vectors(X[:, :1], "mahalanobis").kneighbors(3)
    np.testing.assert_array_equal(one.indices, Vectors(X[:, :1]).kneighbors(3).indices)
