"""``latentmap measure`` of an OME-Zarr that holds its labels."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest
import zarr

from latentmap.cli.main import main
from latentmap.measuring import blocks, measure
from latentmap.table import read_table


@pytest.fixture
def slide(tmp_path, monkeypatch, pytestconfig):
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    monkeypatch.setattr(blocks, "PIXELS", 40_000)
    path = tmp_path / "slide.ome.zarr"
    importlib.import_module("benchmarks.large.slides").write_slide(path, 500, chunk=96)
    return path


def call(*words):
    return main([str(word) for word in (*words, "--quiet")])


def whole(slide):
    """The cells of the slide, measured in memory."""
    labels, image = (zarr.open_array(slide / name)[:] for name in ("labels/cells/0", "0"))
    channels = {"DNA": image[0], "marker": image[1]}
    return labels, measure(labels, channels, layer="cells", spacing=(0.5, 0.5), unit="um").features


@pytest.mark.slow
def test_a_slide_becomes_a_folder_of_parts_that_every_command_reads(slide, tmp_path, capsys):
    out = tmp_path / "cells.parquet"
    assert call("measure", slide, "-o", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    labels, expected = whole(slide)
    assert told["n_cells"] == len(expected) == 100 == labels.max()
    assert told["features"] == list(expected)
    found = read_table(out, layer="?").features.sort_index()
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert len([*out.glob("part-*.parquet")]) > 4
    assert call("measure", slide, "-o", out) == 1
    assert "is there already: --force replaces it" in capsys.readouterr().err
    assert call("measure", slide, "-o", out, "--texture", "--force") == 0
    assert "DNA_contrast" in pd.read_parquet(out)
    assert call("embed", out, "-o", tmp_path / "map.parquet", "--max-iter", "5") == 0
    assert len(read_table(tmp_path / "map.parquet", layer="?").features) == 100


@pytest.mark.slow
def test_measuring_goes_on_after_a_stop(slide, tmp_path, capsys):
    out = tmp_path / "cells.parquet"
    assert call("measure", slide, "-o", out) == 0
    (out / "_latentmap.json").unlink()
    parts = sorted(out.glob("*.parquet"))
    parts[2].unlink()
    times = {part: part.stat().st_mtime_ns for part in parts if part.exists()}
    assert call("measure", slide, "-o", out) == 0
    assert all(part.stat().st_mtime_ns == time for part, time in times.items())
    pd.testing.assert_frame_equal(read_table(out, layer="?").features.sort_index(), whole(slide)[1], check_exact=True)


@pytest.mark.slow
def test_labels_and_other_tables_by_path(slide, tmp_path, capsys):
    assert call("measure", slide, slide / "labels" / "cells", "-o", tmp_path / "cells.csv") == 0
    found = read_table(tmp_path / "cells.csv", layer="?").features.sort_index()
    pd.testing.assert_frame_equal(found, whole(slide)[1], check_dtype=False)
    zarr.open_group(slide / "labels").attrs["ome"] = {"labels": ["cells", "nuclei"]}
    assert call("measure", slide, "-o", tmp_path / "other.parquet") == 1
    assert 'has several labels in it, "cells", "nuclei": give the path of one' in " ".join(
        capsys.readouterr().err.split()
    )
    zarr.open_group(slide / "labels").attrs["ome"] = {"labels": []}
    assert call("measure", slide / "labels" / "cells", "-o", tmp_path / "other.parquet") == 1
    assert "has no labels in it" in capsys.readouterr().err


def test_what_is_no_image_is_refused(tmp_path, capsys):
    group = zarr.open_group(tmp_path / "plate.zarr", mode="w")
    group.attrs["ome"] = {"plate": {}}
    assert call("measure", tmp_path / "plate.zarr", tmp_path / "plate.zarr", "-o", tmp_path / "x.parquet") == 1
    assert '"plate.zarr" is a plate: give one of its images' in capsys.readouterr().err
    group.attrs["ome"] = {}
    assert call("measure", tmp_path / "plate.zarr", tmp_path / "plate.zarr", "-o", tmp_path / "x.parquet") == 1
    assert '"plate.zarr" is no image' in capsys.readouterr().err
    assert np.all([not path.exists() for path in tmp_path.glob("x.parquet")])


def test_a_file_in_the_place_of_the_folder_is_left_as_it_is(slide, tmp_path, capsys):
    there = tmp_path / "cells.parquet"
    there.write_bytes(b"mine")
    assert call("measure", slide, "-o", there, "--force") == 1
    assert "is a file, and the parts need a folder" in capsys.readouterr().err
    assert there.read_bytes() == b"mine"
