"""A list of thousands of features, in which one types to search."""

import pytest
from qtpy.QtCore import QEvent, Qt
from qtpy.QtGui import QFocusEvent
from qtpy.QtWidgets import QApplication

from latentmap.napari_plugin.qt.searchable_box import SearchableBox

NAMES = [f"gene {number} {'mean' if number % 2 else 'spread'}" for number in range(9000)]


@pytest.fixture
def box(qtbot):
    box = SearchableBox()
    qtbot.addWidget(box)
    box.offer([(name, number) for number, name in enumerate(NAMES)], 5)
    box.show()
    qtbot.wait_exposed(box)
    return box


def type_words(qtbot, box, words):
    box.lineEdit().setFocus()
    box.lineEdit().selectAll()
    qtbot.keyClicks(box.lineEdit(), words)


def test_typing_narrows_to_the_names_that_hold_all_words(qtbot, box):
    heard = []
    box.changed.connect(heard.append)
    type_words(qtbot, box, "MEAN 899")
    popup = box.lineEdit().completer().popup()
    listed = [popup.model().index(row, 0).data() for row in range(popup.model().rowCount())]
    assert listed == [name for name in NAMES if "899" in name and "mean" in name]
    assert heard == []
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert heard == [NAMES.index(listed[1])]
    assert (box.value, box.currentText()) == (NAMES.index(listed[1]), listed[1])


def test_return_takes_the_first_name_found_and_the_exact_one_before_it(qtbot, box):
    type_words(qtbot, box, "gene 13 ")
    box.lineEdit().completer().popup().hide()
    qtbot.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    assert box.currentText() == "gene 13 mean"
    box.offer([("area mean", 0), ("area", 1)], 0)
    type_words(qtbot, box, "area")
    box.lineEdit().completer().popup().hide()
    qtbot.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    assert box.value == 1


@pytest.mark.parametrize("leave", ["escape", "focus", "nothing found"])
def test_the_former_choice_comes_back(qtbot, box, leave):
    type_words(qtbot, box, "no such gene" if leave == "nothing found" else "gene 7")
    box.lineEdit().completer().popup().hide()
    if leave == "focus":
        QApplication.sendEvent(box.lineEdit(), QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.TabFocusReason))
    else:
        qtbot.keyClick(box.lineEdit(), Qt.Key.Key_Escape if leave == "escape" else Qt.Key.Key_Return)
    assert (box.value, box.currentText()) == (5, NAMES[5])
