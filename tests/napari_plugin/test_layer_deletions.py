"""What is deleted or closed leaves no link, no callback, no thread and no stale state behind."""

import threading
import weakref

import numpy as np
import pytest
from holding import before_the_map, hold
from leftovers import wait_until_gone
from qtpy.QtCore import QEvent
from qtpy.QtWidgets import QApplication, QDockWidget

from latentmap import LVM
from latentmap.napari_plugin.panel.panel import MapPanel

pytestmark = pytest.mark.usefixtures("replayed")


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


def test_deleting_the_labels_during_a_run(qtbot, viewer, panel, embedding, crawling):
    viewer.layers.remove("cells")
    settled(qtbot)
    assert not panel.running
    crawling.hurry()
    assert '"cells" was deleted' in panel.status.value
    assert "There are no cells yet" in panel.cells.about.value
    assert list(viewer.layers) == []
    no_thread_is_left(qtbot)
    assert panel.result is None


def test_deleting_the_map_during_a_run(qtbot, viewer, panel, cells, embedding, crawling):
    viewer.layers.remove("map of cells")
    settled(qtbot)
    crawling.hurry()
    no_thread_is_left(qtbot)
    qtbot.wait(100)
    assert [layer.name for layer in viewer.layers] == ["cells"]
    assert panel.embed_button.enabled
    assert not panel.cancel_button.enabled


def test_deleting_the_labels_before_the_first_map(qtbot, viewer, panel, cells, monkeypatch):
    held = hold(monkeypatch, LVM, before_the_map)
    panel.embed()
    viewer.layers.remove("cells")
    held.open.set()
    no_thread_is_left(qtbot)
    qtbot.wait(100)
    assert len(viewer.layers) == 0


def test_deleting_the_labels_leaves_a_map_without_an_image(qtbot, viewer, panel, cells, mapped):
    panel.selection.select_keys([("cells", 0, 7)])
    viewer.layers.remove("cells")
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == ["map of cells"]
    assert not panel.selection
    cells.selected_label = 1005
    assert not panel.selection
    assert not cells.mouse_drag_callbacks
    mapped.selected_data = {2}
    assert set(panel.selection.keys) == {("cells", 0, 1000)}


def test_labels_that_come_back_are_linked_again_under_the_name_that_their_cells_have(
    qtbot, viewer, panel, cells, mapped, finish
):
    cells.name = "nuclei"
    viewer.layers.remove(cells)
    settled(qtbot)
    viewer.layers.append(cells)
    settled(qtbot)
    assert panel.status.value == 'The cells of "nuclei" light up from now on.'
    panel.selection.select_keys([("cells", 0, 7)])
    (source,) = panel.scene.link.sources
    assert source.highlight.visible
    cells.selected_label = 1005
    assert panel.selection.keys.tolist() == [("cells", 0, 1005)]
    panel.embed()
    finish()
    assert len(panel.session.runs) == 1  # the cells are those of the map


@pytest.mark.parametrize("at_once", [True, False])
def test_other_cells_with_the_numbers_of_deleted_ones_are_told_of(qtbot, viewer, panel, cells, mapped, labels, at_once):
    others = np.where(labels > 0, labels[::-1, ::-1], 0)
    viewer.layers.remove(cells)
    if not at_once:
        settled(qtbot)
    viewer.add_labels(others, name="cells")
    qtbot.wait_until(lambda: panel.status.value == 'The cells of "cells" light up from now on.')
    qtbot.wait_until(lambda: "60 altered (3, 7, 1000" in panel.cells.changes.value)


def test_the_cells_of_deleted_labels_are_not_told_of_when_they_come_back(qtbot, viewer, panel, cells, mapped, labels):
    viewer.layers.remove(cells)
    settled(qtbot)
    back = viewer.add_labels(labels.copy(), name="cells")
    settled(qtbot)
    qtbot.wait_until(lambda: panel.cells.measuring.changes.reference(back) is not None)
    no_thread_is_left(qtbot)
    assert not panel.cells.changes.value
    back.fill((4, 4), 0)
    qtbot.wait_until(lambda: "1 gone (3)" in panel.cells.changes.value)


def test_other_cells_with_a_table_of_their_own_are_not_measured_ones(
    qtbot, viewer, panel, cells, mapped, labels, features
):
    viewer.layers.remove(cells)
    settled(qtbot)
    own = features.assign(area=features["area"] + 1)
    other = viewer.add_labels(np.where(labels > 0, labels[::-1, ::-1], 0), name="cells", features=own)
    qtbot.wait_until(lambda: "Features of 60 of 60 cells have other values" in panel.older.label.value)
    no_thread_is_left(qtbot)
    assert panel.cells.measuring.changes.reference(other) is None


def test_labels_edited_since_they_were_measured_are_told_of_when_they_come_back(qtbot, viewer, panel, measured):
    measured.fill((4, 4), 0)
    qtbot.wait_until(lambda: "1 gone (3)" in panel.cells.changes.value)
    viewer.layers.remove(measured)
    settled(qtbot)
    assert not panel.cells.changes.value
    viewer.layers.append(measured)
    qtbot.wait_until(lambda: "1 gone (3)" in panel.cells.changes.value)


def test_deleting_the_map_unlinks_the_labels(qtbot, viewer, panel, cells, mapped):
    panel.selection.select_keys([("cells", 0, 7)])
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
    assert "kept: click its row" in panel.status.value
    (kept,) = panel.session.runs
    panel.session.runs.show(kept)
    np.testing.assert_array_equal(viewer.layers["map of cells"].features[["map_1", "map_2"]], kept.result.embedding)
    panel.selection.select_keys([("cells", 0, 7)])
    assert panel.scene.link.sources[0].highlight.visible
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
    panel.form.fields["n_neighbors"].value = 6
    panel.embed()
    qtbot.wait_until(lambda: "map of cells" in viewer.layers, timeout=60_000)
    viewer.close()
    crawling.hurry()
    no_thread_is_left(qtbot)
    assert panel.result is None


def test_other_layers_do_not_matter(viewer, panel, cells, mapped):
    image = viewer.add_image(np.zeros((10, 10)))
    viewer.layers.remove(image)
    mapped.selected_data = {1}
    assert set(panel.selection.keys) == {("cells", 0, 7)}


CELLS, MAP = "cells", "map of cells"


def remove_selected(viewer, names):
    viewer.layers.selection = {viewer.layers[name] for name in names}
    viewer.layers.remove_selected()


def remove_one_by_one(viewer, names):
    for name in names:
        if name in viewer.layers:
            viewer.layers.remove(name)


def remove_all(viewer, _):
    viewer.layers.clear()


def delete_slice(viewer, names):
    places = sorted(viewer.layers.index(name) for name in names)
    assert places == list(range(places[0], places[-1] + 1))
    del viewer.layers[places[0] : places[-1] + 1]


TOGETHER = [
    (remove_selected, (CELLS, MAP), []),
    (delete_slice, (CELLS, MAP), []),
    (remove_one_by_one, (MAP, CELLS), []),
    (remove_selected, (MAP,), [CELLS]),
    (delete_slice, (CELLS,), [MAP]),
    (remove_all, (CELLS, MAP), []),
]


def test_layers_deleted_together(subtests, qtbot, viewer, panel, cells, mapped):
    """The first are deleted after the run, the others after the map was shown again."""
    (kept,) = panel.session.runs
    for remove, deleted, left in TOGETHER:
        with subtests.test(f"{remove.__name__}: {', '.join(deleted)}"):
            assert [layer.name for layer in viewer.layers] == [CELLS, MAP]
            panel.tell("")
            panel.selection.select_keys([("cells", 0, 7)])
            remove(viewer, deleted)
            settled(qtbot)
            assert [layer.name for layer in viewer.layers] == left
            assert list(panel.session.runs) == [kept]
            assert ("kept" in panel.status.value) == (MAP not in left)
            assert len(panel.selection) == (left[:1] == [CELLS] and MAP in left)
        viewer.layers.clear()
        settled(qtbot)
        viewer.add_layer(cells)
        panel.session.runs.show(kept)


def test_a_deleted_map_is_current_and_ticked_no_more(qtbot, viewer, panel, cells, mapped, finish):
    panel.parameters.random_state = 1
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
    assert [layer.name for layer in viewer.layers] == [CELLS, MAP]
    assert panel.session.runs.current is None
    assert panel.side_by_side.kept == [first]
    viewer.layers.remove(MAP)
    settled(qtbot)
    assert [layer.name for layer in viewer.layers] == [CELLS]
    assert f'"{first.name}"' in panel.status.value
    panel.session.runs.show(second)
    assert len(panel.scene.maps.shown) == 1


def test_a_run_started_before_the_deletion_is_settled(viewer, panel, cells, mapped, finish):
    viewer.layers.remove(MAP)
    panel.embed()
    finish()
    assert [layer.name for layer in viewer.layers] == [CELLS, MAP]


def test_a_map_shown_again_finds_layers_that_were_opened_again(qtbot, viewer, panel, cells, mapped):
    viewer.layers.clear()
    settled(qtbot)
    viewer.add_layer(cells)
    (kept,) = panel.session.runs
    panel.session.runs.show(kept)
    panel.selection.select_keys([("cells", 0, 7)])
    assert panel.scene.link.sources[0].highlight.visible


def _close_dock(qtbot, viewer):
    docks = viewer.window._qt_window.findChildren(QDockWidget)
    (dock,) = [dock for dock in docks if isinstance(dock.widget(), MapPanel)]
    dock.title.close_button.click()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qtbot.wait(50)


def _open_dock(viewer):
    return viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")[1]


def test_a_panel_opened_again_has_all_that_it_had(qtbot, viewer, panel, cells, mapped, finish):
    panel.session.classes.assign("dividing", [1, 2])
    panel.selection.select_keys([("cells", 0, 7), ("cells", 0, 1000)])
    panel.tools.value = "brush"
    before = [layer.name for layer in viewer.layers]
    _close_dock(qtbot, viewer)
    assert [layer.name for layer in viewer.layers] == before
    assert not panel.isVisible()
    assert "Plugins > Map of cells" in viewer.status
    # Without its buttons no one could have the mouse move the view again.
    assert panel.scene.mouse.tool == "move"
    mapped.selected_data = {3}
    assert panel.scene.link.sources[0].highlight.visible
    again = _open_dock(viewer)
    qtbot.wait_until(lambda: panel.isVisible())
    assert again is panel
    assert panel.scene.mouse.tool == panel.tools.value == "brush"
    assert panel.session.classes.names == ("dividing",)
    assert set(panel.selection.keys) == {("cells", 0, 1001)}
    assert panel.kept.table.item(0, 1).text() == panel.session.runs.current.name
    assert panel.status.value.startswith("60 cells on the map.")
    panel.embed()
    finish()
    assert [layer.name for layer in viewer.layers] == before
    # Napari connects this anew each time that it docks the panel.
    connected = [callback for callback in viewer.layers.events.removed.callbacks if isinstance(callback, tuple)]
    assert sum(owner() is panel and name == "reset_choices" for owner, name in connected) == 1


def test_a_run_goes_on_while_the_panel_is_closed(qtbot, viewer, panel, embedding, crawling):
    _close_dock(qtbot, viewer)
    crawling.hurry()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    assert panel.result is not None
    assert _open_dock(viewer) is panel


def test_a_map_made_while_the_panel_was_closed_is_whole_when_it_is_back(qtbot, viewer, panel, embedding, crawling):
    _close_dock(qtbot, viewer)
    crawling.hurry()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    qtbot.wait(200)
    canvas, camera = viewer.window._qt_viewer.canvas.native, viewer.scene.camera
    wide = canvas.width()
    _open_dock(viewer)
    qtbot.wait_until(lambda: canvas.width() < wide)
    qtbot.wait(300)
    drawn = np.abs(viewer.layers["map of cells"].data - camera.center[-2:]) * camera.zoom
    assert (drawn <= np.array([canvas.height(), canvas.width()]) / 2).all()
    # A view that the user has chosen stays.
    camera.zoom *= 3
    chosen = camera.zoom, *camera.center
    _close_dock(qtbot, viewer)
    _open_dock(viewer)
    qtbot.wait(300)
    np.testing.assert_allclose((camera.zoom, *camera.center), chosen)


def test_layers_deleted_while_the_panel_is_closed(qtbot, viewer, panel, cells, mapped):
    _close_dock(qtbot, viewer)
    viewer.layers.clear()
    qtbot.wait(50)
    assert len(viewer.layers) == 0
    _open_dock(viewer)
    panel.session.runs.show(next(iter(panel.session.runs)))
    assert "map of cells" in viewer.layers


def test_a_panel_docked_anew_at_once(viewer, panel):
    viewer.window.remove_dock_widget(panel)
    assert _open_dock(viewer) is panel


def test_each_window_has_a_panel_of_its_own(make_napari_viewer, viewer, panel):
    other = make_napari_viewer()
    assert _open_dock(other) is not panel
    other.close()
    assert _open_dock(viewer) is panel


@pytest.mark.parametrize("closes_first", [True, False])
def test_a_panel_is_garbage_once_its_window_is_closed(qtbot, make_napari_viewer, labels, features, closes_first):
    viewer = make_napari_viewer()
    panel = _open_dock(viewer)
    viewer.add_labels(labels, name="cells", features=features)
    panel.form.fields["n_neighbors"].value = 6
    panel.embed()
    while panel.running:  # not by a function that would keep the panel
        qtbot.wait(20)
    references = [weakref.ref(one) for one in (panel, panel.scene, panel.session, panel.scene.maps, panel.explore)]
    panel = None
    if closes_first:
        _close_dock(qtbot, viewer)
    viewer.close()
    viewer = None
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    wait_until_gone(qtbot, references)
