import dask.array as da
import numpy as np
import pandas as pd
import pytest
import zarr

from latentmap.table import CellTable, keep_rows_in_image, keys_in_image


def brute_force(labels, layer, has_frames):
    frames = labels if has_frames else [labels]
    return sorted({(layer, t, int(n)) for t, frame in enumerate(frames) for n in frame.ravel() if n != 0})


@pytest.mark.parametrize("has_frames", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint16])
@pytest.mark.parametrize("shape", [(4, 5, 6), (3, 1, 7), (1, 1, 1), (2, 3, 4, 5)])
def test_the_cells_in_an_image_are_those_of_the_plain_rule(shape, dtype, has_frames):
    labels = np.random.default_rng(0).integers(0, 9, shape).astype(dtype)
    for image in (labels, labels.swapaxes(-1, -2), labels[..., ::-1]):
        assert keys_in_image(image, layer="a", has_frames=has_frames).tolist() == brute_force(image, "a", has_frames)


def test_huge_and_sparse_numbers_take_no_room():
    labels = np.array([[0, 2**62], [7, 2**62]])
    assert keys_in_image(labels, layer="a").tolist() == [("a", 0, 7), ("a", 0, 2**62)]


@pytest.mark.parametrize("shape", [(0, 4, 4), (2, 0, 4)])
def test_an_empty_image_and_one_of_background_hold_no_cell(shape):
    for labels in (np.zeros(shape, dtype=int), np.zeros((2, 4, 4), dtype=int)):
        for has_frames in (False, True):
            keys = keys_in_image(labels, layer="a", has_frames=has_frames)
            assert len(keys) == 0
            assert list(keys.names) == ["layer", "frame", "label"]


def test_a_lazy_array_is_read_one_frame_at_a_time():
    labels = np.random.default_rng(0).integers(0, 9, (5, 8, 8))
    asked = []

    def block(block_info=None):
        (start, stop), *_ = block_info[None]["array-location"]
        asked.append((start, stop))
        return labels[start:stop]

    lazy = da.map_blocks(block, chunks=((1,) * 5, (8,), (8,)), dtype=labels.dtype)
    asked.clear()
    assert keys_in_image(lazy, layer="a", has_frames=True).tolist() == brute_force(labels, "a", True)
    assert asked == [(frame, frame + 1) for frame in range(5)]
    stored = zarr.array(labels, chunks=(1, 8, 8))
    assert keys_in_image(stored, layer="a", has_frames=True).tolist() == brute_force(labels, "a", True)


def test_labels_are_whole_numbers():
    with pytest.raises(ValueError, match='"a" does not hold whole numbers'):
        keys_in_image(np.ones((2, 2), complex), layer="a")
    for odd in (1.5, np.nan, np.inf):
        with pytest.raises(ValueError, match=f'"a" holds {odd}, which is no whole number'):
            keys_in_image(np.array([[1, odd]]), layer="a")
    assert keys_in_image(np.array([[0.0, 7.0]]), layer="a").tolist() == [("a", 0, 7)]


def table(labels, **columns):
    return CellTable.read(
        pd.DataFrame({"label": labels, "area": np.arange(1.0, len(labels) + 1), **columns}), layer="a"
    )


def test_rows_are_joined_by_key_and_never_by_order():
    cells = keep_rows_in_image(table([1000, 3, 7]), keys_in_image(np.array([[3, 7, 1000]]), layer="a"))
    assert cells.features["area"].to_dict() == {("a", 0, 1000): 1.0, ("a", 0, 3): 2.0, ("a", 0, 7): 3.0}
    assert cells.notes == ()


def test_missing_and_extra_rows_are_counted_and_named():
    cells = keep_rows_in_image(table([0, 3, 4, 5]), keys_in_image(np.array([[3, *range(100, 108)]]), layer="a"))
    assert cells.keys == [("a", 0, 3)]
    assert cells.notes == (
        "1 row of label 0 (the background) left out.",
        "2 of 3 rows of the table left out, because their cells are not in the image: label 4, label 5.",
        "8 of 9 cells in the image without a row in the table: label 100, label 101, label 102, label 103, label 104 "
        "and 3 more.",
    )


def test_the_same_number_in_another_frame_or_layer_is_another_cell():
    movie = np.array([[[3, 7]], [[3, 0]]])
    present = keys_in_image(movie, layer="a", has_frames=True).append(keys_in_image(movie[0], layer="b"))
    cells = keep_rows_in_image(table([3, 3, 7, 7, 3], frame=[0, 1, 1, 0, 0], layer=["a", "a", "a", "b", "c"]), present)
    assert cells.keys == [("a", 0, 3), ("a", 1, 3), ("b", 0, 7)]
    assert cells.notes == (
        '2 of 5 rows of the table left out, because their cells are not in the image: label 7 in frame 1 of "a", label '
        '3 in frame 0 of "c".',
        '2 of 5 cells in the image without a row in the table: label 7 in frame 0 of "a", label 3 in frame 0 of "b".',
    )


def test_a_table_of_another_image_is_refused_with_what_either_has():
    with pytest.raises(ValueError, match='table has layer "a", frames 0 to 0, labels 3 to 7; the image has layer "b"'):
        keep_rows_in_image(table([3, 7]), keys_in_image(np.array([[3, 7]]), layer="b"))
    with pytest.raises(ValueError, match="the image has no cell"):
        keep_rows_in_image(table([3, 7]), keys_in_image(np.array([[0]]), layer="a"))


def test_real_time_lapse_masks(load_data):
    masks = load_data("micro_timelapse_masks")["hela_tyx"]
    present = keys_in_image(masks, layer="HeLa", has_frames=True)
    assert len(present) == 3271
    assert present.equals(
        pd.MultiIndex.from_tuples(
            sorted(("HeLa", t, int(n)) for t, frame in enumerate(masks) for n in np.unique(frame) if n)
        )
    )
