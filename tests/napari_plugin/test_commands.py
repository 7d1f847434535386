import napari
import numpy as np
import pytest
from app_model.types import MenuItem
from napari._app_model import get_app_model
from npe2 import PluginManager

from latentmap.napari_plugin.commands import read_session, session_reader


def commands_in(menu):
    return {item.command.id for item in get_app_model().menus.get_menu(menu) if isinstance(item, MenuItem)}


def test_the_menus_hold_what_users_look_for(viewer):
    assert "latentmap.map_these_cells" in commands_in("napari/layers/measure")
    assert "latentmap.map_these_cells" in commands_in("napari/layers/classify")
    assert "latentmap.map_of_cells" in commands_in("napari/layers/visualize")
    assert {"latentmap.open_session", "latentmap.save_session"} <= commands_in("napari/file/io_utilities")


def test_the_manifest_names_things_that_there_are(viewer):
    manager = PluginManager.instance()
    for command in manager.get_manifest("latentmap").contributions.commands:
        assert callable(manager.commands.get(command.id))
    (writer,) = manager.get_manifest("latentmap").contributions.writers
    assert writer.filename_extensions == [".latentmap"]
    assert [reader.plugin_name for reader in manager.iter_compatible_readers("a.latentmap")] == ["latentmap"]


def test_the_menu_has_the_panel_back_that_was_closed(viewer, qtbot):
    def open_by_menu():
        get_app_model().commands.execute_command("latentmap.map_of_cells").result()
        (panel,) = (dock for name, dock in viewer.window.dock_widgets.items() if name.startswith("Map of cells"))
        return panel

    panel = open_by_menu()
    viewer.window.remove_dock_widget(panel)
    qtbot.wait(50)
    assert not panel.isVisible()
    assert open_by_menu() is panel
    qtbot.wait_until(panel.isVisible)


def test_the_layers_selected_are_ticked(viewer, labels):
    one, _, three = (viewer.add_labels(labels, name=name) for name in ("one", "two", "three"))
    viewer.layers.selection = {one, three}
    get_app_model().commands.execute_command("latentmap.map_these_cells").result()
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    assert set(panel.cells.value) == {one, three}
    viewer.layers.selection = {viewer.add_image(np.zeros((5, 5)))}
    get_app_model().commands.execute_command("latentmap.map_these_cells").result()
    assert "Select a labels layer" in panel.status.value
    assert set(panel.cells.value) == {one, three}


@pytest.mark.parametrize(("command", "dialog"), [("open", "getOpenFileName"), ("save", "getSaveFileName")])
def test_the_menu_asks_for_a_file(viewer, monkeypatch, command, dialog):
    asked = []
    monkeypatch.setattr(
        f"latentmap.napari_plugin.panel.save_tab.QFileDialog.{dialog}", lambda *_: asked.append(dialog) or ("", "")
    )
    get_app_model().commands.execute_command(f"latentmap.{command}_session").result()
    assert asked == [dialog]


def test_a_session_needs_a_window_and_comes_alone(monkeypatch):
    assert session_reader(["a.latentmap", "b.csv"]) is None
    with pytest.raises(ValueError, match="one session"):
        read_session(["a.latentmap", "b.latentmap"])
    monkeypatch.setattr(napari, "current_viewer", lambda: None)
    with pytest.raises(ValueError, match="needs a napari window"):
        read_session("a.latentmap")
