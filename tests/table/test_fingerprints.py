import numpy as np
import pandas as pd
import pytest

from latentmap.table.fingerprints import fingerprint_cells, label_changes


def marked(labels, has_frames=False):
    steps = fingerprint_cells(labels, has_frames=has_frames)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.uint64, ">u2"])
def test_what_is_new_gone_and_altered(dtype):
    rng = np.random.default_rng(0)
    before = rng.integers(0, 9, (4, 20, 30)).astype(dtype)
    assert not label_changes(marked(before), marked(before.copy())).sentence("cells")
    after = before.copy()
    after[after == 3] = 0
    after[2, 5:7, 5:7] = 77
    found = label_changes(marked(before), marked(after))
    assert (found.new, found.gone) == ([77], [3])
    assert set(found.altered) == set(before[2, 5:7, 5:7].ravel().tolist()) - {0, 3}
    assert found.sentence("cells").startswith(
        'The labels of "cells" have changed since they were measured: 1 new (77); '
    )


def test_a_cell_that_has_moved_is_altered_also_to_another_plane():
    before = np.zeros((3, 9, 9), dtype=int)
    before[0, 2:5, 2:5] = 7
    assert label_changes(marked(before), marked(np.roll(before, 1, axis=0))).altered == [7]
    assert label_changes(marked(before), marked(np.roll(before, 1, axis=2))).altered == [7]


def test_frames_are_told_apart():
    film = np.zeros((2, 9, 9), dtype=int)
    film[:, 2:5, 2:5] = 7
    after = film.copy()
    after[1] = 0
    assert label_changes(marked(film, True), marked(after, True)) == ([], [7], [])
    assert label_changes(marked(film), marked(after)) == ([], [], [7])


def test_nothing_is_left():
    labels = np.eye(9, dtype=int)
    assert label_changes(marked(labels), marked(np.zeros_like(labels))) == ([], [1], [])


def test_large_planes_are_read_in_parts_and_give_the_same(monkeypatch):
    labels = np.random.default_rng(0).integers(0, 30, (3, 40, 50))
    whole = marked(labels)
    monkeypatch.setattr("latentmap.table.fingerprints._BAND", 400)
    pd.testing.assert_frame_equal(marked(labels), whole)
