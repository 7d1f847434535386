"""The cells around each cell, against a literal count."""

import numpy as np
import pandas as pd
import pytest

from latentmap.session.surroundings import NEIGHBORS, surroundings
from latentmap.table.centroids import centroids

rng = np.random.default_rng(0)


@pytest.fixture
def places():
    """Cells of two images, of which the second has two frames, in any order."""
    keys = [("a", 0, label) for label in range(1, 41)] + [
        ("b", frame, label) for frame in (0, 1) for label in range(30)
    ]
    index = pd.MultiIndex.from_tuples(keys, names=("layer", "frame", "label"))
    return pd.DataFrame(rng.uniform(0, 10, (len(keys), 2)), index).sample(frac=1, random_state=1)


def test_shares_are_those_of_a_literal_count(places):
    indices, names = rng.integers(-1, 2, len(places)), ("B", "T", "none")
    found = surroundings(places, indices, ("B", "T"), 1.7)
    for row, (key, place) in enumerate(places.iterrows()):
        near = [
            names[index]
            for other, (other_key, at) in enumerate(places.iterrows())
            if other != row and other_key[:2] == key[:2] and np.hypot(*(at - place)) <= 1.7
            for index in [indices[other]]
        ]
        assert found.columns[NEIGHBORS].iloc[row] == len(near)
        for name in names:
            share = near.count(name) / len(near) if near else np.nan
            np.testing.assert_allclose(found.columns[f"near {name}"].iloc[row], share)
    assert found.n_alone == (found.columns[NEIGHBORS] == 0).sum() > 0


def test_the_usual_radius_is_three_cells_wide():
    rows, columns = np.mgrid[0:7, 0:7]
    index = pd.MultiIndex.from_product([["a"], [0], range(1, 50)], names=("layer", "frame", "label"))
    places = pd.DataFrame({0: 12.0 * rows.ravel(), 1: 12.0 * columns.ravel()}, index)
    found = surroundings(places, np.zeros(49, dtype=int), ("all",))
    assert found.radius == pytest.approx(36)
    assert found.columns[NEIGHBORS].max() == 28  # lattice points within 3 steps
    places.iloc[[3, 4]] = [[np.nan, np.nan], [900, 900]]
    found = surroundings(places, np.zeros(49, dtype=int), ("all",))
    assert (found.n_alone, found.n_unplaced) == (1, 1)
    np.testing.assert_array_equal(found.columns[NEIGHBORS].iloc[[3, 4]], [np.nan, 0])


def test_what_cannot_be_told_is_refused(places):
    with pytest.raises(ValueError, match="No image has two cells"):
        surroundings(places.iloc[:1], np.zeros(1, dtype=int), ("all",))
    index = pd.MultiIndex.from_product([["a"], [0], range(9000)], names=("layer", "frame", "label"))
    crowd = pd.DataFrame(rng.uniform(size=(9000, 2)), index)
    with pytest.raises(ValueError, match="9000 others around it on average, too many"):
        surroundings(crowd, np.zeros(9000, dtype=int), ("all",), 5.0)


def test_centroids_are_found_frame_by_frame_in_their_unit():
    film = np.zeros((2, 8, 9), dtype=int)
    film[0, 2:4, 3:6] = 5
    film[1, 6, 0] = 5
    found = centroids(film, layer="film", has_frames=True, spacing=(0.5, 2.0))
    assert found.index.tolist() == [("film", 0, 5), ("film", 1, 5)]
    assert found.to_numpy().tolist() == [[1.25, 8.0], [3.0, 0.0]]
    assert len(centroids(np.zeros((4, 4), dtype=int), layer="empty")) == 0


@pytest.mark.parametrize(("names", "expected"), [(("drug", "none"), "(none)"), (("none", "(none)"), "((none))")])
def test_a_group_called_none_is_not_taken_for_cells_without_a_group(names, expected):
    index = pd.MultiIndex.from_product([["a"], [0], range(1, 5)], names=("layer", "frame", "label"))
    places = pd.DataFrame({0: 0.0, 1: [0.0, 1.0, 2.0, 3.0]}, index)
    found = surroundings(places, np.array([0, 1, -1, 0]), names, 1.5).columns
    assert list(found) == [f"near {name}" for name in (*names, expected)] + [NEIGHBORS]
    np.testing.assert_array_equal(found.iloc[:, :3], [[0, 1, 0], [0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0, 1]])


def test_a_flat_image_beside_a_stack_keeps_its_neighbours():
    index = pd.MultiIndex.from_product([["flat", "stack"], [0], range(1, 4)], names=("layer", "frame", "label"))
    flat, stack = [[0.0, 0.0], [0.0, 1.0], [0.0, 5.0]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
    places = pd.concat([pd.DataFrame(flat), pd.DataFrame(stack)]).set_axis(index)
    found = surroundings(places, np.zeros(6, dtype=int), ("all",), 1.5).columns
    assert found[NEIGHBORS].tolist() == [1, 1, 0, 1, 1, 0]
    places.iloc[:3] = np.nan
    found = surroundings(places, np.zeros(6, dtype=int), ("all",), 1.5).columns
    np.testing.assert_array_equal(found[NEIGHBORS], [np.nan, np.nan, np.nan, 1, 1, 0])
