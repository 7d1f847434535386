"""Drawing gates on a plot of features, without a window."""

import numpy as np
import pandas as pd
import pytest

from latentmap.display.feature_plot import Limits
from latentmap.presenters.gating import GatePresenter
from latentmap.session import Axis, Gate
from latentmap.table import CellTable

N = 100
UNIT = Limits(0.0, 100.0, 0.0, 100.0)


@pytest.fixture
def table():
    """100 cells in two images, along a diagonal; one without a value of CD4 and one without light."""
    rows = pd.DataFrame({"label": [*range(1, N // 2 + 1)] * 2, "layer": ["a"] * (N // 2) + ["b"] * (N // 2)})
    rows["CD4"], rows["CD8"] = np.arange(N, dtype=float), np.arange(N, dtype=float)
    rows.loc[99, "CD4"] = np.nan
    return CellTable.read(rows, layer="a")


@pytest.fixture
def gating(session, table, view, told):
    session.parameters.features = ()
    presenter = GatePresenter(session, lambda: table, view, told.append)
    presenter.refresh()
    return presenter


def numbers(session, table, rows):
    return sorted(session.cell_index.numbers_of(table.features.index[list(rows)]).tolist())


def members(session, name):
    return session.classes.members(name).tolist()


def test_two_features_are_plotted_and_it_is_said_what_is_missing(gating, view, session, table):
    assert view.last("offer") == (["CD4", "CD8"], ["a", "b"])
    assert view.last("show_axes") == ((Axis("CD4"), Axis("CD8")), "")
    assert view.last("show_sentence") == '99 cells in the plot. 1 cell has no "CD4" and belongs to no gate on it.'
    gating.plot.scale(0, "log", 5.0)
    assert "98 cells in the plot." in view.last("show_sentence")
    assert '1 cell with "CD4" of 0 or less cannot be shown on a log axis: choose arcsinh' in view.last("show_sentence")
    gating.choose_features("CD8", "number of cells")
    assert gating.plot.plot.is_histogram
    assert view.last("show_sentence") == "100 cells in the plot."
    session.dropped.drop(numbers(session, table, [0, 1]))
    assert view.last("show_sentence") == "98 cells in the plot."
    assert gating.plot.picture(gating.plot.plot.limits, (40, 30)).any()


def test_a_shape_around_no_cell_makes_no_class(gating, session, told):
    gating.draw("rectangle", [[10.2, 60], [10.4, 50]])
    gating.add("T")
    assert told[-1] == "No cell lies in this shape, so there is no class to make of it."
    assert len(session.classes) == len(session.gates) == 0


def test_a_shape_selects_and_becomes_a_class_that_remembers_it(gating, view, session, table, told):
    gating.draw("rectangle", [[40.5, 60], [19.5, 0]])
    assert session.selection.numbers.tolist() == numbers(session, table, range(20, 41))
    assert session.selection.story[0].how == "gate, rectangle: CD4 from 19.5 to 40.5, CD8 from 0 to 60"
    assert view.last("show_current")[0] == "In the shape: 21 of 100 cells (21.0 %)."
    assert len(session.classes) == 0
    gating.add("  ")
    assert told[-1] == "Give the class of the gate a name."
    session.classes.assign("mine", numbers(session, table, [25]))
    gating.add("T")
    assert told[-1] == "T: 21 of 100 cells (21.0 %). 1 cell left another class, as a cell has one class only."
    assert members(session, "T") == numbers(session, table, range(20, 41))
    assert session.classes["T"].story[0].how.endswith("CD4 from 19.5 to 40.5, CD8 from 0 to 60")
    ((line,), chosen) = view.last("show_gates")
    assert (line.counts, chosen) == (("T: 21 of 100 cells (21.0 %)",), 0)
    assert line.colours == (session.classes["T"].colour,)
    session.classes.assign("mine", numbers(session, table, [25]))
    assert view.last("show_gates")[0][0].counts == ("T: 21 of 100 cells (21.0 %), 1 of them in another class",)
    session.classes.unassign(numbers(session, table, [26, 27]))
    assert view.last("show_gates")[0][0].counts == (
        "T: 21 of 100 cells (21.0 %), 1 of them in another class, 2 of them in no class",
    )
    gating.add("again")
    assert told[-1] == "Draw a shape around cells in the plot first."


def test_modes_brush_but_make_no_gate(gating, session, table, told, view):
    gating.draw("rectangle", [[9.5, 0], [20.5, 99]])
    gating.draw("rectangle", [[18.5, 0], [30.5, 99]], "subtract")
    assert session.selection.numbers.tolist() == numbers(session, table, range(10, 19))
    assert told[-1].startswith("A gate is one shape")
    assert view.last("show_current")[1] is False
    gating.click((50.2, 50.1), (1, 1), "add")
    assert session.selection.numbers.tolist() == numbers(session, table, [*range(10, 19), 50])
    gating.click((50.2, 80), (1, 1))
    assert len(session.selection) == 0


def test_a_lasso_becomes_a_polygon_of_few_corners(gating, session, table):
    turns = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    gating.draw("lasso", np.column_stack([50 + 20 * np.cos(turns), 50 + 20 * np.sin(turns)]))
    assert 6 <= len(gating.current.corners) <= 40
    assert len(session.selection) in (27, 28, 29)
    gating.draw("lasso", [[1, 1], [1, 1]])
    assert len(session.selection) in (27, 28, 29)


def test_the_corners_of_a_polygon_are_where_they_were_clicked(gating, session, table):
    corners = [[10, 10], [20, 10.1], [30, 10], [30, 30]]  # the second one is almost on the line
    gating.draw("polygon", corners)
    assert np.array(gating.current.corners).tolist() == corners
    selected = len(session.selection)
    gating.draw("polygon", [[1, 1], [2, 2], [3, 3]])
    assert len(session.selection) == selected


def test_a_gate_is_moved_reshaped_renamed_and_removed(gating, session, table, view, told):
    gating.draw("rectangle", [[9.5, 0], [20.5, 99]])
    gating.add("T")
    gating.drag(None, (10.0, 0.0))
    # While it is dragged, only its outline moves.
    assert members(session, "T") == numbers(session, table, range(10, 21))
    (outline,) = gating.outlines(UNIT)
    assert outline.is_current
    assert outline.shape.paths[0][:, 0].tolist() == [19.5, 30.5, 30.5, 19.5]
    gating.drop()
    assert members(session, "T") == numbers(session, table, range(20, 31))
    assert session.selection.numbers.tolist() == numbers(session, table, range(20, 31))
    gating.drag(2, (-5.0, -74.0))
    gating.drop()
    assert session.gates[0].corners == ((19.5, 0.0), (25.5, 25.0))
    assert members(session, "T") == numbers(session, table, range(20, 26))
    gating.rename("B")
    assert session.classes.names == session.gates[0].names == ("B",)
    assert view.last("show_gates")[0][0].counts[0] == "B: 6 of 100 cells (6.0 %)"
    gating.click((90, 10), (1, 1))
    gating.drag(None, (10.0, 0.0))
    gating.drop()
    assert session.gates[0].corners == ((19.5, 0.0), (25.5, 25.0))
    gating.choose(0)
    assert len(session.selection) == 6
    gating.remove()
    assert len(session.gates) == len(session.classes) == len(gating.outlines(UNIT)) == 0


def test_dropped_cells_follow_their_gate_so_that_they_come_back_into_the_right_class(gating, session, table):
    gating.draw("rectangle", [[9.5, 0], [20.5, 99]])
    session.dropped.drop(numbers(session, table, [15]))
    gating.add("T")
    assert members(session, "T") == numbers(session, table, range(10, 21))
    session.dropped.drop(numbers(session, table, [12, 25]))
    gating.drag(None, (10.0, 0.0))
    gating.drop()
    session.dropped.restore()
    assert members(session, "T") == numbers(session, table, range(20, 31))
    session.dropped.drop(numbers(session, table, [25]))
    gating.remove()
    assert session.classes.names == ()


def test_a_gate_cannot_become_another_one_that_is_there(gating, session, table, told, view):
    gating.choose_features("CD4", "number of cells")
    for value in (40, 60):
        gating.draw("threshold", [[value, 0]])
        gating.add("")
    gating.type_threshold(40.0)
    assert told[-1] == "There is this gate already: move it, or draw another one."
    assert [gate.corners for gate in session.gates] == [((40.0,),), ((60.0,),)]
    assert view.last("show_current")[-1] == 60.0
    gating.remove()
    assert members(session, "CD4+") == numbers(session, table, range(40, 99))


def test_a_threshold_is_drawn_typed_and_takes_the_side_that_is_wanted(gating, session, table, view):
    gating.draw("threshold", [[40, 40]])
    assert gating.current is None  # a line belongs to a histogram
    gating.choose_features("CD4", "number of cells")
    gating.plot.scale(0, "arcsinh", 5.0)
    gating.draw("threshold", [[0, 3], [float(np.arcsinh(79.5 / 5)), 9]])
    assert session.selection.numbers.tolist() == numbers(session, table, range(80, 99))
    assert view.last("show_current")[-1] == pytest.approx(79.5)
    gating.type_threshold(89.5)
    assert view.last("show_current")[0] == "In the shape: 9 of 100 cells (9.0 %)."
    gating.choose_side("below")
    assert session.selection.numbers.tolist() == numbers(session, table, range(90))
    gating.choose_side("both")
    gating.add("")
    assert members(session, "CD4+") == numbers(session, table, range(90, 99))
    assert members(session, "CD4-") == numbers(session, table, range(90))
    gating.type_threshold(49.5)
    assert len(members(session, "CD4-")) == 50
    assert len(session.gates) == 1
    assert session.gates[0].axes == (Axis("CD4", "arcsinh", 5.0),)


def test_a_quadrant_gives_four_classes_at_once(gating, session, table, view, told):
    gating.draw("quadrant", [[39.5, 59.5]])
    assert "CD4+ CD8+: 39 of 100 cells (39.0 %); CD4+ CD8-: 20" in view.last("show_current")[0]
    gating.add("")
    counts = {name: len(members(session, name)) for name in session.classes.names}
    assert counts == {"CD4+ CD8+": 39, "CD4+ CD8-": 20, "CD4- CD8+": 0, "CD4- CD8-": 40}
    (line,) = view.last("show_gates")[0]
    assert (len(line.counts), line.colours) == (4, tuple(one.colour for one in session.classes))
    gating.choose(0, part=3)
    assert session.selection.numbers.tolist() == members(session, "CD4- CD8-")
    gating.rename("four")
    assert "rename each" in told[-1]


def test_a_gate_has_bounds_of_its_own_in_an_image(gating, session, table, view):
    gating.draw("rectangle", [[9.5, 0], [20.5, 99]])
    gating.add("T")
    gating.choose_image("b")
    assert view.last("show_gates")[0][0].counts[0] == "T: 0 of 50 cells (0.0 %)"
    gating.drag(None, (50.0, 0.0))
    gating.drop()
    assert members(session, "T") == sorted(
        [*numbers(session, table, range(10, 21)), *numbers(session, table, range(60, 71))]
    )
    assert session.selection.numbers.tolist() == numbers(session, table, range(60, 71))
    assert view.last("show_current")[0].endswith('In "b" it has bounds of its own.')
    gating.choose_image("all images")
    (outline,) = gating.outlines(UNIT)
    assert outline.shape.paths[0][0, 0] == 9.5
    gating.choose_image("b")
    gating.share_bounds()
    assert members(session, "T") == numbers(session, table, range(10, 21))


def test_gates_follow_cells_with_other_features_and_say_so(session, table, view, told):
    tables = [table]
    presenter = GatePresenter(session, lambda: tables[-1], view, told.append)
    presenter.refresh()
    session.gates.add(Gate("rectangle", (Axis("CD4"),), ((9.5,), (20.5,)), ("T",)), table.features)
    assert session.classes.members("T").tolist() == numbers(session, table, range(10, 21))
    tables.append(CellTable(table.features.assign(CD4=table.features["CD4"] + 1)))
    presenter.refresh()
    assert session.classes.members("T").tolist() == numbers(session, table, range(9, 20))
    assert told[-1] == "By the gates, 2 cells have another class, as they have other features now."
    # Also after a session was opened.
    session.gates.restore(list(session.gates))
    tables.append(table)
    presenter.refresh()
    assert session.classes.members("T").tolist() == numbers(session, table, range(10, 21))


def test_cells_that_lack_a_feature_are_no_error(gating, session, table, view, told):
    gating.draw("rectangle", [[9.5, 0], [20.5, 99]])
    gating.add("T")
    object.__setattr__(table, "features", table.features.drop(columns="CD8").assign(DNA=1.0))
    gating.refresh()
    assert view.last("offer")[0] == ["CD4", "DNA"]
    assert view.last("show_gates")[0][0].counts[0] == "T: the cells lack a feature of this gate"
    gating.choose(0)
    assert "lack a feature" in told[-1]
    gating.remove()
    assert len(session.gates) == 0


def test_without_cells_there_is_a_sentence(session, view, told):
    gating = GatePresenter(session, lambda: None, view, told.append)
    gating.refresh()
    assert view.last("show_sentence") == "There are no cells with features yet."
    assert not gating.plot.picture(gating.plot.plot.limits, (20, 10)).any()
    gating.draw("rectangle", [[0, 0], [1, 1]])
    gating.click((0, 0), (1, 1))
    gating.drop()
    assert gating.outlines(UNIT) == []
