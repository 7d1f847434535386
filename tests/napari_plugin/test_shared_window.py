"""The window that tests share is as it was at first when the next one gets it, and says what was left in it."""

import numpy as np
import pytest
from qtpy.QtWidgets import QLabel
from shared_window import has_passed

from latentmap.napari_plugin.scene.mouse import Mouse


@pytest.fixture
def window(request, qtbot, shared_window):
    shared_window.lend(qtbot)
    yield shared_window
    if not has_passed(request):
        shared_window.close()


def test_a_window_that_everything_was_done_in_is_as_it_was(qtbot, window):
    viewer = window.lend(qtbot)
    assert window.changed() == {}
    viewer.add_image(np.zeros((3, 4, 50, 60)), axis_labels=("t", "z", "y", "x"), units=("s", "um", "um", "um"))
    viewer.add_points(np.zeros((3, 2))).mode = "select"
    viewer.dims.set_current_step(0, 2)
    viewer.dims.ndisplay = 3
    viewer.scene.camera.angles, viewer.scene.camera.perspective = (10, 20, 30), 40
    viewer.dims.transpose()
    viewer.canvas.grid.enabled, viewer.canvas.grid.stride = True, 2
    viewer.canvas.overlays.scale_bar.visible = viewer.scene.overlays.axes.visible = True
    viewer.title, viewer.status, viewer.theme = "another", "busy", "light"
    viewer.window.add_dock_widget(QLabel("left behind"), area="bottom")
    viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.window.resize(900, 500)
    qtbot.wait(50)
    before = set(window.changed())
    assert before >= {"canvas", "dims.ndisplay", "canvas.grid.enabled", "scene.camera.angles", "theme", "title"}
    assert window.put_back(qtbot) == {}
    assert window.lend(qtbot) is viewer
    assert window.changed() == {}


def test_what_tests_have_connected_is_called_no_more(qtbot, window):
    viewer, added = window.lend(qtbot), []
    viewer.layers.events.inserted.connect(lambda event: added.append(event.value))
    viewer.dims.events.ndisplay.connect(added.append)
    assert window.put_back(qtbot) == {}
    viewer.add_points(np.zeros((3, 2)))
    viewer.dims.ndisplay = 3
    assert len(added) == 1
    window.put_back(qtbot)


def test_what_latentmap_has_left_is_told_and_nobody_else_gets_the_window(qtbot, window):
    viewer = window.lend(qtbot)
    mouse = Mouse(viewer, lambda: viewer.window._qt_viewer.canvas.view, drawn=print, clicked=print, hovered=print)
    left = window.put_back(qtbot)
    assert {"keys", "listeners", "mouse_drag_callbacks"} <= set(left)
    assert window.lend(qtbot) is not viewer
    mouse.close()
