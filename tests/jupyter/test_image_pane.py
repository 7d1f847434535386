"""The pane's side in Python: what it tells the browser, and what it makes of what the browser tells."""

import zlib
from typing import Any

import numpy as np
import pytest

from latentmap.images.crops import Channel
from latentmap.jupyter.image_messages import ImageDrawing
from latentmap.jupyter.image_pane import ImagePane, View
from latentmap.jupyter.labelled_image import LabelledImage, as_channels

LABELS = np.zeros((3, 40, 60), dtype=np.int32)
LABELS[:, 10:20, 10:30] = 1000
LABELS[1, 30:, 40:] = 3


class Broken:
    """An image on a disk that is gone."""

    shape, ndim, dtype = (3, 40, 60), 3, np.dtype(np.uint16)

    def __getitem__(self, index: object) -> np.ndarray:
        raise OSError("the disk is gone")


@pytest.fixture
def pane() -> Any:
    film = LabelledImage("film", LABELS, as_channels({"DNA": LABELS.astype(np.uint16)}, 3), has_frames=True)
    stain = LabelledImage(
        "stain", None, as_channels({"stain": np.zeros((40, 60, 3), np.uint8)}, 2), scale=(0.5, 0.25), unit="um"
    )
    pane = ImagePane([film, stain])
    pane.set_numbers("film", [0, 1, 2, 1], [1000, 1000, 1000, 3], [0, 1, 2, 7])
    yield pane
    pane.close()


@pytest.fixture
def told(pane: ImagePane) -> list:
    """What the pane sends."""
    sent: list = []
    pane.send = lambda content, buffers=(): sent.append((content, [bytes(data) for data in buffers]))
    return sent


def say(pane: ImagePane, **content: Any) -> None:
    """As the browser does."""
    pane._handle_custom_msg(content, [])


def tile(source: int, **parts: int) -> dict[str, int]:
    return {"picture": 0, "source": source, "level": 0, "frame": 1, "plane": 0, "row": 0, "column": 0} | parts


def test_cells_are_sent_by_their_numbers(pane: ImagePane, told: list) -> None:
    say(pane, type="tile", tile=tile(-1))
    ((content, (packed,)),) = told
    assert content == {"type": "tile", "tile": tile(-1), "shape": (40, 60), "packed": True}
    numbers = np.frombuffer(zlib.decompress(packed), np.uint32).reshape(40, 60)
    np.testing.assert_array_equal(numbers, np.select([LABELS[1] == 1000, LABELS[1] == 3], [1 + 1, 7 + 1]))


def test_a_channel_is_sent_as_it_is(pane: ImagePane, told: list) -> None:
    say(pane, type="tile", tile=tile(0))
    ((content, (data,)),) = told
    assert not content["packed"]
    np.testing.assert_array_equal(np.frombuffer(data, np.uint16).reshape(content["shape"]), LABELS[1])


def test_each_question_is_answered_with_one_tile(pane: ImagePane, told: list) -> None:
    for frame in (2, 0, 1):
        say(pane, type="tile", tile=tile(-1, frame=frame))
        assert told[-1][0]["tile"]["frame"] == frame
    assert len(told) == 3


def test_what_cannot_be_read_is_said() -> None:
    pane = ImagePane(LabelledImage("film", LABELS, {"DNA": Channel(Broken(), (0, 1))}))
    sent: list = []
    pane.send = lambda content, buffers=(): sent.append(content)
    say(pane, type="tile", tile=tile(0))
    assert sent[0]["error"] == "A part of the image could not be read: the disk is gone"
    assert sent[0]["tile"] == tile(0)


def test_numbers_that_are_known_anew_reach_the_browser(pane: ImagePane, told: list) -> None:
    before = pane._pictures
    pane.set_numbers("film", [0], [1000], [5])
    assert [new["version"] - old["version"] for new, old in zip(pane._pictures, before, strict=True)] == [1, 0]
    say(pane, type="tile", tile=tile(-1, frame=0))
    assert np.frombuffer(zlib.decompress(told[0][1][0]), np.uint32).max() == 6


def test_a_click_is_heard(pane: ImagePane) -> None:
    heard: list = []
    pane.clicked.connect(lambda number, mode: heard.append((number, mode)))
    say(pane, type="click", number=7, mode="add")
    say(pane, type="click", number=None, mode="replace")
    assert heard == [(7, "add"), (None, "replace")]


def test_what_is_under_the_mouse_is_heard(pane: ImagePane) -> None:
    heard: list = []
    pane.hovered.connect(heard.append)
    say(pane, type="hover", number=7)
    say(pane, type="hover", number=None)
    assert heard == [7, None]


def test_a_loop_is_heard_with_what_it_was_drawn_on(pane: ImagePane) -> None:
    heard: list[ImageDrawing] = []
    pane.drawn.connect(heard.append)
    corners = [[1, 2], [3.5, -4], [5, 6]]
    say(pane, type="drawn", picture=0, frame=1, plane=0, tool="lasso", mode="subtract", corners=corners)
    (loop,) = heard
    assert loop._replace(corners=None) == ImageDrawing("film", 1, 0, None, "lasso", 0, "subtract")
    np.testing.assert_array_equal(loop.corners, corners)


def test_a_selection_costs_the_browser_a_bit_for_each_cell(pane: ImagePane) -> None:
    numbers = np.random.default_rng(0).choice(100_000, 30_000, replace=False)
    pane.selected = numbers
    np.testing.assert_array_equal(pane.selected, np.sort(numbers))
    assert len(pane._selected) <= 12_500
    pane.selected = []
    assert len(pane.selected) == len(pane._selected) == 0


def test_colours_are_bytes(pane: ImagePane) -> None:
    colours = np.random.default_rng(0).integers(0, 256, (50, 4), dtype=np.uint8)
    pane.colours = colours
    np.testing.assert_array_equal(pane.colours, colours)
    for wrong in [colours / 255, colours[:, :3], colours.ravel()]:
        with pytest.raises(ValueError, match="give one row of red, green, blue and opacity per number"):
            pane.colours = wrong


def test_the_view_can_be_moved_and_told(pane: ImagePane) -> None:
    assert pane.view == View("film", 0, 0, 0, 0, None)
    pane.go_to("film", 2, 0, 10, 20.5, zoom=3)
    assert pane.view == View("film", 2, 0, 10, 20.5, 3)
    pane.go_to("stain", 0, 0, 5, 6)
    assert pane.view == View("stain", 0, 0, 5, 6, 3)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (("nuclei", 0, 0), 'no picture "nuclei", only film, stain'),
        (("film", 3, 0), "3 frames and 1 plane, counted from 0"),
        (("film", 0, 1), "no plane 1 in a frame 0"),
        (("film", -1, 0), "no plane 0 in a frame -1"),
    ],
)
def test_places_that_are_not_there_are_refused(pane: ImagePane, place: tuple, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        pane.go_to(*place, 0, 0)


def test_a_volume_is_opened_in_its_middle() -> None:
    assert ImagePane(LabelledImage("nuclei", np.zeros((9, 4, 5), int))).view == View("nuclei", 0, 4, 0, 0, None)


@pytest.mark.parametrize("names", [[], ["a", "b", "a"]])
def test_pictures_need_names_of_their_own(names: list[str]) -> None:
    with pytest.raises(ValueError, match="no two may be the same"):
        ImagePane([LabelledImage(name, LABELS) for name in names])


def test_the_browser_is_told_what_there_is(pane: ImagePane) -> None:
    film, stain = pane._pictures
    assert (film["frames"], film["planes"], film["pixel"], film["labels"]) == (3, None, None, True)
    assert (stain["frames"], stain["planes"], stain["pixel"], stain["labels"]) == (None, None, 0.25, False)
    assert film["channels"] == [{"name": "DNA", "kind": "uint16"}]
    assert stain["channels"] == [{"name": "stain", "kind": "rgb"}]


@pytest.mark.parametrize(
    ("dtype", "limits", "around"),
    [
        (np.uint8, (20, 200), [0, 255]),
        (np.uint16, (100, 500), [0, 1300]),
        (np.uint16, (1000, 1400), [800, 2200]),
        (float, (0, 1), [-0.5, 3]),
    ],
)
def test_limits_can_be_set_to_more_than_they_are(dtype: type, limits: tuple[float, float], around: list) -> None:
    channel = Channel(np.zeros((4, 5), dtype), limits)
    assert ImagePane(LabelledImage("DNA", channels={"DNA": channel}))._looks[0][0]["range"] == around


def test_a_pane_that_is_closed_hears_nothing(pane: ImagePane) -> None:
    heard: list = []
    pane.hovered.connect(heard.append)
    pane.close()
    say(pane, type="hover", number=7)
    assert heard == []


def test_the_browser_hears_whether_pixels_are_replaced():
    labels = np.zeros((8, 8), dtype=int)
    pane = ImagePane(LabelledImage("cells", labels, {"DNA": labels.astype(float)}))
    counts = [pane._pictures[0]["pixels"]]
    for channel, with_pixels in (("DNA", False), ("DNA", True), ("actin", False)):
        pane.replace(LabelledImage("cells", labels, {channel: labels.astype(float)}), with_pixels=with_pixels)
        counts.append(pane._pictures[0]["pixels"])
    assert counts == [0, 0, 1, 2]
    pane.close()
