"""Images, labels and sizes of pixels that do not go together: ``latentmap measure`` says so, and writes no file."""

import sys

import numpy as np
import pandas as pd
import pytest
import tifffile
from PIL import Image
from skimage.io import imsave

from latentmap.cli.main import main


def labels_of(size):
    labels = np.zeros((size, size), np.uint16)
    labels[2:8, 2:8], labels[10:16, 4:14] = 1, 2
    return labels


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, into which `write` puts files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*names, size=30, **settings):
    for name in names:
        tifffile.imwrite(name, labels_of(size), **settings)


@pytest.fixture
def refused(folder, capsys):
    """The sentence with which a measurement is refused."""

    def refuse(*words):
        before = {path.name for path in folder.iterdir()}
        assert main(["measure", *words, "-o", "cells.csv", "--quiet"]) == 1
        assert {path.name for path in folder.iterdir()} == before
        return capsys.readouterr().err.removeprefix("latentmap: ").rstrip("\n")

    return refuse


def test_labels_are_whole_numbers(refused):
    write("image.tif")
    tifffile.imwrite("mask.tif", labels_of(30) + np.float32(0.5))
    assert refused("image.tif", "mask.tif") == (
        '"mask" holds 0.5, which is no whole number, so cells cannot be told apart: number them first, for instance '
        "with skimage.measure.label. If it is an image, give images first, then the labels, or name these with "
        "--labels."
    )
    np.save("mask.npy", labels_of(30) > 0)
    assert refused("image.tif", "mask.npy").startswith('"mask" is taken as the labels, but it is a mask (bool): number')


@pytest.mark.parametrize(("kind", "number"), [("float32", 2**24), ("float16", 2**11)])
def test_labels_that_may_be_rounded_are_refused(refused, kind, number):
    np.save("labels.npy", np.full((30, 30), number, kind))
    assert f'"labels" holds label {number} as a decimal number of' in refused("labels.npy")


def test_a_compression_that_needs_another_library_is_named(refused, monkeypatch):
    """Otherwise the file was called damaged."""
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    Image.fromarray(labels_of(30)).save("labels.tif", compression="tiff_lzw")
    assert refused("labels.tif") == (
        '"labels.tif" is compressed (LZW), which needs another library: pip install imagecodecs. Or save it without '
        "compression."
    )


def test_labels_in_a_jpeg_are_refused_because_it_changes_numbers(refused):
    write("image.tif")
    imsave("labels.jpg", labels_of(30).astype(np.uint8) * 30, check_contrast=False)
    said = '"labels.jpg" is taken as the labels, but JPEG changes the numbers of cells: save them as TIFF or PNG.'
    assert refused("image.tif", "labels.jpg") == refused("image.tif", "--labels", "labels.jpg") == said


def test_a_picture_with_colours_or_channels_is_no_labels(refused):
    write("image.tif")
    imsave("overlay.png", np.dstack([labels_of(30).astype(np.uint8)] * 3), check_contrast=False)
    tifffile.imwrite("stack.ome.tif", np.stack([labels_of(30)] * 2), metadata={"axes": "CYX"}, ome=True)
    for file, name in (("overlay.png", "overlay"), ("stack.ome.tif", "stack")):
        said = refused("image.tif", file)
        assert said == f'"{name}" is taken as the labels, but it has channels or colours: it is an image.'


def test_two_channels_of_one_name(refused, folder):
    (folder / "second").mkdir()
    write("DAPI.tif", "second/DAPI.tif", "labels.tif")
    said = refused("DAPI.tif", "second/DAPI.tif", "labels.tif")
    assert said == "Two channels are called DAPI: rename one of the files."


def test_a_pair_that_only_the_order_suggests_is_not_measured(refused):
    write("nuclei_a.tif", "nuclei_b.tif", "DAPI_1.tif", "DAPI_2.tif")
    said = refused("DAPI_1.tif", "DAPI_2.tif", "--labels", "nuclei_a.tif", "nuclei_b.tif")
    assert said.startswith('It is not sure that "DAPI_1" belongs to "nuclei_a": only the order')
    assert said.endswith(
        "Name images and labels alike, as A01_DAPI.tif and A01_labels.tif, or measure each field on its own."
    )


def test_labels_without_an_image_and_images_without_labels(refused):
    write("A01_labels.tif", "A01_DAPI.tif")
    write("A02_labels.tif", "A02_DAPI.tif", size=40)
    write("A03_DAPI.tif", size=50)
    both = ("--labels", "A01_labels.tif", "A02_labels.tif")
    assert refused("A01_DAPI.tif", *both) == 'No image belongs to "A02_labels": name images and labels alike.'
    assert refused("A01_DAPI.tif", "A02_DAPI.tif", "A03_DAPI.tif", *both) == (
        "No labels belong to A03_DAPI: leave these out, or give their labels."
    )


@pytest.mark.parametrize("spacing", ["0.5", "0.5,0.5,2", "half,0.5", "0.5;0.5"])
def test_the_size_of_a_pixel_is_a_number_for_each_axis(refused, spacing):
    write("image.tif", "labels.tif")
    assert refused("image.tif", "labels.tif", "--spacing", spacing) == (
        f'--spacing {spacing}: give 2 numbers for the axes y, x of "labels", separated by commas.'
    )


def test_a_film_has_no_size_along_time(refused):
    tifffile.imwrite("film.tif", np.stack([labels_of(30)] * 3), photometric="minisblack")
    assert 'give 2 numbers for the axes y, x of "film"' in refused("film.tif", "--time", "--spacing", "1,1,1")
    assert 'give 3 numbers for the axes z, y, x of "film"' in refused("film.tif", "--spacing", "1,1")


def test_the_size_of_a_pixel_given_is_that_of_lengths_and_areas(folder):
    write("image.tif", "labels.tif")
    words = ["measure", "image.tif", "labels.tif", "--spacing", "0.5,2", "-o", "cells.csv", "--quiet"]
    assert main(words) == 0
    cells = pd.read_csv("cells.csv")
    assert cells["area_um2"].tolist() == [36.0, 60.0]
    assert cells[["centroid-0_um", "centroid-1_um"]].to_numpy().tolist() == [[2.25, 9.0], [6.25, 17.0]]


def test_the_size_of_a_pixel_is_known_of_all_labels_or_of_none(refused):
    size = {"axes": "YX"} | {f"PhysicalSize{axis}": 0.5 for axis in "XY"}
    write("A01_labels.ome.tif", metadata=size, ome=True)
    write("A02_labels.tif", "A01_DAPI.tif", "A02_DAPI.tif")
    both = ("A01_DAPI.tif", "A02_DAPI.tif", "--labels", "A01_labels.ome.tif", "A02_labels.tif")
    assert refused(*both) == "The size of a pixel is not known of A02_labels, but of others: give --spacing."
    assert main(["measure", *both, "--spacing", "0.5,0.5", "-o", "cells.csv", "--quiet"]) == 0
    assert pd.read_csv("cells.csv")["area_um2"].tolist() == [9.0, 15.0, 9.0, 15.0]


def test_which_axis_holds_the_channels_is_not_guessed(refused):
    """Of three frames with three channels, the frames were measured as channels."""
    np.save("image.npy", np.stack([np.stack([labels_of(30)] * 3)] * 3))
    np.save("labels.npy", np.stack([labels_of(30)] * 3))
    said = refused("image.npy", "labels.npy", "--time")
    assert said.startswith('The image "image" has the shape (3, 3, 30, 30), and does not name its axes: either of two')
