"""Napari's grid: lights stay over their layers, and maps do not come apart."""

import numpy as np
import pytest


@pytest.fixture
def fields(viewer, panel, labels, features, finish, stored_fits):
    """Two images with their labels, and a map of all cells."""
    for number in (1, 2):
        viewer.add_image(labels / 10, name=f"image {number}")
        viewer.add_labels(labels, name=f"cells {number}", features=features)
    panel.cells.layers.value = panel.cells.layers.things
    with stored_fits.used():
        panel.embed()
        finish()


def tiles_of(viewer):
    """What napari's grid has in each of its tiles."""
    grid = viewer.canvas.grid
    return [[viewer.layers[at].name for at in layers] for _, layers in grid.iter_viewboxes(viewer.layers)]


def colours_in(qtbot, viewer):
    """The colours drawn on the left and on the right half of the canvas."""
    qtbot.wait(100)
    picture = viewer.screenshot(canvas_only=True, flash=False)[..., :3].astype(int)
    return np.array_split(picture, 2, axis=1)


def is_lit(picture):
    """Whether the colour of selected cells is in a picture."""
    return (np.abs(picture - np.array([0, 120, 200])).max(axis=-1) < 70).sum() > 20


def test_what_is_selected_lights_up_over_its_layer(qtbot, viewer, panel, fields):
    viewer.canvas.grid.stride = 2
    viewer.canvas.grid.enabled = True
    qtbot.wait(200)
    assert tiles_of(viewer) == [["image 1", "cells 1"], ["image 2", "cells 2"]]
    assert [layer.name for layer in panel.scene.view.viewer.layers] == ["map of 2 layers"]
    assert "separate view" in panel.status.value
    viewer.reset_view()
    for layer, lit in (("cells 1", [True, False]), ("cells 2", [False, True])):
        panel.selection.select_keys([(layer, 0, number) for number in range(1003, 1030)])
        assert [is_lit(half) for half in colours_in(qtbot, viewer)] == lit
    viewer.canvas.grid.enabled = False
    qtbot.wait(200)
    assert viewer.canvas.grid.stride == 2
    assert panel.scene.view is None
    assert "map of 2 layers" in viewer.layers


def test_a_map_made_in_the_grid(qtbot, viewer, panel, cells, labels, finish):
    viewer.add_image(labels, name="image")
    viewer.canvas.grid.enabled = True
    qtbot.wait(50)
    panel.embed()
    finish()
    qtbot.wait(50)
    assert tiles_of(viewer) == [["cells"], ["image"]]
    assert panel.session.display_settings.own_view


@pytest.mark.parametrize("ends", ["the dock is closed", "the tick is taken away"])
def test_without_their_view_the_maps_end_the_grid(qtbot, viewer, panel, fields, ends):
    viewer.canvas.grid.enabled = True
    qtbot.wait(200)
    if ends == "the dock is closed":
        panel.scene.view.parent().titleBarWidget().close_button.click()
    else:
        panel.explore.views.own_view.value = False
    qtbot.wait(200)
    assert not viewer.canvas.grid.enabled
    assert panel.scene.view is None
    assert "map of 2 layers" in viewer.layers
    assert panel.status.value == "Grid mode is off, because the maps are beside the images again."
    viewer.canvas.grid.enabled = True
    qtbot.wait(200)
    assert panel.scene.view is not None
