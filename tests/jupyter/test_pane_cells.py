"""Pictures of the cells in a pane, and the way to them; without a browser."""

from dataclasses import replace
from queue import SimpleQueue
from threading import Event
from typing import Any

import numpy as np
import pytest

from latentmap.images.boxes import FrameBoxes
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage, as_channels
from latentmap.jupyter.pane_cells import PaneCells

LABELS = np.zeros((200, 300), dtype=np.int32)
LABELS[40:60, 100:140] = 7
LABELS[150:160, 20:24] = 9


@pytest.fixture
def pane() -> Any:
    pane = ImagePane([LabelledImage("cells", LABELS, as_channels({"DNA": LABELS.astype(np.uint16)}, 2))])
    yield pane
    pane.close()


@pytest.fixture
def calls() -> Any:
    return SimpleQueue()


@pytest.fixture
def cells(pane, calls):
    cells = PaneCells(pane, calls.put)
    yield cells
    cells.pictures.stop()


def where(pane):
    return pane.view.row, pane.view.column


def test_the_way_to_a_cell_of_a_small_image_is_short(pane, cells):
    cells.go_to(("cells", 0, 7))
    assert where(pane) == (49.5, 119.5)
    assert cells.pictures(("cells", 0, 9), 32).shape == (32, 32, 3)
    assert cells.pictures(("others", 0, 9), 32) is None


def test_the_last_cell_clicked_is_gone_to_once_it_is_known_where_it_is(pane, cells, calls, monkeypatch):
    gate, find = Event(), FrameBoxes.of
    monkeypatch.setattr("latentmap.images.boxes._SMALL", 0)
    monkeypatch.setattr(FrameBoxes, "of", lambda boxes, frame: gate.wait(60) and find(boxes, frame))
    before = where(pane)
    for label in (9, 7):
        cells.go_to(("cells", 0, label))
        assert cells.pictures(("cells", 0, label)) is None
    assert where(pane) == before
    gate.set()
    while cells.pictures.looking:
        calls.get(timeout=60)()
    assert where(pane) == (49.5, 119.5)
    cells.go_to(("cells", 0, 9))
    assert where(pane) == (154.5, 21.5)
    cells.go_to(("cells", 0, 8))
    assert where(pane) == (154.5, 21.5)


def test_another_look_of_the_image_does_not_have_it_looked_through_again(pane, cells):
    before = cells.crops_of("cells")
    before.boxes.of(0)
    assert cells.crops_of("cells") is before
    pane._looks = [[pane._looks[0][0] | {"limits": [0.0, 3.0]}]]
    after = cells.crops_of("cells")
    assert after is not before
    assert after.boxes is before.boxes


def test_painted_labels_are_looked_through_again(pane, cells):
    labels = LABELS.copy()
    picture = pane.pictures[0]
    before = cells.crops_of("cells")
    assert before.centre(0, 7) == (0, 49.5, 119.5)
    labels[40:60, 110:] = 0
    pane.replace(replace(picture, labels=labels))
    cells.go_to(("cells", 0, 7))
    assert where(pane) == (49.5, 104.5)
    # As napari paints, in the same array.
    labels[:] = np.roll(labels, 10, axis=0)
    pane.replace(replace(picture, labels=labels))
    cells.go_to(("cells", 0, 7))
    assert where(pane) == (59.5, 104.5)
