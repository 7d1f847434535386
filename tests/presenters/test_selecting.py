"""What can be done with the cells selected, and what is said once it is done."""

import pytest

from latentmap.display.actions import RESTORED, assigned, dropped, selected
from latentmap.presenters.selecting import SelectionPresenter


@pytest.fixture
def numbers(session):
    return session.cell_index.add([("cells", 0, label) for label in range(1, 7)])


@pytest.fixture
def presenter(session, view, numbers, told):
    presenter = SelectionPresenter(session, view, lambda: numbers[:5], lambda: told.append("alone"), told.append)
    presenter.refresh()
    presenter.list_classes()
    return presenter


def possible(view):
    """What can be done now."""
    _, can, _ = view.last("show_selection")
    return {name for name, is_so in can.items() if is_so}


def test_without_a_selection_only_all_others_can_be_selected(presenter, view):
    summary, _, restore = view.last("show_selection")
    assert summary == selected(0)
    assert restore == ""
    assert possible(view) == {"invert"}
    assert view.last("show_classes") == []


def test_undo_redo_invert_and_clear(presenter, session, view):
    session.selection.select([0, 1])
    assert view.last("show_selection")[0] == selected(2)
    assert possible(view) == {"undo", "invert", "clear", "assign", "unassign", "alone", "drop"}
    presenter.actions["invert"]()
    assert session.selection.numbers.tolist() == [2, 3, 4]
    presenter.actions["undo"]()
    assert session.selection.numbers.tolist() == [0, 1]
    assert "redo" in possible(view)
    presenter.actions["redo"]()
    presenter.actions["clear"]()
    assert len(session.selection) == 0


def test_cells_of_a_class_that_are_dropped_are_not_counted(presenter, session, view):
    session.classes.assign("B cells", [0, 1, 2])
    session.dropped.drop([1])
    assert view.last("show_classes")[0].n_cells == 2
    session.dropped.restore()
    assert view.last("show_classes")[0].n_cells == 3


def test_a_selection_becomes_a_class_that_can_be_chosen_renamed_recoloured_and_deleted(presenter, session, view, told):
    session.selection.select([0, 1], how="lasso on the map")
    presenter.assign("B cells")
    assert told == [assigned(2, "B cells")]
    (line,) = view.last("show_classes")
    assert (line.name, line.n_cells, line.how) == ("B cells", 2, "replace by lasso on the map")
    session.selection.select([4])
    presenter.choose_class("B cells", "add")
    assert session.selection.numbers.tolist() == [0, 1, 4]
    presenter.choose_class("B cells")
    assert session.selection.numbers.tolist() == [0, 1]
    presenter.rename_class("B cells", "plasma cells")
    presenter.recolour_class("plasma cells", "#123456")
    (line,) = view.last("show_classes")
    assert (line.name, line.colour) == ("plasma cells", "#123456")
    session.dropped.drop([1])
    assert view.last("show_classes")[0].n_cells == 1
    session.dropped.restore()
    assert view.last("show_classes")[0].n_cells == 2
    session.selection.select([0, 1])
    presenter.actions["unassign"]()
    assert view.last("show_classes")[0].n_cells == 0
    presenter.delete_class("plasma cells")
    assert view.last("show_classes") == []


def test_a_name_that_cannot_be_is_refused_in_words_and_the_old_one_is_shown_again(presenter, session, view, told):
    session.selection.select([0])
    presenter.assign("")
    assert "needs a name" in told[-1]
    presenter.assign("B")
    presenter.assign("T")
    n_drawn = len(view.all("show_classes"))
    presenter.rename_class("T", "B")
    assert '"B"' in told[-1]
    assert session.classes.names == ("B", "T")
    assert len(view.all("show_classes")) == n_drawn + 1
    assert [line.name for line in view.last("show_classes")] == ["B", "T"]


def test_cells_are_dropped_and_brought_back(presenter, session, view, told):
    session.selection.select([0, 3])
    presenter.actions["drop"]()
    assert session.dropped.numbers.tolist() == [0, 3]
    assert told == [dropped(2)]
    assert view.last("show_selection")[2] == "Bring 2 back"
    presenter.actions["restore"]()
    assert len(session.dropped) == 0
    assert view.last("show_selection")[2] == ""
    assert told[-1] == RESTORED


def test_the_selection_can_be_embedded_alone(presenter, session, told):
    session.selection.select([0, 3])
    presenter.actions["alone"]()
    assert told == ["alone"]
