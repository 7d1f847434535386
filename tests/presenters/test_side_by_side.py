"""Which maps are in view beside the current one."""

from types import MappingProxyType

import pytest

from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import Run


@pytest.fixture
def three(session, cells):
    runs = [Run(name, cells, MappingProxyType({})) for name in ("first", "second", "third")]
    session.runs.restore(runs, runs[2], 3)
    return runs


@pytest.fixture
def shown(session, three, told):
    beside = SideBySide(session.runs)
    beside.shown_changed.connect(told.append)
    return beside


def test_kept_maps_stand_in_the_order_they_were_made_in(shown, three, told):
    shown.keep(three[1])
    shown.keep(three[0])
    assert shown.kept == three[:2]
    assert shown.shown == told[-1] == three
    shown.keep(three[1], False)
    assert shown.shown == told[-1] == [three[0], three[2]]


def test_another_current_map_takes_the_place_of_one_that_is_not_kept(session, shown, three, told):
    session.runs.show(three[0])
    assert shown.shown == told[-1] == [three[0]]
    shown.keep(three[0])
    session.runs.show(three[1])
    assert shown.shown == told[-1] == three[:2]


def test_nothing_is_told_if_the_same_maps_are_to_be_seen(session, shown, three, told):
    shown.keep(three[2])
    session.runs.rename(three[2], "the last")
    assert shown.shown == [three[2]]
    assert told == []


def test_a_map_that_is_deleted_leaves(session, shown, three, told):
    shown.keep(three[0])
    session.runs.delete(three[0])
    assert shown.kept == []
    assert told[-1] == [three[2]]


def test_who_shows_the_ticks_hears_of_each_that_changes(shown, three):
    heard = []
    shown.kept_changed.connect(lambda: heard.append(shown.kept))
    shown.keep(three[0])
    shown.keep(three[0])
    shown.kept = []
    assert heard == [[three[0]], []]
