"""The run under way, as every front end shows it: what can be pressed, and what is said."""

import gc
import weakref

import numpy as np
import pytest
from psygnal import EmitLoopError
from recording_view import RecordingView

from latentmap import LVM
from latentmap.display.map_sentences import describe_map, describe_next_map
from latentmap.display.progress_text import ProgressWriter
from latentmap.display.run_status import stopped_sentence
from latentmap.presenters import run_control
from latentmap.presenters.progress import ProgressPresenter
from latentmap.presenters.run_control import RunPresenter
from latentmap.session.given_map import GivenMap
from latentmap.table import CellTable, preview


class RunViewWithCells(RecordingView):
    def __init__(self, cells):
        super().__init__()
        self._cells = cells

    def make_ready(self):
        self.calls.append(("make_ready", ()))
        if self._cells is None:
            raise ValueError("Tick the layers that the cells come from.")
        return self._cells

    def not_drawn(self):
        return ["3 cells far out, drawn at the edge."]


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bar():
    return RecordingView()


@pytest.fixture
def view(cells):
    return RunViewWithCells(cells)


@pytest.fixture
def control(session, view, bar, cells, clock):
    return RunPresenter(session, view, ProgressPresenter(bar, clock), lambda: cells, 0.4, clock)


def texts(bar):
    return [told.text for (told,) in bar.all("draw")]


def iterations(session, n):
    """Whether the run under way has done so many iterations."""
    at_work = session.runs.active
    return lambda: at_work.progress is not None and at_work.progress.iteration >= n


def test_a_run_from_its_start_to_its_map(control, session, view, bar, calls):
    control.embed()
    assert view.last("tell") == ""
    assert view.last("show_buttons") == (True, "Pause")
    assert texts(bar)[-1] == "starting"
    calls.until(lambda: not session.runs.running)
    assert view.last("show_buttons") == (False, "Pause")
    result = session.runs.current.result
    assert view.last("show_map") is result
    assert view.last("tell") == describe_map(result, view.not_drawn())
    assert texts(bar)[-1] == ProgressWriter().end(result).text


def test_why_there_can_be_no_run_is_said_and_what_was_made_ready_is_undone(control, session, view):
    view._cells = None
    control.embed()
    assert view.last("tell") == "Tick the layers that the cells come from."
    assert view.calls[-2:] == [("give_up", ()), ("tell", ("Tick the layers that the cells come from.",))]
    assert not session.runs.running


def test_the_selection_alone_can_be_embedded(control, session, cells, calls):
    session.selection.select(session.cell_index.add(cells.features.index[:50]))
    control.embed_selection()
    calls.until(lambda: not session.runs.running)
    assert len(session.runs.current.result.embedding) == 50


def test_a_run_pauses_and_goes_on(control, session, view, bar, calls):
    session.parameters.max_iter = 100_000
    control.embed()
    calls.until(iterations(session, 2))
    control.pause()
    assert session.runs.paused
    assert view.last("show_buttons") == (True, "Resume")
    assert texts(bar)[-1].startswith("paused · ")
    control.pause()
    assert not session.runs.paused
    assert view.last("show_buttons") == (True, "Pause")
    before = session.runs.active.progress.iteration
    calls.until(iterations(session, before + 2))


def test_nothing_is_paused_or_cancelled_while_nothing_is_made(control, session, view, bar):
    control.pause()
    control.cancel()
    assert view.all("tell") == []
    assert texts(bar) == []


def test_a_run_that_is_cancelled_keeps_its_map_and_says_how_far_it_was(control, session, view, bar, calls):
    session.parameters.max_iter = 100_000
    control.embed()
    calls.until(iterations(session, 3))
    control.cancel()
    assert view.last("tell") == "Stopping after this step …"
    calls.until(lambda: not session.runs.running)
    run = session.runs.current
    assert view.last("tell") == describe_map(run.result, view.not_drawn())
    assert bar.last("draw") == (run.result.n_iter, 100_000, stopped_sentence(run))


def test_a_run_that_is_cancelled_before_its_map_leaves_none(control, session, view, bar, calls):
    control.embed()
    control.cancel()
    session.runs.drop()
    assert view.last("tell") == "Stopped before there was a map."
    assert texts(bar)[-1] == ""
    assert view.all("show_map") == []


def test_a_run_that_is_dropped_for_another_says_nothing(control, session, view, calls):
    control.embed()
    session.runs.drop()
    assert view.all("tell") == [("",)]


def failing(error):
    def iter_fit(self, X, y=None):
        raise error
        yield

    return iter_fit


def test_why_a_run_failed_is_said(control, session, view, bar, calls, monkeypatch):
    monkeypatch.setattr(LVM, "iter_fit", failing(ValueError("The values do not fit.")))
    control.embed()
    calls.until(lambda: not session.runs.running)
    assert view.last("tell") == "The values do not fit."
    assert view.last("show_buttons") == (False, "Pause")
    assert texts(bar)[-1] == ""
    assert view.all("show_map") == []


@pytest.mark.slow
def test_a_fault_in_the_program_is_said_and_raised(control, session, view, calls, monkeypatch):
    fault = RuntimeError("the model broke")
    monkeypatch.setattr(LVM, "iter_fit", failing(fault))
    control.embed()
    with pytest.raises(EmitLoopError) as raised:
        calls.until(lambda: not session.runs.running)
    assert raised.value.__cause__ is fault
    assert view.last("tell") == "the model broke"
    assert view.last("show_buttons") == (False, "Pause")


def test_the_bar_follows_at_its_pace_but_each_stage_at_once(control, session, bar, calls, clock):
    session.parameters.max_iter = 100_000
    control.embed()
    calls.until(iterations(session, 1))
    shown = len(texts(bar))
    calls.until(iterations(session, session.runs.active.progress.iteration + 3))
    assert len(texts(bar)) == shown
    clock.now = 0.5
    calls.until(iterations(session, session.runs.active.progress.iteration + 1))
    assert len(texts(bar)) == shown + 1


def test_what_comes_next_is_said_and_the_table_is_looked_at_only_if_it_or_its_features_change(
    control, session, view, cells, monkeypatch
):
    looked = []
    monkeypatch.setattr(run_control, "preview", lambda *args: looked.append(1) or preview(*args))
    control.preview()
    parameters = session.parameters
    seen = preview(cells, parameters.features, parameters.preparation)
    assert view.last("show_preview") == describe_next_map(seen, parameters)
    session.parameters.n_neighbors = 20
    control.preview()
    assert len(looked) == 1
    session.parameters.features = ("area",)
    control.preview()
    assert len(looked) == 2
    seen = preview(cells, parameters.features, parameters.preparation)
    assert view.last("show_preview") == describe_next_map(seen, parameters)
    session.parameters.features = ()
    control.preview()
    control.preview()
    assert len(looked) == 3
    with pytest.raises(ValueError, match="feature") as raised:
        preview(cells, (), parameters.preparation)
    assert view.last("show_preview") == str(raised.value)


def test_without_cells_nothing_is_said_of_what_comes_next(session, view, bar):
    control = RunPresenter(session, view, ProgressPresenter(bar), lambda: None, 0.4)
    control.preview()
    assert view.last("show_preview") == ""


@pytest.mark.slow
def test_a_presenter_that_is_closed_holds_no_cells(session, view, bar, cells):
    passing = CellTable(cells.features)
    control = RunPresenter(session, view, ProgressPresenter(bar), lambda: passing, 0.4)
    control.preview()
    held = weakref.ref(passing)
    control.close()
    passing = None
    gc.collect()
    assert held() is None
    control.preview()
    assert view.last("show_preview") == ""


def test_embed_shows_the_map_there_is_where_nothing_changed(control, session, view, calls, cells):
    def press():
        control.embed()
        calls.until(lambda: not session.runs.running)
        return session.runs.current

    first = press()
    session.parameters.n_neighbors = 9
    second = press()
    session.parameters.n_neighbors = 15
    assert press() is first
    assert list(session.runs) == [first, second]
    assert view.last("tell").startswith(f'This map is "{first.name}": its cells and parameters are the same')
    assert view.all("give_up") == [()]
    # The same cells in another table object are the same cells; one measured anew, or dropped, makes them others.
    view._cells = CellTable(cells.features.copy(), ("Measured again.",))
    assert press() is first
    view._cells = CellTable(cells.features.assign(area=cells.features["area"] + 1))
    third = press()
    assert third is session.runs.current is not first
    view._cells = cells
    session.dropped.drop([0])
    fourth = press()
    assert len(fourth.result.embedding) == len(first.result.embedding) - 1
    control.embed(np.arange(5, 100))
    calls.until(lambda: not session.runs.running)
    some = session.runs.current
    control.embed(np.arange(5, 100))
    assert (session.runs.current, session.runs.running) == (some, False)
    assert len(session.runs) == 5


def test_stopped_maps_and_other_supervision_are_made_again(control, session, view, calls, cells):
    session.parameters.max_iter = 9000
    control.embed()
    calls.until(iterations(session, 2))
    control.cancel()
    calls.until(lambda: not session.runs.running)
    session.parameters.max_iter = 4
    session.parameters.method = "siamese"
    session.parameters.set_of_method("max_iter", 2)
    for n_runs in (2, 3):
        session.classes.assign(f"class {n_runs}", np.arange(40 * n_runs))
        session.classes.assign("the rest", np.arange(200, 300))
        control.embed()
        calls.until(lambda: not session.runs.running)
        assert len(session.runs) == n_runs
    control.embed()
    assert not session.runs.running
    session.parameters.method, session.parameters.max_iter = "lvm", 9000
    control.embed()
    at_work = session.runs.active
    control.add_map(GivenMap.of(cells, ["area", "dab_mean"]))
    assert session.runs.active is at_work
    assert view.last("tell").startswith("A map is being made: wait")
    session.runs.drop()


def test_why_there_is_no_map_is_taken_back_once_another_parameter_may_give_one(
    control, session, view, calls, monkeypatch
):
    monkeypatch.setattr(LVM, "iter_fit", failing(ValueError("The values do not fit.")))
    control.embed()
    calls.until(lambda: not session.runs.running)
    control.preview()
    assert view.all("withdraw") == []
    session.parameters.n_neighbors += 1
    control.preview()
    assert view.all("withdraw") == [("The values do not fit.",)]
    control.preview()
    assert len(view.all("withdraw")) == 1


def test_why_there_is_no_map_is_taken_back_once_there_are_other_cells(session, view, cells):
    offered = [cells]
    control = RunPresenter(session, view, ProgressPresenter(RecordingView()), lambda: offered[-1], 0.4)
    view._cells = None
    control.embed()
    offered.append(None)
    control.preview()
    assert view.all("withdraw") == [("Tick the layers that the cells come from.",)]
