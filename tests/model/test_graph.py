"""The neighbourhood graph against the dense transcription of Saul (22)-(24)."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference import graph as reference
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from latentmap.model.distances import DistanceGraph, DistanceMatrix
from latentmap.model.graph import SMALLEST_SQUARED_DISTANCE, neighbor_graph
from latentmap.model.vectors import Vectors


def scattered(n=50, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 3))


def islands(sizes=(9, 17, 12, 8), seed=0):
    """Groups of rows, each too far from the others for any of its rows to have a neighbour there."""
    rng = np.random.default_rng(seed)
    centres = 100 * rng.standard_normal((len(sizes), 3))
    X = np.concatenate([centre + rng.standard_normal((size, 3)) for centre, size in zip(centres, sizes, strict=True)])
    return X[rng.permutation(len(X))]


def built(inputs, n_neighbors, n_steps, connect):
    return neighbor_graph(inputs, inputs.kneighbors(n_neighbors), n_steps, connect)


def assert_same_graph(graph, expected, dist):
    np.testing.assert_array_equal(graph.rows, expected.points)
    np.testing.assert_array_equal(graph.edges.toarray() > 0, expected.E)
    # A bridge may be longer than any distance counts.
    within = np.minimum(dist[np.ix_(expected.points, expected.points)], graph.largest_distance)
    np.testing.assert_allclose(graph.edges.toarray(), np.where(expected.E, within, 0))
    inside = expected.E & ~expected.bridges
    np.testing.assert_allclose(graph.longest_edge, np.where(inside, within, 0).max(axis=1))
    assert graph.n_bridges == expected.bridges.sum() // 2


@pytest.mark.parametrize("n_steps", [1, 2, 3, 4])
@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 5, 9, 49])
@pytest.mark.parametrize("connect", ["bridge", "largest"])
def test_edges_are_those_of_the_paper(n_neighbors, n_steps, connect):
    X = scattered()
    dist = cdist(X, X)
    expected = reference.neighborhood_graph(dist, n_neighbors, n_steps, connect)
    assert_same_graph(built(Vectors(X), n_neighbors, n_steps, connect), expected, dist)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_steps", [1, 2, 3])
@pytest.mark.parametrize("connect", ["bridge", "largest"])
def test_edges_of_disconnected_data(seed, n_steps, connect):
    X = islands(seed=seed)
    dist = cdist(X, X)
    expected = reference.neighborhood_graph(dist, 4, n_steps, connect)
    graph = built(Vectors(X), 4, n_steps, connect)
    assert_same_graph(graph, expected, dist)
    assert graph.n_components == 4


def test_the_largest_component_is_one_even_where_two_are_equally_large():
    X = islands((10, 15, 15))
    dist = cdist(X, X)
    graph = built(Vectors(X), 4, 1, "largest")
    assert_same_graph(graph, reference.neighborhood_graph(dist, 4, 1, "largest"), dist)
    assert len(graph.rows) == 15


@pytest.mark.parametrize("connect", ["bridge", "largest"])
@pytest.mark.parametrize("X", [scattered(), islands()], ids=["connected", "islands"])
def test_distances_give_the_graph_of_the_vectors(X, connect):
    dist = cdist(X, X)
    expected = built(Vectors(X), 4, 2, connect)
    for inputs in (DistanceMatrix(dist), DistanceGraph(sp.csr_array(dist))):
        if isinstance(inputs, DistanceGraph) and expected.n_bridges:
            continue  # it refuses: see test_bad_input
        graph = built(inputs, 4, 2, connect)
        np.testing.assert_array_equal(graph.rows, expected.rows)
        np.testing.assert_allclose(graph.edges.toarray(), expected.edges.toarray())


@pytest.mark.parametrize("n_copies", [2, 5, 6, 20])
@pytest.mark.parametrize("n_steps", [1, 2])
def test_copies_stay_edges_and_all_is_connected(n_copies, n_steps):
    X = np.repeat(scattered(12), n_copies, axis=0)
    graph = built(Vectors(X), 5, n_steps, "bridge")
    assert connected_components(graph.edges, directed=False)[0] == 1
    assert np.diff(graph.edges.indptr).min() >= 1
    assert (graph.longest_edge > 0).all()
    dist = cdist(X, X)
    i, j = graph.edges.nonzero()
    np.testing.assert_allclose(graph.edges.data, np.maximum(dist[i, j], graph.smallest_distance))
    if n_copies > 5:  # k copies leave no room for another neighbour: only bridges leave a clump
        assert graph.n_components == 12
    assert graph.n_bridges == graph.n_components - 1


def test_zero_distances_count_as_a_small_part_of_the_usual_one():
    X = np.concatenate([scattered(), scattered()[:5]])
    neighbors = Vectors(X).kneighbors(4)
    positive = neighbors.distances[neighbors.distances > 0]
    graph = neighbor_graph(Vectors(X), neighbors)
    assert graph.smallest_distance**2 == pytest.approx(SMALLEST_SQUARED_DISTANCE * np.median(positive) ** 2)
    assert graph.edges.data.min() == graph.smallest_distance


def test_rows_that_are_all_copies_in_pairs_have_an_edge_each():
    X = np.repeat([[0.0], [10.0], [20.0], [30.0]], 2, axis=0)
    graph = built(Vectors(X), 1, 1, "bridge")
    assert graph.n_components == 4
    assert graph.n_bridges == 3
    bridge_lengths = np.sort(graph.edges.data)[-6:]
    np.testing.assert_array_equal(bridge_lengths, np.full(6, 10.0))
