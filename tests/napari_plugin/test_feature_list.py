import pytest
from qtpy.QtCore import QPoint, Qt

from latentmap.napari_plugin.panel.feature_list import FeatureList

NAMES = ("area", "DNA_mean", "DNA_max", "mean_actin", "length (µm)")


@pytest.fixture
def features(qtbot):
    features = FeatureList("The features.")
    qtbot.addWidget(features.native)
    features.choices = NAMES
    features.show()
    return features


@pytest.fixture
def told(features):
    told = []
    features.changed.connect(told.append)
    return told


def click(qtbot, features, name, right_of_left=60):
    row = features.found.index(name)
    place = features.view.visualRect(features.view.model().index(row, 0))
    qtbot.mouseClick(
        features.view.viewport(), Qt.MouseButton.LeftButton, pos=place.topLeft() + QPoint(right_of_left, 8)
    )


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_at_first_nothing_is_ticked(features):
    assert features.choices == NAMES
    assert features.value == []
    assert features.summary.text() == "0 of 5 features"


@pytest.mark.parametrize("right_of_left", [8, 60])
def test_a_click_on_the_box_or_the_name_ticks_and_unticks(qtbot, features, told, right_of_left):
    click(qtbot, features, "DNA_max", right_of_left)
    click(qtbot, features, "area", right_of_left)
    assert told == [["DNA_max"], ["area", "DNA_max"]]
    assert features.summary.text() == "2 of 5 features"
    click(qtbot, features, "DNA_max", right_of_left)
    assert features.value == ["area"]


def test_the_keyboard_alone_is_enough(qtbot, features):
    qtbot.keyClicks(features.search, "dna")
    qtbot.keyClick(features.search, Qt.Key.Key_Return)
    qtbot.keyClick(features.view, Qt.Key.Key_Down)
    qtbot.keyClick(features.view, Qt.Key.Key_Space)
    assert features.value == ["DNA_max"]
    qtbot.keyClick(features.view, Qt.Key.Key_Up)
    qtbot.keyClick(features.view, Qt.Key.Key_Return)
    assert features.value == ["DNA_mean", "DNA_max"]
    qtbot.keyClick(features.view, Qt.Key.Key_Space)
    assert features.value == ["DNA_max"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", NAMES),
        ("  ", NAMES),
        ("mean", ("DNA_mean", "mean_actin")),
        ("mean dna", ("DNA_mean",)),
        ("ACTIN", ("mean_actin",)),
        ("(µm)", ("length (µm)",)),
        (".*", ()),
    ],
)
def test_the_search_finds_names_that_hold_every_word(features, text, found):
    features.search.setText(text)
    assert features.found == list(found)
    assert features.value == []


def test_all_and_none(qtbot, features, told):
    press(qtbot, features.all)
    press(qtbot, features.all)
    press(qtbot, features.none)
    assert told == [list(NAMES), []]
    assert not features.only.isVisible()


def test_while_searching_the_buttons_act_on_what_is_found(qtbot, features):
    features.value = ["area", "DNA_max"]
    features.search.setText("mean")
    assert (features.all.text(), features.none.text()) == ("Tick 2 found", "Untick 2")
    press(qtbot, features.all)
    assert features.value == ["area", "DNA_mean", "DNA_max", "mean_actin"]
    press(qtbot, features.none)
    assert features.value == ["area", "DNA_max"]
    press(qtbot, features.only)
    assert features.value == ["DNA_mean", "mean_actin"]
    features.search.setText("nothing of the kind")
    assert not features.all.isEnabled()
    assert not features.only.isEnabled()


def test_names_that_are_not_offered_are_passed_over(features, told):
    features.value = ["solidity", "mean_actin"]
    assert features.value == ["mean_actin"]
    features.value = ("mean_actin",)
    assert told == [["mean_actin"]]


def test_names_that_stay_keep_their_ticks(features, told):
    features.value = ["area", "DNA_max"]
    features.choices = ["solidity", "area"]
    assert features.value == ["area"]
    features.choices = ["area", "solidity", "extent"]
    assert features.value == ["area"]
    assert told == [["area", "DNA_max"], ["area"]]
    assert features.summary.text() == "1 of 3 features"


def test_no_names_and_one(qtbot, features):
    features.choices = []
    features.value = ["area"]
    assert (features.value, features.summary.text()) == ([], "0 of 0 features")
    assert not features.all.isEnabled()
    features.choices = ["area"]
    press(qtbot, features.all)
    assert (features.value, features.summary.text()) == (["area"], "1 of 1 feature")


def test_thousands_of_names_change_in_one_step(qtbot, features, told):
    features.choices = [f"gene_{number}" for number in range(5000)]
    drawn = []
    features.view.model().dataChanged.connect(lambda *change: drawn.append(change))
    features.search.setText("_12")
    press(qtbot, features.all)
    assert [len(names) for names in told] == [len(features.found)] == [111]
    assert len(drawn) <= len(features.found)
    assert features.summary.text() == "111 of 5000 features"


def test_the_list_is_as_high_as_its_names_need(features):
    def height():
        return features.view.sizeHint().height()

    few = height()
    features.choices = [f"gene_{number}" for number in range(5000)]
    many = height()
    features.choices = ["area"]
    assert height() < few < many < 2 * few


def test_a_long_name_is_cut_and_told_in_full(features):
    long = "intensity_" * 40
    features.choices = [long]
    index = features.view.model().index(0, 0)
    assert features.view.visualRect(index).width() <= features.view.viewport().width()
    assert index.data(Qt.ItemDataRole.ToolTipRole) == long
