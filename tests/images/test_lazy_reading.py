"""Images on the disk of which a chunk is damaged."""

import numpy as np
import pytest

from latentmap.images.lazy_labels import WholeLabels
from latentmap.images.lazy_slice import channel_at
from latentmap.measuring import measure, measure_blocks

zarr = pytest.importorskip("zarr")
LABELS = np.zeros((2, 12, 12), np.uint16)
LABELS[:, 1:5, 1:5], LABELS[:, 7:11, 7:11] = 3, 7


@pytest.fixture
def damaged(tmp_path):
    """Labels whose last chunk is damaged."""
    array = zarr.create_array(tmp_path / "labels.zarr", name="0", shape=(2, 12, 12), chunks=(1, 6, 6), dtype="uint16")
    array[...] = LABELS
    (tmp_path / "labels.zarr" / "0" / "c" / "1" / "1" / "1").write_bytes(b"\x07" * 5)
    return array


@pytest.mark.parametrize("measuring", [measure, measure_blocks])
@pytest.mark.parametrize("has_frames", [False, True])
def test_a_damaged_chunk_is_named(damaged, measuring, has_frames):
    with pytest.raises(ValueError, match=r'"labels\.zarr/0" cannot be read at pixels [0-9to, ]+ \(.* is damaged there'):
        measuring(damaged, layer="nuclei", has_frames=has_frames)


@pytest.mark.parametrize("measuring", [measure, measure_blocks])
def test_a_damaged_chunk_of_a_channel_is_named(damaged, measuring):
    with pytest.raises(ValueError, match=r'"labels\.zarr/0" cannot be read'):
        measuring(LABELS[1], {"DNA": channel_at(damaged, 0, 1)}, layer="nuclei")


@pytest.mark.parametrize("lazy", [lambda array: channel_at(array, 1, 0), lambda array: WholeLabels(array, "nuclei")])
def test_a_loop_over_an_image_on_the_disk_ends(tmp_path, lazy):
    """The index after the last one was called a damage of the file."""
    stack = np.stack([LABELS] * 2, axis=1).astype(np.float32)
    assert len(list(lazy(zarr.create_array(tmp_path / "labels.zarr", data=stack)))) == 2


def test_what_cannot_be_computed_is_no_damaged_file():
    array = pytest.importorskip("dask.array")

    def fail(block):
        raise RuntimeError("no such filter") if block.size else TypeError

    lazy = array.from_array(LABELS[0]).map_blocks(fail, dtype="uint16", meta=np.empty((0, 0), "uint16"))
    with pytest.raises(ValueError, match=r"An image cannot be read at .*: no such filter\.$"):
        measure_blocks(lazy, layer="nuclei")
