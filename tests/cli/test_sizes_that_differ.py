"""Sizes of pixels that differ between the image and the labels are told."""

import json

import numpy as np
import pandas as pd
import pytest
import tifffile

from latentmap.cli.main import main

LABELS = np.zeros((30, 30), dtype=np.uint16)
LABELS[2:8, 2:8], LABELS[10:20, 12:18] = 1, 2


@pytest.fixture
def measured(tmp_path, monkeypatch, capsys):
    """Returns a function: sizes of pixels by file, and further words, as the notes and the areas measured."""
    monkeypatch.chdir(tmp_path)

    def measured(sizes, *words):
        for name, size in sizes.items():
            pixels = LABELS if "labels" in name else LABELS * 7
            said = {"axes": "YX"} | ({f"PhysicalSize{axis}": size for axis in "XY"} if size else {})
            tifffile.imwrite(f"{name}.ome.tif", pixels, metadata=said, ome=True)
        images = [f"{name}.ome.tif" for name in sizes if "labels" not in name]
        labels = [f"{name}.ome.tif" for name in sizes if "labels" in name]
        words = ["measure", *images, "--labels", *labels, "-o", "cells.csv", "--force", "--json", "--quiet", *words]
        assert main(words) == 0
        cells = pd.read_csv("cells.csv")
        return json.loads(capsys.readouterr().out)["notes"], cells.filter(like="area").iloc[:, 0].tolist()

    return measured


def test_a_size_that_differs_is_told_with_both_files(measured):
    notes, areas = measured({"image": 0.25, "labels": 0.5})
    (said,) = [note for note in notes if "size of a pixel" in note]
    assert said == (
        'The size of a pixel is 0.5 x 0.5 µm in "labels", but 0.25 x 0.25 µm in "image": lengths are measured by the '
        "first one. If it is wrong, give --spacing."
    )
    assert areas == [9, 15]


@pytest.mark.parametrize("sizes", [(0.5, 0.5), (0.5, None), (None, 0.5), (0.500001, 0.5), (None, None)])
def test_of_sizes_that_agree_nothing_is_said(measured, sizes):
    notes, _ = measured(dict(zip(("image", "labels"), sizes, strict=True)))
    assert not any("size of a pixel" in note for note in notes)


def test_nothing_is_said_where_the_size_is_given(measured):
    notes, areas = measured({"image": 0.25, "labels": 0.5}, "--spacing", "1,1")
    assert not any("size of a pixel" in note for note in notes)
    assert areas == [36, 60]


def test_images_of_other_fields_tell_nothing(measured):
    sizes = {"A01_DAPI": 0.25, "A02_DAPI": 0.5, "A01_labels": None, "A02_labels": None}
    notes, areas = measured(sizes)
    assert not any("size of a pixel" in note for note in notes)
    assert areas == [2.25, 3.75, 9, 15]
    notes, _ = measured(sizes | {"A02_labels": 0.25})
    (said,) = [note for note in notes if "size of a pixel" in note]
    assert '"A02_labels", but 0.5 x 0.5 µm in "A02_DAPI"' in said
