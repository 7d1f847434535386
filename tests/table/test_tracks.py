"""Which cells follow each other, against tables whose tracks are known."""

import numpy as np
import pandas as pd
import pytest

from latentmap.measuring import measure
from latentmap.samples.synthetic import time_lapse
from latentmap.table import CellTable
from latentmap.table.tracks import find_tracks


def table(**columns):
    """Cells with a row each, whose frames are given."""
    n = len(columns["frame"])
    return CellTable.read(pd.DataFrame({"label": np.arange(1, n + 1), **columns}), layer="cells").features


def links(features):
    return sorted(map(tuple, find_tracks(features).links.tolist()))


@pytest.mark.parametrize("name", ["track_id", "TrackID", "TRACK_ID", "particle", "Track", "TrackObjects_Label_50"])
def test_a_column_says_which_cells_are_of_one_track(name):
    # In no order, with a gap in time, and two cells in no track.
    rows = table(frame=[2, 0, 1, 0, 3, 1], **{name: [7, 7, 7, -1, 9, 9]})
    tracks = find_tracks(rows)
    assert links(rows) == [(1, 2), (2, 0), (5, 4)]
    assert (tracks.n_tracks, tracks.column, tracks.n_divisions) == (2, name, 0)
    assert tracks.of_cell[3] == -1


def test_words_name_tracks_and_missing_ones_none():
    assert links(table(frame=[0, 1, 0, 1], track=["a", "a", None, ""])) == [(0, 1)]


def test_tracks_of_two_images_with_the_same_number_are_two():
    rows = table(frame=[0, 0, 1, 1], layer=["one", "two", "one", "two"], track_id=[1, 1, 1, 1])
    assert links(rows) == [(0, 2), (1, 3)]


@pytest.mark.parametrize("roots", [(1, 1, 1), (0, 0, 0), (np.nan, np.nan, np.nan)])
def test_a_parent_joins_tracks_at_a_division(roots):
    rows = table(frame=[0, 1, 2, 2, 3], track_id=[1, 1, 2, 3, 3], parent_track_id=[*roots[:2], 1, 1, 1])
    tracks = find_tracks(rows)
    assert links(rows) == [(0, 1), (1, 2), (1, 3), (3, 4)]
    assert tracks.n_divisions == 1
    # From a daughter back to her mother, but not to her sister; from the mother to both.
    assert sorted(map(tuple, tracks.paths_of([4]).tolist())) == [(0, 1), (1, 3), (3, 4)]
    assert len(tracks.paths_of([0])) == 4
    assert len(tracks.paths_of(np.array([], dtype=int))) == 0


@pytest.mark.parametrize("first", [5, 1_234_567, 2**60])
@pytest.mark.parametrize("kind", [str, int])
def test_large_numbers_of_tracks_are_told_apart(first, kind):
    mother, daughter, other = (kind(first + number) for number in range(3))
    rows = table(
        frame=[0, 1, 2, 2, 3],
        track_id=np.array([mother, mother, daughter, other, other]),
        parent=[first, first, first, first, first],
    )
    assert find_tracks(rows).n_tracks == 3
    assert links(rows) == [(0, 1), (1, 2), (1, 3), (3, 4)]


def test_a_parent_that_is_not_there_or_later_joins_nothing():
    assert links(table(frame=[1, 2, 0], track_id=[1, 1, 2], parent=[5, 5, 1])) == [(0, 1)]


def test_a_track_that_divides_is_joined_as_far_as_it_is_clear():
    rows = table(frame=[0, 1, 1, 2, 2], TRACK_ID=[4, 4, 4, 4, 4])
    assert links(rows) == [(0, 1), (0, 2)]
    assert find_tracks(rows).n_unclear == 2
    assert "2 cells are joined to none before" in find_tracks(rows).sentence


@pytest.mark.slow
def test_labels_are_believed_if_they_stay_with_the_cells():
    kept, anew = (time_lapse(numbering=way) for way in ("track", "frame"))
    measured = [measure(one.labels, layer="cells", has_frames=True).features for one in (kept, anew)]
    tracks = find_tracks(measured[0])
    assert tracks.column == "label"
    labels = measured[0].index.get_level_values("label").to_numpy()
    assert (labels[tracks.links[:, 0]] == labels[tracks.links[:, 1]]).all()
    assert (np.diff(tracks.frames[tracks.links]) > 0).all()
    assert find_tracks(measured[1]) is None


def test_without_time_or_without_anything_to_follow_there_are_no_tracks():
    assert find_tracks(table(frame=[0, 0], track_id=[1, 2])) is None
    assert find_tracks(table(frame=[0, 1], area=[1, 2])) is None
    assert find_tracks(table(frame=[0, 1], track_id=[1, 2])) is None
    assert find_tracks(table(frame=[0, 1], area=[1, 2]).iloc[:0]) is None


def test_a_real_lineage(load_data):
    stored = load_data("tracks_tables")
    ids, times = stored["btrack_id_t_y_x"][:, :2].astype(int).T
    tracks = find_tracks(table(frame=times, track_id=ids, parent=stored["btrack_parent"]))
    starts, ends = ids[tracks.links].T
    assert (tracks.n_tracks, tracks.n_divisions) == (409, 110)
    assert (stored["btrack_parent"][tracks.links[:, 1]] == starts)[starts != ends].all()


@pytest.mark.slow
def test_real_labels_that_are_no_tracks(load_data):
    stored = load_data("micro_timelapse_masks")
    assert find_tracks(measure(stored["hela_tyx"][:6], layer="cells", has_frames=True).features) is None
    kept = find_tracks(measure(stored["cho_tzyx"][:6], layer="cells", has_frames=True).features)
    assert kept.column == "label"
