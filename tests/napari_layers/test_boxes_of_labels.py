"""Where the cells of a labels layer lie: known until the user paints."""

import numpy as np
import pytest
from napari.layers import Labels

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.samples.tissue import tissue

SQUARE = np.zeros((20, 30), dtype=np.int32)
SQUARE[4:8, 10:16] = 7


def boxes_of(source):
    found = source.boxes.of(0)
    return [found.labels.tolist(), found.lows.tolist(), found.highs.tolist()]


def test_painting_undo_and_other_pixels_are_noticed():
    layer = Labels(SQUARE.copy(), name="cells")
    source = LabelsSource(layer, "cells")
    before = [[7], [[4, 10]], [[8, 16]]]
    assert boxes_of(source) == before
    assert source.boxes is source.boxes
    layer.selected_label, layer.brush_size = 9, 1
    layer.paint((1, 1), 9)
    assert boxes_of(source) == [[7, 9], [[4, 10], [1, 1]], [[8, 16], [2, 2]]]
    layer.undo()
    assert boxes_of(source) == before
    layer.data = SQUARE[2:]
    assert boxes_of(source) == [[7], [[2, 10]], [[6, 16]]]


def test_a_move_over_a_slide_does_not_have_it_looked_through_again(monkeypatch):
    monkeypatch.setattr("latentmap.images.boxes._SMALL", 0)
    layer = Labels([SQUARE, SQUARE[::2, ::2]], multiscale=True, name="cells")
    source = LabelsSource(layer, "cells")
    boxes = source.boxes
    layer.refresh()
    assert source.boxes is boxes
    layer.events.labels_update(data=None, offset=None)
    assert source.boxes is not boxes


def test_a_first_axis_that_comes_to_be_time_is_noticed():
    layer = Labels(np.stack([SQUARE, SQUARE]), name="cells")
    source = LabelsSource(layer, "cells")
    assert boxes_of(source) == [[7], [[4, 10]], [[8, 16]]]
    layer.features = {"label": [7, 7], "frame": [0, 1], "area": [1.0, 2.0]}
    assert source.boxes.of(1).labels.tolist() == [7]


@pytest.mark.parametrize("has_frames", [False, True])
def test_the_way_to_a_cell_is_the_same_whether_its_box_is_known_or_not(has_frames):
    labels = tissue().labels
    film = np.stack([labels, labels[::-1]])
    layer = Labels(film if has_frames else labels, name="cells", scale=(2,) * (2 + has_frames))
    if has_frames:
        layer.features = {"label": [7], "frame": [0], "area": [1.0]}
    source = LabelsSource(layer, "cells")
    frame, cells = int(has_frames), [1, 7, 100]
    searched = [source.position(frame, label).tolist() for label in cells]
    source.boxes.of(frame)
    assert [source.position(frame, label).tolist() for label in cells] == searched
    assert source.position(frame, int(labels.max()) + 1) is None


def test_a_cell_whose_box_is_out_of_date_is_found_all_the_same(monkeypatch):
    """Undo tells of nothing but what every move over a slide tells of."""
    monkeypatch.setattr("latentmap.images.boxes._SMALL", 0)
    layer = Labels(SQUARE.copy(), name="cells")
    source = LabelsSource(layer, "cells")
    source.boxes.of(0)
    layer.data[:] = np.roll(SQUARE, 12, axis=0)
    layer.refresh()
    assert source.position(0, 7).tolist() in [[row, column] for row in (17, 18) for column in (12, 13)]


def test_only_the_box_of_a_known_cell_is_read():
    read = []

    class Stored:
        shape, ndim, dtype, size = SQUARE.shape, 2, SQUARE.dtype, SQUARE.size

        def __getitem__(self, index):
            read.append(index)
            return SQUARE[index]

        def __array__(self, *args, **kwargs):
            return SQUARE

    source = LabelsSource(Labels(SQUARE, name="cells"), "cells")
    boxes = source.boxes
    boxes.of(0)
    stored = Stored()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("latentmap.napari_layers.labels_source.scales", lambda layer: [stored])
        assert source.position(0, 7).tolist() in [[5, 12], [5, 13], [6, 12], [6, 13]]
    assert read == [(slice(4, 8), slice(10, 16))]
