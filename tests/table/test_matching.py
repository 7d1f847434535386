"""Rows of a table and cells of an image: what is said where they do not agree."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import matching
from latentmap.table.cells import CellTable
from latentmap.table.image_keys import keep_rows_in_image, keys_in_image
from latentmap.table.matching import describe_mismatch, find_cells, is_mismatch, with_mismatches

N = 313


def keys(labels, frames=0):
    labels = np.asarray(labels)
    return pd.MultiIndex.from_arrays([["cells"] * len(labels), np.broadcast_to(frames, labels.shape), labels])


def image(labels):
    return np.repeat(np.asarray(labels), 4).reshape(1, -1)


def told(rows, labels):
    return describe_mismatch(rows, find_cells([image(labels)], layer="cells"))


def test_where_all_agree_nothing_is_said():
    assert told(keys(np.arange(1, N)), np.arange(N)) == []  # 0 is the background


def test_labels_shifted_by_5000_are_told():
    first, second = told(keys(np.arange(1, N + 1)), np.arange(1, N + 1) + 5000)
    assert first.startswith('0 of 313 rows have a cell in the labels "cells"')
    assert second == "With labels 5000 higher, 313 of 313 rows would have one: correct the labels of the table."


def test_labels_off_by_one_are_told():
    said = told(keys(np.arange(1, N + 1)), np.arange(2, N + 2))
    assert said == [
        '312 of 313 rows have a cell in the labels "cells".',
        '1 of 313 cells in the labels "cells" have no row in the table.',
        "With labels 1 higher, 313 of 313 rows would have one: correct the labels of the table.",
    ]
    assert "With labels 1 lower" in told(keys(np.arange(2, N + 2)), np.arange(1, N + 1))[-1]


def test_a_shift_that_gives_every_row_a_cell_is_told_though_it_gains_a_single_one():
    said = told(keys(np.arange(2, 22)), [*range(1, 21), *range(50, 61)])
    assert said[-1] == "With labels 1 lower, 20 of 20 rows would have one: correct the labels of the table."


def test_frames_counted_from_one_are_told():
    film = np.array([[[3, 7]], [[7, 9]]])
    rows = keys([3, 7, 7, 9], [1, 1, 2, 2])
    said = describe_mismatch(rows, find_cells([film], layer="cells", has_frames=True))
    assert said[-1] == "With frames 1 lower, 4 of 4 rows would have one: correct the frames of the table."


@pytest.mark.parametrize("seed", range(5))
def test_cells_that_are_lacking_here_and_there_are_no_shift(seed):
    rng = np.random.default_rng(seed)
    rows, labels = (np.sort(rng.choice(np.arange(1, 401), 380, replace=False)) for _ in range(2))
    said = told(keys(rows), labels)
    assert len(said) == 2
    assert not any("With labels" in sentence for sentence in said)


def test_rows_of_some_of_the_cells_only_are_counted():
    assert told(keys([3, 7]), [3, 7, 9]) == ['1 of 3 cells in the labels "cells" have no row in the table.']
    assert told(keys([3, 7, 9]), [3, 7]) == ['2 of 3 rows have a cell in the labels "cells".']


def test_rows_without_a_cell_are_noted_first_and_cells_without_a_row_last():
    cells = CellTable.read(pd.DataFrame({"label": [3, 7], "area": 1.0}), layer="cells")
    cells = CellTable(cells.features, ("before",))
    apart, before = with_mismatches(cells, [("cells", [image([5003, 5007])], False)]).notes
    assert is_mismatch(apart)
    assert "With labels 5000 higher" in apart
    assert before == "before"
    before, rowless = with_mismatches(cells, [("cells", [image([3, 7, 9])], False)]).notes
    assert before == "before"
    assert not is_mismatch(rowless)


@pytest.mark.parametrize("has_frames", [False, True])
def test_of_a_large_image_the_middle_is_read(monkeypatch, has_frames):
    monkeypatch.setattr(matching, "_MOST_PIXELS", 100)
    labels = np.repeat(np.arange(1, 41), 5)[:, None] * np.ones(10, dtype=int)
    found = find_cells([np.stack([labels, labels]) if has_frames else labels], layer="cells", has_frames=has_frames)
    assert not found.all
    n = len(found.keys)
    assert 0 < n <= 10
    assert set(found.keys.get_level_values("frame")) == ({0, 1} if has_frames else {0})
    rows = keys([*range(1, 41)] * 2, np.repeat([0, 1], 40))
    assert describe_mismatch(rows, found) == []
    said = describe_mismatch(rows.set_levels(rows.levels[2] + 5000, level=2), found)
    assert said[0] == f'{n} of {n} cells met in the labels "cells" have no row in the table.'
    assert is_mismatch(said[0])


def test_of_a_large_pyramid_a_lower_resolution_is_read(monkeypatch):
    monkeypatch.setattr(matching, "_MOST_PIXELS", 100)
    labels = np.repeat(np.arange(1, 41), 5)[:, None] * np.ones(10, dtype=int)
    found = find_cells([labels, labels[::20]], layer="cells")
    assert found.keys.get_level_values("label").tolist() == [*range(1, 41, 4)]
    assert not found.all


def test_a_table_that_is_loaded_tells_the_shift():
    present = keys_in_image(image(np.arange(1, N + 1) + 5000), layer="cells")
    rows = pd.DataFrame({"label": np.arange(1, N + 1), "area": 1.0})
    with pytest.raises(ValueError, match=r"No row of the table belongs .* With labels 5000 higher, 313 of 313 rows"):
        keep_rows_in_image(CellTable.read(rows, layer="cells"), present)
    notes = keep_rows_in_image(CellTable.read(rows.assign(label=rows["label"] + 5001), layer="cells"), present).notes
    assert notes[-1].startswith("With labels 1 lower, 313 of 313 rows")
