"""The pairs of a graph: as sums of sparse arrays give them."""

import numpy as np
import pytest
import scipy.sparse as sp

from latentmap.model.both_directions import BothDirections


@pytest.fixture(params=[0, 1, 20, 400, 3000])
def graph(request):
    rng = np.random.default_rng(request.param)
    rows, columns = rng.integers(60, size=(2, request.param))
    apart = rows != columns
    graph = sp.csr_array((1 + rng.random(apart.sum()), (rows[apart], columns[apart])), (60, 60))
    graph.sum_duplicates()
    return graph


def test_sums_and_maxima_are_those_of_scipy(graph):
    pairs = BothDirections.of(graph)
    there, back = pairs.values(graph.data)
    for data, expected in ((there + back, graph + graph.T), (np.maximum(there, back), graph.maximum(graph.T))):
        found = sp.csr_array((data, pairs.indices, pairs.indptr), graph.shape)
        np.testing.assert_array_equal(found.toarray(), expected.toarray())
        assert found.has_canonical_format
        assert found.nnz == expected.nnz


def test_each_pair_once_is_the_upper_triangle(graph):
    pairs = BothDirections.of(graph, once=True)
    found = sp.csr_array((np.maximum(*pairs.values(graph.data)), pairs.indices, pairs.indptr), graph.shape)
    np.testing.assert_array_equal(found.toarray(), sp.triu(graph.maximum(graph.T), 1).toarray())


def test_values_that_are_no_numbers_of_double_precision_keep_their_type(graph):
    there, back = BothDirections.of(graph).values(np.ones(graph.nnz, np.uint8))
    assert there.dtype == back.dtype == np.uint8
    assert there.sum() == back.sum() == graph.nnz
