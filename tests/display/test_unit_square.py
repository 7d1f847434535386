"""The layout of a map in its square."""

import numpy as np
import pytest

from latentmap.display.unit_square import new_cells_in_square, unit_square


def test_a_blob_fills_its_square_and_no_cell_lies_beyond():
    cells = np.random.default_rng(0).normal(size=(5000, 2)) * [2, 1]
    layout = unit_square(cells, np.ones(5000), (0, 1))
    assert not layout.beyond.any()
    assert np.ptp(layout.positions[:, 1]) == pytest.approx(1)
    np.testing.assert_allclose(layout.half, np.ptp(layout.positions, axis=0) / 2)
    np.testing.assert_array_equal(layout.positions, layout.at_edge)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 1, 2)])
def test_outliers_leave_the_room_to_the_others_and_keep_their_true_positions(axes):
    rng = np.random.default_rng(0)
    cells = rng.uniform(-1, 1, (1000, 3))
    cells[:7] = rng.uniform(20, 40, (7, 3)) * rng.choice([-1, 1], (7, 3))
    layout = unit_square(cells, np.ones(1000), axes)
    assert np.flatnonzero(layout.beyond).tolist() == list(range(7))
    assert np.ptp(layout.positions[7:], axis=0).max() > 0.9
    assert abs(layout.positions[:7]).max() > 5
    assert np.all(abs(layout.at_edge) <= layout.half)
    assert np.all(np.any(np.isclose(abs(layout.at_edge[:7]), layout.half), axis=1))
    # The same scale along all axes, also for those beyond.
    drawn = cells[:, [*axes[2:], axes[1], axes[0]]] * [*[1] * len(axes[2:]), -1, 1]
    scales = np.diff(layout.positions[:2], axis=0) / np.diff(drawn[:2], axis=0)
    np.testing.assert_allclose(scales, scales.mean())


def test_a_narrow_axis_is_not_cut_where_the_wide_one_needs_the_room():
    cells = np.column_stack([np.linspace(0, 100, 200), np.zeros(200)])
    cells[5, 1] = 20
    assert not unit_square(cells, np.ones(200), (0, 1)).beyond.any()
    cells[5, 1] = 80
    assert np.flatnonzero(unit_square(cells, np.ones(200), (0, 1)).beyond).tolist() == [5]


@pytest.mark.parametrize("n_cells", [1, 2, 9])
def test_of_few_cells_none_lies_beyond(n_cells):
    cells = np.zeros((n_cells, 2))
    cells[-1] = 1000
    layout = unit_square(cells, np.ones(n_cells), (0, 1))
    assert not layout.beyond.any()
    assert np.all(abs(layout.positions) <= 0.5)


def test_cells_at_one_place_lie_in_the_middle():
    layout = unit_square(np.full((50, 2), 3.0), np.ones(50), (0, 1))
    assert not layout.beyond.any()
    assert not layout.positions.any()


def test_new_cells_far_out_lie_on_the_edge_of_the_map():
    cells = np.column_stack([np.linspace(0, 4, 50), np.linspace(0, 2, 50)])
    placed = new_cells_in_square(cells, np.ones(50), (0, 1), np.array([[2.0, 1], [900, -5]]), np.ones(2))
    assert placed.tolist() == [[0, 0], [0.25, 0.5]]


def test_new_cells_stay_among_the_old_ones_when_all_are_shown():
    line = np.column_stack([[*range(99), 392.0], np.zeros(100)])
    layout = unit_square(line, np.ones(100), (0, 1))
    for shows_all, drawn in ((False, layout.at_edge), (True, layout.all_within)):
        again = new_cells_in_square(line, np.ones(100), (0, 1), line, np.ones(100), shows_all=shows_all)
        np.testing.assert_allclose(again, drawn, atol=1e-12)


def test_the_middle_of_very_many_cells_does_not_hang_on_their_order():
    embedding = np.random.default_rng(0).normal(size=(1_000_000, 2))
    embedding[::10, 0] += 50
    embedding[3, 0] = 10_000
    square = unit_square(embedding, np.full(len(embedding), np.nan), (0, 1))
    np.testing.assert_array_equal(np.flatnonzero(square.beyond), [3])
