"""Keys, names for screen readers, the line of status, and the room that the panel takes."""

import re
from pathlib import Path

import numpy as np
import pytest
from napari.settings import get_settings
from napari.utils.key_bindings import KeyBinding
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QComboBox, QFrame, QWidget

from latentmap.methods import METHODS
from latentmap.napari_plugin.panel.distinctive_section import DistinctiveRow
from latentmap.napari_plugin.panel.shortcuts import KEYS
from latentmap.napari_plugin.qt.accessibility import CONTROLS, name_of
from latentmap.napari_plugin.qt.line_icon import PATHS

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


def test_the_toolbar_is_that_of_the_notebook(panel):
    script = (Path(__file__).parents[2] / "js" / "src" / "shared" / "element.js").read_text(encoding="utf8")
    drawn = "".join(re.findall(r'"([^"]*)"', script))
    for name in ("move", "lasso", "rectangle", "fit"):
        assert PATHS[name] in drawn, name
    names = [button.accessibleName() for button in (*panel.tools.buttons.values(), panel.tools.fit)]
    assert names == ["Move", "Lasso", "Polygon", "Rectangle", "Brush", "Show all"]
    assert all(button.toolTip().startswith(f"{button.accessibleName()}: ") for button in panel.tools.buttons.values())
    assert not any(button.icon().isNull() for button in panel.tools.buttons.values())
    for tab in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(tab)
        assert panel.tools.buttons["lasso"].isVisibleTo(panel)


def test_choosing_a_tool_takes_the_mouse_back_from_painting(panel, viewer, cells, mapped):
    viewer.layers.selection.active = cells
    cells.mode = "paint"
    assert panel.tools.value == "lasso"
    panel.tools.buttons["lasso"].click()
    assert cells.mode == "pan_zoom"
    assert 'the tool "paint" of "cells"' in panel.status.value


def test_show_all_fits_the_map_to_all_cells(panel, viewer, mapped):
    camera = viewer.scene.camera
    whole = camera.zoom
    camera.zoom *= 10
    panel.tools.fit.click()
    assert panel.session.display_settings.show_all
    assert camera.zoom == pytest.approx(whole, rel=0.05)


@pytest.mark.usefixtures("new_window")
def test_a_map_nobody_has_moved_stays_in_view_as_the_window_changes(qtbot, viewer, panel, cells, mapped):
    canvas, camera = viewer.window._qt_viewer.canvas.native, viewer.scene.camera

    def is_in_view():
        drawn = np.abs(mapped.data - camera.center[-2:]) * camera.zoom
        return (drawn <= np.array([canvas.height(), canvas.width()]) / 2).all()

    width, height = viewer.window._qt_window.width(), viewer.window._qt_window.height()
    wide = canvas.width()
    viewer.window.resize(width - 150, height)
    qtbot.wait_until(lambda: canvas.width() < wide)
    qtbot.wait_until(is_in_view)
    qtbot.wait(300)
    camera.zoom *= 4
    chosen = camera.zoom
    viewer.window.resize(width, height)
    qtbot.wait(500)
    assert camera.zoom == chosen  # what the user has chosen stays


def test_rings_follow_the_theme(panel, viewer, mapped):
    appearance = get_settings().appearance
    before = appearance.theme
    panel.selection.select([0], how="one")
    (shown,) = panel.scene.maps.shown
    try:
        appearance.theme = "dark"
        dark = shown.rings.border_color[0, :3].tolist()
        appearance.theme = "light"
        assert (dark, shown.rings.border_color[0, :3].tolist()) == ([1, 1, 1], [0, 0, 0])
    finally:
        appearance.theme = before


def test_the_names_of_maps_are_read_on_any_theme(panel, viewer, mapped, finish):
    viewer.theme = "light"
    panel.form.fields["n_neighbors"].value = 9
    panel.embed()
    finish()
    panel.kept.table.tick(next(iter(panel.session.runs)))

    def colour():
        return viewer.layers["names of the maps"].text.color.constant[:3].tolist()

    assert colour() == [0, 0, 0]
    viewer.theme = "dark"
    assert colour() == [1, 1, 1]


def test_rings_and_tools_follow_the_viewer_s_own_theme(panel, viewer, mapped):
    """Ctrl+Shift+T leaves napari's settings as they are."""
    panel.selection.select([0], how="one")
    (shown,) = panel.scene.maps.shown
    look = {}
    for theme in ("light", "dark"):
        viewer.theme = theme
        look[theme] = shown.rings.border_color[0, :3].tolist(), panel.tools.fit.icon().pixmap(20, 20).toImage()
    assert (look["dark"][0], look["light"][0]) == ([1, 1, 1], [0, 0, 0])
    assert look["dark"][1] != look["light"][1]
    panel.session.display_settings.own_view = True
    (apart,) = panel.scene.maps.shown
    viewer.theme = "light"
    assert apart.rings.border_color[0, :3].tolist() == [0, 0, 0]
    panel.session.display_settings.own_view = False
