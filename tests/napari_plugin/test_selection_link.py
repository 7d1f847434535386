import numpy as np
import pytest

from latentmap.napari_plugin.scene import selection_link

pytestmark = pytest.mark.usefixtures("replayed")

CYAN = np.array([0, 0.6, 1]) * 255


def centre_of(labels, number):
    """World position of the middle of a cell."""
    return np.argwhere(labels == number).mean(axis=0)


def is_lit(colour):
    return np.abs(colour - CYAN).max() < 90 and colour[2] > 150


def test_choosing_points_lights_up_their_cells(panel, mapped, labels, colour_at):
    dark = colour_at(centre_of(labels, 1000))
    mapped.selected_data = {2, 5}
    assert set(panel.selection.keys) == {("cells", 0, 1000), ("cells", 0, 1003)}
    assert is_lit(colour_at(centre_of(labels, 1000)))
    assert is_lit(colour_at(centre_of(labels, 1003)))
    others = colour_at(centre_of(labels, 7))
    assert not is_lit(others)
    assert others.sum() < 300
    assert panel.explore.selected.summary.value == "Selection: 2 cells"
    mapped.selected_data = set()
    np.testing.assert_allclose(colour_at(centre_of(labels, 1000)), dark, atol=3)


def test_points_labels_and_the_selection_lead_one_another(subtests, panel, cells, mapped, viewer):
    with subtests.test("choosing one point picks its label"):
        mapped.selected_data = {2}
        assert cells.selected_label == 1000
    with subtests.test("a label without a row"):
        mapped.selected_data = {1}
        cells.selected_label = 500
        assert not panel.selection
        assert "Cell 500 is not on the map" in panel.status.value
    with subtests.test("the selection leads both views"):
        panel.selection.select_keys([("cells", 0, 3), ("cells", 0, 1001), ("elsewhere", 0, 7)])
        assert set(mapped.selected_data) == {0, 3}
        assert set(np.unique(cells.data[np.asarray(panel.scene.link.sources[0].highlight.data) == 1])) == {3, 1001}


def test_of_many_points_none_stays_selected_that_is_not(monkeypatch, panel, mapped):
    monkeypatch.setattr(selection_link, "MIRRORED", 10)
    mapped.selected_data = {2, 5}
    panel.selection.select(np.arange(3, 40))
    assert mapped.selected_data == {5}
    mapped.selected_data = set(range(20))
    assert len(panel.selection) == len(mapped.selected_data) == 20


def test_picking_a_label_selects_its_point_for_all_to_see(viewer, panel, cells, mapped, labels, colour_at, colours_at):
    viewer.layers.selection.active = cells
    around = mapped.data[1] + mapped.size[1] * np.array([[0, x] for x in np.linspace(-0.7, 0.7, 15)])
    assert np.array(colours_at(around)).min(axis=1).max() < 200
    cells.selected_label = 7
    assert set(mapped.selected_data) == {1}
    assert set(panel.selection.keys) == {("cells", 0, 7)}
    assert is_lit(colour_at(centre_of(labels, 7)))
    ring = np.array(colours_at(around))
    assert ring.min(axis=1).max() > 200  # the ring is white on black


def test_clicking_in_pick_mode(qtbot, viewer, panel, cells, mapped, labels):
    viewer.layers.selection.active = cells
    cells.mode = "pick"
    click(qtbot, viewer, centre_of(labels, 1003))
    assert set(mapped.selected_data) == {5}
    mapped.selected_data = {0, 1}
    click(qtbot, viewer, centre_of(labels, 1003))
    assert set(mapped.selected_data) == {5}
    click(qtbot, viewer, (0, 0))
    assert not panel.selection
    assert panel.status.value == "Background: no cell is selected."


def test_keys_survive_the_deletion_of_points(panel, mapped):
    mapped.selected_data = {0}
    mapped.remove_selected()
    mapped.selected_data = {0}
    assert set(panel.selection.keys) == {("cells", 0, 7)}


def test_cells_of_another_layer_in_the_same_table_light_up_nowhere_else(panel, cells, features, finish, viewer):
    cells.features = features.assign(layer=["elsewhere" if row % 2 == 0 else "cells" for row in range(60)])
    panel.embed()
    finish()
    mapped = viewer.layers["map of cells"]
    mapped.selected_data = {0, 1}
    lit = np.asarray(panel.scene.link.sources[0].highlight.data) == 1
    assert set(np.unique(cells.data[lit])) == {7}
    cells.selected_label = 1001
    assert set(panel.selection.keys) == {("cells", 0, 1001)}


def test_the_selection_outlives_a_new_map(panel, mapped, viewer, finish):
    mapped.selected_data = {2}
    places = mapped.data.copy()
    panel.form.fields["n_neighbors"].value = 9
    panel.embed()
    finish()
    assert not np.array_equal(viewer.layers["map of cells"].data, places)
    assert set(viewer.layers["map of cells"].selected_data) == {2}


def test_frames_keep_equal_labels_apart(viewer, panel, labels, features, finish):
    panel.form.fields["n_neighbors"].value = 10
    both = [features.assign(frame=frame, area=features["area"] + frame) for frame in (0, 1)]
    layer = viewer.add_labels(np.stack([labels, labels[::-1]]), name="film", features=pd_concat(both))
    panel.embed()
    finish()
    points, light = viewer.layers["map of film"], panel.scene.link.sources[0].highlight
    points.selected_data = {60}
    assert set(panel.selection.keys) == {("film", 1, 3)}
    assert viewer.dims.current_step[0] == 1
    assert light.data[0].sum() == 0
    assert set(np.unique(layer.data[1][light.data[1] == 1])) == {3}
    viewer.dims.set_current_step(0, 0)
    layer.selected_label = 7
    assert set(panel.selection.keys) == {("film", 0, 7)}


def pd_concat(tables):
    import pandas as pd

    return pd.concat(tables, ignore_index=True)


def click(qtbot, viewer, position):
    """Click on a world position of the canvas with the real mouse events."""
    from qtpy.QtCore import QPoint, Qt

    canvas = viewer.window._qt_viewer.canvas.native
    centre = np.array([canvas.height(), canvas.width()]) / 2
    row, column = centre + (np.asarray(position) - viewer.camera.center[-2:]) * viewer.camera.zoom
    point = QPoint(round(column), round(row))
    qtbot.mouseMove(canvas, point)
    qtbot.wait(15)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=point)
    qtbot.wait(15)
