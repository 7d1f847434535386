"""Graphs go to scipy's algorithms with the indices that scipy 1.14 takes, which refuses wider ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from latentmap.methods import Isomap
from latentmap.methods.mds import isomap
from latentmap.model import distances
from latentmap.model.distances import DistanceGraph

X = load_iris().data[::2]


def narrow_alone(algorithm):
    def called(csgraph, *args, **kwargs):
        assert csgraph.indices.dtype == csgraph.indptr.dtype == np.int32
        return algorithm(csgraph, *args, **kwargs)

    return called


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
def test_no_path_is_sought_in_a_graph_with_wide_indices(monkeypatch):
    monkeypatch.setattr(isomap, "dijkstra", narrow_alone(isomap.dijkstra))
    monkeypatch.setattr(distances, "dijkstra", narrow_alone(distances.dijkstra))
    Isomap(5).fit(X)
    edges = sp.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), (3, 3))
    edges.indices, edges.indptr = edges.indices.astype(np.int64), edges.indptr.astype(np.int64)
    nearest, far = DistanceGraph(edges).nearest(np.array([0, 2]), np.array([1]))
    assert nearest.tolist() == [0, 0]
    assert far.tolist() == [1.0, 2.0]
