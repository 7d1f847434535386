"""The outlines of gates on a plot, also on axes of another scale than their own."""

import numpy as np
import pandas as pd
import pytest
from skimage.measure import points_in_poly

from latentmap.display.feature_plot import Limits
from latentmap.display.gate_shape import gate_shape, rescaled, reshaped
from latentmap.session import Axis, Gate

VIEW = Limits(0.0, 4.0, 0.0, 10.0)
LINEAR = (Axis("CD4"), Axis("CD8"))
LOG = (Axis("CD4", "log"), Axis("CD8", "log"))
TRIANGLE = Gate("polygon", LOG, ((1.0, 1.0), (100.0, 1.0), (1.0, 1000.0)), ("T",))


def test_a_gate_of_other_features_has_no_outline():
    gate = Gate("threshold", LINEAR[:1], ((5.0,),), ("CD4+", "CD4-"))
    assert gate_shape(gate, None, (Axis("CD8"),), VIEW) is None
    assert gate_shape(gate, None, LINEAR, VIEW) is None


def test_the_line_of_a_threshold_crosses_the_histogram_and_is_dragged_at_its_middle():
    gate = Gate("threshold", LINEAR[:1], ((100.0,),), ("CD4+", "CD4-"), {"B": ((1000.0,),)})
    shape = gate_shape(gate, None, LOG[:1], VIEW)
    (line,) = shape.paths
    assert line[:, 0].tolist() == [2.0, 2.0]
    assert line[0, 1] < VIEW.bottom < VIEW.top < line[1, 1]
    assert (shape.is_closed, shape.handles.tolist()) == (False, [[2.0, 5.0]])
    assert gate_shape(gate, "B", LOG[:1], VIEW).handles.tolist() == [[3.0, 5.0]]


def test_a_value_that_the_axis_cannot_show_lies_far_outside_the_view():
    gate = Gate("threshold", LINEAR[:1], ((-5.0,),), ("CD4+", "CD4-"))
    (line,) = gate_shape(gate, None, LOG[:1], VIEW).paths
    assert (line[:, 0] < VIEW.left - 100).all()


def test_the_lines_of_a_quadrant_cross_the_plot_through_its_centre():
    gate = Gate("quadrant", LINEAR, ((10.0, 1000.0),), ("++", "+-", "-+", "--"))
    shape = gate_shape(gate, None, LOG, VIEW)
    upright, level = shape.paths
    assert upright[:, 0].tolist() == [1.0, 1.0]
    assert level[:, 1].tolist() == [3.0, 3.0]
    assert upright[0, 1] < VIEW.bottom < VIEW.top < upright[1, 1]
    assert level[0, 0] < VIEW.left < VIEW.right < level[1, 0]
    assert (shape.is_closed, shape.handles.tolist()) == (False, [[1.0, 3.0]])


def test_a_range_on_a_histogram_is_as_high_as_the_plot():
    gate = Gate("rectangle", LOG[:1], ((1.0,), (100.0,)), ("T",))
    shape = gate_shape(gate, None, LOG[:1], VIEW)
    (around,) = shape.paths
    assert around[:, 0].tolist() == [0.0, 2.0, 2.0, 0.0]
    assert around[:, 1].min() < VIEW.bottom < VIEW.top < around[:, 1].max()
    assert shape.handles.tolist() == [[0.0, 5.0], [2.0, 5.0]]


def test_a_polygon_on_its_own_axes_is_dragged_by_its_corners():
    shape = gate_shape(TRIANGLE, None, LOG, VIEW)
    np.testing.assert_allclose(shape.paths[0], [[0, 0], [2, 0], [0, 3]], atol=1e-12)
    np.testing.assert_array_equal(shape.handles, shape.paths[0])


def test_the_sides_of_a_polygon_are_bent_on_other_axes_and_enclose_the_same_cells():
    shape = gate_shape(TRIANGLE, None, LINEAR, VIEW)
    (outline,) = shape.paths
    assert shape.is_closed
    assert not len(shape.handles)
    for corner in TRIANGLE.corners:
        assert np.isclose(outline, corner).all(axis=1).any()
    # The middle of the long side, straight on axes with logarithms, is no mean of its ends.
    assert np.isclose(outline, (10.0, 10**1.5)).all(axis=1).any()
    spread = 10 ** np.random.default_rng(0).uniform(-0.5, 3.5, size=(4000, 2))
    keys = pd.MultiIndex.from_product([["cells"], [0], range(1, 4001)], names=["layer", "frame", "label"])
    inside = TRIANGLE.regions(pd.DataFrame(spread, keys, columns=["CD4", "CD8"])) == 0
    assert 0.1 < inside.mean() < 0.5
    # Between two points of the outline, its line is straight on the plot: few cells lie there.
    assert (points_in_poly(spread, outline) == inside).mean() > 0.99


def test_only_a_polygon_keeps_the_axes_that_it_was_drawn_on():
    assert rescaled(TRIANGLE, LINEAR) is TRIANGLE
    box = Gate("rectangle", LOG, ((1.0, 1.0), (10.0, 10.0)), ("T",))
    assert rescaled(box, LINEAR).axes == LINEAR
    assert rescaled(box, LINEAR).corners == box.corners


def test_what_the_axis_cannot_show_stays_when_a_gate_is_dragged():
    gate = Gate("rectangle", LINEAR[:1], ((-5.0,), (10.0,)), ("T",))
    ((low,), (high,)) = reshaped(gate, None, LOG[:1], None, (1.0, 0.0)).corners
    assert (low, high) == (-5.0, pytest.approx(100.0))


def test_sides_that_are_not_dragged_keep_their_values_to_the_last_digit():
    for low in np.random.default_rng(0).uniform(1, 9, size=50):
        gate = Gate("rectangle", (Axis("CD4", "log"),), ((low,), (10.0,)), ("T",))
        assert reshaped(gate, None, gate.axes, 1, (1.0, 0.0)).corners[0] == (low,)


def test_corners_of_a_polygon_stay_where_its_own_axes_can_show_them():
    gate = Gate("polygon", (Axis("CD4", "log"), Axis("CD8")), ((2.0, 0.0), (9.0, 0.0), (9.0, 5.0)), ("T",))
    moved = reshaped(gate, None, (Axis("CD4"), Axis("CD8")), None, (-5.0, 1.0))
    assert moved.corners == ((2.0, 1.0), (4.0, 1.0), (4.0, 6.0))
    cells = pd.DataFrame({"CD4": [3.5, 8.0], "CD8": [2.0, 2.0]})
    assert moved.regions(cells).tolist() == [0, -1]
