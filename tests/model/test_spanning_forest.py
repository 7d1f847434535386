"""The minimum spanning forest: scipy's, edge by edge."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from latentmap.model.spanning_forest import spanning_forest


@pytest.mark.parametrize("n_edges", [0, 30, 300, 3000])
@pytest.mark.parametrize("has_ties", [False, True])
def test_it_is_that_of_scipy_also_with_ties_and_parts(n_edges, has_ties):
    rng = np.random.default_rng(n_edges)
    rows, columns = rng.integers(300, size=(2, n_edges), dtype=np.int32)  # what scipy 1.15 takes
    lengths = 1.0 + rng.integers(4, size=n_edges) if has_ties else rng.random(n_edges) + 0.1
    graph = sp.csr_array((lengths, (rows, columns)), (300, 300))
    pairs = sp.csr_array(sp.triu(graph.maximum(graph.T), 1, format="csr"))
    found, tree = spanning_forest(pairs)
    np.testing.assert_array_equal(found.toarray(), minimum_spanning_tree(pairs).toarray())
    assert found.nnz <= 299
    assert tree.tolist() == connected_components(pairs, directed=False)[1].tolist()
