"""``latentmap measure`` of a plate in OME-Zarr, whose fields hold their labels."""

import importlib
import json
import shutil

import numpy as np
import pandas as pd
import pytest
import zarr

from latentmap.cli import measure
from latentmap.cli.main import main
from latentmap.images.ome_zarr import fields_in
from latentmap.table import read_table

FIELDS = ("A/1/0", "A/1/1", "B/3/0")


@pytest.fixture(params=["0.4", "0.5"])
def plate(tmp_path, monkeypatch, pytestconfig, request):
    """Two wells with three fields, of 25, 36 and 49 cells."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    write = importlib.import_module("benchmarks.large.slides").write_slide
    path = tmp_path / "screen.zarr"

    def say(group, about):
        group.attrs.update(about if request.param == "0.4" else {"ome": about})

    group = zarr.open_group(path, mode="w")
    say(group, {"plate": {"wells": [{"path": "A/1"}, {"path": "B/3"}], "field_count": 2}})
    for well, fields in {"A/1": ["0", "1"], "B/3": ["0"]}.items():
        say(zarr.open_group(path / well, mode="w"), {"well": {"images": [{"path": field} for field in fields]}})
    for side, field in zip((250, 300, 350), FIELDS, strict=True):
        write(path / field, side, chunk=96)
    return path


def call(*words):
    return main([str(word) for word in (*words, "--quiet")])


@pytest.mark.slow
def test_all_fields_are_measured_into_one_table_under_their_own_names(plate, tmp_path, capsys):
    out = tmp_path / "cells.parquet"
    assert {name: path.relative_to(plate).as_posix() for name, path in fields_in(plate).items()} == {
        field: field for field in FIELDS
    }
    assert call("measure", plate, "-o", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_cells"] == 25 + 36 + 49
    found = read_table(out, layer="?").features
    assert found.index.get_level_values("layer").value_counts(sort=False).to_dict() == dict(
        zip(FIELDS, (25, 36, 49), strict=True)
    )
    assert {"DNA_mean", "area_um2"} <= {*found}
    for field in FIELDS:
        assert call("measure", plate / field, "-o", tmp_path / "one.csv", "--force") == 0
        own = read_table(tmp_path / "one.csv", layer="?").features
        pd.testing.assert_frame_equal(
            found.loc[field].sort_index().reset_index(drop=True),
            own.sort_index().reset_index(drop=True)[list(found)],
            check_dtype=False,
        )
    assert call("embed", out, "-o", tmp_path / "map.parquet", "--max-iter", "5") == 0


def test_channels_without_names_are_the_same_in_all_fields(plate, tmp_path):
    for field in FIELDS:
        group = zarr.open_group(plate / field)
        group.attrs["ome"] = {key: value for key, value in group.attrs["ome"].items() if key != "omero"}
    assert call("measure", plate, "-o", tmp_path / "cells.csv") == 0
    found = pd.read_csv(tmp_path / "cells.csv")
    assert found[["screen_1_mean", "screen_2_mean"]].notna().all(axis=None)


def test_fields_without_labels_are_counted_and_a_plate_without_any_is_refused(plate, tmp_path, capsys):
    shutil.rmtree(plate / "B/3/0/labels")
    assert main(["measure", str(plate), "-o", str(tmp_path / "cells.csv")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert '1 field of 3 has no labels, so it is left out: "B/3/0".' in said
    assert "61 cells" in said
    for field in FIELDS[:2]:
        shutil.rmtree(plate / field / "labels")
    assert call("measure", plate, "-o", tmp_path / "none.csv") == 1
    assert 'No field of the plate "screen.zarr" has labels in it' in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "none.csv").exists()


def test_what_is_wrong_with_a_field_is_said_before_any_is_measured(plate, tmp_path, capsys, monkeypatch):
    measured = measure._measured
    monkeypatch.setattr(measure, "_measured", None)
    labels = zarr.open_group(plate / "A/1/1/labels")
    labels.attrs["ome"] = {"labels": ["cells", "nuclei"]}
    assert call("measure", plate, "-o", tmp_path / "cells.csv") == 1
    assert "has several labels in it" in " ".join(capsys.readouterr().err.split())
    labels.attrs["ome"] = {"labels": ["cells"]}
    for part in ("A/1/1", "A/1/1/labels/cells"):
        group = zarr.open_group(plate / part)
        scales = group.attrs["ome"]["multiscales"][0]
        for one in scales["axes"]:
            one.pop("unit", None)
        group.attrs["ome"] = {**group.attrs["ome"], "multiscales": [scales]}
    assert call("measure", plate, "-o", tmp_path / "cells.csv") == 1
    assert "The size of a pixel is not known of all fields" in " ".join(capsys.readouterr().err.split())
    monkeypatch.setattr(measure, "_measured", measured)
    assert call("measure", plate, "-o", tmp_path / "cells.csv", "--spacing", "0.5,0.5") == 0


def test_sizes_of_pixels_that_differ_are_told_once(plate, tmp_path, capsys):
    for field in FIELDS[:2]:
        group = zarr.open_group(plate / field / "labels/cells")
        scales = group.attrs["ome"]["multiscales"][0]
        for level in scales["datasets"]:
            for one in level["coordinateTransformations"]:
                one["scale"] = [2 * step for step in one["scale"]]
        group.attrs["ome"] = {**group.attrs["ome"], "multiscales": [scales]}
    assert call("measure", plate, "-o", tmp_path / "cells.csv", "--json") == 0
    said = " ".join(json.loads(capsys.readouterr().out)["notes"])
    assert said.count("The size of a pixel is") == 1
    assert 'in "A/1/0", but' in said
    assert "This holds for 2 fields of the plate." in said


def test_wells_that_are_missing_are_told(plate, tmp_path, capsys):
    shutil.rmtree(plate / "B")
    assert call("measure", plate, "-o", tmp_path / "cells.csv", "--json") == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert '1 well of the plate left out, because the files are missing: "B/3".' in notes


def test_doubts_about_one_field_are_not_counted_as_fields(tmp_path, capsys):
    group = zarr.open_group(tmp_path / "plate.zarr", mode="w", zarr_format=2)
    group.attrs["plate"] = {"wells": [{"path": "A/1"}]}
    group.create_group("A/1").attrs["well"] = {"images": [{"path": "0"}]}
    pixels = np.zeros((2, 20, 20), dtype=np.uint16)
    pixels[:, 2:8, 2:8] = 1
    for name, first in (("A/1/0", "time"), ("A/1/0/labels/cells", "space")):
        axes = [{"name": first[0].replace("s", "z"), "type": first}]
        axes += [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "yx"]
        field = group.create_group(name)
        field.create_array("0", data=pixels)
        steps = [{"type": "scale", "scale": [1, 0.5, 0.5]}]
        field.attrs["multiscales"] = [{"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": steps}]}]
    group["A/1/0/labels"].attrs["labels"] = ["cells"]
    assert call("measure", tmp_path / "plate.zarr", "-o", tmp_path / "cells.csv", "--json") == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert notes[0].startswith("The first axis is time")
    assert "tells the size of a pixel along y, x, but not along z" in notes[1]
    assert not any("This holds for" in note for note in notes)


def test_what_is_not_known_of_the_files_is_told_once(plate, tmp_path, capsys):
    """Of a single image it was told, of a plate not."""
    for field in FIELDS:
        for name in (field, f"{field}/labels/cells"):
            group = zarr.open_group(plate / name)
            (scales,) = group.attrs["ome"]["multiscales"]
            for one in scales["axes"]:
                one["unit"] = "furlong"
            group.attrs["ome"] = {**group.attrs["ome"], "multiscales": [scales]}
    assert call("measure", plate, "-o", tmp_path / "cells.csv", "--json") == 0
    said = " ".join(json.loads(capsys.readouterr().out)["notes"])
    assert said.count("but not in a unit known here: lengths are in pixels") == 1
    assert "This holds for 3 fields of the plate." in said
