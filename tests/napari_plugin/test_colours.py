import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt

from latentmap.napari_plugin.panel.colour_section import ColourSection
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session


@pytest.fixture
def section(qtbot):
    section = ColourSection(Session(lambda act: act()))
    qtbot.addWidget(section.native)
    return section


def test_section_and_look_follow_each_other(section):
    look = section.presenter.display_settings
    section.presenter.offer([VARIANCE, ColourBy("class"), ColourBy("feature", "area")])
    section.by.value = ColourBy("feature", "area")
    assert look.colour_by == ColourBy("feature", "area")
    look.colour_by = ColourBy("class")
    assert section.by.value == ColourBy("class")
    section.sized.value = True
    assert look.sized_by_variance


def test_what_is_no_longer_there_gives_way_to_the_variance(section):
    section.presenter.offer([VARIANCE, ColourBy("feature", "area")])
    section.by.value = ColourBy("feature", "area")
    section.presenter.offer([VARIANCE, ColourBy("feature", "DNA"), ColourBy("feature", "area")])
    assert section.by.value == section.presenter.display_settings.colour_by == ColourBy("feature", "area")
    section.presenter.offer([VARIANCE, ColourBy("feature", "DNA")])
    assert section.by.value == section.presenter.display_settings.colour_by == VARIANCE


def test_the_legend_says_what_the_colours_mean(section):
    legend = section.legend
    assert legend.text == []
    legend.show_colouring(ColourScale("variance", np.zeros(3), 0.00123, 45.6, logarithmic=True, clipped=2))
    assert legend.text == ["0.00123 to 45.6 (logarithmic); 2 cells beyond the ends"]
    legend.resize(120, 36)
    bar = legend.grab().toImage()
    left, right = bar.pixelColor(2, 8), bar.pixelColor(117, 8)
    assert left.lightness() < right.lightness()
    legend.show_colouring(ColourGroups("class", np.array([0]), ("B", "T"), ("#ff0000", "#0000ff")))
    assert legend.text == ["B", "T"]
    picture = legend.grab().toImage()
    assert picture.pixelColor(5, 8).name() == "#ff0000"
    assert picture.pixelColor(5, 26).name() == "#0000ff"
    legend.show_colouring(ColourGroups("class", np.array([-1]), (), ()))
    assert legend.text == ["no class yet"]


@pytest.mark.parametrize(
    ("keys", "mode"),
    [
        (Qt.KeyboardModifier.NoModifier, "replace"),
        (Qt.KeyboardModifier.ShiftModifier, "add"),
        (Qt.KeyboardModifier.ControlModifier, "subtract"),
        (Qt.KeyboardModifier.AltModifier, "subtract"),
        (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier, "intersect"),
    ],
)
def test_a_click_on_the_legend_picks_a_group(qtbot, section, keys, mode):
    legend, heard = section.legend, []
    legend.picked.connect(lambda *what: heard.append(what))
    legend.show_colouring(ColourGroups("class", np.array([0]), ("B", "T"), ("#ff0000", "#0000ff")))
    legend.resize(120, 60)
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton, keys, QPoint(60, 27))
    assert heard == [("T", mode)]
    assert "select its cells" in legend.toolTip()
    # Below the groups, by another button, and on a scale there is nothing to pick.
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton, keys, QPoint(60, 50))
    qtbot.mouseClick(legend, Qt.MouseButton.RightButton, keys, QPoint(60, 27))
    legend.show_colouring(ColourScale("variance", np.zeros(3), 0.1, 2.0))
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton, keys, QPoint(60, 8))
    assert (len(heard), legend.toolTip()) == (1, "")
