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


def cells_of(viewer):
    """What napari's grid has in each of its cells."""
    grid = viewer.canvas.grid
    return [[viewer.layers[at].name for at in layers] for _, layers in grid.iter_viewboxes(viewer.layers)]


def test_what_is_selected_lights_up_over_its_layer(qtbot, viewer, panel, fields):
    panel.selection.select(np.arange(120), how="all")
    viewer.canvas.grid.enabled = True
    qtbot.wait(200)
    assert cells_of(viewer) == [
        ["image 1", "cells 1", "selected cells 1"],
        ["image 2", "cells 2", "selected cells 2"],
    ]
    assert [layer.name for layer in panel.scene.view.viewer.layers] == [
        "map of 2 layers",
        "selected on map of 2 layers",
    ]
    assert "3 layers share a tile" in panel.status.value
    viewer.canvas.grid.enabled = False
    qtbot.wait(200)
    assert viewer.canvas.grid.stride == 1
    assert panel.scene.view is None
    assert "map of 2 layers" in viewer.layers


def test_a_map_made_in_the_grid(qtbot, viewer, panel, cells, labels, finish):
    viewer.add_image(labels, name="image")
    viewer.canvas.grid.enabled = True
    qtbot.wait(50)
    assert viewer.canvas.grid.stride == 1
    panel.embed()
    finish()
    panel.selection.select([0], how="one")
    qtbot.wait(50)
    assert cells_of(viewer) == [["cells", "selected cells"], ["image"]]
    assert panel.session.display_settings.own_view
    assert viewer.canvas.grid.stride == 2


def test_a_grid_that_would_tear_all_apart_is_switched_off_with_a_word(qtbot, viewer, panel, cells, mapped):
    viewer.canvas.grid.enabled = True
    qtbot.wait(50)
    assert not viewer.canvas.grid.enabled
    assert "Grid mode was switched off" in panel.status.value
    assert "map of cells" in viewer.layers
