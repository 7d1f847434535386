"""Images as users have them, as channels of a picture."""

import asyncio
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import skimage.io
import tifffile
import zarr
from PIL import Image

from latentmap import DataWarning
from latentmap.images.lazy_slice import channel_at
from latentmap.jupyter import Channel, LabelledImage, explore, open_session

LABELS = np.zeros((40, 60), dtype=np.int32)
LABELS[4:12, 4:12], LABELS[20:28, 30:44] = 3, 7
BRIGHT = np.random.default_rng(0).integers(0, 255, (40, 60)).astype(np.uint8)
TWO = np.stack([BRIGHT, 255 - BRIGHT])


def pixels(picture, name):
    image = picture.channels[name].image
    return np.asarray(image[0] if isinstance(image, tuple) else image)


def test_a_picture_takes_arrays_and_finds_how_to_show_them():
    picture = LabelledImage("E34", LABELS, {"H3": BRIGHT, "DNA": Channel(BRIGHT, (5, 9), (1, 1, 1))})
    assert picture.channels["H3"].limits[1] > 200
    assert picture.channels["DNA"].limits == (5, 9)
    assert list(picture.channels) == ["H3", "DNA"]


def test_one_array_is_one_channel():
    np.testing.assert_array_equal(pixels(LabelledImage("E34", LABELS, BRIGHT), "image"), BRIGHT)


@pytest.mark.parametrize("images", [TWO, list(TWO), np.moveaxis(TWO, 0, -1)], ids=["first", "list", "last"])
def test_several_channels_without_names(images):
    picture = LabelledImage("E34", LABELS, images)
    assert list(picture.channels) == ["channel 1", "channel 2"]
    np.testing.assert_array_equal(pixels(picture, "channel 2"), TWO[1])
    assert picture.channels["channel 1"].colour != picture.channels["channel 2"].colour


def test_channels_between_the_frames_and_the_rows():
    film = np.stack([TWO, TWO[::-1], TWO])
    picture = LabelledImage("film", np.stack([LABELS] * 3), film, has_frames=True)
    np.testing.assert_array_equal(pixels(picture, "channel 1"), film[:, 0])
    np.testing.assert_array_equal(picture.channels["channel 2"].image[1, ::2, :7], film[1, 1, ::2, :7])


def test_colours_stay_together():
    colours = np.stack([BRIGHT] * 3, axis=-1)
    assert LabelledImage("E34", LABELS, colours).channels["image"].colour is None
    assert LabelledImage("E34", None, colours).size == (40, 60)


def test_an_xarray_says_which_axis_is_what():
    names = {"channel": np.array(["H3", "DNA"])}
    image = SimpleNamespace(dims=("t", "channel", "y", "x"), coords=names, data=TWO[None], shape=(1, 2, 40, 60))
    for labels in (LABELS, None):
        picture = LabelledImage("E34", labels, image)
        assert list(picture.channels) == ["H3", "DNA"]
        np.testing.assert_array_equal(pixels(picture, "DNA"), TWO[1])


@pytest.mark.parametrize("ending", ["tif", "ome.tif", "png", "npy", "zarr"])
def test_files(tmp_path, ending):
    path, labels = tmp_path / f"image.{ending}", tmp_path / f"labels.{ending}"
    for where, array in ((path, BRIGHT), (labels, LABELS.astype(np.uint8))):
        if ending == "npy":
            np.save(where, array)
        elif ending == "zarr":
            zarr.save_array(where, array)
        elif ending == "png":
            skimage.io.imsave(where, array, check_contrast=False)
        else:
            tifffile.imwrite(where, array, ome=ending == "ome.tif")
    picture = LabelledImage("E34", labels, {"H3": str(path)})
    np.testing.assert_array_equal(pixels(picture, "H3"), BRIGHT)
    np.testing.assert_array_equal(np.asarray(picture.labels), LABELS)
    assert list(LabelledImage("E34", labels, [path, path]).channels) == ["channel 1", "channel 2"]


def test_a_tiff_with_channels_and_resolutions(tmp_path):
    path = tmp_path / "image.ome.tif"
    with tifffile.TiffWriter(path, ome=True) as file:
        file.write(TWO, subifds=1, metadata={"axes": "CYX"})
        file.write(TWO[:, ::2, ::2], subfiletype=1)
    picture = LabelledImage("E34", [LABELS, LABELS[::2, ::2]], path)
    assert list(picture.channels) == ["channel 1", "channel 2"]
    assert [level.shape for level in picture.channels["channel 2"].image] == [(40, 60), (20, 30)]
    assert list(LabelledImage("E34", None, path).channels) == ["channel 1", "channel 2"]


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_group_of_ome_zarr(tmp_path, version):
    group = zarr.open_group(tmp_path / "image.zarr", mode="w")
    for name, level in (("0", TWO), ("1", TWO[:, ::2, ::2])):
        group.create_array(name, data=level[None, :, None])
    scales = [{"axes": [{"name": name} for name in "tczyx"], "datasets": [{"path": "0"}, {"path": "1"}]}]
    group.attrs.update({"multiscales": scales} if version == "0.4" else {"ome": {"multiscales": scales}})
    for images in (group, tmp_path / "image.zarr"):
        picture = LabelledImage("E34", LABELS, images)
        np.testing.assert_array_equal(pixels(picture, "channel 2"), TWO[1])
        assert len(picture.channels["channel 1"].image) == 2


def test_what_is_no_image_is_refused_with_what_is_expected(tmp_path):
    (tmp_path / "image.tif").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r'"image.tif" cannot be read as an image .*give an array, a list of arrays'):
        LabelledImage("E34", LABELS, tmp_path / "image.tif")
    with pytest.raises(OSError, match=r'The file ".*" for "image" does not exist'):
        LabelledImage("E34", LABELS, tmp_path / "other.tif")
    with pytest.raises(ValueError, match='"H3" is a dict, not an image: give an array'):
        LabelledImage("E34", LABELS, {"H3": {"a": 1}})
    with pytest.raises(ValueError, match=r'"H3" has the shape \(2, 40, 50\), the labels \(40, 60\): they must'):
        LabelledImage("E34", LABELS, {"H3": TWO[:, :, :50]})
    group = zarr.open_group(tmp_path / "other.zarr", mode="w")
    group.create_array("a", data=LABELS)
    group.create_array("b", data=LABELS)
    with pytest.raises(ValueError, match=r'which of its arrays form an image \("a", "b"\)'):
        LabelledImage("E34", group)


def test_explore_takes_a_pyramid_of_labels(tmp_path):
    async def main():
        rows = pd.DataFrame({"label": [3, 7], "area": [64.0, 112.0]})
        for data in (rows, None):
            shown = explore(data, TWO, [LABELS, LABELS[::2, ::2]])
            assert shown.images.pane.pictures[0].size == (40, 60)
            assert "area" in shown.cells.numeric
            shown.save(tmp_path / "one.latentmap")
            shown.close()
        # The last one has labels with features.
        again = open_session(tmp_path / "one.latentmap")
        np.testing.assert_array_equal(pixels(again.images.pane.pictures[0], "channel 2"), TWO[1])
        again.close()

    asyncio.run(main())


def test_labels_as_floats_and_as_the_numbers_of_a_palette(tmp_path):
    colours = Image.fromarray(LABELS.astype(np.uint8))
    colours.putpalette(np.arange(768, dtype=np.uint8).tobytes())
    colours.save(tmp_path / "labels.png")
    lazy = zarr.create_array(tmp_path / "labels.zarr", data=LABELS.astype("float32"), chunks=(10, 10))
    for labels in (LABELS.astype("float32"), lazy, tmp_path / "labels.zarr", tmp_path / "labels.png"):
        found = LabelledImage("E34", labels, BRIGHT).labels
        assert np.issubdtype(found.dtype, np.integer)
        np.testing.assert_array_equal(np.asarray(found[:, 2:]), LABELS[:, 2:])


def test_a_picture_with_colours_is_no_labels(tmp_path):
    """It was taken for a stack of 40 planes."""
    skimage.io.imsave(tmp_path / "overlay.png", np.dstack([BRIGHT, BRIGHT, BRIGHT]), check_contrast=False)
    with pytest.raises(ValueError, match='The labels of "E34" have colours: they must be whole numbers'):
        LabelledImage("E34", tmp_path / "overlay.png")


def test_all_frames_of_a_film_in_a_gif_are_shown(tmp_path):
    first, second = (Image.fromarray(one) for one in TWO)
    first.save(tmp_path / "film.gif", save_all=True, append_images=[second])
    assert LabelledImage("E34", None, tmp_path / "film.gif", has_frames=True).n_frames == 2


def test_a_compression_that_needs_another_library_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    Image.fromarray(BRIGHT).save(tmp_path / "DNA.tif", compression="tiff_lzw")
    with pytest.raises(ValueError, match=r'"DNA\.tif" is compressed \(LZW\), .*: pip install imagecodecs'):
        LabelledImage("E34", LABELS, tmp_path / "DNA.tif")


@pytest.mark.parametrize("first", ["slice", "scene", "S"])
def test_slices_of_an_xarray_are_no_colours(first):
    stack = np.stack([LABELS] * 4)
    labels = SimpleNamespace(dims=(first, "y", "x"), coords={}, data=stack, shape=stack.shape)
    assert LabelledImage("E34", labels).n_planes == 4


def test_which_axis_holds_the_channels_is_not_guessed():
    with pytest.raises(ValueError, match="either of two axes could be the channels: give the channels by name"):
        LabelledImage("E34", np.stack([LABELS] * 2), np.stack([TWO] * 2))


def test_levels_of_an_ome_zarr_stand_in_any_order(tmp_path):
    group = zarr.open_group(tmp_path / "labels.zarr", mode="w")
    group.create_array("0", data=LABELS[::2, ::2])
    group.create_array("1", data=LABELS)
    group.attrs["ome"] = {"multiscales": [{"datasets": [{"path": "0"}, {"path": "1"}]}]}
    assert LabelledImage("E34", tmp_path / "labels.zarr").size == (40, 60)


def test_levels_that_an_ome_zarr_lacks_are_named(tmp_path):
    """Without any of them, Python's own error ended the call."""
    group = zarr.open_group(tmp_path / "labels.zarr", mode="w")
    group.attrs["ome"] = {"multiscales": [{"datasets": [{"path": "0"}, {"path": "1"}]}]}
    with pytest.raises(ValueError, match=r'"labels\.zarr" holds none of its levels \("0", "1"\)'):
        LabelledImage("E34", tmp_path / "labels.zarr")
    group.create_array("1", data=LABELS)
    with pytest.warns(DataWarning, match=r'"labels\.zarr" lacks 1 of its 2 levels \("0"\)'):
        assert LabelledImage("E34", tmp_path / "labels.zarr").size == (40, 60)


def test_time_comes_before_depth_whatever_the_order_in_a_tiff(tmp_path):
    """The planes were shown as frames."""
    film = np.stack([np.stack([LABELS * frame for frame in (1, 2)])] * 3).astype(np.uint16)
    tifffile.imwrite(tmp_path / "labels.ome.tif", film, metadata={"axes": "ZTYX"}, ome=True)
    picture = LabelledImage("E34", tmp_path / "labels.ome.tif", has_frames=True)
    assert (picture.n_frames, picture.n_planes) == (2, 3)
    assert picture.labels[1].max() == 14


def test_columns_before_rows_are_refused(tmp_path):
    """A square image was shown mirrored, and so its channels lay at other cells than its labels."""
    group = zarr.open_group(tmp_path / "DNA.zarr", mode="w")
    group.create_array("0", data=BRIGHT[:, :40].T)
    axes = [{"name": name, "type": "space"} for name in "xy"]
    group.attrs["ome"] = {"multiscales": [{"axes": axes, "datasets": [{"path": "0"}]}]}
    with pytest.raises(
        ValueError, match=r'"DNA\.zarr" stores its axes in the order xy, but cells can only be measured'
    ):
        LabelledImage("E34", LABELS[:, :40], {"DNA": tmp_path / "DNA.zarr"})


def test_a_damaged_chunk_is_named(tmp_path):
    array = zarr.create_array(tmp_path / "DNA.zarr", name="0", data=TWO, chunks=(1, 40, 60))
    (tmp_path / "DNA.zarr" / "0" / "c" / "0" / "0" / "0").write_bytes(b"\x07" * 5)
    for image in (array, {"DNA": channel_at(array, 0, 0)}):
        with pytest.raises(ValueError, match=r'"DNA\.zarr/0" cannot be read at .* the file is damaged there'):
            LabelledImage("E34", LABELS, image)


def test_planes_in_other_files_that_are_missing_are_named(tmp_path):
    """They were shown as zeros."""
    about = (
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:1"><Image '
        'ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint8" SizeX="60" SizeY="40" SizeC="2" '
        'SizeZ="1" SizeT="1"><Channel ID="Channel:0" SamplesPerPixel="1"/><Channel ID="Channel:1" SamplesPerPixel="1"/>'
        '<TiffData IFD="0" FirstC="0" PlaneCount="1"><UUID FileName="DNA.ome.tif">urn:uuid:1</UUID></TiffData>'
        '<TiffData IFD="0" FirstC="1" PlaneCount="1"><UUID FileName="CD3.ome.tif">urn:uuid:2</UUID></TiffData>'
        "</Pixels></Image></OME>"
    )
    tifffile.imwrite(tmp_path / "DNA.ome.tif", BRIGHT, description=about.encode(), metadata=None)
    with pytest.raises(ValueError, match=r'Planes of the image in "DNA\.ome\.tif" are missing'):
        LabelledImage("E34", LABELS, tmp_path / "DNA.ome.tif")


def test_of_a_tiff_that_was_cut_off_it_is_told(tmp_path):
    """Its first planes were shown, and nothing else."""
    tifffile.imwrite(tmp_path / "whole.tif", np.stack([BRIGHT] * 5), metadata=None, photometric="minisblack")
    whole = (tmp_path / "whole.tif").read_bytes()
    (tmp_path / "cut.tif").write_bytes(whole[: len(whole) // 2])
    with pytest.warns(DataWarning, match=r'"cut\.tif" names more pages than are in it: it may have been cut off'):
        LabelledImage("E34", LABELS, tmp_path / "cut.tif")


def test_files_of_other_programs_say_what_to_save_instead(tmp_path):
    np.save(tmp_path / "img_seg.npy", np.array({"masks": LABELS}, dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r'"img_seg\.npy" .* Cellpose .* Save masks as PNG/tif'):
        LabelledImage("E34", tmp_path / "img_seg.npy", BRIGHT)
    (tmp_path / "stack.czi").write_bytes(bytes(64))
    with pytest.raises(ValueError, match=r'"stack\.czi" cannot be read.* Zeiss\'s format: open it in Fiji'):
        LabelledImage("E34", LABELS, tmp_path / "stack.czi")
