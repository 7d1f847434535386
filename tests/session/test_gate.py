"""Gates against literal references, one cell at a time."""

import math

import numpy as np
import pandas as pd
import pytest

from latentmap.session import Axis, CellIndex, Gate
from latentmap.session.gate import gate_names

rng = np.random.default_rng(0)
N = 400
KEYS = pd.MultiIndex.from_arrays(
    [np.where(np.arange(N) % 2, "b", "a"), np.zeros(N, int), np.arange(1, N + 1)], names=["layer", "frame", "label"]
)
CELLS = pd.DataFrame({"CD4": rng.normal(20, 30, N), "CD8": np.exp(rng.normal(2, 2, N))}, KEYS)
CELLS.iloc[::17, 0] = np.nan
CELLS.iloc[::23, 1] = np.inf


def literal_position(value, axis):
    if not math.isfinite(value) or (axis.scaling == "log" and value <= 0):
        return None
    if axis.scaling == "arcsinh":
        return math.asinh(value / axis.cofactor)
    return math.log10(value) if axis.scaling == "log" else value


def is_left_of_an_odd_number_of_sides(x, y, corners):
    inside = False
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            inside = not inside
    return inside


@pytest.mark.parametrize("scaling", ["linear", "log", "arcsinh"])
def test_a_polygon_has_straight_sides_along_the_axes_it_was_drawn_on(scaling):
    axes = (Axis("CD4", scaling, 3.0), Axis("CD8", scaling, 40.0))
    corners = ((2.0, 1.0), (60.0, 3.0), (45.0, 90.0), (30.0, 12.0), (5.0, 70.0))
    drawn = [tuple(literal_position(value, axis) for value, axis in zip(one, axes, strict=True)) for one in corners]
    expected = []
    for row in CELLS.to_numpy():
        at = [literal_position(value, axis) for value, axis in zip(row, axes, strict=True)]
        expected.append(None not in at and is_left_of_an_odd_number_of_sides(*at, drawn))
    found = Gate("polygon", axes, corners, ("T",)).regions(CELLS) == 0
    assert found.tolist() == expected
    assert 20 < sum(expected) < 200


def test_the_same_corners_hold_other_cells_on_other_axes():
    corners = ((1.0, 1.0), (90.0, 1.0), (1.0, 400.0))
    linear, log = (
        Gate("polygon", (Axis("CD4", scaling), Axis("CD8", scaling)), corners, ("T",)).regions(CELLS) == 0
        for scaling in ("linear", "log")
    )
    assert (linear & ~log).any()
    assert not (linear == log).all()


def test_rectangles_thresholds_and_quadrants_compare_values_whatever_the_axes():
    axes = (Axis("CD4", "log"), Axis("CD8", "arcsinh"))
    rectangle = Gate("rectangle", axes, ((0.0, 2.0), (40.0, 50.0)), ("in",))
    span = Gate("rectangle", axes[:1], ((0.0,), (40.0,)), ("in",))
    threshold = Gate("threshold", axes[:1], ((10.0,),), ("CD4+", "CD4-"))
    quadrant = Gate("quadrant", axes, ((10.0, 8.0),), gate_names("quadrant", axes))
    expected = {"rectangle": [], "span": [], "threshold": [], "quadrant": []}
    for four, eight in CELLS.to_numpy():
        known = math.isfinite(four), math.isfinite(eight)
        expected["rectangle"].append("in" if all(known) and 0 <= four <= 40 and 2 <= eight <= 50 else "")
        expected["span"].append("in" if known[0] and 0 <= four <= 40 else "")
        expected["threshold"].append(("CD4+" if four >= 10 else "CD4-") if known[0] else "")
        signs = f"CD4{'+' if four >= 10 else '-'} CD8{'+' if eight >= 8 else '-'}"
        expected["quadrant"].append(signs if all(known) else "")
    for gate, names in zip((rectangle, span, threshold, quadrant), expected.values(), strict=True):
        assert gate.class_names(CELLS).tolist() == names
    # Values that a log axis cannot show are below its threshold; cells without a value are nowhere.
    assert (threshold.class_names(CELLS)[CELLS["CD4"] <= 0] == "CD4-").all()
    assert set(threshold.class_names(CELLS)[CELLS["CD4"].isna()]) == {""}
    assert quadrant.has_values(CELLS).tolist() == [math.isfinite(a) and math.isfinite(b) for a, b in CELLS.to_numpy()]


def test_a_layer_can_have_corners_of_its_own():
    gate = Gate("threshold", (Axis("CD4"),), ((10.0,),), ("CD4+", ""))
    own = gate.with_corners(((30.0,),), "b")
    is_b = CELLS.index.get_level_values("layer") == "b"
    assert ((own.regions(CELLS) == 0) == (CELLS["CD4"] >= np.where(is_b, 30, 10)).to_numpy()).all()
    assert (own.corners_in("a"), own.corners_in("b")) == (((10.0,),), ((30.0,),))
    assert own.text() == 'threshold: CD4 at least 10; in "b" CD4 at least 30'
    assert own.without_own("b") == gate
    # All other layers move, and this one stays.
    assert own.with_corners(((12.0,),)).corners_in("b") == ((30.0,),)


def test_what_is_no_gate_is_refused_with_a_reason():
    axis = Axis("CD4")
    with pytest.raises(ValueError, match='no feature "CD3"'):
        Gate("threshold", (Axis("CD3"),), ((1.0,),), ("", "")).regions(CELLS)
    with pytest.raises(ValueError, match="number of corners"):
        Gate("polygon", (axis, axis), ((0.0, 0.0), (1.0, 1.0)), ("T",))
    with pytest.raises(ValueError, match="no number"):
        Gate("threshold", (axis,), ((np.nan,),), ("T", ""))
    with pytest.raises(ValueError, match="cofactor"):
        Axis("CD4", "arcsinh", 0.0)


def test_no_cell_and_one_cell_are_gated():
    gate = Gate("polygon", (Axis("CD4"), Axis("CD8")), ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), ("T",))
    assert gate.regions(CELLS[:0]).tolist() == []
    one = pd.DataFrame({"CD4": [0.2], "CD8": [0.2]}, CellIndex().keys([]).append(KEYS[:1]))
    assert gate.regions(one).tolist() == [0]
