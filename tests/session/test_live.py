import gc
import threading
import weakref

import numpy as np
import pandas as pd
import pytest

from latentmap import DETAIL, WARM
from latentmap.session import iter_run as steps_of
from latentmap.table import CellTable


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.normal(size=(60, 3)), columns=["area", "DNA", "actin"])
    return CellTable.read(features.assign(label=np.arange(1, 61)), layer="cells")


@pytest.fixture
def session(session):
    session.parameters.features = ("area", "DNA", "actin")
    session.parameters.n_neighbors = 6
    session.parameters.max_iter = 150
    return session


@pytest.fixture
def begun(monkeypatch):
    """The number of neighbours of each run that has come to work."""
    made = []

    def counted(table, parameters, **settings):
        steps = steps_of(table, parameters, **settings)

        def first():
            made.append(parameters.n_neighbors)
            return (yield from steps)

        return first()

    monkeypatch.setattr("latentmap.session.new_run.iter_run", counted)
    return made


@pytest.fixture
def first(session, table, settle):
    first = session.runs.start(table, session.parameters)
    settle()
    return first


def test_switched_off_a_change_starts_nothing(session, first, settle):
    session.parameters.n_neighbors = 9
    settle()
    assert list(session.runs) == [first]


def test_switched_on_a_change_has_the_map_go_on(session, first, settle):
    session.live.on = True
    session.parameters.n_neighbors = 9
    settle()
    second = session.runs.current
    assert list(session.runs) == [first, second]
    assert (second.origin, second.is_live, second.result.parameters["n_neighbors"]) == (first.name, True, 9)
    assert second.result.estimator["map"].n_iter_ == WARM["max_iter"]
    session.parameters.repulsion = 10.0
    settle()
    third = session.runs.current
    assert list(session.runs) == [first, third]
    assert third.origin == second.name.replace("2: k 6", "2: k 9")


def test_without_a_map_there_is_nothing_to_follow(session, settle):
    session.live.on = True
    session.parameters.n_neighbors = 9
    settle()
    assert len(session.runs) == 0


def test_a_preset_starts_one_run(session, first, begun, settle):
    session.live.on = True
    session.parameters.take("detail")
    settle()
    assert begun == [DETAIL["n_neighbors"]]
    assert session.runs.current.parameters["repulsion"] == DETAIL["repulsion"]


def test_what_is_changed_back_at_once_starts_nothing(session, first, settle):
    session.live.on = True
    session.parameters.n_neighbors = 9
    session.parameters.n_neighbors = 6
    settle()
    assert list(session.runs) == [first]


@pytest.mark.parametrize("turns", [0, 1], ids=["in one turn", "in a turn each"])
def test_a_storm_of_changes(session, first, begun, settle, loop, turns):
    threads = []
    session.live.on = True
    for step in range(200):
        session.parameters.n_neighbors = 4 + step % 20
        if turns:
            loop.turn(loop.calls.empty)
        threads.append(len([thread for thread in threading.enumerate() if thread.name == "latentmap run"]))
    session.parameters.n_neighbors = 13
    settle()
    last = session.runs.current
    assert list(session.runs) == [first, last]
    assert last.number == 2
    assert last.parameters["n_neighbors"] == begun[-1] == 13
    assert last.status == "done"
    # One hands over to the next, among the runs as among their interim maps.
    assert max(threads) <= 4
    assert len(begun) == 1 or turns


def test_a_storm_during_a_long_step_has_one_run_begin(session, first, begun, settle, loop, monkeypatch):
    gate, is_there = threading.Event(), threading.Event()

    def long(table, parameters, **settings):
        is_there.set()
        gate.wait(10)
        yield from ()

    with monkeypatch.context() as patch:
        patch.setattr("latentmap.session.new_run.iter_run", long)
        session.runs.start(first.table, session.parameters)
        assert is_there.wait(10)
    session.live.on = True
    for step in range(200):
        session.parameters.n_neighbors = 4 + step % 20
        loop.turn(loop.calls.empty)
    assert begun == []
    gate.set()
    settle()
    assert begun == [4 + 199 % 20]


def test_a_run_begun_afresh_and_still_under_way_begins_anew_whole(session, table, settle, loop):
    session.live.on = True
    session.parameters.max_iter = 100_000
    begun = session.runs.start(table, session.parameters)
    loop.turn(lambda: begun.progress is not None and begun.progress.iteration > 5)
    session.parameters.max_iter = 120
    settle()
    assert begun.result is None
    assert [(run.origin, run.result.estimator["map"].n_iter_, run.is_live) for run in session.runs] == [
        (None, 120, False)
    ]


def test_another_number_of_dimensions_begins_afresh(session, first, settle):
    session.live.on = True
    session.parameters.n_components = 3
    settle()
    assert session.runs.current.result.embedding.shape == (60, 3)
    assert session.runs.current.origin is None
    assert session.runs.current.result.estimator["map"].n_iter_ == 150


@pytest.mark.parametrize("restarts", [True, False])
def test_without_live_tuning_a_change_can_restart_the_run_under_way(session, table, settle, loop, restarts):
    session.live.restarts_on_change = restarts
    session.parameters.max_iter = 100_000
    begun = session.runs.start(table, session.parameters)
    loop.turn(lambda: begun.progress is not None and begun.progress.iteration > 5)
    session.parameters.n_neighbors = 9
    session.parameters.max_iter = 30
    loop.turn(loop.calls.empty)
    assert (session.runs.active is begun) != restarts
    if not restarts:
        return
    settle()
    assert [run.result.estimator["map"].n_iter_ for run in session.runs] == [30]
    session.parameters.n_neighbors = 8
    settle()
    assert len(session.runs) == 1


def test_what_the_user_stops_is_kept_before_the_change_is_followed(session, table, settle, loop):
    session.live.on = True
    session.parameters.max_iter = 100_000
    begun = session.runs.start(table, session.parameters)
    loop.turn(lambda: begun.progress is not None and begun.progress.iteration > 5)
    session.runs.stop()
    session.parameters.n_neighbors = 9
    loop.turn(lambda: not session.runs.running)
    settle()
    assert begun.result is not None
    assert list(session.runs) == [begun, session.runs.current]
    assert session.runs.current.origin == begun.name


def test_switching_off_keeps_the_last_map_and_follows_no_more(session, first, settle):
    heard = []
    session.live.switched.connect(heard.append)
    session.live.on = True
    session.parameters.n_neighbors = 9
    settle()
    second = session.runs.current
    session.live.on = False
    session.live.on = False
    session.parameters.n_neighbors = 10
    settle()
    session.live.on = True
    session.parameters.n_neighbors = 11
    settle()
    assert list(session.runs) == [first, second, session.runs.current]
    assert heard == [True, False, True]


def test_the_cells_of_this_moment_are_asked_for(session, first, table, settle):
    fewer = CellTable(table.features.iloc[3:])
    session.live.on = True
    session.live.table = lambda: fewer
    session.parameters.n_neighbors = 9
    settle()
    assert len(session.runs.current.result.embedding) == 57
    assert session.runs.current.origin == first.name
    session.live.table = lambda: None
    session.parameters.n_neighbors = 10
    settle()
    assert session.runs.current.parameters["n_neighbors"] == 9


def test_a_change_that_allows_no_map_is_told_and_the_next_one_is_followed(session, first, settle):
    failed = []
    session.runs.ended.connect(lambda run: failed.append(run.error) if run.error is not None else None)
    session.live.on = True
    session.parameters.n_components = 90
    settle()
    assert "Lower n_components" in str(failed[0])
    assert list(session.runs) == [first]
    session.parameters.n_components = 2
    session.parameters.n_neighbors = 9
    settle()
    assert session.runs.current.origin == first.name


def test_closing_ends_all_amid_a_storm(session, first, loop):
    session.live.on = True
    for step in range(50):
        session.parameters.n_neighbors = 4 + step % 20
        if step % 3:
            loop.turn(loop.calls.empty)
    session.close()
    loop.turn(loop.calls.empty)
    assert not session.runs.running
    session.parameters.n_neighbors = 5
    loop.turn(loop.calls.empty)
    assert not session.runs.running


@pytest.mark.slow
def test_earlier_maps_are_let_go_of(session, first, settle):
    session.live.on = True
    gone = []
    for k in (7, 8, 9, 10):
        session.parameters.n_neighbors = k
        settle()
        gone.append(weakref.ref(session.runs.current))
    gc.collect()
    assert [reference() is not None for reference in gone] == [False, False, False, True]
