import numpy as np
import pandas as pd
import pytest

from latentmap.session.warm_start import WarmStart


def keys(labels):
    return pd.MultiIndex.from_arrays([["cells"] * len(labels), [0] * len(labels), labels])


@pytest.fixture
def placed():
    return WarmStart("1", keys([5, 9, 7]), np.array([[0.0, 0], [4, 0], [0, 8]], np.float32), np.array([1.0, 2, 3]))


def test_cells_are_found_by_their_key_in_any_order(placed):
    assert placed.find(keys([7, 8, 5])).tolist() == [2, -1, 0]
    assert placed.find(keys([5, 9, 7])).tolist() == [0, 1, 2]


def test_cells_in_another_order_keep_their_places(placed):
    rows = placed.find(keys([7, 5, 9]))
    embedding, variances = placed.begin(rows, np.array([[1], [2], [0]]))
    np.testing.assert_array_equal(embedding, [[0, 8], [0, 0], [4, 0]])
    np.testing.assert_array_equal(variances, [3, 1, 2])


def test_new_cells_begin_amid_their_neighbors_and_those_of_new_ones_after_them(placed):
    rows = placed.find(keys([5, 9, 7, 20, 21, 22]))
    # 20 has two neighbours on the map and a new one, 21 has 20 only, 22 none that leads to the map.
    neighbors = np.array([[1, 2, 3]] * 3 + [[0, 1, 4], [3, 3, 3], [5, 5, 5]])
    embedding, variances = placed.begin(rows, neighbors)
    np.testing.assert_allclose(embedding[3], [2, 0])
    np.testing.assert_allclose(embedding[4], [2, 0])
    np.testing.assert_allclose(embedding[5], embedding[:5].mean(axis=0))
    assert variances[3] == 1.5
    np.testing.assert_array_equal(embedding[:3], placed.embedding)
