"""The map goes on at once, while a run's own neighbours are searched."""

import threading

import numpy as np
import pandas as pd
import pytest

from latentmap import LVM
from latentmap.model.vectors import Vectors
from latentmap.session import iter_run, new_run
from latentmap.table import CellTable


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.lognormal(size=(90, 3)), columns=["area", "DNA", "actin"])
    return CellTable.read(features.assign(label=np.arange(1, 91)), layer="cells")


@pytest.fixture
def session(session, loop, table):
    session.parameters.features = tuple(table.numeric)
    session.parameters.n_neighbors, session.parameters.max_iter = 6, 40
    session.runs.start(table, session.parameters)
    loop.turn(lambda: not session.runs.running, seconds=60)
    session.live.on = True
    return session


@pytest.fixture
def gate(monkeypatch):
    """Searches for neighbours wait for this event."""
    gate, search = threading.Event(), Vectors._searched

    def waiting(self, k):
        assert gate.wait(60)
        return search(self, k)

    monkeypatch.setattr(Vectors, "_searched", waiting)
    yield gate
    gate.set()


def last_of(steps):
    """What a generator returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def has_moved(session):
    """Whether the run under way shows a map that is not the one from before."""
    active, before = session.runs.active, session.runs.current
    return lambda: active.interim is not None and not np.allclose(active.drawn, before.result.drawn, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "held"),
    [
        ({"n_neighbors": 9}, ("k 6 instead of 9",)),
        ({"metric": "cosine"}, ("metric euclidean instead of cosine",)),
        ({"n_neighbors": 20, "n_steps": 3}, ("k 6 instead of 20", "s 2 instead of 3")),
        ({"n_neighbors": 9, "repulsion": 5.0}, ("k 6 instead of 9",)),
    ],
)
def test_the_map_moves_before_the_neighbours_are_there(session, loop, gate, change, held):
    for name, value in change.items():
        setattr(session.parameters, name, value)
    loop.turn(lambda: session.runs.running)
    loop.turn(has_moved(session))
    active = session.runs.active
    assert not gate.is_set()
    assert active.result is None
    assert active.progress is None or active.progress.state is None
    assert active.moving is active.interim
    assert active.interim_differences == held
    gate.set()
    loop.turn(lambda: not session.runs.running, seconds=60)
    assert session.runs.current is active
    assert active.interim is None
    assert active.status == "done"
    assert all(active.parameters[name] == value for name, value in change.items())


def test_the_map_moves_before_the_rows_are_prepared_anew(session, loop, gate):
    session.parameters.transform = "log1p"
    loop.turn(lambda: session.runs.running)
    loop.turn(has_moved(session))
    assert not gate.is_set()
    assert session.runs.active.interim_differences == ("transform none instead of log1p",)


def test_a_second_change_moves_the_map_while_the_first_search_goes_on(session, loop, gate, monkeypatch):
    begun, can_go_on = [], new_run.can_go_on
    monkeypatch.setattr(new_run, "can_go_on", lambda *given: begun.append(given[-1]) or can_go_on(*given))
    session.parameters.n_neighbors = 9
    loop.turn(lambda: session.runs.running)
    loop.turn(has_moved(session))
    first = session.runs.active
    session.parameters.n_neighbors = 12
    loop.turn(lambda: session.runs.active is not first and session.runs.active.interim is not None)
    second = session.runs.active
    assert not gate.is_set()
    assert first.is_superseded
    # It goes on from what is shown, not from the map of before.
    assert begun[-1].name == first.name
    assert not np.allclose(begun[-1].embedding, session.runs.current.result.drawn, atol=1e-6)
    gate.set()
    loop.turn(lambda: not session.runs.running, seconds=60)
    assert session.runs.current is second
    assert second.result.parameters["n_neighbors"] == 12


def test_cancel_ends_it_at_once(session, loop, gate):
    before = session.runs.current
    session.parameters.n_neighbors = 9
    loop.turn(lambda: session.runs.running)
    loop.turn(has_moved(session))
    stopped = session.runs.active
    session.runs.stop()
    assert not session.runs.running
    assert not gate.is_set()
    assert (stopped.status, stopped.result, session.runs.current) == ("stopped", None, before)
    session.parameters.n_neighbors = 12
    loop.turn(lambda: session.runs.running)
    loop.turn(has_moved(session))
    gate.set()
    loop.turn(lambda: not session.runs.running, seconds=60)
    assert session.runs.current.result.parameters["n_neighbors"] == 12


def test_pause_holds_it(session, loop, gate):
    session.parameters.n_neighbors = 9
    loop.turn(lambda: session.runs.running)
    loop.turn(has_moved(session))
    active = session.runs.active
    session.runs.pause()
    assert session.runs.paused
    # A step that was under way may still be told.
    for _ in range(20):
        loop.turn(loop.calls.empty)
        threading.Event().wait(0.01)
    loop.turn(loop.calls.empty)
    held = active.interim.iteration
    threading.Event().wait(0.3)
    loop.turn(loop.calls.empty)
    assert active.interim.iteration == held
    session.runs.resume()
    loop.turn(lambda: active.interim.iteration > held)
    gate.set()
    loop.turn(lambda: not session.runs.running, seconds=60)
    assert active.status == "done"


def test_the_map_is_the_same_bit_for_bit(session, loop, gate, table):
    start = session.runs.current.warm_start
    session.parameters.n_neighbors = 9
    loop.turn(lambda: session.runs.running)
    loop.turn(lambda: session.runs.active.interim is not None and session.runs.active.interim.iteration > 3)
    gate.set()
    loop.turn(lambda: not session.runs.running, seconds=60)
    made = session.runs.current.result
    again = last_of(iter_run(table, session.parameters, start=start))
    np.testing.assert_array_equal(made.embedding, again.embedding)
    np.testing.assert_array_equal(made.variances, again.variances)


def test_it_passes_over_to_its_own_map_step_by_step(session, loop, gate, monkeypatch):
    session.parameters.n_neighbors = 25
    frames, drawn, fit = [], threading.Event(), LVM.iter_fit

    def iter_fit_as_drawn(model, X, y=None):
        for step in fit(model, X, y):
            yield step
            # On a busy machine the run would be over before the next turn of the loop.
            drawn.wait(0.1)
            drawn.clear()

    monkeypatch.setattr(LVM, "iter_fit", iter_fit_as_drawn)

    def note(run):
        drawn.set()
        if run.moving is not None:
            frames.append((run.moving.stage, run.moving.iteration, run.drawn, run.moving.max_iter))

    session.runs.progressed.connect(note)
    loop.turn(lambda: session.runs.running)
    loop.turn(lambda: session.runs.active.interim is not None and session.runs.active.interim.iteration > 10)
    gate.set()
    loop.turn(lambda: not session.runs.running, seconds=60)
    own = [frame for frame in frames if frame[0] == "embedding"]
    interim = [frame for frame in frames if frame[0] == "interim"]
    assert frames == interim + own
    assert interim
    assert own
    (_, last, ours, most) = own[-1]
    assert last > most / 2
    assert ours.shape == session.runs.current.result.drawn.shape


def test_without_a_finished_map_nothing_goes_on(session, loop, table, gate):
    gate.set()
    session.runs.clear()
    run = session.runs.start(table, session.parameters)
    loop.turn(lambda: not session.runs.running, seconds=60)
    assert run.status == "done"
    assert run.interim_differences == ()


def test_other_methods_and_dimensions_have_none(session, loop, gate):
    session.parameters.n_components = 3
    loop.turn(lambda: session.runs.running)
    gate.set()
    loop.turn(lambda: session.runs.active.progress is not None)
    assert session.runs.active.interim is None
    loop.turn(lambda: not session.runs.running, seconds=60)
    assert session.runs.current.result.embedding.shape == (90, 3)


@pytest.mark.parametrize("way", [{}, {"n_levels": 1}, {"solver": "em"}, {"dof": 5.0}, {"n_components": 1}])
def test_repulsion_counts_at_once_on_any_graph(table, way):
    values = np.log(table.features.to_numpy())
    lvm = LVM(6, max_iter=10, **way).fit(values)
    before = lvm.embedding_.copy()

    def last(**changes):
        states = LVM(20, max_iter=5, **{**way, **changes}).iter_interim(lvm, lvm.embedding_, lvm.variances_)
        return list(states)[-1].embedding

    np.testing.assert_array_equal(last(), last())
    assert not np.array_equal(last(), last(repulsion=1.5))
    np.testing.assert_array_equal(lvm.embedding_, before)
