import numpy as np
import pytest
from qtpy.QtCore import QPoint

from latentmap.display.cell_facts import CellFacts
from latentmap.napari_plugin.panel.cell_card import PICTURE, CellCard

KEY = ("nuclei", 3, 1000)
HEAD = ("Label 1000", "nuclei, frame 3", "T cells", "variance (σ²) 0.0123")
KNOWN = CellFacts(KEY, HEAD, (("area", "1234"), ("DNA", "0.123")))


@pytest.fixture
def card(qtbot):
    card = CellCard()
    qtbot.addWidget(card)
    card.resize(340, card.sizeHint().height())
    card.show()
    qtbot.waitExposed(card)
    return card


def colours(card):
    picture = card.grab().toImage()
    return {picture.pixel(QPoint(x, y)) for x in range(picture.width()) for y in range(picture.height())}


def test_the_empty_card_says_what_to_do(card):
    assert card.key is None
    assert card.text == ("Point at a cell to see it here.",)
    assert len(colours(card)) > 1


def test_a_card_says_which_cell_it_is_and_what_was_measured(card):
    picture = np.full((PICTURE, PICTURE, 3), [250, 10, 20], dtype=np.uint8)
    card.show_cell(KNOWN, picture)
    assert card.key == KEY
    assert card.text[:4] == HEAD
    assert card.text[4:] == ("area 1234", "DNA 0.123")
    drawn = card.grab().toImage().pixelColor(QPoint(PICTURE // 2, PICTURE // 2))
    assert (drawn.red(), drawn.green(), drawn.blue()) == (250, 10, 20)
    assert "DNA: 0.123" in card.toolTip()


def test_a_card_without_picture_and_features(card):
    card.show_cell(KNOWN._replace(values=()), None)
    assert card.text == KNOWN.headlines
    assert len(colours(card)) > 1


def test_many_features_are_cut_short_and_the_tooltip_has_them_all(card):
    card.show_cell(KNOWN._replace(values=tuple((f"feature {number}", str(number)) for number in range(40))), None)
    assert card.text[-1] == "feature 11 11"
    assert card.toolTip().endswith("feature 39: 39")


def test_the_card_keeps_its_size_whatever_it_shows(card):
    size = card.sizeHint()
    card.show_cell(KNOWN._replace(values=(("a" * 300, "b" * 300),)), np.zeros((200, 200, 3), dtype=np.uint8))
    assert card.sizeHint() == size
    assert card.minimumSizeHint().width() < 340
    card.grab()
    card.clear()
    assert card.sizeHint() == size
    assert card.text == ("Point at a cell to see it here.",)
    assert card.toolTip() == ""


def test_another_cell_is_drawn_anew(card):
    card.show_cell(KNOWN, np.full((8, 8, 3), 255, dtype=np.uint8))
    before = card.grab().toImage()
    card.show_cell(KNOWN._replace(key=("nuclei", 3, 7)), np.zeros((8, 8, 3), dtype=np.uint8))
    assert card.grab().toImage() != before
