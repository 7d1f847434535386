"""Measuring into a folder of Parquet files, and going on after a stop."""

import numpy as np
import pandas as pd
import pytest
import zarr

from latentmap.measuring import blocks, measure, measure_into
from latentmap.measuring.measured_parts import is_complete, iter_measure_into, part_files
from latentmap.table import read_table


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "PIXELS", 1000)


@pytest.fixture
def labels():
    labels = np.zeros((100, 100), dtype=np.int32)
    for number, (row, column) in enumerate(np.ndindex(8, 8)):
        labels[12 * row + 1 : 12 * row + 10, 12 * column + 1 : 12 * column + 6 + row] = 3 * number + 1
    labels[50, 50] = 999
    labels[40:42, 52:55] = 0
    return labels


@pytest.fixture
def image(tmp_path, labels):
    stored = zarr.create_array(tmp_path / "image.zarr", shape=labels.shape, dtype=float, chunks=(20, 20))
    stored[:] = np.random.default_rng(0).normal(size=labels.shape)
    return stored


def by_key(rows):
    return rows.set_index(["layer", "frame", "label"]).sort_index()


@pytest.mark.slow
def test_all_parts_are_the_table_of_the_whole_image(tmp_path, labels, image):
    parts = measure_into(tmp_path / "cells.parquet", labels, {"DNA": image}, layer="nuclei", texture=True)
    whole = measure(labels, {"DNA": image}, layer="nuclei", texture=True)
    assert len(part_files(parts.path)) > 4
    pd.testing.assert_frame_equal(by_key(pd.read_parquet(parts.path)), whole.features, check_exact=True)
    assert (parts.n_cells, parts.features, parts.notes) == (65, tuple(whole.features), whole.notes)
    assert parts.notes
    assert is_complete(parts.path)
    cells = read_table(parts.path, layer="other")
    pd.testing.assert_frame_equal(cells.features.sort_index(), whole.features, check_exact=True)


def stopped(path, labels, image, n_parts):
    steps = iter_measure_into(path, labels, {"DNA": image}, layer="nuclei", texture=True)
    while len(part_files(path)) < n_parts:
        next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    assert end.value.value is None


@pytest.mark.slow
def test_it_goes_on_after_a_stop(tmp_path, labels, image):
    path = tmp_path / "cells.parquet"
    stopped(path, labels, image, 3)
    assert not is_complete(path)
    before = {file: file.stat().st_mtime_ns for file in part_files(path)}
    parts = measure_into(path, labels, {"DNA": image}, layer="nuclei", texture=True)
    assert all(file.stat().st_mtime_ns == time for file, time in before.items())
    assert len(part_files(path)) > len(before) >= 3
    whole = measure(labels, {"DNA": image}, layer="nuclei", texture=True)
    pd.testing.assert_frame_equal(by_key(pd.read_parquet(path)), whole.features, check_exact=True)
    assert parts.notes == whole.notes


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["labels", "image", "settings"])
def test_nothing_is_kept_of_other_images_or_settings(tmp_path, labels, image, changed):
    path, settings = tmp_path / "cells.parquet", {"layer": "nuclei", "texture": True}
    stopped(path, labels, image, 3)
    if changed == "labels":
        labels[labels == 190] = 191
    elif changed == "image":
        image[:] = image[:] + 1
    else:
        settings["spacing"] = (0.5, 0.5)
    with pytest.raises(ValueError, match=r'"cells.parquet" holds cells that were measured from other images'):
        measure_into(path, labels, {"DNA": image}, **settings)
    measure_into(path, labels, {"DNA": image}, force=True, **settings)
    whole = measure(labels, {"DNA": image}, **settings)
    pd.testing.assert_frame_equal(by_key(pd.read_parquet(path)), whole.features, check_exact=True)
