import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt

from latentmap.napari_plugin.panel.colour_section import ColourSection
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session


@pytest.fixture
def session_and_section(qtbot):
    session = Session(lambda act: act())
    session.told = []
    section = ColourSection(session, session.told.append)
    qtbot.addWidget(section.native)
    return session, section


@pytest.fixture
def section(session_and_section):
    return session_and_section[1]


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
    assert left.green() < right.green()
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
    groups = ColourGroups("class", np.array([0]), ("B", "T"), ("#ff0000", "#0000ff"))
    legend.show_colouring(groups, section.presenter.group_help)
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


def test_a_double_click_renames_a_class_and_no_other_group(qtbot, session_and_section):
    session, section = session_and_section
    legend = section.legend
    cells = session.cell_index.add([("cells", 0, label) for label in range(3)])
    session.classes.assign("B", cells[:1])
    session.classes.assign("T", cells[1:])
    session.display_settings.colour_by = ColourBy("class")
    section.explain(ColourGroups("class", np.array([0, 1, 1]), ("B", "T"), ("#ff0000", "#0000ff")))
    assert "Double-click a class to rename it" in legend.toolTip()

    def rename(name, key):
        qtbot.mouseDClick(legend, Qt.MouseButton.LeftButton, pos=QPoint(60, 27))
        qtbot.keyClicks(legend.editor, name)
        qtbot.keyClick(legend.editor, key)

    rename("T cells", Qt.Key.Key_Return)
    assert session.classes.names == ("B", "T cells")
    rename("given up", Qt.Key.Key_Escape)
    rename("B", Qt.Key.Key_Return)  # legend still says T
    assert session.classes.names == ("B", "T cells")
    assert len(session.told) == 1
    session.display_settings.colour_by = ColourBy("feature", "kind")
    section.explain(ColourGroups("kind", np.array([0, 1, 1]), ("x", "y"), ("#ff0000", "#0000ff")))
    assert 'The names are those in "kind"' in legend.toolTip()
    qtbot.mouseDClick(legend, Qt.MouseButton.LeftButton, pos=QPoint(60, 27))
    assert legend.editor is None
