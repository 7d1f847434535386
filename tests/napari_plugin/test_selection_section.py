import pytest
from qtpy.QtCore import Qt

from latentmap.napari_plugin.panel.selection_section import SelectionSection
from latentmap.session import Session


@pytest.fixture
def told():
    return []


@pytest.fixture
def session():
    session = Session(lambda function: function())
    session.cell_index.add([("cells", 0, label) for label in range(1, 7)])
    return session


@pytest.fixture
def section(qtbot, session, told):
    section = SelectionSection(
        session,
        lambda: session.cell_index.numbers_of([("cells", 0, label) for label in range(1, 6)]),
        lambda: told.append("alone"),
        told.append,
    )
    qtbot.addWidget(section.native)
    section.show()
    return section


def press(qtbot, button):
    qtbot.mouseClick(button.native, Qt.MouseButton.LeftButton)


def write(section, name):
    section.class_name.value = name


def test_the_empty_state_says_what_to_do(section):
    assert section.summary.value == "Selection: none. Draw around points on the map, or click a cell."
    assert not section.undo.enabled
    assert not section.assign.enabled
    assert section.invert.enabled
    assert not section.class_list.isVisible()


def test_undo_redo_invert_and_clear(qtbot, session, section):
    session.selection.select([0, 1])
    assert section.summary.value == "Selection: 2 cells"
    press(qtbot, section.invert)
    assert session.selection.numbers.tolist() == [2, 3, 4]
    press(qtbot, section.undo)
    assert session.selection.numbers.tolist() == [0, 1]
    press(qtbot, section.redo)
    press(qtbot, section.clear_button)
    assert len(session.selection) == 0


def test_naming_a_selection_makes_a_class_that_can_be_selected_renamed_and_deleted(qtbot, session, section, told):
    session.selection.select([0, 1], how="lasso on the map")
    write(section, "B cells")
    press(qtbot, section.assign)
    assert told[-1] == '2 cells are now in the class "B cells".'
    session.selection.select([4])
    write(section, "T cells")
    press(qtbot, section.assign)
    classes = section.class_list
    assert [classes.item(row).text() for row in range(classes.count())] == ["B cells", "T cells"]
    assert "2 cells (replace by lasso on the map)" in classes.item(0).toolTip()
    place = classes.visualItemRect(classes.item(0)).center()
    qtbot.mouseClick(classes.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.selection.numbers.tolist() == [0, 1]
    menu = classes.menu(classes.item(1))
    menu.actions()[0].trigger()
    assert session.selection.numbers.tolist() == [0, 1, 4]
    classes.item(0).setText("plasma cells")
    assert session.classes.names == ("plasma cells", "T cells")
    classes.item(0).setText("T cells")
    assert 'There is a class "T cells" already' in told[-1]
    assert classes.item(0).text() == "plasma cells"
    menu = classes.menu(classes.item(0))
    menu.actions()[2].trigger()
    assert session.classes.names == ("T cells",)
    press(qtbot, section.unassign)
    assert session.classes.members("T cells").tolist() == []


def test_a_class_needs_a_name(qtbot, session, section, told):
    session.selection.select([0])
    press(qtbot, section.assign)
    assert told == ["A class needs a name."]


def test_cells_can_be_dropped_and_brought_back(qtbot, session, section, told):
    assert not section.restore.visible
    session.selection.select([0, 3])
    press(qtbot, section.drop)
    assert session.dropped.numbers.tolist() == [0, 3]
    assert not session.selection
    assert told == ["2 cells dropped: left out of all later maps and saved tables."]
    assert section.restore.native.text() == "Bring 2 back"
    press(qtbot, section.restore)
    assert len(session.dropped) == 0
    assert not section.restore.visible


def test_the_selection_can_be_embedded_alone(qtbot, session, section, told):
    assert not section.alone.enabled
    session.selection.select([0, 3])
    press(qtbot, section.alone)
    assert told == ["alone"]
