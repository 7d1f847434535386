"""The way into a group and back, as every front end shows it."""

import numpy as np
import pytest
from recording_view import RecordingView
from test_run_control import RunViewWithCells

from latentmap.presenters.opening import NO_MAP, OpeningPresenter, path_text
from latentmap.presenters.progress import ProgressPresenter
from latentmap.presenters.run_control import RunPresenter


@pytest.fixture
def run_view(cells):
    return RunViewWithCells(cells)


@pytest.fixture
def presenter(session, view, run_view, cells, told):
    control = RunPresenter(session, run_view, ProgressPresenter(RecordingView()), lambda: cells, 0.4)
    presenter = OpeningPresenter(session, view, control.outline, control.open_group, told.append)
    presenter.refresh()
    return presenter


@pytest.fixture
def press(session, presenter, calls):
    def press(name):
        presenter.actions[name]()
        calls.until(lambda: not session.runs.running)
        return session.runs.current

    return press


def test_without_a_map_a_sentence_says_what_to_do(session, presenter, view, press, run_view):
    assert view.last("show_path") == (NO_MAP, {"outline": True, "open": False, "back": False})
    press("open")
    assert "There is no map to open a group of" in run_view.last("tell")
    assert not run_view.all("make_ready")


def test_into_a_group_and_back(session, presenter, view, press, told, cells):
    outline = press("outline")
    n = len(cells.features)
    sentence, possible = view.last("show_path")
    assert sentence == f"{len(outline.numbers)} landmarks of {n} cells"
    assert possible == {"outline": True, "open": False, "back": False}
    session.selection.select(outline.numbers[:9], how="lasso on the map")
    assert view.last("show_path")[1]["open"]
    group = press("open")
    n_in = int(np.isin(outline.result.members, range(9)).sum())
    assert len(group.numbers) == n_in
    assert view.last("show_path")[0] == f"{len(outline.numbers)} landmarks of {n} cells > {n_in} cells"
    assert view.last("show_path")[1]["back"]
    assert press("back") is outline
    assert told[-1] == f'Back on the map "{outline.name}". The selection is as it was.'
    assert len(session.selection) == 9


def test_the_same_outline_is_shown_again_and_not_taken_for_the_whole_map(session, press, embed, run_view, presenter):
    outline, whole = press("outline"), embed()
    assert path_text(whole) == "All 313 cells"
    assert press("outline") is outline
    assert len(session.runs) == 2
    assert "a new run would make it again, bit for bit" in run_view.last("tell")


def test_what_cannot_be_opened_is_said_and_starts_nothing(session, embed, press, run_view, told):
    run = embed()
    session.selection.select(run.numbers[:9])
    assert press("open") is run
    assert "select at least 10" in run_view.last("tell")
    session.parameters.method = "isomap"
    press("outline")
    assert "has no landmarks" in run_view.last("tell")
    assert run_view.calls[-2][0] == "give_up"
    press("back")
    assert told[-1] == "This map was not opened from another one."
    assert len(session.runs) == 1


def test_a_deleted_map_is_named_on_the_path(session, embed, press, told, view):
    run = embed()
    session.selection.select(run.numbers[:40])
    group = press("open")
    session.runs.delete(run)
    assert path_text(group) == f'40 cells (from "{run.name}", which was deleted)'
    press("back")
    assert "was deleted" in told[-1]
    assert session.runs.current is group


def test_large_numbers_are_read_in_threes(session, embed, monkeypatch):
    run = embed()
    monkeypatch.setattr("latentmap.presenters.opening.n_stood_for", lambda _: 120_000)
    assert path_text(run).replace("\u202f", " ") == "All 120 000 cells"
