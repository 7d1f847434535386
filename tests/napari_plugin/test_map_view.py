"""Maps of more than two dimensions, and maps apart from the images."""

import numpy as np
import pytest
from qtpy.QtCore import Qt
from ringed import ringed

from latentmap.napari_layers.source import View

pytestmark = pytest.mark.usefixtures("replayed")


@pytest.fixture
def deep(panel, cells, finish, stored_fits):
    """A map of three dimensions."""
    panel.parameters.n_components = 3
    with stored_fits.used():
        panel.embed()
        finish()
    return panel


def seen(qtbot, panel, cell):
    """Where a cell's point is on the canvas of the maps, in the coordinates that drawings have there."""
    maps = panel.scene.maps
    qtbot.wait(150)
    return maps.in_view(maps.shown[0], View.of(maps.viewer))[cell]


def test_two_of_three_axes_are_drawn_as_chosen(viewer, deep):
    points = viewer.layers["map of cells"]
    embedding = deep.result.embedding
    assert deep.explore.views.across.value == 0
    assert np.corrcoef(points.data[:, 0], -embedding[:, 1])[0, 1] == pytest.approx(1)
    deep.explore.views.up.value = 2
    points = viewer.layers["map of cells"]
    assert np.corrcoef(points.data[:, 0], -embedding[:, 2])[0, 1] == pytest.approx(1)
    assert np.corrcoef(points.data[:, 1], embedding[:, 0])[0, 1] == pytest.approx(1)


def test_the_third_axis_opens_a_view_in_depth(qtbot, viewer, deep, cells):
    deep.explore.views.depth.value = 2
    model = deep.scene.view.viewer
    assert model.dims.ndisplay == 3
    assert model.layers["map of cells"].data.shape == (60, 3)
    assert [layer.name for layer in viewer.layers] == ["cells"]
    deep.selection.select_keys([("cells", 0, 7), ("cells", 0, 1000)])
    assert len(ringed(deep.scene.maps.shown[0])) == 2
    assert set(np.unique(cells.data[np.asarray(deep.scene.link.sources[0].highlight.data) == 1])) == {7, 1000}
    deep.explore.views.depth.value = -1
    assert deep.scene.view is None
    assert "map of cells" in viewer.layers


def test_a_lasso_in_depth_holds_what_is_seen_within(qtbot, deep):
    from qtpy.QtCore import QPoint, Qt

    deep.explore.views.depth.value = 2
    deep.tools.value = "lasso"
    model = deep.scene.view.viewer
    model.scene.camera.angles = (20, 30, 40)
    places = deep.scene.maps.in_view(deep.scene.maps.shown[0], View.of(model))
    qtbot.wait(200)
    places = deep.scene.maps.in_view(deep.scene.maps.shown[0], View.of(model))
    # The middle itself may lie between two groups.
    x, y = places[np.linalg.norm(places - np.median(places, axis=0), axis=1).argmin()]
    corners = [(x - 40, y - 40), (x + 40, y - 40), (x + 40, y + 40), (x - 40, y + 40)]
    canvas = deep.scene.view.canvas.native
    qtbot.mouseMove(canvas, QPoint(*map(round, corners[0])))
    qtbot.wait(50)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(*map(round, corners[0])))
    for corner in corners[1:]:
        qtbot.wait(30)
        qtbot.mouseMove(canvas, QPoint(*map(round, corner)))
    qtbot.wait(30)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(*map(round, corners[-1])))
    within = np.all(np.abs(places - [x, y]) < 38, axis=1)
    without = np.any(np.abs(places - [x, y]) > 42, axis=1)
    chosen = deep.selection.is_selected(deep.session.runs.current.numbers)
    assert within.any()
    assert chosen[within].all()
    assert not chosen[without].any()
    assert deep.selection.story[0].how == "lasso on the map"


def test_maps_in_a_view_of_their_own_stay_linked(qtbot, viewer, panel, cells, mapped):
    panel.explore.views.own_view.value = True
    model = panel.scene.view.viewer
    assert "map of cells" not in viewer.layers
    points = model.layers["map of cells"]
    points.selected_data = {1}
    assert set(panel.selection.keys) == {("cells", 0, 7)}
    assert panel.scene.link.sources[0].highlight.visible
    panel.parameters.random_state = 1
    panel.embed()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    assert "map of cells" not in viewer.layers
    assert "map of cells" in model.layers
    assert set(model.layers["map of cells"].selected_data) == {1}
    panel.explore.views.own_view.value = False
    assert panel.scene.view is None
    assert set(viewer.layers["map of cells"].selected_data) == {1}


def test_the_whole_map_is_in_view(qtbot, panel, mapped):
    panel.explore.views.own_view.value = True
    qtbot.wait(300)
    maps = panel.scene.maps
    canvas = panel.scene.view.canvas.native
    camera = maps.viewer.scene.camera
    drawn = (maps.shown[0].positions - camera.center[-2:]) * camera.zoom
    assert (np.abs(drawn) <= np.array([canvas.height(), canvas.width()]) / 2).all()
    assert (np.ptp(drawn, axis=0) / [canvas.height(), canvas.width()]).max() > 0.5


@pytest.mark.usefixtures("new_window")
def test_on_a_small_screen_the_maps_have_room_beside_the_images(qtbot, viewer, panel, labels, cells, finish):
    viewer.window.resize(1366, 730)
    viewer.add_image(labels, name="image")
    panel.embed()
    finish()
    panel.selection.select([0], how="one")
    viewer.canvas.grid.enabled = True
    qtbot.wait_until(lambda: panel.scene.view is not None)
    images = viewer.window._qt_viewer.canvas.native
    qtbot.wait_until(lambda: panel.scene.view.canvas.native.height() > 250)
    assert images.height() > 150
    window = viewer.window._qt_window
    assert window.height() <= 740
    viewer.canvas.grid.enabled = False
    qtbot.wait_until(lambda: panel.scene.view is None)
    for corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner):
        assert window.corner(corner) == Qt.DockWidgetArea.BottomDockWidgetArea


def test_the_maps_have_the_background_of_the_images(viewer, panel, mapped):
    viewer.theme = "light"
    panel.session.display_settings.own_view = True
    maps = panel.scene.view.canvas.native
    for theme, background in (("light", "#ffffff"), ("dark", "#000000"), ("light", "#ffffff")):
        viewer.theme = theme
        corner = maps.grabFramebuffer().pixelColor(1, 1).name()
        assert (corner, panel.scene.view.viewer.theme) == (background, theme)
    panel.session.display_settings.own_view = False


def test_the_images_stay_in_view_beside_a_view_of_the_maps(qtbot, viewer, panel, mapped):
    settings, camera, canvas = panel.session.display_settings, viewer.scene.camera, panel.scene.images._vispy.native
    tall = viewer.add_image(np.zeros((300, 20)))
    panel.scene.maps._camera_left_at = None
    panel.scene.maps.fit_camera()
    before = canvas.height()
    settings.own_view = True
    qtbot.wait_until(lambda: canvas.height() < before)
    qtbot.wait_until(lambda: len(tall.data) * camera.zoom < canvas.height())
    camera.zoom *= 3
    chosen = camera.zoom
    viewer.window.resize(1000, 700)
    qtbot.wait(400)
    assert camera.zoom == chosen
    settings.own_view = False


@pytest.mark.parametrize("axes", [2, 3])
def test_the_maps_are_beside_the_images_once_their_dock_is_closed(axes, request, qtbot, viewer, panel, mapped):
    deep = request.getfixturevalue("deep") if axes == 3 else panel
    settings = deep.session.display_settings
    settings.own_view, settings.axes = axes == 2, tuple(range(axes))
    assert "map of cells" not in viewer.layers
    deep.scene.view._dock.destroyOnClose()
    qtbot.wait_until(lambda: "map of cells" in viewer.layers)
    assert (settings.own_view, settings.axes, deep.scene.view) == (False, (0, 1), None)
    # And back again.
    settings.own_view = True
    assert "map of cells" in deep.scene.view.viewer.layers
    settings.own_view = False
    assert "map of cells" in viewer.layers


def test_hidden_maps_are_found_again_in_the_menu(qtbot, viewer, panel, mapped):
    panel.explore.views.own_view.value = True
    qtbot.wait_until(panel.scene.view.isVisible)
    assert panel.status.value
    panel.scene.view.parent().titleBarWidget().hide_button.click()
    qtbot.wait_until(lambda: panel.status.value == "The maps are hidden: Window > Maps shows them again.")
    [shows] = [action for action in viewer.window.window_menu.actions() if action.text() == "Maps"]
    shows.trigger()
    assert not panel.scene.view.parent().isHidden()
    assert panel.status.value == ""
    panel.scene.view.parent().titleBarWidget().close_button.click()
    qtbot.wait_until(lambda: panel.scene.view is None)
    qtbot.wait(50)
    assert panel.status.value == ""
    assert "Maps" not in [action.text() for action in viewer.window.window_menu.actions()]
