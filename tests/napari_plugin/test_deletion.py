"""What is deleted or closed leaves no link, no callback, no thread and no stale state behind."""

import gc
import threading
import weakref

import numpy as np
import pytest


@pytest.fixture
def viewer(make_napari_viewer):
    """Not shown: in plain napari 0.9.2, too, Mesa's software OpenGL crashes now and then when it draws points after a
    labels layer has been removed."""
    return make_napari_viewer()


@pytest.fixture
def embedding(qtbot, panel, cells, viewer, crawling):
    """A run that has drawn its map and is still under way."""
    panel.embed()
    qtbot.wait_until(lambda: "map of cells" in viewer.layers, timeout=60_000)
    assert panel.running


def no_thread_is_left(qtbot):
    qtbot.wait_until(lambda: "latentmap run" not in {thread.name for thread in threading.enumerate()}, timeout=20_000)


def test_deleting_the_labels_during_a_run(qtbot, viewer, panel, embedding):
    viewer.layers.remove("cells")
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


def test_deleting_the_labels_leaves_a_map_without_an_image(viewer, panel, cells, mapped):
    panel.selection.choose_keys([("cells", 0, 7)])
    viewer.layers.remove("cells")
    assert [layer.name for layer in viewer.layers] == ["map of cells", "selected on map of cells"]
    assert not panel.selection
    cells.selected_label = 1005
    assert not panel.selection
    assert not cells.mouse_drag_callbacks
    mapped.selected_data = {2}
    assert set(panel.selection.keys) == {("cells", 0, 1000)}


@pytest.mark.parametrize("name", ["map of cells", "selected on map of cells"])
def test_deleting_the_map_unlinks_the_labels(viewer, panel, cells, mapped, name):
    panel.selection.choose_keys([("cells", 0, 7)])
    viewer.layers.remove(name)
    assert [layer.name for layer in viewer.layers] == ["cells"]
    assert not panel.selection
    cells.selected_label = 1005
    assert not panel.selection
    assert not [callback for callback in cells.mouse_drag_callbacks if "Link" in callback.__qualname__]


def test_a_deleted_map_is_kept_and_can_be_shown_again(viewer, panel, cells, mapped):
    viewer.layers.remove("map of cells")
    (kept,) = panel.session.runs
    panel.session.runs.show(kept)
    np.testing.assert_array_equal(viewer.layers["map of cells"].features[["map_1", "map_2"]], kept.result.embedding)
    panel.selection.choose_keys([("cells", 0, 7)])
    assert viewer.layers["selected cells"].visible
    assert set(viewer.layers["map of cells"].selected_data) == {1}


def test_deleting_the_light_unlinks_the_labels(viewer, panel, cells, mapped):
    panel.selection.choose_keys([("cells", 0, 7)])
    viewer.layers.remove("selected cells")
    cells.selected_label = 1005
    assert not panel.selection
    panel.embed()


def test_a_map_can_be_made_anew_after_deletion(viewer, panel, cells, mapped, finish):
    viewer.layers.remove("map of cells")
    panel.embed()
    finish()
    viewer.layers["map of cells"].selected_data = {0}
    assert set(panel.selection.keys) == {("cells", 0, 3)}


def test_deleted_layers_are_freed(qtbot, viewer, panel, labels, features, finish):
    layer = viewer.add_labels(labels, name="brief", features=features)
    panel.embed()
    finish()
    references = [weakref.ref(layer), weakref.ref(viewer.layers["map of brief"])]
    viewer.layers.clear()
    del layer
    no_thread_is_left(qtbot)
    qtbot.wait(100)
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_closing_the_viewer_ends_the_run(qtbot, make_napari_viewer, labels, features, crawling):
    viewer = make_napari_viewer()
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.add_labels(labels, name="cells", features=features)
    panel.form.n_neighbors.value = 6
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
