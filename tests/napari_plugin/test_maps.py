"""Several maps, and maps of cells that were dropped."""

import numpy as np
import pytest
from qtpy.QtWidgets import QApplication
from ringed import ringed
from scipy.spatial import cKDTree

from latentmap.display.region import Lasso
from latentmap.napari_plugin.scene import canvas, drawn_cells, map_layer
from latentmap.napari_plugin.scene.mouse import Drawing
from latentmap.session import ColourBy

pytestmark = pytest.mark.usefixtures("replayed")

EVERYWHERE = Lasso(np.array([[-1e4, -1e4], [-1e4, 1e4], [1e4, 1e4], [1e4, -1e4]]))


def test_dropped_cells_are_drawn_no_more_and_cannot_be_selected(viewer, panel, cells, mapped, colour_at):
    lonely = int(np.argmax(cKDTree(mapped.data).query(mapped.data, 2)[0][:, 1]))
    place, label = mapped.data[lonely], mapped.features["label"][lonely]
    assert colour_at(place).max() > 0
    panel.selection.select_keys([("cells", 0, 7), ("cells", 0, 1000), ("cells", 0, int(label))])
    panel.explore.selected.drop.native.click()
    assert colour_at(place).max() == 0
    assert not {7, 1000, label} & set(mapped.features["label"])
    panel.scene.link.draw(Drawing(EVERYWHERE, "lasso", "replace"), panel.scene.maps.viewer)
    assert len(panel.selection) == len(mapped.data) == 60 - len({7, 1000, label})
    assert not {7, 1000, label} & set(panel.selection.keys.get_level_values("label"))
    cells.selected_label = 1005
    cells.selected_label = 7
    assert not panel.selection
    panel.explore.selected.restore.native.click()
    assert len(mapped.data) == 60
    # The points are others now, and napari knows which of them are selected.
    panel.selection.select_keys([("cells", 0, 1000)])
    assert mapped.features["label"][list(mapped.selected_data)].tolist() == [1000]
    panel.explore.selected.drop.native.click()
    panel.selection.select_keys([("cells", 0, 1001)])
    panel.explore.selected.restore.native.click()
    assert mapped.features["label"][list(mapped.selected_data)].tolist() == [1001]


@pytest.fixture
def few_drawn(monkeypatch):
    """Of a map with more than 20 points only so many are drawn."""
    monkeypatch.setattr(drawn_cells, "MOST", 20)


def test_home_fits_all_of_a_large_map(qtbot, viewer, panel, few_drawn, mapped):
    camera = viewer.scene.camera
    viewer.reset_view()
    home = camera.zoom, *camera.center
    camera.center, camera.zoom = (0, *mapped.data[7]), 20 * camera.zoom
    qtbot.wait_until(lambda: len(mapped.data) < 15)
    viewer.reset_view()
    np.testing.assert_allclose((camera.zoom, *camera.center), home)


def test_a_map_without_dropped_cells(panel, mapped, finish, viewer):
    panel.selection.select_keys([("cells", 0, 7)])
    panel.explore.selected.drop.native.click()
    panel.embed()
    finish()
    assert len(viewer.layers["map of cells"].data) == 59
    assert "1 cell dropped by hand left out." in panel.status.value


def test_the_selection_alone(panel, mapped, finish, viewer):
    chosen = [key for key in panel.result.cells.keys if key[2] < 1030]
    panel.selection.select_keys(chosen)
    panel.explore.selected.alone.native.click()
    finish()
    assert len(viewer.layers["map of cells"].data) == len(chosen)
    assert panel.session.runs.current.name.endswith(f"{len(chosen)} cells")


def test_maps_side_by_side_are_named_and_linked(panel, mapped, finish, viewer):
    panel.form.fields["n_neighbors"].value = 9
    panel.embed()
    finish()
    first, second = panel.session.runs
    assert "names of the maps" not in viewer.layers
    panel.kept.table.tick(first)
    left, right = panel.scene.maps.shown
    gap = right.points.data[:, 1].min() - left.points.data[:, 1].max()
    assert gap > 0.15 * np.ptp(left.points.data[:, 1])
    assert viewer.layers["names of the maps"].features["name"].tolist() == [first.name, second.name]
    panel.selection.select_keys([("cells", 0, 7)])
    assert ringed(left).tolist() == [left.points.data[1].tolist()]
    assert ringed(right).tolist() == [right.points.data[1].tolist()]
    right.points.selected_data = {4}
    assert ringed(left).tolist() == [left.points.data[4].tolist()]
    panel.session.runs.rename(first, "few")
    assert viewer.layers["names of the maps"].features["name"].tolist() == ["few", second.name]
    panel.kept.table.tick(first)
    assert "names of the maps" not in viewer.layers
    assert len(panel.scene.maps.shown) == 1


def test_maps_of_a_film_are_named_side_by_side(panel, labels, features, finish, viewer):
    film = features.assign(frame=np.repeat([0, 1], 30))
    layer = viewer.add_labels(np.stack([labels, labels]), name="film", features=film, units=("s", "um", "um"))
    panel.embed()
    finish()
    panel.form.fields["n_neighbors"].value = 9
    panel.embed()
    finish()
    first, second = panel.session.runs
    panel.kept.table.tick(first)
    names = viewer.layers["names of the maps"]
    assert names.features["name"].tolist() == [first.name, second.name]
    assert tuple(names.units) == tuple(layer.units[-2:])


def test_the_legend_explains_the_colours_of_all_maps(panel, cells, features, finish, viewer):
    kinds = np.resize(["B", "NK", "T"], len(features))
    cells.features = features.assign(type=kinds)
    panel.form.features.value = ["area", "DNA", "actin"]
    for kept in (kinds != "NK", kinds != "B"):
        panel.selection.select_keys([("cells", 0, label) for label in features["label"][kept]])
        panel.embed_selection()
        finish()
    first, second = panel.session.runs
    panel.kept.table.tick(first)
    panel.session.display_settings.colour_by = ColourBy("feature", "type")
    legend = panel.explore.colours.legend
    assert legend.text == ["B", "T", "NK"]
    panel.session.display_settings.colour_by = ColourBy("feature", "area")
    ends, other = legend.text
    assert other.startswith(f"{second.name}: ")
    assert ends.split(";")[0] not in other
    panel.session.runs.rename(second, "without B")
    assert legend.text[1].startswith("without B: ")
    panel.kept.table.tick(first)
    assert len(legend.text) == 1


def test_a_map_that_lacks_the_feature_is_coloured_by_variance(panel, mapped, cells, features, finish, viewer):
    first = panel.session.runs.current
    cells.features = features.assign(myosin=np.arange(60.0))
    panel.embed()
    finish()
    panel.session.display_settings.colour_by = ColourBy("feature", "myosin")
    panel.session.runs.show(first)
    assert "(logarithmic)" in panel.explore.colours.legend.text[0]


@pytest.mark.parametrize("renderer", ["llvmpipe (LLVM 15.0.6, 256 bits)", "NVIDIA GeForce RTX 4070/PCIe/SSE2"])
def test_fewer_points_are_drawn_without_a_graphics_card(monkeypatch, viewer, panel, renderer):
    monkeypatch.setattr(canvas.gl, "glGetParameter", lambda _: renderer)
    drawn_on = canvas.Canvas(viewer, panel.scene.images._qt_viewer())
    assert drawn_on.is_software == renderer.startswith("llvmpipe")
    drawn_on.close()


def test_a_canvas_asked_before_it_has_opengl_asks_again(monkeypatch, viewer, panel):
    def no_context(_):
        raise AttributeError

    drawn_on = canvas.Canvas(viewer, panel.scene.images._qt_viewer())
    with monkeypatch.context() as early:
        early.setattr(canvas.gl, "glGetParameter", no_context)
        assert not drawn_on.is_software
    monkeypatch.setattr(canvas.gl, "glGetParameter", lambda _: "llvmpipe (LLVM 15.0.6, 256 bits)")
    assert drawn_on.is_software
    drawn_on.close()


def test_a_large_map_is_drawn_by_what_is_in_view(monkeypatch, qtbot, viewer, panel, mapped):
    monkeypatch.setattr(drawn_cells, "MOST", 20)
    panel.parameters.random_state = 1
    panel.embed()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    points = viewer.layers["map of cells"]
    (shown,) = panel.scene.maps.shown
    qtbot.wait_until(lambda: len(points.data) == 20)
    assert "20 of 60 points are drawn: zoom in to see more." in panel.status.value
    panel.scene.link.draw(Drawing(EVERYWHERE, "lasso", "replace"), viewer)
    assert len(panel.selection) == 60
    hidden = np.setdiff1d(np.arange(60), shown.rows)[0]
    camera, place = viewer.scene.camera, shown.cell_positions[hidden]
    before = camera.center, camera.zoom
    camera.center, camera.zoom = place, 400
    qtbot.wait_until(lambda: hidden in shown.rows and len(shown.rows) < 20)
    canvas = viewer.window._qt_viewer.canvas.native
    reach = np.array([canvas.height(), canvas.width()]) / 2 / camera.zoom
    inside = np.all(np.abs(shown.cell_positions - place) <= reach, axis=1)
    # And the outermost, for napari's Home.
    inside[np.concatenate([shown.cell_positions.argmin(axis=0), shown.cell_positions.argmax(axis=0)])] = True
    np.testing.assert_array_equal(points.data, shown.cell_positions[inside])
    np.testing.assert_array_equal(ringed(panel.scene.maps.shown[0]), shown.cell_positions[inside])
    assert points.selected_data == set(range(inside.sum()))
    camera.center, camera.zoom = before
    qtbot.wait_until(lambda: len(points.data) == 20)


def drawings(qtbot, canvas, note):
    """Wait until a canvas is drawn no more, and return a list to which a note is added each time it is drawn again."""
    drawn = [None]
    canvas._vispy._scene_canvas.events.draw.connect(lambda _: drawn.append(note()))
    while drawn:
        drawn.clear()
        qtbot.wait(300)
    return drawn


def test_a_change_is_drawn_in_a_later_turn_of_the_event_loop(qtbot, panel, mapped):
    images = panel.scene.images
    native, drawn = images._vispy.native, drawings(qtbot, images, lambda: "canvas")
    with images.drawn_later(lambda: drawn.append("told")):
        mapped.opacity = 0.5
    QApplication.sendPostedEvents()
    assert not drawn
    qtbot.wait_until(lambda: drawn[-1:] == ["told"])
    assert drawn == ["canvas", "told"]
    with pytest.raises(ValueError, match="broken"), images.drawn_later():
        raise ValueError("broken")
    qtbot.wait_until(lambda: drawn == ["canvas", "told", "canvas"])
    assert "update" not in vars(native)


def test_nothing_is_drawn_later_in_a_closed_window(monkeypatch, qtbot, panel, mapped):
    images = panel.scene.images
    qtbot.wait_until(lambda: "update" not in vars(images._vispy.native))
    with monkeypatch.context() as closed:
        closed.setattr(images, "_qt_viewer", lambda: None)
        with images.drawn_later():
            mapped.opacity = 0.5
    assert "update" not in vars(images._vispy.native)


def test_names_of_maps_below_the_images_lie_between_both(panel, mapped, cells, finish, viewer):
    first = panel.session.runs.current
    panel.form.fields["n_neighbors"].value = 9
    panel.embed()
    finish()
    panel.kept.table.tick(first)
    shown, names = panel.scene.maps.shown, viewer.layers["names of the maps"]
    (centre, side), lowest = shown[0].square, cells.extent.world[1, 0]
    assert centre[0] > lowest  # the image is wide
    for name in names.data:
        assert name[0] - lowest >= 0.08 * side
        assert centre[0] - side / 2 - name[0] >= 0.08 * side


def test_names_stay_above_their_own_maps_if_another_map_is_deleted(qtbot, viewer, panel, mapped, finish):
    for seed in (1, 2):
        panel.parameters.random_state = seed
        panel.embed()
        finish()
    first, second, _ = panel.session.runs
    panel.kept.table.tick(first)
    panel.kept.table.tick(second)
    viewer.layers.remove(panel.scene.maps.shown[0].points)
    qtbot.wait_until(lambda: len(panel.scene.maps) == 2)
    names = viewer.layers["names of the maps"]
    middles = [shown.points.data.mean(axis=0) for shown in panel.scene.maps.shown]
    assert names.features["name"].tolist() == [run.name for run in panel.scene.maps.runs]
    np.testing.assert_allclose(names.data[:, 1], [x for _, x in middles], atol=0.1 * np.ptp(names.data[:, 1]))
    assert (names.data[:, 0] < min(y for y, _ in middles)).all()


def test_small_points_have_their_colour_and_not_that_of_their_border(monkeypatch, request, panel, colour_at):
    # As small as those of 20 000 cells.
    monkeypatch.setattr(map_layer, "_PIXELS", map_layer._PIXELS * (60 / 20_000) ** 0.2)
    mapped = request.getfixturevalue("mapped")
    lonely = int(np.argmax(cKDTree(mapped.data).query(mapped.data, 2)[0][:, 1]))
    for grey in (0.4, 0.8):
        mapped.face_color = [grey] * 3
        assert colour_at(mapped.data[lonely]).min() > 0.8 * 255 * grey


def test_the_rings_are_hidden_and_shown_with_the_points(panel, mapped):
    (shown,) = panel.scene.maps.shown
    panel.selection.select(shown.cell_numbers[:3])
    mapped.visible = False
    assert not shown.rings.visible
    panel.selection.select(shown.cell_numbers[:5])
    mapped.visible = True
    assert shown.rings.visible
    assert len(ringed(shown)) == 5


def test_a_new_zoom_is_drawn_once(qtbot, viewer, panel, mapped):
    viewer.add_points(np.zeros((1, 2)), name="the user's own")
    drawn = drawings(qtbot, panel.scene.images, lambda: viewer.scene.camera.zoom)
    viewer.scene.camera.zoom *= 2
    qtbot.wait_until(lambda: bool(drawn))
    qtbot.wait(100)
    assert drawn == [viewer.scene.camera.zoom]
    viewer.layers.remove("the user's own")


def test_no_map_has_many_points_while_a_run_is_under_way(monkeypatch, request, qtbot, viewer, panel, mapped, finish):
    monkeypatch.setattr(drawn_cells, "POINTS_DURING_RUN", 20)
    first = panel.session.runs.current
    panel.parameters.random_state = 1
    panel.embed()
    finish()
    panel.kept.table.tick(first)
    left, right = panel.scene.maps.shown
    qtbot.wait_until(lambda: [len(left.points.data), len(right.points.data)] == [60, 60])
    request.getfixturevalue("crawling")
    panel.parameters.random_state = 2
    panel.embed()
    qtbot.wait_until(lambda: [len(left.points.data), len(right.points.data)] == [20, 20])
    panel.scene.link.draw(Drawing(EVERYWHERE, "lasso", "replace"), viewer)
    assert len(panel.selection) == 60
    np.testing.assert_array_equal(ringed(left), left.points.data)
    panel.session.runs.drop()
    qtbot.wait_until(lambda: [len(shown.points.data) for shown in panel.scene.maps.shown] == [60, 60])
