"""Labels as other programs keep them: as floats, as the numbers of a palette, with opacity."""

import json

import numpy as np
import pandas as pd
import pytest
import tifffile
import zarr
from PIL import Image

from latentmap.cli.main import main

LABELS = np.zeros((30, 40), np.uint8)
LABELS[2:8, 2:10], LABELS[12:20, 12:18] = 1, 7
COLOURS = np.arange(768, dtype=np.uint8)


@pytest.fixture
def measured(tmp_path, monkeypatch, capsys):
    """Returns a function: the labels that are measured in a file, and what is said of it."""
    monkeypatch.chdir(tmp_path)

    def measure(*files):
        assert main(["measure", *files, "-o", "cells.csv", "--force", "--json", "--quiet"]) == 0
        rows = pd.read_csv("cells.csv")
        assert rows.set_index("label")["area"].to_dict() == {1: 48, 7: 48}
        return [note for note in json.loads(capsys.readouterr().out)["notes"] if not note.startswith("Measured: ")]

    return measure


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_whole_numbers_among_floats_are_labels(measured, kind):
    """As MorphoLibJ saves labels."""
    np.save("labels.npy", LABELS.astype(kind))
    assert measured("labels.npy") == [f'"labels" holds whole numbers stored as {kind}: these are taken as the labels.']


def test_floats_in_zarr_are_labels_if_each_part_is_whole(measured, tmp_path, capsys):
    array = zarr.create_array("labels.zarr", shape=LABELS.shape, chunks=(10, 10), dtype="float32")
    array[...] = LABELS
    np.save("image.npy", LABELS)
    assert any("holds whole numbers stored as" in note for note in measured("image.npy", "labels.zarr"))
    array[25, 35] = 2.5
    assert main(["measure", "image.npy", "labels.zarr", "-o", "cells.csv", "--force", "--quiet"]) == 1
    assert '"labels" holds 2.5, which is no whole number' in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["png", "bmp"])
def test_the_numbers_of_a_palette_are_labels(measured, ending):
    image = Image.fromarray(LABELS)
    image.putpalette(COLOURS.tobytes())
    image.save(f"labels.{ending}")
    said = '"labels" has a palette: the numbers of its colours are taken as the labels.'
    assert measured(f"labels.{ending}") == [said]


@pytest.mark.parametrize(("how", "axis"), [("separate", 0), ("contig", -1)])
def test_frames_that_are_marked_as_colours_are_refused_with_a_hint(measured, tmp_path, capsys, how, axis):
    """So tifffile saves a film of three frames, unless it is told otherwise."""
    tifffile.imwrite("labels.tif", np.stack([LABELS] * 3, axis), photometric="rgb", planarconfig=how)
    np.save("image.npy", LABELS)
    assert main(["measure", "image.npy", "labels.tif", "-o", "cells.csv"]) == 1
    hint = 'If its first axis is time or depth, save it with photometric="minisblack".'
    assert (hint in capsys.readouterr().err) == (how == "separate")


def test_a_tiff_with_a_palette_says_so(measured):
    colours = np.arange(768, dtype=np.uint16).reshape(3, 256)
    tifffile.imwrite("labels.tif", LABELS, photometric="palette", colormap=colours)
    said = '"labels.tif" has a palette: the numbers of its colours are taken, not the colours.'
    assert measured("labels.tif") == [said]


def test_grey_levels_that_were_numbered_anew_stay_grey_levels(measured):
    """Programs that shrink PNG files do so; grey level 7 is then colour 2."""
    grey = np.array([0, 1, 7])
    image = Image.fromarray(np.searchsorted(grey, LABELS).astype(np.uint8))
    image.putpalette(np.repeat(grey, 3).astype(np.uint8).tobytes())
    image.save("labels.png")
    assert measured("labels.png") == []


@pytest.mark.parametrize("opacity", [255, LABELS])
def test_opacity_is_no_cell(measured, opacity):
    """It was: as a third axis, whose last plane is full of 255."""
    image = Image.fromarray(LABELS)
    image.putalpha(opacity if isinstance(opacity, int) else Image.fromarray(opacity))
    image.save("labels.png")
    said = ['"labels.png" has an opacity for each pixel, which is left out.']
    assert measured("labels.png") == ([] if isinstance(opacity, int) else said)
