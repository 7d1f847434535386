"""Pictures of cells, for which no front end waits."""

from threading import Event

import numpy as np
import pytest

from latentmap.images.boxes import FrameBoxes
from latentmap.images.crops import Crops
from latentmap.presenters.cell_pictures import CellPictures
from latentmap.samples.tissue import tissue

LABELS = tissue().labels


@pytest.fixture
def crops():
    return {"cells": Crops(LABELS)}


@pytest.fixture
def came():
    return []


@pytest.fixture
def pictures(crops, calls, came):
    pictures = CellPictures(crops.get, calls.put)
    pictures.came.connect(lambda: came.append(1))
    yield pictures
    pictures.stop()


@pytest.fixture
def gate(monkeypatch):
    """Every image takes long to be looked through: until this event."""
    gate, find = Event(), FrameBoxes.of
    monkeypatch.setattr("latentmap.images.boxes._SMALL", 0)
    monkeypatch.setattr(FrameBoxes, "of", lambda boxes, frame: gate.wait(60) and find(boxes, frame))
    yield gate
    gate.set()


def test_the_cells_of_a_small_image_are_seen_at_once(pictures, crops, came):
    np.testing.assert_array_equal(pictures(("cells", 0, 7), 32), crops["cells"].crop(0, 7, 32))
    assert pictures.centre(("cells", 0, 7)) == crops["cells"].centre(0, 7)
    assert pictures(("cells", 0, LABELS.max() + 1)) is None
    assert pictures(("others", 0, 7)) is None
    assert not pictures.looking
    assert not came


def test_nobody_waits_until_a_large_image_has_been_looked_through(gate, pictures, calls, came):
    assert pictures(("cells", 0, 7)) is None
    assert pictures.centre(("cells", 0, 9)) is None
    assert pictures.looking
    gate.set()
    calls.until(lambda: bool(came))
    assert not pictures.looking
    np.testing.assert_array_equal(pictures(("cells", 0, 7)), Crops(LABELS).crop(0, 7))
    assert pictures(("cells", 0, LABELS.max() + 1)) is None
    assert not pictures.looking
    assert came == [1]


def test_several_large_images_are_looked_through_one_after_the_other(gate, pictures, crops, calls, came):
    crops["others"] = Crops(LABELS[::-1])
    for layer in ("cells", "others"):
        assert pictures((layer, 0, 7)) is None
    gate.set()
    calls.until(lambda: len(came) == 1)
    assert pictures(("cells", 0, 7)) is not None
    gate.clear()
    assert pictures(("others", 0, 7)) is None
    gate.set()
    calls.until(lambda: len(came) == 2)
    assert pictures(("others", 0, 7)) is not None


def test_an_image_that_cannot_be_read_is_an_error_and_the_next_look_tries_again(gate, pictures, crops, calls, came):
    class Broken:
        shape, ndim = LABELS.shape, 2

        def __getitem__(self, index):
            raise OSError("the disk is gone")

    crops["broken"] = Crops(Broken())
    gate.set()
    for _ in range(2):
        assert pictures(("broken", 0, 7)) is None
        with pytest.raises(OSError, match="the disk is gone"):
            calls.until(lambda: not pictures.looking)
    assert not came
