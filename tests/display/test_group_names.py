"""Where the names of groups stand on a map."""

import numpy as np
import pytest

from latentmap.display.group_names import MOST_NAMES, group_names, lay_out_names
from latentmap.session import ColourGroups, ColourScale

rng = np.random.default_rng(0)


def named(indices, positions, shown=None):
    names = tuple(f"group {number}" for number in range(indices.max() + 1))
    groups = ColourGroups("class", indices, names, ("#ff0000",) * len(names))
    found = group_names(groups, positions, np.ones(len(indices), dtype=bool) if shown is None else shown)
    return {one.name: one.position for one in found}


@pytest.mark.parametrize("n_axes", [2, 3])
def test_a_torn_group_is_named_amid_its_larger_piece(n_axes):
    small, large = rng.normal(0, 0.02, (80, n_axes)), rng.normal(0, 0.02, (120, n_axes)) + 0.4
    strays = rng.uniform(-0.5, 0.5, (3, n_axes))
    position = named(np.zeros(203, dtype=int), np.concatenate([small, large, strays]))["group 0"]
    assert np.linalg.norm(position - 0.4) < 0.03


def test_the_name_of_a_ring_stands_on_the_ring():
    angles = np.linspace(0, 2 * np.pi, 400)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    assert np.linalg.norm(named(np.zeros(400, dtype=int), ring)["group 0"]) == pytest.approx(1)


def test_the_largest_groups_are_named_and_only_by_cells_that_are_shown():
    indices = np.repeat(np.arange(50), np.arange(1, 51))
    positions = rng.uniform(size=(len(indices), 2))
    assert list(named(indices, positions)) == [f"group {number}" for number in range(49, 49 - MOST_NAMES, -1)]
    assert list(named(indices, positions, indices == 3)) == ["group 3"]
    assert named(indices, positions, np.zeros(len(indices), dtype=bool)) == {}
    scale = ColourScale("area", np.zeros(3), 0.0, 1.0)
    assert group_names(scale, np.zeros((3, 2)), np.ones(3, dtype=bool)) == ()


def test_no_names_overlap_and_those_without_room_are_left_out():
    points, sizes = rng.uniform(0, 300, (30, 2)), np.column_stack([rng.uniform(30, 90, 30), np.full(30, 15.0)])
    placed = lay_out_names(points, sizes, (300, 300))
    shown = ~np.isnan(placed[:, 0])
    assert 8 < shown.sum() < 30
    at, half = placed[shown], sizes[shown] / 2
    for one in range(len(at)):
        for other in range(one):
            assert (np.abs(at[one] - at[other]) >= half[one] + half[other] - 1e-9).any()
    assert (at >= half).all()
    assert (at <= 300 - half).all()
    assert np.abs(at - points[shown]).max() <= 90
    np.testing.assert_array_equal(lay_out_names(points, sizes, (10_000, 10_000))[0], points[0])
