"""What is deleted or closed leaves no link, no callback, no thread and no stale state behind."""

import threading
import weakref

import numpy as np
import pytest
from leftovers import wait_until_gone
from qtpy.QtCore import QEvent
from qtpy.QtWidgets import QApplication, QDockWidget

from latentmap.napari_plugin.panel.panel import MapPanel


@pytest.fixture
def embedding(qtbot, panel, cells, viewer, crawling):
    """A run that has drawn its map and is still under way."""
    panel.embed()
    qtbot.wait_until(lambda: "map of cells" in viewer.layers, timeout=60_000)
    assert panel.running


def no_thread_is_left(qtbot):
    qtbot.wait_until(lambda: "latentmap run" not in {thread.name for thread in threading.enumerate()}, timeout=20_000)


def settled(qtbot):
    """Wait for what follows from a deletion: that must not happen while napari is still at it."""
    qtbot.wait(20)


def test_deleting_the_labels_during_a_run(qtbot, viewer, panel, embedding):
    viewer.layers.remove("cells")
    settled(qtbot)
    assert not panel.running
    assert '"cells" is gone' in panel.status.value
    assert "No layer of cells yet" in panel.cells.about.value
    assert [layer.name for layer in viewer.layers] == ["map of cells", "selected on map of cells"]
    no_thread_is_left(qtbot)
    assert panel.result is None


def test_deleting_the_map_during_a_run(qtbot, viewer, panel, cells, embedding):
    viewer.layers.remove("map of cells")
    no_thread_is_left(qtbot)
    qtbot.wait(100)
    assert [layer.name for layer in viewer.layers] == ["cells"]
    assert panel.embed_button.enabled
    assert not panel.cancel_button.enabled


def test_deleting_the_labels_before_the_first_map(qtbot, viewer, panel, cells, crawling):
    panel.embed()
    viewer.layers.remove("cells")
    no_thread_is_left(qtbot)
    qtbot.wait(100)
    assert len(viewer.layers) == 0


def test_deleting_the_labels_leaves_a_map_without_an_image(qtbot, viewer, panel, cells, mapped):
    panel.selection.choose_keys([("cells", 0, 7)])
    viewer.layers.remove("cells")
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == ["map of cells", "selected on map of cells"]
    assert not panel.selection
    cells.selected_label = 1005
    assert not panel.selection
    assert not cells.mouse_drag_callbacks
    mapped.selected_data = {2}
    assert set(panel.selection.keys) == {("cells", 0, 1000)}


def test_deleting_the_map_unlinks_the_labels(qtbot, viewer, panel, cells, mapped):
    panel.selection.choose_keys([("cells", 0, 7)])
    viewer.layers.remove("map of cells")
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == ["cells"]
    assert not panel.selection
    cells.selected_label = 1005
    assert not panel.selection
    assert not [callback for callback in cells.mouse_drag_callbacks if "Link" in callback.__qualname__]


def test_a_deleted_map_is_kept_and_can_be_shown_again(qtbot, viewer, panel, cells, mapped):
    viewer.layers.remove("map of cells")
    settled(qtbot)
    assert "kept: click its line" in panel.status.value
    (kept,) = panel.session.runs
    panel.session.runs.show(kept)
    np.testing.assert_array_equal(viewer.layers["map of cells"].features[["map_1", "map_2"]], kept.result.embedding)
    panel.selection.choose_keys([("cells", 0, 7)])
    assert viewer.layers["selected cells"].visible
    assert set(viewer.layers["map of cells"].selected_data) == {1}


def test_a_map_can_be_made_anew_after_deletion(viewer, panel, cells, mapped, finish):
    viewer.layers.remove("map of cells")
    panel.embed()
    finish()
    viewer.layers["map of cells"].selected_data = {0}
    assert set(panel.selection.keys) == {("cells", 0, 3)}


def test_what_is_left_is_still_drawn_after_a_deletion(qtbot, viewer, panel, cells, finish):
    """OpenGL programs deleted in a context other than the canvas's crash Mesa at the second drawing thereafter."""
    for _ in range(3):
        panel.embed()
        finish()
        qtbot.wait(300)
        viewer.layers.remove("map of cells")
        qtbot.wait(300)


def test_deleted_layers_are_freed(qtbot, viewer, panel, labels, features, finish):
    layer = viewer.add_labels(labels, name="brief", features=features)
    panel.embed()
    finish()
    references = [weakref.ref(layer), weakref.ref(viewer.layers["map of brief"])]
    viewer.layers.clear()
    del layer
    no_thread_is_left(qtbot)
    wait_until_gone(qtbot, references)


def test_closing_the_viewer_ends_the_run(qtbot, make_napari_viewer, labels, features, crawling):
    viewer = make_napari_viewer()
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.add_labels(labels, name="cells", features=features)
    panel.form.lvm.n_neighbors.value = 6
    panel.embed()
    qtbot.wait_until(lambda: "map of cells" in viewer.layers, timeout=60_000)
    viewer.close()
    no_thread_is_left(qtbot)
    assert panel.result is None


def test_other_layers_do_not_matter(viewer, panel, cells, mapped):
    image = viewer.add_image(np.zeros((10, 10)))
    viewer.layers.remove(image)
    mapped.selected_data = {1}
    assert set(panel.selection.keys) == {("cells", 0, 7)}


CELLS, LIGHT, MAP, RINGS = "cells", "selected cells", "map of cells", "selected on map of cells"


def remove_selected(viewer, names):
    viewer.layers.selection = {viewer.layers[name] for name in names}
    viewer.layers.remove_selected()


def remove_one_by_one(viewer, names):
    for name in names:
        if name in viewer.layers:
            viewer.layers.remove(name)


def delete_slice(viewer, names):
    places = sorted(viewer.layers.index(name) for name in names)
    assert places == list(range(places[0], places[-1] + 1))
    del viewer.layers[places[0] : places[-1] + 1]


@pytest.mark.parametrize(
    ("remove", "deleted", "left"),
    [
        (remove_selected, (CELLS, LIGHT, MAP, RINGS), []),
        (delete_slice, (CELLS, LIGHT, MAP, RINGS), []),
        (delete_slice, (CELLS, LIGHT, MAP), []),
        (remove_selected, (CELLS, MAP), []),
        (remove_one_by_one, (MAP, CELLS), []),
        (remove_selected, (MAP, RINGS), [CELLS]),
        (delete_slice, (LIGHT, MAP), [CELLS]),
        (remove_selected, (CELLS, LIGHT), [MAP, RINGS]),
        (remove_selected, (CELLS, RINGS), [MAP, RINGS]),
        (remove_selected, (LIGHT, RINGS), [CELLS, LIGHT, MAP, RINGS]),
        (lambda viewer, _: viewer.layers.clear(), (), []),
    ],
)
def test_layers_deleted_together(qtbot, viewer, panel, cells, mapped, remove, deleted, left):
    panel.selection.choose_keys([("cells", 0, 7)])
    remove(viewer, deleted)
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == left
    assert len(panel.session.runs) == 1
    assert ("kept" in panel.status.value) == (MAP not in left)
    assert len(panel.selection) == (left[:1] == [CELLS] and MAP in left)


@pytest.mark.parametrize("name", [LIGHT, RINGS])
def test_a_helper_deleted_by_hand_comes_back_with_a_word(qtbot, viewer, panel, cells, mapped, colour_at, name):
    panel.selection.choose_keys([("cells", 0, 7)])
    places = [(4, 15), mapped.data[1] + np.array([mapped.size[1] / 2, 0])]
    before = [colour_at(place) for place in places]
    viewer.layers.remove(name)
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == [CELLS, LIGHT, MAP, RINGS]
    assert f'"{name}" is back' in panel.status.value
    np.testing.assert_array_equal([colour_at(place) for place in places], before)


def test_a_deleted_map_is_current_and_ticked_no_more(qtbot, viewer, panel, cells, mapped, finish):
    panel.embed()
    finish()
    first, second = panel.session.runs
    panel.kept.table.tick(first)
    panel.kept.table.tick(second)
    names = "names of the maps"
    viewer.layers.remove(names)
    settled(qtbot)
    assert names in viewer.layers
    viewer.layers.remove(panel.scene.maps.shown[1].points)
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == [CELLS, LIGHT, MAP, RINGS]
    assert panel.session.runs.current is None
    assert [panel.kept.table.is_ticked(run) for run in (first, second)] == [True, False]
    viewer.layers.remove(MAP)
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == [CELLS]
    assert f'"{first.name}"' in panel.status.value
    panel.session.runs.show(second)
    assert len(panel.scene.maps.shown) == 1


def test_a_run_started_before_the_deletion_is_settled(viewer, panel, cells, mapped, finish):
    viewer.layers.remove(MAP)
    viewer.layers.remove(LIGHT)
    panel.embed()
    finish()
    assert [layer.name for layer in viewer.layers] == [CELLS, LIGHT, MAP, RINGS]


def test_a_map_shown_again_finds_layers_that_were_opened_again(qtbot, viewer, panel, cells, mapped):
    viewer.layers.clear()
    settled(qtbot)
    viewer.add_layer(cells)
    (kept,) = panel.session.runs
    panel.session.runs.show(kept)
    panel.selection.choose_keys([("cells", 0, 7)])
    assert viewer.layers[LIGHT].visible


@pytest.fixture
def closed(qtbot, viewer, panel, cells, mapped):
    """A panel whose dock was closed by its cross; the viewer stays."""
    panel.selection.choose_keys([("cells", 0, 7), ("cells", 0, 1000)])
    _close_dock(qtbot, viewer)
    return panel


def _close_dock(qtbot, viewer):
    docks = viewer.window._qt_window.findChildren(QDockWidget)
    (dock,) = [dock for dock in docks if isinstance(dock.widget(), MapPanel)]
    dock.title.close_button.click()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qtbot.wait(50)


def own_callbacks(emitters):
    """The callbacks of ours that wait for an event."""
    found = []
    for name, emitter in emitters.items():
        for callback in emitter.callbacks:
            owner = callback[0]() if isinstance(callback, tuple) else callback
            if type(owner).__module__.startswith("latentmap") or "latentmap" in getattr(owner, "__module__", ""):
                found.append((name, owner))
    return found


def test_closing_the_panel_leaves_the_maps_as_plain_layers(viewer, cells, mapped, closed):
    assert [layer.name for layer in viewer.layers] == ["cells", "map of cells"]
    assert mapped.opacity == 1
    moved = mapped.data + 1
    mapped.data = moved
    np.testing.assert_array_equal(mapped.data, moved)


def test_closing_the_panel_leaves_no_callback(viewer, cells, mapped, closed):
    for emitters in (viewer.layers.events, viewer.dims.events, *(layer.events for layer in viewer.layers)):
        assert own_callbacks(emitters.emitters) == []
    lists = (viewer.mouse_drag_callbacks, viewer.mouse_move_callbacks, viewer.mouse_double_click_callbacks)
    for callbacks in (*lists, cells.mouse_drag_callbacks, mapped.mouse_drag_callbacks):
        assert not [callback for callback in callbacks if callback.__module__.startswith("latentmap")]


def test_what_happens_in_the_viewer_when_the_panel_is_closed(qtbot, viewer, cells, mapped, labels, closed, features):
    cells.features = features.assign(area=1.0)
    cells.name = "other cells"
    viewer.add_labels(labels)
    mapped.selected_data = {3}
    cells.selected_label = 7
    viewer.dims.ndisplay = 3
    viewer.layers.clear()
    qtbot.wait(200)


def test_closing_the_panel_ends_the_run(qtbot, viewer, embedding):
    _close_dock(qtbot, viewer)
    no_thread_is_left(qtbot)
    assert [layer.name for layer in viewer.layers] == ["cells", "map of cells"]


def test_a_closed_panel_is_garbage(qtbot, viewer, labels, features):
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.add_labels(labels, name="cells", features=features)
    panel.form.lvm.n_neighbors.value = 6
    panel.embed()
    while panel.running:  # not by a function that would keep the panel
        qtbot.wait(20)
    references = [weakref.ref(one) for one in (panel, panel.scene, panel.session, panel.scene.maps, panel.explore)]
    panel = None
    _close_dock(qtbot, viewer)
    wait_until_gone(qtbot, references)


def test_a_new_panel_lays_its_map_beside_the_one_that_was_left(qtbot, viewer, cells, mapped, closed):
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    assert panel.cells.value == [cells]
    assert panel.cells.layers.things == [cells]
    panel.form.lvm.n_neighbors.value = 6
    panel.embed()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    anew, _rings = (layer for layer in viewer.layers if layer.metadata.get("latentmap") == "map")
    assert anew.extent.world[0, 1] > mapped.extent.world[1, 1]
