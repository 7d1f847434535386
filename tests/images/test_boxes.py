import dask.array as da
import numpy as np
import pytest
from rectangles import rectangles
from skimage.measure import regionprops

from latentmap.images.boxes import FrameBoxes, find_boxes


@pytest.mark.parametrize("seed", range(5))
def test_boxes_are_those_of_scikit_image(seed):
    labels = rectangles(seed=seed)
    boxes = find_boxes(labels)
    numbers, dense = np.unique(labels, return_inverse=True)
    by_hand = regionprops(dense.reshape(labels.shape))
    assert boxes.labels.tolist() == numbers[1:].tolist()
    assert np.column_stack([boxes.lows, boxes.highs]).tolist() == [list(one.bbox) for one in by_hand]
    assert not boxes.planes.any()


def test_in_3d_the_plane_with_most_of_the_cell_is_taken():
    labels = rectangles(shape=(9, 40, 50), n_cells=30)
    boxes = find_boxes(labels)
    assert len(boxes.labels) > 10
    for label, plane, low, high in zip(*boxes, strict=True):
        areas = (labels == label).sum(axis=(1, 2))
        assert plane == areas.argmax()
        rows, columns = np.nonzero(labels[plane] == label)
        assert (*low, *high) == (rows.min(), columns.min(), rows.max() + 1, columns.max() + 1)


@pytest.mark.parametrize("shape", [(5, 5), (2, 5, 5)])
def test_an_image_without_cells_has_no_boxes(shape):
    assert len(find_boxes(np.zeros(shape, dtype=int)).labels) == 0


@pytest.mark.parametrize("shape", [(90, 120), (3, 90, 120)])
@pytest.mark.parametrize("chunks", [None, 13])
def test_bands_of_rows_tell_what_the_whole_plane_does(monkeypatch, shape, chunks):
    labels = rectangles(shape=shape)
    whole = find_boxes(labels)
    monkeypatch.setattr("latentmap.images.boxes._BAND", 7 * 120)
    stored = labels if chunks is None else da.from_array(labels, chunks=(*(1,) * (len(shape) - 2), chunks, 50))
    for found, known in zip(find_boxes(stored), whole, strict=True):
        np.testing.assert_array_equal(found, known)


def test_no_chunk_of_an_image_on_the_disk_is_read_twice(monkeypatch):
    monkeypatch.setattr("latentmap.images.boxes._BAND", 30 * 120)
    read = []

    class Stored:
        """An array that tells which rows are read."""

        shape, ndim, chunks, dtype = (90, 120), 2, (20, 40), np.dtype(int)

        def __getitem__(self, index):
            read.extend(range(*index[0].indices(90)))
            return labels[index]

    labels = rectangles()
    assert find_boxes(Stored()).labels.tolist() == find_boxes(labels).labels.tolist()
    assert read == list(range(90))
    assert find_boxes(np.zeros((0, 5), dtype=int)).labels.tolist() == []


def test_what_takes_time_the_first_time_is_told(monkeypatch):
    labels = rectangles()
    assert FrameBoxes(labels).is_quick(0)
    assert not FrameBoxes(da.from_array(labels)).is_quick(0)
    monkeypatch.setattr("latentmap.images.boxes._SMALL", labels.size - 1)
    boxes = FrameBoxes(labels)
    assert not boxes.is_quick(0)
    found = boxes.of(0)
    assert boxes.is_quick(0)
    assert boxes.of(0) is found
    assert FrameBoxes(labels[None], has_frames=True).of(1).labels.tolist() == []
