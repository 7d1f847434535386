"""TIFF files as other programs write them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tifffile

from latentmap.cli.main import main

LABELS = np.zeros((30, 40), np.uint16)
LABELS[2:8, 2:10], LABELS[12:20, 12:18] = 1, 2
IMAGE = np.arange(1200, dtype=np.uint16).reshape(30, 40)
OME = "http://www.openmicroscopy.org/Schemas/OME/2016-06"
IDS = [f"urn:uuid:0000000{number}-0000-0000-0000-000000000000" for number in (1, 2)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tifffile.imwrite("labels.tif", LABELS)
    return tmp_path


@pytest.fixture
def measured(folder, capsys):
    """Returns a function: the table that is measured in files, and what is said of it."""

    def measure(*words):
        assert main(["measure", *words, "-o", "cells.csv", "--force", "--json", "--quiet"]) == 0
        notes = json.loads(capsys.readouterr().out)["notes"]
        return pd.read_csv("cells.csv"), [note for note in notes if not note.startswith("Measured: ")]

    return measure


def write_one_of_two(name, number, images, pixels):
    """A file of an OME-TIFF of several files, which describes all images."""
    text = f'<?xml version="1.0"?><OME xmlns="{OME}" UUID="{IDS[number]}">{"".join(images)}</OME>'
    tifffile.imwrite(name, pixels, description=text.encode(), metadata=None)


def described(number, size, planes):
    """An image in OME-XML: its number, the size of its pixels, and the number of the file of each channel."""
    channels = "".join(f'<Channel ID="Channel:{number}:{place}" SamplesPerPixel="1"/>' for place in range(len(planes)))
    data = "".join(
        f'<TiffData IFD="0" FirstC="{place}" PlaneCount="1"><UUID FileName="part_{one}.ome.tif">{IDS[one]}</UUID>'
        "</TiffData>"
        for place, one in enumerate(planes)
    )
    return (
        f'<Image ID="Image:{number}" Name="{number}"><Pixels ID="Pixels:{number}" DimensionOrder="XYZCT" Type="uint16" '
        f'SizeX="40" SizeY="30" SizeC="{len(planes)}" SizeZ="1" SizeT="1" PhysicalSizeX="{size}" '
        f'PhysicalSizeY="{size}">{channels}{data}</Pixels></Image>'
    )


def test_time_comes_before_depth_whatever_the_order_in_the_file(measured):
    stack = np.stack([[np.roll(LABELS, z + 2 * t, 1) for z in range(3)] for t in range(2)])
    tables = []
    for axes, pixels in (("TZYX", stack), ("ZTYX", stack.swapaxes(0, 1))):
        for name, factor in (("labels", 1), ("image", 7)):
            tifffile.imwrite(f"{name}.ome.tif", pixels * factor, metadata={"axes": axes}, photometric="minisblack")
        tables.append(measured("image.ome.tif", "labels.ome.tif")[0])
    assert tables[0]["frame"].unique().tolist() == [0, 1]
    pd.testing.assert_frame_equal(*tables)


def test_of_several_images_it_is_told_that_the_first_is_measured(measured):
    with tifffile.TiffWriter("fields.ome.tif", ome=True) as file:
        for pixels in (IMAGE, IMAGE[::-1]):
            file.write(pixels, metadata={"axes": "YX"})
    with tifffile.TiffWriter("sizes.tif") as file:
        for pixels in (IMAGE, IMAGE[:20]):
            file.write(pixels, metadata=None)
    for name in ("fields.ome.tif", "sizes.tif"):
        assert measured(name, "labels.tif")[1] == [
            f'"{name}" holds 2 images: only the first was measured. Save each as a file of its own.'
        ]


def test_a_pyramid_is_one_image(measured):
    with tifffile.TiffWriter("pyramid.ome.tif", ome=True) as file:
        file.write(IMAGE, subifds=1, metadata={"axes": "YX"})
        file.write(IMAGE[::2, ::2], subfiletype=1)
    assert measured("pyramid.ome.tif", "labels.tif")[1] == []


def test_a_file_of_several_is_measured_with_its_own_image(measured):
    for number in (0, 1):
        images = [described(0, 1, [0]), described(1, 0.5, [1])]
        write_one_of_two(f"part_{number}.ome.tif", number, images, IMAGE + 100 * number)
    for number, size in ((0, 1), (1, 0.5)):
        cells, notes = measured(f"part_{number}.ome.tif", "labels.tif")
        assert cells["area_um2"].tolist() == [48 * size**2, 48 * size**2]
        assert cells.filter(regex="_min$").iloc[0, 0] == IMAGE[2, 2] + 100 * number
        assert notes == []


def test_an_image_of_which_a_file_is_missing_is_refused(folder, capsys):
    write_one_of_two("part_0.ome.tif", 0, [described(0, 1, [0, 1])], IMAGE)
    assert main(["measure", "part_0.ome.tif", "labels.tif", "-o", "cells.csv", "--quiet"]) == 1
    assert capsys.readouterr().err == (
        'latentmap: Planes of the image in "part_0.ome.tif" are missing: either other files hold them, and must lie in '
        "the same folder under their original names, or they were never recorded, and the image must be saved "
        "without them.\n"
    )


def test_of_a_file_that_was_cut_off_it_is_told(measured):
    tifffile.imwrite("stack.tif", np.stack([IMAGE] * 5), metadata=None, photometric="minisblack")
    whole = Path("stack.tif").read_bytes()
    Path("cut.tif").write_bytes(whole[: len(whole) // 2])
    assert measured("cut.tif", "labels.tif")[1] == [
        '"cut.tif" names more pages than are in it: it may have been cut off, and the last pages are missing.'
    ]


@pytest.fixture
def film(folder):
    """Labels and an image of two frames, in which the cells hardly move."""
    labels = np.stack([LABELS, np.roll(LABELS, 1, 1)])
    for name, axes in (("t", "TYX"), ("z", "ZYX")):
        said = {"axes": axes, "unit": "um"} | ({"spacing": 2} if name == "z" else {})
        tifffile.imwrite(f"image_{name}.tif", labels * 7, imagej=True, metadata=said, resolution=(2, 2))
        tifffile.imwrite(f"labels_{name}.tif", labels, imagej=True, metadata={"axes": axes})
    np.save("labels_unknown.npy", labels)
    tifffile.imwrite("labels_unknown.tif", labels, photometric="minisblack")


@pytest.mark.parametrize("ending", ["npy", "tif"])
def test_what_the_first_axis_of_labels_is_follows_from_the_image(film, measured, ending):
    of_time, notes = measured("image_t.tif", f"labels_unknown.{ending}")
    assert of_time["frame"].tolist() == [0, 0, 1, 1]
    assert of_time["area_um2"].tolist() == [12] * 4
    of_depth, more = measured("image_z.tif", f"labels_unknown.{ending}")
    assert of_depth["volume_um3"].tolist() == [48, 48]
    assert notes == more == []


def test_it_is_told_that_image_and_labels_call_the_first_axis_otherwise(film, measured):
    cells, notes = measured("image_t.tif", "labels_z.tif")
    assert notes[0] == (
        'The first axis is time in "image_t", but depth in "labels_z": it is taken as depth. If it is time, give '
        "--time."
    )
    assert len(cells) == 2
    cells, notes = measured("image_t.tif", "labels_z.tif", "--time")
    assert cells["frame"].tolist() == [0, 0, 1, 1]
    assert notes == []
    _, notes = measured("image_z.tif", "labels_t.tif")
    assert notes == [
        'The first axis is depth in "image_z", but time in "labels_t": it is taken as time. If it is depth, save the '
        "labels with that axis."
    ]


def test_a_size_of_pixels_that_lacks_an_axis_is_told(film, measured):
    stack = np.stack([LABELS * 7] * 2)
    tifffile.imwrite("flat.tif", stack, imagej=True, metadata={"axes": "ZYX", "unit": "um"}, resolution=(2, 2))
    cells, notes = measured("flat.tif", "labels_z.tif")
    assert notes == [
        '"flat" tells the size of a pixel along y, x, but not along z: lengths are in pixels, as if these '
        "were as long on all sides. Give --spacing."
    ]
    assert cells["area"].tolist() == [96, 96]
    assert measured("flat.tif", "labels_z.tif", "--spacing", "2,0.5,0.5")[1] == []


def test_a_file_whose_description_is_cut_off_is_named(measured):
    """OME-TIFF may have it at the end, and the size of a pixel was missing without a word."""
    about = {"axes": "YX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5}
    with tifffile.TiffWriter("image.ome.tif", ome=True) as file:
        file.write(IMAGE, subifds=1, metadata=about)
        file.write(IMAGE[::2, ::2], subfiletype=1)
    path = Path("image.ome.tif")
    path.write_bytes(path.read_bytes()[: IMAGE.nbytes + 500])
    cells, notes = measured("image.ome.tif", "labels.tif")
    assert cells["area"].tolist() == [48, 48]
    assert notes[0].startswith('"image.ome.tif" may have been cut off: what it says of its pixels, such as their size')


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("how", ["separate", "contig"])
def test_samples_that_are_no_colours_are_channels(measured, n, how):
    """Two ended in an error, and of five the last two were left out without a word."""
    axis = 0 if how == "separate" else -1
    channels = np.stack([IMAGE + number for number in range(n)], axis)
    tifffile.imwrite("image.tif", channels, photometric="minisblack", planarconfig=how, extrasamples=[0] * (n - 1))
    cells, notes = measured("image.tif", "labels.tif")
    means = cells.filter(like="_mean")
    assert list(means) == [f"image_{number}_mean" for number in range(1, n + 1)]
    assert (means.diff(axis=1).iloc[:, 1:] == 1).all(axis=None)
    assert not notes


@pytest.mark.parametrize("unit", ["Pixel", "px", "Micron", "um ", "\\u00B5m", "\\u03BCm"])
def test_other_words_for_a_unit_of_imagej_need_no_note(measured, unit):
    tifffile.imwrite("image.tif", IMAGE, imagej=True, metadata={"axes": "YX", "unit": unit}, resolution=(2, 2))
    cells, notes = measured("image.tif", "labels.tif")
    assert ("area_um2" in cells) == unit.lower().startswith(("micron", "um", "\\u"))
    assert not notes


def test_an_unknown_unit_matters_only_where_no_size_is_known(measured):
    tifffile.imwrite("image.tif", IMAGE, imagej=True, metadata={"axes": "YX", "unit": "furlong"}, resolution=(2, 2))
    assert not measured("image.tif", "labels.tif", "--spacing", "1,1")[1]
    about = {"axes": "YX", "unit": "um"}
    tifffile.imwrite("sized.tif", LABELS.astype(np.uint16), imagej=True, metadata=about, resolution=(2, 2))
    assert not measured("image.tif", "sized.tif")[1]


def test_the_colours_in_which_imagej_shows_an_image_need_no_note(measured):
    colours = np.zeros((3, 256), np.uint16)
    tifffile.imwrite("image.tif", IMAGE.astype(np.uint8), imagej=True, colormap=colours, photometric="palette")
    assert not measured("image.tif", "labels.tif")[1]


def test_a_unit_that_is_not_known_is_named(measured):
    """Of OME-Zarr it was, of TIFF not."""
    about = {"axes": "YX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5}
    for unit, area in (("Å", 48 * 25e-10), ("millimeter", 48 * 25e4), ("furlong", 48)):
        units = {f"PhysicalSize{axis}Unit": unit for axis in "XY"}
        tifffile.imwrite("image.ome.tif", IMAGE, ome=True, metadata={**about, **units})
        cells, notes = measured("image.ome.tif", "labels.tif")
        np.testing.assert_allclose(cells.filter(regex="^area(_um2)?$").squeeze(), area)
        said = '"image.ome.tif" gives the size of a pixel in "furlong", a unit not known here: lengths are in pixels.'
        assert any(note.startswith(said) for note in notes) == (unit == "furlong")
    tifffile.imwrite("image.tif", IMAGE, imagej=True, metadata={"axes": "YX", "unit": "inch"}, resolution=(72, 72))
    assert not measured("image.tif", "labels.tif")[1]
