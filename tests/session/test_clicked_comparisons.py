"""Comparisons by three clicks each."""

import numpy as np
import pandas as pd
import pytest

from latentmap.session import Session
from latentmap.session.cell_index import as_keys
from latentmap.session.snapshot import SessionSnapshot
from latentmap.session.supervision import ClassSupervision, TripletSupervision

KEYS = as_keys([("cells", 0, label) for label in (3, 5, 7, 9, 11)])


@pytest.fixture
def session():
    session = Session(lambda act: act())
    session.cell_index.add(KEYS)
    return session


def click(session, *cells):
    for cell in cells:
        session.selection.select([cell], how="click in the image")


def test_three_clicks_are_a_comparison(session):
    session.comparisons.on = True
    click(session, 4, 0)
    assert session.comparisons.picked == (4, 0)
    assert session.selection.numbers.tolist() == [0, 4]
    click(session, 2)
    assert session.comparisons.triplets == ((4, 0, 2),)
    assert session.comparisons.picked == ()
    assert len(session.selection) == 0


def test_the_cell_clicked_last_can_begin_the_next(session):
    session.comparisons.on = True
    click(session, 0, 1, 2, 2, 3, 4)
    assert session.comparisons.triplets == ((0, 1, 2), (2, 3, 4))


def test_a_cell_is_not_compared_with_itself(session):
    session.comparisons.on = True
    click(session, 0, 0, 1, 1, 0, 2)
    assert session.comparisons.triplets == ((0, 1, 2),)


def test_a_lasso_says_nothing_and_nothing_is_said_while_it_is_off(session):
    click(session, 0, 1, 2)
    session.comparisons.on = True
    session.selection.select([0, 1, 2], how="lasso on the map")
    assert session.comparisons.picked == ()
    assert session.comparisons.triplets == ()


def test_taking_back(session):
    session.comparisons.on = True
    click(session, 0, 1, 2, 3)
    session.comparisons.undo()
    assert (session.comparisons.picked, len(session.comparisons.triplets)) == ((), 1)
    session.comparisons.undo()
    assert session.comparisons.triplets == ()


def test_what_is_undone_of_the_selection_says_nothing(session):
    session.comparisons.on = True
    click(session, 0, 1, 2)
    while session.selection.can_undo:
        session.selection.undo()
    while session.selection.can_redo:
        session.selection.redo()
    assert session.comparisons.triplets == ((0, 1, 2),)
    assert session.comparisons.picked == ()


def test_a_cell_that_is_dropped_is_not_compared(session):
    session.comparisons.on = True
    click(session, 0)
    session.dropped.drop([0])
    assert session.comparisons.picked == ()
    click(session, 1, 2, 3)
    assert session.comparisons.triplets == ((1, 2, 3),)
    assert 0 not in session.selection.numbers


def test_after_all_is_forgotten_any_cell_can_be_clicked(session):
    session.comparisons.on = True
    click(session, 0, 1, 2, 3)
    session.comparisons.clear()
    assert (session.comparisons.picked, len(session.selection)) == ((), 0)
    click(session, 3)
    assert session.comparisons.picked == (3,)


def test_they_are_stored_with_the_session(session):
    session.comparisons.on = True
    click(session, 0, 1, 2, 3)
    other = Session(lambda act: act())
    # Where other cells came first, the same cells have other numbers.
    other.cell_index.add([("other", 0, 1)])
    SessionSnapshot.of(session).restore(other)
    assert not other.comparisons.on
    assert other.cell_index.keys(np.ravel(other.comparisons.triplets)).tolist() == KEYS[:3].tolist()


def test_comparisons_of_cells_that_are_not_on_the_map_are_told():
    taught = TripletSupervision(KEYS[[0, 1, 2, 0, 1, 4]])
    rows, note = taught.of(KEYS[[2, 1, 0]])
    assert rows.tolist() == [[2, 1, 0]]
    assert note == "1 of 2 comparisons is of cells that are not on the map, and was left out."
    assert taught.of(KEYS)[1] == ""
    with pytest.raises(ValueError, match="None of the 2 comparisons is of three cells that are on this map"):
        taught.of(KEYS[:2])


def test_without_any_the_sentence_says_how_to_make_them():
    with pytest.raises(ValueError, match="click three cells"):
        TripletSupervision(KEYS[:0]).of(KEYS)


def test_classes_teach_where_there_are_two():
    taught = ClassSupervision(pd.Series(["a", "", "b", "a", ""], KEYS))
    names, note = taught.of(KEYS[[3, 2, 1, 0]])
    assert names.tolist() == ["a", "b", "", "a"]
    assert note == "Learned from 2 classes of 3 cells."
    for one_class in ([0, 1], [0, 2]):
        names, note = taught.of(KEYS[one_class])
        assert names is None
        assert "neighbours" in note
