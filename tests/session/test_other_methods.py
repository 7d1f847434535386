"""A run by every method, from the table to the saved file."""

import runpy
from contextlib import ExitStack, closing
from functools import cache

import numpy as np
import pandas as pd
import pytest
from event_loop import Loop
from holding import before_the_map, hold, with_a_map

from latentmap.display.map_facts import map_facts
from latentmap.display.map_sentences import describe_map
from latentmap.methods import available
from latentmap.session import Result, Session, load, save, write_script
from latentmap.session.differences import run_differences
from latentmap.table import CellTable
from latentmap.table.text_numbers import EXACT

N = 60
# What keeps a run short; who has no such parameter needs none.
SHORT = {"max_iter": 15}
# What a user may set of each beside.
SET = {
    "elastic-embedding": {"attraction": "neighbors", "width": 2.5},
    "ll-lvm": {"init": "random"},
    "probdr": {"init": "random"},
    "lle": {"variant": "hessian", "reg": 0.01},
    "laplacian-eigenmaps": {"weights": "gaussian", "width": 1.5},
    "comparisons": {"dof": np.inf, "held_out": 0.0},
    "siamese": {"noise": 0.0, "learning_rate": 0.02, "held_out": 0.3},
}


@pytest.fixture(params=list(available()))
def method(request):
    return request.param


@pytest.fixture(scope="module")
def cells():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 4)) + 3 * (np.arange(N)[:, None] % 2)
    names = ["area", "DNA", "actin", "tubulin"]
    return CellTable.read(
        pd.DataFrame({"label": 7 * np.arange(1, N + 1), **dict(zip(names, values.T, strict=True))}), layer="nuclei"
    )


def make_ready(session, cells, method):
    """Set all that the method needs, and say what is known of the cells."""
    parameters = session.parameters
    parameters.features = tuple(cells.numeric)
    parameters.method = method
    known = available()[method]().get_params()
    for name, value in SHORT.items():
        if name in known:
            parameters.set_of_method(name, value)
    numbers = session.cell_index.add(cells.features.index)
    session.comparisons.restore([numbers[[0, 2, 1]], numbers[[3, 5, 4]], numbers[[7, 9, 10]]])
    # Names that a table takes for nothing, or for a number.
    session.classes.assign("NA", numbers[1::2])
    session.classes.assign("01", numbers[2:9:2])


def embedded(session, loop, cells):
    """A run that has ended."""
    run = session.embed(cells)
    loop.turn(lambda: not session.runs.running, 60)
    assert run.error is None
    return run


@pytest.fixture
def ready(session, cells, method):
    make_ready(session, cells, method)


@pytest.fixture
def done(session, loop, cells, ready):
    return embedded(session, loop, cells)


@pytest.fixture(scope="module")
def sessions(cells):
    """A function from a method to a session, and to its run by the method; it is made once."""
    with ExitStack() as open_ones:

        @cache
        def made(method):
            loop = Loop()
            session = open_ones.enter_context(closing(Session(loop.calls.put)))
            make_ready(session, cells, method)
            return session, embedded(session, loop, cells)

        yield made


@pytest.fixture
def finished(sessions, method):
    """A session with a run by the method that has ended; nobody may change it."""
    return sessions(method)


def test_it_comes_to_a_map_whose_quality_is_measured(finished, method):
    _, done = finished
    result = done.result
    assert result.embedding.shape == (N, 2)
    assert np.isfinite(result.embedding).all()
    assert set(result.quality) == {"recall", "trustworthiness"}
    assert np.isfinite(result.objective).all()
    assert result.objective_iterations[-1] == result.n_iter
    assert result.has_variances == hasattr(result.estimator["map"], "variances_")
    assert isinstance(result.estimator["map"], available()[method])
    assert ("variance" in result.rows()) == result.has_variances
    title = available()[method].title
    assert (title in done.name) == (method != "lvm")
    assert any(fact.value == title for fact in map_facts(result, (), N))


def test_the_record_says_what_made_it(finished, method):
    session, done = finished
    record = session.map_table(done).provenance
    assert record["method"] == method
    asked = done.result.estimator["map"].get_params()
    assert record["model"] == {name: _plain(value) for name, value in asked.items() if name != "verbose"}
    assert list(record["objective"]) == [available()[method].objective_name]
    if method == "siamese":
        assert record["taught"] == {"NA": 30, "01": 4}
    elif method == "comparisons":
        assert record["taught"][0] == [["nuclei", 0, label] for label in (7, 21, 14)]
    else:
        assert record["taught"] is None


def test_what_the_method_found_out_is_told_and_saved(finished, method, loop, tmp_path, new):
    session, done = finished
    result = done.result
    assert len(result.remarks) == {"comparisons": 1, "siamese": 2}.get(method, 0)
    assert all(remark in describe_map(result) for remark in result.remarks)
    other = new()
    load(save(session, tmp_path / "one.latentmap")).restore(other)
    assert other.runs.current.result.remarks == result.remarks


def test_a_saved_session_opens_with_it(finished, loop, tmp_path, new):
    session, done = finished
    stored = load(save(session, tmp_path / "one.latentmap"))
    other = new()
    stored.restore(other)
    assert other.parameters == session.parameters
    assert other.parameters.estimator().get_params() == session.parameters.estimator().get_params()
    again = other.runs.current.result
    np.testing.assert_array_equal(again.embedding, done.result.embedding)
    assert isinstance(again, Result)
    assert again.has_variances == done.result.has_variances
    assert dict(again.parameters) == dict(done.result.parameters)


def test_its_script_makes_the_same_map(finished, tmp_path, monkeypatch):
    _, done = finished
    path, table, _ = write_script(done, tmp_path / "again.py")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    made = pd.read_csv(tmp_path / f"{table.stem}_map.csv", **EXACT)
    np.testing.assert_array_equal(made[["map_1", "map_2"]].to_numpy(), done.result.embedding)
    assert ("variance" in made) == done.result.has_variances


@pytest.mark.parametrize("method", SET, indirect=True)
def test_what_is_set_of_it_is_in_its_record_its_file_and_its_script(
    session, loop, ready, cells, method, tmp_path, monkeypatch, new
):
    for name, value in (SHORT | SET[method]).items():
        if name in available()[method]().get_params():
            session.parameters.set_of_method(name, value)
    run = session.embed(cells)
    loop.turn(lambda: not session.runs.running, 60)
    assert {name: getattr(run.result.estimator["map"], name) for name in SET[method]} == SET[method]
    record = session.map_table(run).provenance["model"]
    assert {name: float(record[name]) if value == np.inf else record[name] for name, value in SET[method].items()} == (
        SET[method]
    )
    other = new()
    load(save(session, tmp_path / "one.latentmap")).restore(other)
    assert other.parameters == session.parameters
    assert other.runs.current.result.parameters["options"] == run.result.parameters["options"]
    path, table, _ = write_script(run, tmp_path / "again.py")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    made = pd.read_csv(tmp_path / f"{table.stem}_map.csv", **EXACT)
    np.testing.assert_array_equal(made[["map_1", "map_2"]].to_numpy(), run.result.embedding)


def test_a_session_from_before_forms_offered_a_parameter_has_its_default(session, loop, tmp_path, new):
    session.parameters.method = "elastic-embedding"
    session.parameters.set_of_method("lam", 5.0)
    other = new()
    load(save(session, tmp_path / "one.latentmap")).restore(other)
    assert other.parameters.options == {"elastic-embedding": {"lam": 5.0}}
    assert other.parameters.of_method("width") == "auto"


@pytest.fixture
def stopped(session, loop, ready, cells, method, monkeypatch):
    """From where a run is to be met to the run, which was stopped there; it would have gone on for hours."""

    def stop(when):
        if "max_iter" in available()[method]().get_params():
            session.parameters.set_of_method("max_iter", 100_000)
        held = hold(monkeypatch, available()[method], when)
        run = session.embed(cells)
        loop.turn(held.reached.is_set, 60)
        session.runs.stop()
        held.open.set()
        loop.turn(lambda: not session.runs.running, 60)
        assert (run.status, run.error, held.n_after) == ("stopped", None, 0)
        return run

    return stop


def test_stopping_before_there_is_a_map_leaves_none(session, stopped):
    run = stopped(before_the_map)
    assert run.result is None
    assert session.runs.current is None
    assert not len(session.runs)


def test_stopping_keeps_the_map_so_far(session, stopped, method):
    result = stopped(with_a_map).result
    assert result.n_iter == (3 if "max_iter" in available()[method]().get_params() else 1)
    assert result.embedding.shape == (N, 2)
    assert np.isfinite(result.embedding).all()
    assert result.quality == {}
    # Who has found the map at once has found it.
    assert result.stopped == (result.n_iter == 3)
    assert ("Stopped after 3 iterations, before" in describe_map(result)) == result.stopped
    assert session.runs.current.result is result


def test_after_one_that_was_stopped_the_next_runs_to_its_end(session, loop, stopped, cells, method):
    stopped(before_the_map)
    for name, value in SHORT.items():
        if name in available()[method]().get_params():
            session.parameters.set_of_method(name, value)
    run = session.embed(cells)
    loop.turn(lambda: not session.runs.running, 60)
    assert run.status == "done"
    assert run.result.quality


def _plain(value):
    return None if value is None else value if isinstance(value, str | bool | int) else pytest.approx(value)


@pytest.mark.parametrize("method", ["isomap"], indirect=True)
def test_live_tuning_makes_the_map_anew(session, loop, done):
    session.live.on = True
    session.parameters.set_of_method("n_neighbors", 9)
    loop.turn(lambda: session.runs.current is not done and not session.runs.running, 60)
    again = session.runs.current
    assert again.is_live
    assert again.origin is None
    assert again.result.estimator["map"].n_neighbors == 9
    session.parameters.method = "lvm"
    loop.turn(lambda: session.runs.current is not again and not session.runs.running, 60)
    # The latent variable model can go on from any map.
    assert session.runs.current.origin == again.name
    assert session.runs.current.result.has_variances


@pytest.mark.parametrize("method", ["isomap"], indirect=True)
def test_a_map_of_another_method_differs_by_its_method(session, loop, done, cells):
    session.parameters.method = "lvm"
    other = session.embed(cells)
    loop.turn(lambda: not session.runs.running, 60)
    told = run_differences(other.parameters, done.parameters)
    assert told[0] == "Latent variable model instead of Isomap"
    assert run_differences(done.parameters, other.parameters)[0] == "Isomap instead of Latent variable model"
    session.parameters.method = "isomap"
    session.parameters.set_of_method("n_neighbors", 9)
    third = session.embed(cells)
    loop.turn(lambda: not session.runs.running, 60)
    assert run_differences(third.parameters, done.parameters) == ["k 9 instead of 7"]


def test_another_method_chosen_during_a_run_leaves_the_run_alone(session, loop, cells):
    session.parameters.features = tuple(cells.numeric)
    session.parameters.max_iter = 100_000
    session.live.restarts_on_change = True
    run = session.embed(cells)
    loop.turn(lambda: run.progress is not None and run.progress.state is not None, 60)
    session.parameters.method = "isomap"
    iteration = run.progress.iteration
    loop.turn(lambda: run.progress.iteration > iteration + 3, 60)
    assert session.runs.active is run
    session.runs.drop()
