"""Pictures in a session file: what comes back of them, in a notebook and in napari."""

import asyncio
from dataclasses import replace
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest
from napari.layers import Image, Labels
from pane_page import PanePage

from latentmap.images.crops import Channel
from latentmap.jupyter import LabelledImage, explore
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.image_storage import NotStoredWarning, stored_cells, stored_layers, stored_pictures
from latentmap.napari_layers.layers import pictures_of
from latentmap.napari_layers.session_layers import copied_layers, made_layers
from latentmap.session import LayerSnapshot, Session, load, save, snapshot
from latentmap.session.columns import StoredColumn
from latentmap.table import CellTable

LABELS = np.zeros((40, 60), dtype=np.int32)
LABELS[5:15, 5:15] = 7
CELLS = CellTable.pool(
    [CellTable.read(pd.DataFrame({"label": [7], "area": [100.0]}), layer=name) for name in ("left", "right")]
)


def channel(value, colour=(0.0, 1.0, 0.0), shape=LABELS.shape):
    return Channel(np.full(shape, value, dtype=np.uint8), (0.0, 200.0), colour)


@pytest.fixture
def kept(tmp_path):
    """A function that writes layers to a file and reads them."""

    def kept(layers):
        path = save(Session(SimpleQueue().put), tmp_path / "session.latentmap", layers)
        return load(path).layers

    return kept


@pytest.fixture
def again(kept):
    """A function that stores pictures and opens them."""
    return lambda *pictures: stored_pictures(kept(stored_layers(pictures, CELLS)))


@pytest.fixture
def in_napari(kept):
    """A function that stores pictures, and opens them in napari."""
    return lambda *pictures: made_layers(kept(stored_layers(pictures, CELLS)))


@pytest.fixture
def from_napari(kept):
    """A function that stores layers of napari, and opens them in a notebook."""
    return lambda *layers: stored_pictures(kept([one.stored() for one in copied_layers(layers)[0]]))


def two_fields():
    return [
        LabelledImage(name, LABELS, {"DNA": channel(at), "actin": channel(at + 1)})
        for at, name in ((1, "left"), (3, "right"))
    ]


def brightness(pictures):
    return {
        picture.name: {name: int(np.asarray(one.image).max()) for name, one in picture.channels.items()}
        for picture in pictures
    }


OF_TWO = {"left": {"DNA": 1, "actin": 2}, "right": {"DNA": 3, "actin": 4}}


def test_each_of_several_pictures_has_its_own_channels(again):
    once = again(*two_fields())
    assert brightness(once) == OF_TWO
    assert brightness(again(*once)) == OF_TWO


def test_several_pictures_lie_side_by_side_in_napari_and_come_back_apart(in_napari, from_napari):
    layers = in_napari(*two_fields())
    names = ["DNA of left", "actin of left", "left", "DNA of right", "actin of right", "right"]
    assert [layer.name for layer in layers] == names
    assert layers[-1].extent.world[0, 1] > layers[2].extent.world[1, 1]
    assert [image.name for image in pictures_of(layers[2], layers)] == ["DNA of left", "actin of left"]
    assert [image.name for image in pictures_of(layers[-1], layers)] == ["DNA of right", "actin of right"]
    assert brightness(from_napari(*layers)) == OF_TWO


def test_naparis_labels_in_one_place_share_the_images_there(from_napari):
    image = Image(np.full(LABELS.shape, 9, np.uint8), name="DNA")
    aside = Image(np.full(LABELS.shape, 8, np.uint8), name="another", translate=(0, 90))
    pictures = from_napari(image, aside, Labels(LABELS, name="nuclei"), Labels(LABELS, name="cells"))
    assert brightness(pictures) == {"nuclei": {"DNA": 9}, "cells": {"DNA": 9}, "another": {"another": 8}}


def test_files_in_which_only_the_names_say_whose_the_channels_are(kept):
    layers = []
    for at, name in ((1, "left"), (2, "left of it")):
        pixels, options = np.full(LABELS.shape, at, np.uint8), {"contrast_limits": [0.0, 9.0], "scale": [1.0, 1.0]}
        layers.append(LayerSnapshot(f"DNA of {name}", "image", {"data": pixels}, options))
        layers.append(LayerSnapshot(name, "labels", {"data": LABELS}, {"source": name, "scale": [1.0, 1.0]}))
    assert brightness(stored_pictures(kept(layers))) == {"left": {"DNA": 1}, "left of it": {"DNA": 2}}


@pytest.mark.parametrize("unit", ["um", "µm", "nm", "a.u.", "hairs (mine)", ""])
def test_units_stay_and_napari_opens_them_all(unit, again, in_napari):
    film = np.stack([LABELS, LABELS])
    pictures = [
        LabelledImage("left", LABELS, {"DNA": channel(1)}, scale=(0.5, 0.25), unit=unit),
        LabelledImage(
            "right", film, {"DNA": channel(1, shape=film.shape)}, has_frames=True, scale=(0.5, 0.25), unit=unit
        ),
        LabelledImage(
            "bare", channels={"DNA": channel(1, shape=film.shape)}, has_frames=True, scale=(0.5, 0.25), unit=unit
        ),
    ]
    found = again(*pictures)
    assert [picture.unit for picture in found] == [unit] * 3
    assert [picture.scale for picture in found] == [(0.5, 0.25)] * 3
    assert [picture.has_frames for picture in found] == [False, True, True]
    units = {str(one) for layer in in_napari(*pictures) for one in layer.units[-2:]}
    assert units == {{"um": "micrometer", "µm": "micrometer", "nm": "nanometer"}.get(unit, "pixel")}


def test_what_has_no_scale_gets_none(again):
    (picture,) = again(LabelledImage("left", LABELS))
    assert (picture.scale, picture.unit) == (None, "")


@pytest.mark.parametrize(("unit", "text"), [("µm", "5 µm"), ("nm", "5 nm"), ("pixel", "5 px")])
@pytest.mark.browser
def test_the_scale_bar_has_naparis_unit(unit, text, from_napari, request):
    (picture,) = from_napari(Labels(LABELS, name="cells", scale=(0.5, 0.5), units=(unit, unit)))
    pane = ImagePane(picture, height=400)
    page = PanePage(request.getfixturevalue("browser"), pane).wait()
    assert page.page.locator(".scale").inner_text() == text
    pane.close()


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        ({"scale": (-2.0, 3.0)}, (2, 3)),
        ({"scale": (2.0, 3.0), "affine": np.diag([0.5, 0.25, 1.0])}, (1, 0.75)),
        ({"rotate": 30.0, "affine": np.diag([0.5, 0.5, 1.0])}, (0.5, 0.5)),
    ],
)
def test_the_size_of_pixels_is_naparis_however_the_layer_lies(placed, expected, from_napari):
    (picture,) = from_napari(Labels(LABELS, name="cells", **placed))
    assert picture.scale == pytest.approx(expected)


def test_pictures_without_labels_stay(again, from_napari):
    stain = np.zeros((40, 60, 3), dtype=np.uint8)
    bare = LabelledImage("slide", channels={"stain": Channel(stain, (0.0, 255.0), None), "DNA": channel(5)})
    labelled = LabelledImage("left", LABELS, {"DNA": channel(1)})
    assert brightness(again(bare)) == {"slide": {"stain": 0, "DNA": 5}}
    found = again(labelled, bare)
    assert brightness(found) == {"left": {"DNA": 1}, "slide": {"stain": 0, "DNA": 5}}
    assert found[1].labels is None
    assert found[1].channels["stain"].colour is None
    overviews = [Image(np.full((9, 8), at, np.uint8), name=name) for at, name in ((3, "DNA"), (4, "actin"))]
    aside = Image(np.full((9, 8), 5, np.uint8), name="aside", translate=(0, 20))
    line = Image(np.zeros((2, 2, 2, 9, 8), np.uint8), name="of too many axes")
    assert brightness(from_napari(*overviews, aside, line)) == {"DNA": {"DNA": 3, "actin": 4}, "aside": {"aside": 5}}


def test_images_that_are_hidden_stay_so(again, in_napari, from_napari):
    pixels = np.full(LABELS.shape, 9, np.uint8)
    (picture,) = from_napari(
        Image(pixels, name="DNA"), Image(pixels, name="actin", visible=False), Labels(LABELS, name="left")
    )
    assert picture.hidden == {"actin"}
    pane = ImagePane(picture)
    assert [look["visible"] for look in pane._looks[0]] == [True, False]
    assert len(pane.channels("left")) == 1
    pane.close()
    (picture,) = again(picture)
    assert picture.hidden == {"actin"}
    assert [layer.visible for layer in in_napari(picture)] == [True, False, True]


def test_what_the_user_has_set_of_the_channels_is_kept(again, in_napari):
    pane = ImagePane(LabelledImage("left", LABELS, {"DNA": channel(1), "actin": channel(2)}))
    first, second = pane._looks[0]
    pane._looks = [[first | {"limits": [20, 90.5], "colour": [1, 0.5, 0]}, second | {"visible": False}]]
    (picture,) = again(*pane.pictures)
    assert picture.channels["DNA"][1:] == ((20.0, 90.5), (1.0, 0.5, 0.0))
    assert picture.hidden == {"actin"}
    dna, actin, _ = in_napari(*pane.pictures)
    assert dna.contrast_limits == [20, 90.5]
    np.testing.assert_allclose(dna.colormap.map(1.0).ravel()[:3], (1, 0.5, 0))
    assert not actin.visible
    pane.close()


class Lazy:
    """An image that must not be read, or cannot."""

    shape, ndim, dtype = (40, 60), 2, np.dtype(np.uint8)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("the disk is gone")


def test_what_is_too_large_is_left_out_unread_and_said(monkeypatch):
    picture = LabelledImage("left", LABELS, {"DNA": Channel(Lazy(), (0, 1)), "actin": channel(1)})
    with pytest.raises(ValueError, match='The layer "DNA" cannot be read: the disk is gone'):
        stored_layers([picture], CELLS)
    small = LabelledImage("left", LABELS.astype(np.uint8)[:, :50], {"DNA": channel(1, shape=(40, 50))})
    monkeypatch.setattr(snapshot, "LARGEST", 40 * 50)
    assert len(stored_layers([small], CELLS)) == 2
    with pytest.warns(NotStoredWarning) as said:
        assert stored_layers([picture], CELLS) == []
    assert [str(one.message) for one in said] == [
        f'Not kept: "{name}", because it has 0.0 GB; open it yourself.' for name in ("DNA", "actin", "left")
    ]


def test_the_panel_says_what_it_has_left_out(monkeypatch, tmp_path):
    monkeypatch.setattr(snapshot, "LARGEST", 5000)
    rows = pd.DataFrame({"label": [7], "area": [100.0]})

    async def act():
        shown = explore(rows, {"DNA": 1.0 * LABELS}, LABELS.astype(np.int8))
        shown.keep.name.value = str(tmp_path / "session")
        shown.keep.kind.value = next(kind for _, kind in shown.keep.kind.options if kind.title == "session")
        shown.keep.button.click()
        said = shown.status.value
        shown.close()
        return said

    said = asyncio.run(act())
    assert "session.latentmap. Not kept: &quot;DNA&quot;, because it has 0.0 GB; open it yourself." in said
    assert [layer.name for layer in load(tmp_path / "session.latentmap").layers] == ["cells"]


WRONG = [None, 7, -1, 1e308, "word", [], [1], ["a", "b"], {}, {"a": 1}, True]


@pytest.fixture
def whole(kept):
    """Layers as a notebook writes them."""
    pictures = [
        LabelledImage("left", LABELS, {"DNA": channel(100)}),
        LabelledImage("right", LABELS, {"DNA": channel(50)}),
    ]
    return kept(stored_layers(pictures, CELLS))


def tampered(layers):
    """Each layer with each of its parts replaced by something else, or missing."""
    for place, layer in enumerate(layers):
        for name in layer.options:
            for wrong in WRONG:
                yield place, {"options": {**layer.options, name: wrong}}
        arrays = [np.zeros((0, 3)), np.zeros(5), np.array("x"), np.zeros((3, 4, 5, 6, 7)), np.zeros((4, 6), complex)]
        for name in layer.arrays:
            yield place, {"arrays": {other: array for other, array in layer.arrays.items() if other != name}}
            for array in arrays:
                yield place, {"arrays": {**layer.arrays, name: array}}
        yield place, {"arrays": {**layer.arrays, "data_x": arrays[1]}}
        for column in (
            StoredColumn("numbers", np.arange(7.0)),
            StoredColumn("text", np.arange(3)),
            StoredColumn("categories", np.ones(1)),
        ):
            for name in layer.features or {}:
                yield place, {"features": {**layer.features, name: column}}
            yield place, {"features": {"label": column}}


@pytest.mark.slow
def test_whatever_a_tampered_file_holds_it_is_shown_or_refused_in_words(whole):
    refused = 0
    for place, change in tampered(whole):
        layers = list(whole)
        layers[place] = replace(layers[place], **change)
        pictures, sentence = [], "The layers of this session cannot be shown, because the file is damaged"
        try:
            stored_cells(layers)
            pictures = stored_pictures(layers)
        except ValueError as error:
            sentence, refused = str(error), refused + 1
        assert sentence.startswith("The layers of this session cannot be shown, because the file is damaged")
        assert all(np.isfinite(channel.limits).all() for one in pictures for channel in one.channels.values())
    assert refused > 50
    assert len(stored_pictures(whole)) == 2
