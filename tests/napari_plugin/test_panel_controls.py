"""Keys, names for screen readers, the line of status, and the room that the panel takes."""

import pytest
from napari.settings import get_settings
from napari.utils.key_bindings import KeyBinding
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QComboBox, QFrame, QWidget

from latentmap.methods import METHODS
from latentmap.napari_plugin.panel.distinctive_section import DistinctiveRow
from latentmap.napari_plugin.panel.shortcuts import KEYS
from latentmap.napari_plugin.qt.accessibility import CONTROLS, name_of

pytestmark = pytest.mark.usefixtures("replayed")


def test_keys_choose_tools_and_embed(qtbot, viewer, panel, cells, finish):
    window = viewer.window._qt_window
    digits = dict(zip(panel.tools.buttons, "12345", strict=True))
    for tool, digit in digits.items():
        qtbot.keyClick(window, getattr(Qt.Key, f"Key_{digit}"), Qt.KeyboardModifier.AltModifier)
        assert panel.tools.value == tool
        assert f"(Alt+{digit})" in panel.tools.buttons[tool].toolTip()
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.AltModifier)
    assert panel.running
    finish()
    assert "(Alt+E)" in panel.embed_button.tooltip


def test_no_key_is_one_of_naparis(viewer, panel):
    taken = {str(key) for keys in get_settings().shortcuts.shortcuts.values() for key in keys}
    taken |= {
        action.shortcut().toString() for action in viewer.window._qt_window.findChildren(type(panel.addAction("")))
    }
    menus = viewer.window._qt_window.menuBar().actions()
    taken |= {f"Alt+{menu.text()[menu.text().index('&') + 1].upper()}" for menu in menus if "&" in menu.text()}
    assert not {str(KeyBinding.from_str(key.replace("-", "+"))) for key in KEYS.values()} & taken


def unnamed(panel):
    """The controls that a screen reader has no name for."""
    return [
        (type(widget).__name__, widget.objectName(), type(widget.parentWidget()).__name__)
        for widget in panel.findChildren(QWidget)
        if isinstance(widget, CONTROLS)
        and not name_of(widget)
        # Rows without a feature yet, and the lists that boxes drop down.
        and not (isinstance(widget, DistinctiveRow) and widget.difference is None)
        and type(widget.parentWidget()) is not QFrame
        # Parts that Qt makes itself, as the arrows of scroll bars and the field inside a box.
        and not widget.objectName().startswith("qt_")
        and not isinstance(widget.parentWidget(), QComboBox)
        and type(widget).__name__ not in ("QScrollBar", "ScrollBar", "QHeaderView", "CloseButton")
    ]


def test_every_control_has_a_name(panel, mapped):
    assert not unnamed(panel)
    for method in METHODS:
        panel.parameters.method = method
        assert not unnamed(panel), method


def test_the_status_is_one_line_with_more(qtbot, panel):
    panel.tell("Short.")
    qtbot.wait(20)
    assert panel.status.shown == panel.status.value == "Short."
    assert not panel.status.button.isVisible()
    height, tabs = panel.status.height(), panel.tabs.height()
    text = "A long sentence about the cells that were left out of the map. " * 6
    panel.tell(text)
    qtbot.wait(20)
    assert panel.status.value == text
    assert panel.status.shown.endswith("…")
    assert (panel.status.height(), panel.tabs.height()) == (height, tabs)
    panel.status.button.click()
    qtbot.wait_until(lambda: panel.status.height() > 2 * height)
    assert panel.status.shown == text
    panel.status.button.click()
    qtbot.wait_until(lambda: panel.status.height() == height)


@pytest.mark.usefixtures("new_window")
@pytest.mark.parametrize(("width", "height"), [(1366, 730), (1440, 860)])
def test_on_a_laptop_embed_is_in_view_and_tabs_change_no_height(qtbot, viewer, panel, cells, finish, width, height):
    window = viewer.window._qt_window
    viewer.window.resize(width, height)
    panel.embed()
    finish()
    panel.form.sections[panel.parameters.method].fold.expand(animate=False)
    heights = set()
    for tab in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(tab)
        qtbot.wait(50)
        corner = panel.embed_button.native.mapTo(window, panel.embed_button.native.rect().bottomRight())
        assert window.rect().contains(corner)
        heights.add((panel.tabs.height(), window.height(), viewer.window._qt_viewer.canvas.native.height()))
    assert len(heights) == 1
    assert window.height() <= height + 10
