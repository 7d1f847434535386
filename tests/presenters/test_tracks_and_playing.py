"""Tracks on the map, and playing, as every front end has them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from latentmap.presenters.figure import figure_of
from latentmap.presenters.playing import PlayPresenter
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import SessionSnapshot
from latentmap.table import CellTable

N_TRACKS, N_FRAMES = 8, 5


@pytest.fixture(scope="module")
def cells():
    """Eight cells in the frames 2 to 6, in the order of the frames."""
    rng = np.random.default_rng(0)
    frames, tracks = np.repeat(np.arange(2, 2 + N_FRAMES), N_TRACKS), np.tile(np.arange(N_TRACKS), N_FRAMES)
    rows = pd.DataFrame({"label": tracks + 1, "frame": frames, "track_id": tracks})
    rows[["area", "dab_mean"]] = rng.normal(size=(len(rows), 2)) + 5 * (tracks % 2)[:, None]
    return CellTable.read(rows, layer="cells")


@pytest.fixture
def lines(session):
    lines = TrackLines(session)
    yield lines
    lines.close()


@pytest.fixture
def presenter(session, lines, view):
    presenter = PlayPresenter(session, lines, view)
    yield presenter
    presenter.close()


def test_what_is_drawn_follows_the_choice_and_the_selection(session, lines, embed):
    run = embed()
    told = []
    lines.changed.connect(lambda: told.append(1))
    drawn = lines.of_run(run)
    assert (len(drawn.links), len(drawn.path), drawn.now) == (0, 0, None)
    session.display_settings.tracks = "all"
    session.playhead.frame = 3
    drawn = lines.of_run(run)
    assert len(drawn.links) == N_TRACKS * (N_FRAMES - 1)
    assert drawn.is_now.sum() == N_TRACKS
    assert len(told) == 2
    session.display_settings.tracks = "selected"
    assert len(lines.of_run(run).links) == 0
    session.selection.select(run.numbers[[0, 9]])
    links = lines.of_run(run).links
    assert sorted(links.ravel() % N_TRACKS) == [0] * 8 + [1] * 8


def test_pointing_at_a_cell_shows_its_path_whatever_is_chosen(session, lines, embed):
    run = embed()
    lines.point_at(int(run.numbers[3]))
    drawn = lines.of_run(run)
    assert len(drawn.path) == N_FRAMES - 1
    assert (drawn.path % N_TRACKS == 3).all()
    assert len(drawn.links) == 0
    lines.point_at(None)
    assert len(lines.of_run(run).path) == 0
    lines.point_at(10**6)  # a cell that is not on the map
    assert len(lines.of_run(run).path) == 0


def test_tracks_go_past_dropped_cells(session, lines, embed):
    run = embed()
    session.display_settings.tracks = "all"
    session.dropped.drop(run.numbers[[N_TRACKS]])  # the second cell of the first track
    links = set(map(tuple, lines.of_run(run).links.tolist()))
    assert (0, 2 * N_TRACKS) in links
    assert not any(N_TRACKS in link for link in links)


def test_frames_are_offered_once_there_is_a_map_of_cells_in_time(presenter, view, embed):
    presenter.refresh()
    assert view.last("show_time")[0] is False
    embed()
    offered, first, last, sentence = view.last("show_time")
    assert (offered, first, last) == (True, 2, 6)
    assert sentence == '8 tracks of 40 cells, by "track_id".'


def test_playing_goes_through_the_frames_and_begins_anew(session, presenter, view, embed):
    embed()
    presenter.step()
    assert session.playhead.frame == 0, "It plays only once asked to."
    presenter.press()
    assert session.display_settings.tracks == "selected", "Otherwise nothing would be seen."
    assert view.last("start_timer") == 200
    frames = []
    for _ in range(N_FRAMES + 2):
        presenter.step()
        frames.append(session.playhead.frame)
    assert frames == [2, 3, 4, 5, 6, 2, 3]
    assert view.last("show_frame") == 3
    presenter.set_speed(10)
    assert view.last("start_timer") == 100
    presenter.press()
    assert view.last("show_playing") is False
    assert view.calls[-2][0] == "stop_timer"


def test_playing_ends_with_the_map(session, presenter, embed):
    embed()
    presenter.press()
    session.runs.clear()
    assert not presenter.playing


def test_a_view_that_reports_what_it_is_told_changes_nothing(session, presenter, view, embed):
    embed()
    session.display_settings.tracks = "all"
    view.show_tracks = lambda tracks: presenter.choose("none")
    view.show_frame = lambda frame: presenter.go_to(0)
    session.playhead.frame = 4
    presenter.refresh()
    assert (session.display_settings.tracks, session.playhead.frame) == ("all", 4)
    del view.show_tracks, view.show_frame
    presenter.choose("none")
    presenter.go_to(2)
    assert (session.display_settings.tracks, session.playhead.frame) == ("none", 2)


def test_sessions_keep_the_choice_and_refuse_another(session, calls):
    session.display_settings.tracks = "all"
    snapshot = SessionSnapshot.of(session)
    session.display_settings.tracks = "none"
    snapshot.restore(session)
    assert session.display_settings.tracks == "all"
    with pytest.raises(ValueError, match="give one of none, selected, all"):
        session.display_settings.tracks = "every"


def test_the_figure_has_the_paths_that_are_shown(session, embed):
    run = embed()
    shades = np.ones((2, 4))
    assert not any(isinstance(one, LineCollection) for one in figure_of(session, [run], [], shades).axes[0].collections)
    session.display_settings.tracks = "all"
    session.playhead.frame = 3
    session.dropped.drop(run.numbers[:1])
    figure = figure_of(session, [run], [], shades)
    lines = figure.axes[0].collections[0]
    assert len(lines.get_segments()) == N_TRACKS * (N_FRAMES - 1) - 1
    assert lines.get_colors()[:, 3].min() < lines.get_colors()[:, 3].max()
    assert "Lines: the paths of cells in time, 31 steps. 8 cells of frame 3 stand out." in figure.caption
