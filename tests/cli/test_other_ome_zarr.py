"""OME-Zarr of other versions, in other orders of axes, and damaged."""

import shutil

import numpy as np
import pandas as pd
import pytest
import zarr

from latentmap.cli.main import main

LABELS = np.zeros((30, 40), np.uint16)
LABELS[2:8, 2:10], LABELS[12:20, 12:18] = 1, 2
IMAGE = np.stack([LABELS * 7, LABELS * 9])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(image, labels, of_labels=None, **said):
    root = zarr.open_group("field.zarr", mode="w", zarr_format=2)
    for group, pixels, own in ((root, image, {}), (root.create_group("labels/cells"), labels, of_labels or {})):
        group.create_array("0", data=pixels)
        group.attrs["multiscales"] = [{"datasets": [{"path": "0"}], **said, **own}]
    root["labels"].attrs["labels"] = ["cells"]
    return root


def refusal(capsys):
    assert main(["measure", "field.zarr", "-o", "cells.csv", "--quiet"]) == 1
    return capsys.readouterr().err.removeprefix("latentmap: ").rstrip("\n")


def test_versions_that_name_no_axes_have_five(folder):
    write(IMAGE[None, :, None], LABELS[None, None, None], version="0.2")
    assert main(["measure", "field.zarr", "-o", "cells.csv", "--quiet"]) == 0
    cells = pd.read_csv("cells.csv")
    assert cells["area"].tolist() == [48, 48]
    assert cells["field_2_mean"].tolist() == [9, 18]


@pytest.mark.parametrize(
    ("unit", "factor"), [("micrometer", 1), ("um", 1), ("micron", 1), ("nm", 1e-3), ("centimeter", 1e4)]
)
def test_units_have_several_names(folder, unit, factor):
    axes = [{"name": name, "type": "space", "unit": unit} for name in "yx"]
    steps = [{"type": "scale", "scale": [0.5, 0.5]}]
    write(IMAGE[0], LABELS, version="0.4", axes=axes, coordinateTransformations=steps)
    assert main(["measure", "field.zarr", "-o", "cells.csv", "--quiet"]) == 0
    np.testing.assert_allclose(pd.read_csv("cells.csv")["area_um2"], 12 * factor**2)


def test_axes_in_an_order_that_would_be_mistaken_are_refused(folder, capsys):
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yxz"]
    stack = np.stack([LABELS] * 3, axis=-1)
    write(stack * 7, stack, version="0.4", axes=axes)
    assert refusal(capsys) == (
        '"cells" stores its axes in the order yxz, but cells can only be measured where time comes first, then depth, '
        "rows and columns: save it in this order."
    )


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("array", 'holds none of its levels ("0"): copy it again from where it comes.'),
        ("datasets", "holds none of its levels (no level is named): copy it again from where it comes."),
        ("text", "is damaged, or not an OME-Zarr."),
    ],
)
def test_a_damaged_one_is_named(folder, capsys, damage, said):
    write(IMAGE, LABELS, version="0.3")
    if damage == "array":
        shutil.rmtree("field.zarr/0")
    elif damage == "datasets":
        zarr.open_group("field.zarr").attrs["multiscales"] = [{"datasets": []}]
    else:
        (folder / "field.zarr" / "0" / ".zarray").write_text("{")
    assert refusal(capsys) == f'"field.zarr" {said}'


def notes(capsys):
    capsys.readouterr()
    assert main(["measure", "field.zarr", "-o", "cells.csv", "--force"]) == 0
    return capsys.readouterr().out


def placed(*origin):
    """The transformations of a level whose pixels are .5 wide, and whose first one lies here."""
    told = [{"type": "scale", "scale": [0.5, 0.5]}, {"type": "translation", "translation": list(origin)}]
    return {"datasets": [{"path": "0", "coordinateTransformations": told}]}


@pytest.mark.parametrize(("origin", "where"), [((10, 20), ""), ((10.25, 20), ""), ((13, 20), "y 6, x 0")])
def test_labels_that_begin_elsewhere_are_told(folder, capsys, origin, where):
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    write(IMAGE[0], LABELS, of_labels=placed(*origin), version="0.4", axes=axes, **placed(10, 20))
    said = f'"cells" and "field" do not start at the same place (pixels between them: {where}), but they were measured'
    assert (said in notes(capsys)) == bool(where)


@pytest.mark.parametrize(("unit", "is_told"), [("micrometer", False), ("furlong", True), (None, True)])
def test_a_size_without_a_known_unit_is_told(folder, capsys, unit, is_told):
    axes = [{"name": name, "type": "space", **({"unit": unit} if unit else {})} for name in "yx"]
    steps = [{"type": "scale", "scale": [0.5, 0.25]}]
    write(IMAGE[0], LABELS, version="0.4", axes=axes, coordinateTransformations=steps)
    said = "gives the size of a pixel, but not in a unit known here: lengths are in pixels. Give --spacing."
    assert (f'"field.zarr" {said}' in notes(capsys)) == is_told


@pytest.mark.parametrize(("names", "is_told"), [(["DNA", "actin"], False), (["DNA", "DNA"], True), (["DNA", ""], True)])
def test_channels_without_names_of_their_own_are_told(folder, capsys, names, is_told):
    root = write(IMAGE, LABELS, version="0.4", axes=["c", "y", "x"], of_labels={"axes": ["y", "x"]})
    root.attrs["omero"] = {"channels": [{"label": name} for name in names]}
    told = '"field" names some of its channels twice or not at all, so they are numbered.' in notes(capsys)
    assert told == is_told
    assert {f"{name}_mean" for name in (["field_1", "field_2"] if is_told else names)} <= {*pd.read_csv("cells.csv")}


@pytest.mark.parametrize("has_all", [True, False])
def test_the_largest_level_is_measured_wherever_it_stands(folder, capsys, has_all):
    """The first was measured, though a program had written the smallest first."""
    root = write(IMAGE[:, ::2, ::2], LABELS[::2, ::2])
    for group, pixels in ((root, IMAGE), (root["labels/cells"], LABELS)):
        group.create_array("1", data=pixels)
        axes = [{"name": name, "type": "space"} for name in "cyx"[-pixels.ndim :]]
        paths = ["0", "1"] if has_all else ["0", "missing", "1"]
        group.attrs["multiscales"] = [{"axes": axes, "datasets": [{"path": path} for path in paths]}]
    said = '"field.zarr" lacks 1 of its 3 levels ("missing"): the largest one that is there is taken.'
    assert (said in notes(capsys)) != has_all
    assert pd.read_csv("cells.csv")["area"].tolist() == [48, 48]


def test_a_folder_of_bioformats2raw_says_which_image_to_give(folder, capsys):
    zarr.open_group("slide.zarr", mode="w", zarr_format=2).attrs["bioformats2raw.layout"] = 3
    assert main(["measure", "slide.zarr", "slide.zarr", "-o", "cells.csv"]) == 1
    assert '"slide.zarr" may hold several images: give one of them, such as slide.zarr/0.' in capsys.readouterr().err
