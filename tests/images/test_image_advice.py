"""Of files that are not read as images it is said what they are, and what to do."""

import numpy as np
import pytest

from latentmap.images.image_files import read_image


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("stack.lif", r"Leica's format: open it in Fiji \(File > Import > Bio-Formats\), and save it as OME-TIFF"),
        ("stack.CZI", "Zeiss's format"),
        ("stack.nd2", "Nikon's format"),
        ("RoiSet.zip", "ROI manager's: it holds ImageJ's regions of interest, and no pixels.*Otherwise unpack it"),
        ("0001.roi", "ImageJ's regions of interest.* ROIs to Label image"),
        ("cells.geojson", "QuPath.* export the cells there as a labelled image"),
        ("img_Simple Segmentation.h5", "ilastik, export it there in the format tif"),
        ("masks.npz", "save the array of labels by itself"),
        ("cells.csv", "It is a table"),
        ("cells.webp", "Save it as one of these, for instance as OME-TIFF"),
    ],
)
def test_other_formats(tmp_path, name, advice):
    path = tmp_path / name
    path.write_bytes(bytes(64))
    with pytest.raises(ValueError, match=rf"images and labels are read from .*{advice}"):
        read_image(path)


class Trap:
    """Something that would run when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


def test_segmentations_of_cellpose_are_not_unpickled(tmp_path):
    path = tmp_path / "img_seg.npy"
    np.save(path, np.array({"masks": np.ones((4, 4), "uint16"), "flows": Trap()}, dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r'"img_seg\.npy" .* Cellpose .* not opened.* Save masks as PNG/tif'):
        read_image(path)


def test_arrays_of_numbers_are_read(tmp_path):
    np.save(tmp_path / "masks.npy", np.ones((4, 4), "uint16"))
    assert read_image(tmp_path / "masks.npy").pixels.shape == (4, 4)
