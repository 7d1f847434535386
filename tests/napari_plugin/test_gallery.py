import weakref

import numpy as np
import pytest
from leftovers import wait_until_gone
from qtpy.QtCore import QPoint, Qt

from latentmap.napari_plugin.panel.gallery import PICTURE, Gallery
from latentmap.session import Session

N_CELLS = 100_000


@pytest.fixture
def session():
    session = Session(lambda function: function())
    # Not in the order of their labels.
    session.cell_index.add([("cells", 0, label) for label in range(N_CELLS, 0, -1)])
    return session


@pytest.fixture
def made():
    return []


@pytest.fixture
def gone_to():
    return []


@pytest.fixture
def picture(made):
    """A cell's picture has its label as its colour; cell 5 has none."""

    def picture(key, size):
        made.append(key)
        return None if key[2] == 5 else np.full((size, size, 3), [key[2] % 250, 30, 200], dtype=np.uint8)

    return picture


@pytest.fixture
def gallery(qtbot, session, picture, gone_to):
    gallery = Gallery(session.selection, session.cell_index, picture, gone_to.append, lambda numbers: numbers % 7)
    qtbot.addWidget(gallery)
    gallery.resize(400, 400)
    gallery.show()
    return gallery


@pytest.fixture
def settle(qtbot, gallery):
    def wait():
        qtbot.wait(30)
        qtbot.wait_until(lambda: not gallery.waiting)
        qtbot.wait(30)
        qtbot.wait_until(lambda: not gallery.waiting)

    return wait


def cell(gallery, place):
    return gallery.model.index(*divmod(place, gallery.model.n_columns))


def captions(gallery, count):
    return [gallery.model.data(cell(gallery, place)) for place in range(count)]


def numbers_of(session, labels):
    return session.cell_index.numbers_of([("cells", 0, label) for label in labels])


def colour_at(gallery, place):
    picture = gallery.view.viewport().grab().toImage()
    middle = gallery.view.visualRect(cell(gallery, place)).center() - QPoint(0, 8)
    return picture.pixelColor(middle)


def test_the_empty_state_says_what_to_do(gallery, session, settle):
    assert gallery.headline.text() == "Select cells to see their pictures here."
    assert not gallery.view.isVisible()
    session.selection.select([0])
    settle()
    assert gallery.headline.text() == "1 cell selected"
    assert gallery.view.isVisible()
    session.selection.clear()
    settle()
    assert not gallery.view.isVisible()


def test_the_cells_selected_are_shown_by_label_with_their_pictures(gallery, session, settle, made):
    session.selection.select(numbers_of(session, [9, 200, 5, 30]))
    settle()
    assert captions(gallery, 4) == ["5", "9", "30", "200"]
    assert made == [("cells", 0, label) for label in (5, 9, 30, 200)]
    assert [type(part) for part in made[0]] == [str, int, int]
    colour = colour_at(gallery, 3)
    assert (colour.red(), colour.green(), colour.blue()) == (200, 30, 200)
    # The one without a picture has its place.
    assert colour_at(gallery, 0).blue() != 200
    assert 'Label 5 in "cells", frame 0' in gallery.model.data(cell(gallery, 0), Qt.ItemDataRole.ToolTipRole)


def test_a_click_goes_to_the_cell(qtbot, gallery, session, settle, gone_to):
    session.selection.select(numbers_of(session, [9, 200, 30]))
    settle()
    for place in (1, 4):
        spot = gallery.view.visualRect(cell(gallery, place)).center()
        qtbot.mouseClick(gallery.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    # There is no cell at the second place clicked.
    assert gone_to == [("cells", 0, 30)]


def test_of_100_000_cells_only_those_in_sight_are_made(gallery, session, settle, made):
    session.selection.select(np.arange(N_CELLS))
    settle()
    assert gallery.headline.text() == "100000 cells selected"
    first = len(made)
    assert first < 60
    assert made[0] == ("cells", 0, 1)
    scroll = gallery.view.verticalScrollBar()
    for share in np.linspace(0, 1, 30):
        scroll.setValue(round(share * scroll.maximum()))
    settle()
    assert made[-1] == ("cells", 0, N_CELLS)
    # What was scrolled past was not made.
    assert len(made) - first < 60
    assert len(set(made)) == len(made)


def test_pictures_are_made_a_few_in_each_turn(monkeypatch, qtbot, gallery, session, settle, made):
    monkeypatch.setattr("latentmap.napari_plugin.panel.gallery.TURN", 0)
    counts = []
    gallery.model._timer.timeout.connect(lambda: counts.append(len(made)))
    session.selection.select(np.arange(50))
    settle()
    assert np.diff(counts).max() <= 1
    assert len(made) >= 16


def test_pictures_are_kept_while_the_selection_changes_until_told_otherwise(gallery, session, settle, made):
    session.selection.select(numbers_of(session, [1, 2]))
    settle()
    session.selection.select(numbers_of(session, [2, 3]))
    settle()
    assert made == [("cells", 0, label) for label in (1, 2, 3)]
    gallery.refresh()
    settle()
    assert made[3:] == [("cells", 0, 2), ("cells", 0, 3)]


def test_pictures_are_made_anew_when_the_user_comes_back(gallery, session, settle, made):
    session.selection.select(numbers_of(session, [1, 2]))
    settle()
    gallery.hide()
    gallery.show()
    settle()
    assert made == [("cells", 0, label) for label in (1, 2, 1, 2)]


def test_captions_tell_frames_and_layers_apart_where_there_are_several(gallery, session, settle):
    late = session.cell_index.add([("cells", 3, 7), ("nuclei", 0, 7)])
    session.selection.select([*numbers_of(session, [7]), late[0]])
    settle()
    assert captions(gallery, 2) == ["7\nframe 0", "7\nframe 3"]
    session.selection.select([*numbers_of(session, [7]), late[1]])
    settle()
    assert captions(gallery, 2) == ["7\ncells", "7\nnuclei"]
    session.selection.select(late)
    settle()
    assert captions(gallery, 2) == ["7\nframe 3\ncells", "7\nframe 0\nnuclei"]


def test_the_typical_or_the_uncertain_ones_can_come_first(gallery, session, settle):
    assert not gallery.order.isVisible()
    numbers = np.array([0, 1, 2, 3])
    gallery._uncertainty = lambda numbers: np.array([0.5, np.nan, 0.1, 0.9])[numbers]
    session.selection.select(numbers)
    settle()
    assert gallery.order.isVisible()
    labels = [N_CELLS - number for number in numbers]
    assert captions(gallery, 4) == [str(label) for label in labels[::-1]]
    gallery.order.setCurrentText("typical first")
    assert captions(gallery, 4) == [str(labels[number]) for number in (2, 0, 3, 1)]
    gallery.order.setCurrentText("uncertain first")
    assert captions(gallery, 4) == [str(labels[number]) for number in (3, 0, 2, 1)]


def test_a_wider_window_has_more_in_a_row_and_keeps_the_place(gallery, session, settle):
    session.selection.select(np.arange(1000))
    settle()
    columns = gallery.model.n_columns
    assert (columns - 1) * PICTURE < gallery.view.viewport().width()
    gallery.view.scrollTo(cell(gallery, 500), gallery.view.ScrollHint.PositionAtTop)
    gallery.resize(700, 400)
    settle()
    assert gallery.model.n_columns > columns
    row = gallery.view.rowAt(0)
    assert abs(row * gallery.model.n_columns - 500) <= gallery.model.n_columns


def test_what_is_not_seen_costs_nothing(qtbot, gallery, session, settle, made):
    gallery.hide()
    session.selection.select(np.arange(10))
    qtbot.wait(150)
    assert made == []
    gallery.show()
    settle()
    assert len(made) == 10


def test_it_is_let_go_of(qtbot, session, picture):
    gallery = Gallery(session.selection, session.cell_index, picture, print)
    gallery.show()
    session.selection.select(np.arange(100))
    qtbot.wait(100)
    gone = weakref.ref(gallery)
    gallery.deleteLater()
    del gallery
    wait_until_gone(qtbot, [gone])
    session.selection.select([3])
    qtbot.wait(100)
