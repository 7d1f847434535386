import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QApplication, QLineEdit

from latentmap.display.progress_text import objective_text
from latentmap.napari_plugin.panel.runs_section import RunsSection
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import Session
from latentmap.table import CellTable

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
BESIDE, NAME, CELLS, RECALL, TRUST = range(5)


@pytest.fixture
def cells():
    features = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["area", "DNA", "actin"])
    return CellTable.read(features.assign(label=np.arange(1, 61)), layer="cells")


@pytest.fixture
def session():
    session = Session(main_thread())
    session.parameters.features = ("area", "DNA", "actin")
    session.parameters.max_iter = 10
    session.parameters.n_neighbors = 6
    yield session
    session.close()


@pytest.fixture
def told():
    return []


@pytest.fixture
def compared():
    return []


@pytest.fixture
def side_by_side(session):
    return SideBySide(session.runs)


@pytest.fixture
def section(qtbot, session, side_by_side, told, compared):
    side_by_side.shown_changed.connect(compared.append)
    section = RunsSection(session, side_by_side, lambda: ["area", "DNA"], told.append)
    qtbot.addWidget(section.native)
    section.native.resize(380, 500)
    section.show()
    return section


@pytest.fixture
def table(section):
    return section.table


@pytest.fixture
def make(qtbot, session, cells, section):
    def make(**changes):
        for name, value in changes.items():
            setattr(session.parameters, name, value)
        run = session.runs.start(cells, session.parameters)
        qtbot.wait_until(lambda: not session.runs.running, timeout=60_000)
        return run

    return make


@pytest.fixture
def three(make, stored_fits):
    with stored_fits.used():
        return [make(), make(n_neighbors=9), make(n_steps=3, features=("area", "DNA"))]


def texts(table):
    return [[table.item(row, column).text() for column in range(NAME, TRUST + 1)] for row in range(table.rowCount())]


def click(qtbot, table, row, column=NAME, button=LEFT):
    rect = table.visualItemRect(table.item(row, column))
    place = rect.center()
    if column == BESIDE:
        place.setX(rect.left() + 8)
    qtbot.mouseClick(table.viewport(), button, pos=place)


def editor(table):
    return table.viewport().findChild(QLineEdit)


def open_editor(qtbot, table, row):
    place = table.visualItemRect(table.item(row, NAME)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    qtbot.mouseDClick(table.viewport(), LEFT, pos=place)
    return editor(table)


def enter(qtbot, table, box):
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: editor(table) is None)


def lit(table):
    return {index.row() for index in table.selectedIndexes()}


def test_the_empty_state_says_what_to_do(section, side_by_side):
    assert section.empty.value == "No map yet. Press Embed."
    assert section.empty.visible
    assert not section.table.isVisible()
    assert not section.variances.isVisible()
    assert not section.use_button.visible
    assert side_by_side.shown == []


def test_a_run_under_way_has_a_line_that_cannot_be_chosen(qtbot, session, cells, section, table):
    session.parameters.max_iter = 100_000
    session.runs.start(cells, session.parameters)
    assert texts(table) == [["1: k 6, s 2 …", "", "", ""]]
    assert not section.empty.visible
    click(qtbot, table, 0)
    assert session.runs.current is None
    assert table.menu(0) is None
    session.runs.drop()
    assert texts(table) == []
    assert section.empty.visible


def test_a_line_for_each_map_with_its_cells_and_quality(section, table, three):
    assert [line[:2] for line in texts(table)] == [["1: k 6, s 2", "60"], ["2: k 9, s 2", "60"], ["3: k 9, s 3", "60"]]
    for run, line in zip(three, texts(table), strict=True):
        quality = run.result.quality
        assert line[2:] == [f"{quality['recall']:.2f}", f"{quality['trustworthiness']:.2f}"]
    assert lit(table) == {2}
    assert section.variances.text == [f"median {10 ** np.median(np.log10(three[2].result.variances)):.3g}"]


def test_the_bars_are_as_long_as_the_numbers_are_large(section, table, three):
    section.native.setStyleSheet("QWidget { background-color: black; color: white }")
    for column, name in ((RECALL, "recall"), (TRUST, "trustworthiness")):
        rect = table.visualItemRect(table.item(0, column))
        picture = table.viewport().grab(rect).toImage()
        row = [picture.pixelColor(x, rect.height() - 3).red() for x in range(4, rect.width() - 4)]
        assert np.mean(np.array(row) > 150) == pytest.approx(three[0].result.quality[name], abs=0.05)


def test_a_stopped_run_says_that_its_quality_was_not_measured(qtbot, session, cells, table):
    session.parameters.max_iter = 100_000
    run = session.runs.start(cells, session.parameters)
    qtbot.wait_until(lambda: run.progress is not None and run.progress.iteration > 0, timeout=60_000)
    session.runs.stop()
    qtbot.wait_until(lambda: not session.runs.running, timeout=60_000)
    assert texts(table) == [["1: k 6, s 2, stopped", "60", "stopped", ""]]
    assert table.columnSpan(0, RECALL) == 2
    assert f"stopped after {run.result.n_iter} of 100000 iterations by you" in table.item(0, NAME).toolTip()
    assert "were not measured" in table.item(0, NAME).toolTip()


def test_a_run_that_ended_by_itself_shows_its_measures_where_a_stopped_one_was(qtbot, session, cells, table, make):
    session.parameters.max_iter = 100_000
    run = session.runs.start(cells, session.parameters)
    qtbot.wait_until(lambda: run.progress is not None and run.progress.iteration > 0, timeout=60_000)
    session.runs.stop()
    qtbot.wait_until(lambda: not session.runs.running, timeout=60_000)
    make(max_iter=20)
    session.runs.delete(run)
    assert table.columnSpan(0, RECALL) == 1
    assert "stopped" not in texts(table)[0]


def test_a_click_shows_a_map(qtbot, session, section, table, three, compared):
    click(qtbot, table, 0)
    assert session.runs.current is three[0]
    assert lit(table) == {0}
    assert compared[-1] == [three[0]]
    assert section.difference.value == ""
    click(qtbot, table, 1, CELLS)
    assert session.runs.current is three[1]
    assert section.difference.value == 'Compared with "1: k 6, s 2": k 9 instead of 6.'
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert session.runs.current is three[2]
    assert section.difference.value == 'Compared with "2: k 9, s 2": without actin, s 3 instead of 2.'
    session.runs.show(three[0])
    assert lit(table) == {0}


def test_ticked_maps_stay_beside_the_current_one(qtbot, session, side_by_side, table, three, compared, make):
    click(qtbot, table, 0, BESIDE)
    assert session.runs.current is three[2]
    assert lit(table) == {2}
    assert side_by_side.shown == compared[-1] == [three[0], three[2]]
    click(qtbot, table, 1)
    assert side_by_side.shown == compared[-1] == [three[0], three[1]]
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert three[1] in side_by_side.kept
    fourth = make(n_neighbors=12)
    assert side_by_side.shown == compared[-1] == [three[0], three[1], fourth]
    click(qtbot, table, 0, BESIDE)
    assert side_by_side.shown == compared[-1] == [three[1], fourth]
    n_told = len(compared)
    session.runs.rename(fourth, "the last")
    click(qtbot, table, 3, BESIDE)
    assert len(compared) == n_told
    session.runs.delete(three[1])
    assert compared[-1] == [fourth]


def test_a_double_click_renames_in_place(qtbot, session, table, three, told):
    box = open_editor(qtbot, table, 0)
    box.selectAll()
    qtbot.keyClicks(box, "tight clumps")
    enter(qtbot, table, box)
    assert three[0].name == "tight clumps"
    assert texts(table)[0][0] == "tight clumps"
    box = open_editor(qtbot, table, 0)
    box.clear()
    enter(qtbot, table, box)
    assert told == ["A run needs a name."]
    assert texts(table)[0][0] == "tight clumps"
    assert len(session.runs) == 3


def test_keys_in_the_name_being_typed_do_not_delete_the_map(qtbot, session, side_by_side, table, three):
    qtbot.keyClick(table, Qt.Key.Key_F2)
    box = editor(table)
    box.end(False)
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Space):
        qtbot.keyClick(box, key)
    enter(qtbot, table, box)
    assert len(session.runs) == 3
    assert three[2].name == "3: k 9, s"
    assert three[2] not in side_by_side.kept


def test_a_name_being_typed_outlives_the_end_of_a_run(qtbot, table, three, make):
    box = open_editor(qtbot, table, 2)
    box.selectAll()
    qtbot.keyClicks(box, "half a na")
    make(n_neighbors=12)
    assert editor(table) is box
    qtbot.keyClicks(box, "me")
    enter(qtbot, table, box)
    assert three[2].name == "half a name"


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_a_key_deletes_the_current_map(qtbot, session, section, table, three, told, key):
    click(qtbot, table, 1)
    qtbot.keyClick(table, key)
    assert list(session.runs) == [three[0], three[2]]
    assert told == ['Deleted the map "2: k 9, s 2".']
    assert lit(table) == {1}
    qtbot.mouseClick(section.delete_button.native, LEFT)
    qtbot.mouseClick(section.delete_button.native, LEFT)
    assert len(session.runs) == 0
    assert section.empty.visible
    assert not table.isVisible()


def test_the_menu_is_about_the_line_under_the_mouse_and_not_the_current_one(
    qtbot, session, side_by_side, table, three, told
):
    click(qtbot, table, 0, button=RIGHT)
    assert session.runs.current is three[2]
    table.customContextMenuRequested.emit(table.visualItemRect(table.item(0, NAME)).center())
    menu = QApplication.activePopupWidget()
    actions = {action.text(): action for action in menu.actions()}
    assert list(actions) == ["Rename", "Show beside", "Use these parameters", "Delete"]
    actions["Show beside"].trigger()
    assert three[0] in side_by_side.kept
    menu.close()
    menu = table.menu(0)
    menu.actions()[3].trigger()
    menu.close()
    assert list(session.runs) == three[1:]
    assert session.runs.current is three[2]
    assert table.menu(5) is None


def test_the_parameters_of_a_run_can_be_used_again(qtbot, session, section, table, three, told):
    click(qtbot, table, 1)
    session.parameters.n_neighbors = 30
    qtbot.mouseClick(section.use_button.native, LEFT)
    assert (session.parameters.n_neighbors, session.parameters.n_steps) == (9, 2)
    assert session.parameters.features == ("area", "DNA")
    assert told == ['The parameters are those of "2: k 9, s 2". Left out, because these cells do not have them: actin.']
    click(qtbot, table, 2)
    qtbot.mouseClick(section.use_button.native, LEFT)
    assert session.parameters.n_steps == 3
    assert told[-1] == 'The parameters are those of "3: k 9, s 3".'


def test_the_tooltip_tells_the_course_of_the_likelihood(table, three):
    tip = table.item(0, NAME).toolTip()
    values = three[0].result.objective
    for value, iteration in zip(values, (0, 10), strict=True):
        assert f"{objective_text('lvm', value, 60)} at iteration {iteration}" in tip
    assert "60 cells by 3 features" in tip


def test_many_lines_scroll_to_the_current_one(session, section, table, cells, three):
    for number in range(12):
        copy = type(three[0])(f"copy {number}", cells, three[0].parameters, "done", result=three[0].result)
        session.runs._kept.append(copy)
    session.runs.show(copy)
    assert table.sizeHint().height() < 200
    assert table.viewport().rect().contains(table.visualItemRect(table.item(14, NAME)).center())


def test_delete_takes_the_map_and_no_point_of_the_layer_in_view(qtbot, viewer, session, told, cells):
    section = RunsSection(session, SideBySide(session.runs), lambda: [], told.append)
    viewer.window.add_dock_widget(section.native)
    points = viewer.add_points(np.zeros((5, 2)))
    points.mode = "select"
    points.selected_data = {0, 1}
    session.runs.start(cells, session.parameters)
    qtbot.keyClick(section.table, Qt.Key.Key_Delete)
    qtbot.wait_until(lambda: not session.runs.running, timeout=60_000)
    assert len(session.runs) == 1
    qtbot.keyClick(section.table, Qt.Key.Key_Delete)
    assert len(session.runs) == 0
    assert len(points.data) == 5


def test_a_section_that_is_closed_is_gone(qtbot, session):
    section = RunsSection(session, SideBySide(session.runs), lambda: [], print)
    gone = weakref.ref(section), weakref.ref(section.table), weakref.ref(section.variances)
    section.close()
    section.native.deleteLater()
    del section
    qtbot.wait(10)
    gc.collect()
    assert [one() for one in gone] == [None, None, None]
