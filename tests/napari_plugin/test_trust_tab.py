"""What of a map not to believe, in napari's panel and on the canvas."""

from dataclasses import replace

import numpy as np
import pytest
from napari.settings import get_settings
from qtpy.QtCore import Qt
from scipy.spatial import KDTree

from latentmap.session import LOST, STABILITY, MapCheck


def test_a_map_is_checked_and_its_doubtful_cells_are_selected_and_drawn_hollow(
    panel, mapped, finish, hand, colours_at, qtbot, viewer
):
    trust, run = panel.trust, panel.session.runs.current
    panel.tabs.setCurrentIndex([panel.tabs.tabText(place) for place in range(panel.tabs.count())].index("Trust"))
    assert "this map has lost" in trust.checking.lost.value
    run.result = replace(run.result, lost_neighbors=np.where(np.arange(60) < 7, 0.8, 0.2))
    panel.session.runs.checked.emit(run)
    hand.press_button(trust.checking.most_lost.viewport(), trust.checking.most_lost.rect().center())
    assert (panel.selection.numbers == np.sort(run.numbers[:7])).all()
    panel.selection.clear()
    hand.press_button(trust.checking.colour)
    assert panel.session.display_settings.colour_by == LOST
    assert panel.explore.colours.by.value == LOST
    assert not trust.checking.hollow.enabled
    assert not trust.bar.native.isVisible()
    hand.press_button(trust.checking.check)
    assert trust.bar.native.isVisible()
    assert not panel.tabs.isAncestorOf(trust.bar.native)  # nobody has to scroll to it
    assert not trust.bar.cancel.native.visibleRegion().isEmpty()
    hand.press_button(trust.bar.cancel)
    assert run.result.check is None
    assert not trust.work.running
    hand.press_button(trust.checking.check)
    finish()
    doubtful = ~run.result.check.is_sure
    assert trust.checking.sure.text == f"{int((~doubtful).sum())} cells sure"
    # As if a third were doubtful, whatever this small map gives.
    doubtful = np.arange(60) % 3 == 0
    run.result = replace(run.result, check=MapCheck(np.full(60, 0.1), ~doubtful, 0.9, 0.4, 0.05))
    panel.session.runs.checked.emit(run)
    hand.press_button(trust.checking.doubtful)
    assert (panel.selection.numbers == np.sort(run.numbers[doubtful])).all()
    panel.selection.clear()
    full = np.array(mapped.face_color)
    trust.checking.hollow.native.click()
    assert (mapped.face_color[doubtful, 3] == 0).all()
    assert (mapped.face_color[~doubtful] == full[~doubtful]).all()
    assert np.abs(mapped.border_color[doubtful, :3] - full[doubtful, :3]).max() < 0.45
    assert_rings_are_seen(mapped, doubtful)
    # Rings stay in sight where others are selected and the rest is dimmed.
    panel.selection.select(run.numbers[~doubtful][:5], how="lasso")
    assert_rings_are_seen(mapped, doubtful)
    assert (mapped.face_color[~doubtful, 3] < 0.4).all()
    panel.selection.select(run.numbers[doubtful][:5], how="lasso")
    assert (panel.scene.maps.shown[0].rings.face_color[:, 3] == 0).all()
    panel.selection.clear()
    assert (mapped.face_color[~doubtful] == full[~doubtful]).all()
    trust.checking.hollow.native.click()
    assert (mapped.face_color == full).all()
    assert (mapped.border_color[:, :3] == 0).all()
    panel.selection.select(run.numbers[:5], how="lasso")
    assert mapped.opacity < 0.5
    panel.selection.clear()
    assert mapped.opacity == 1
    # The layer's own table has it, too.
    panel.saving.write_features()
    features = viewer.layers["cells"].features
    assert {"lost_neighbors", "is_sure"} <= set(features)
    assert features["lost_neighbors"].between(0, 1).all()


def assert_rings_are_seen(points, hollow, background=0.0):
    """They differ from a dark background by more than a quarter, as drawn."""
    rims = points.border_color[hollow]
    assert (np.abs(rims[:, :3] - background).max(axis=1) * rims[:, 3] * points.opacity > 0.25).all()


def test_hollow_points_are_seen_on_light_as_on_dark_and_are_no_blobs(panel, mapped, monkeypatch, viewer):
    monkeypatch.setattr("latentmap.napari_plugin.scene.map_layer.LEAST_HOLLOW", 20.0)
    run, shown, appearance = panel.session.runs.current, panel.scene.maps.shown[0], get_settings().appearance
    doubtful = np.arange(60) % 3 == 0
    run.result = replace(run.result, check=MapCheck(np.full(60, 0.1), ~doubtful, 0.9, 0.4, 0.05))
    panel.session.display_settings.hollow_doubtful = True
    for zoom in (2.0, 0.5):
        viewer.scene.camera.zoom *= zoom
        panel.scene.maps.painter.draw_in_view()
        assert mapped.size[doubtful] * viewer.scene.camera.zoom == pytest.approx(20)
        assert mapped.size[~doubtful] * viewer.scene.camera.zoom == pytest.approx(shown.pixels)
    panel.selection.select(run.numbers[~doubtful][:5], how="lasso")
    before = appearance.theme
    try:
        for theme, background in (("light", 1.0), ("dark", 0.0)):
            for colour in ([1.0, 1, 0, 1], [0.1, 0, 0.1, 1]):  # yellow and nearly black
                shown.paint(np.tile(colour, (60, 1)))
                appearance.theme = theme
                assert_rings_are_seen(mapped, doubtful, background)
    finally:
        appearance.theme = before


def test_a_hollow_cell_that_is_selected_keeps_its_colour(panel, mapped, viewer, qtbot):
    """Through its hole napari's own mark of selected points would be seen, which is blue."""
    run, shown = panel.session.runs.current, panel.scene.maps.shown[0]
    alone = int(KDTree(shown.cell_positions).query(shown.cell_positions, 2)[0][:, 1].argmax())
    doubtful = np.arange(60) == alone
    run.result = replace(run.result, check=MapCheck(np.full(60, 0.1), ~doubtful, 0.9, 0.4, 0.05))
    panel.session.display_settings.hollow_doubtful = True
    shown.paint(np.tile([1.0, 0, 0, 1], (60, 1)))
    panel.selection.select(run.numbers[doubtful])
    assert mapped.selected_data == {alone}
    qtbot.wait(100)
    picture, camera = viewer.screenshot(canvas_only=True, flash=False), viewer.scene.camera
    away = (shown.cell_positions[alone] - np.asarray(camera.center)[-2:]) * camera.zoom
    row, column = np.round(np.array(picture.shape[:2]) / 2 + away).astype(int)
    cell = picture[row - 7 : row + 8, column - 7 : column + 8, :3].astype(int).reshape(-1, 3)
    red, green, blue = cell.T
    assert (blue <= red + 20).all()
    assert ((red > 200) & (green < 90)).sum() > 8, "a rim in its own colour"
    assert (green > 200).sum() > 15, "a white ring"
    assert cell[len(cell) // 2].max() < 60, "a hole"


def test_groups_are_looked_between_and_lines_lead_to_true_neighbours(panel, mapped, finish, hand):
    trust, run = panel.trust, panel.session.runs.current
    panel.tabs.setCurrentIndex(2)
    left = np.arange(60) % 2 == 0  # the two clumps
    panel.session.classes.assign("even", run.numbers[left])
    panel.session.classes.assign("odd", run.numbers[~left])
    assert trust.contacts.groups.current_choice == "classes"
    # Joined by hand: each odd cell lies on an even one.
    positions = run.result.embedding.copy()
    positions[~left] = positions[left] + 1e-6
    run.result = replace(run.result, embedding=positions)
    hand.press_button(trust.contacts.look)
    finish()
    assert trust.contacts.found.item(0).text().startswith("even and odd touch on the map but not in the data")
    trust.contacts.found.itemClicked.emit(trust.contacts.found.item(0))
    assert len(panel.selection.numbers) > 30
    tracks = panel.scene.maps.painter.tracks
    tracks.lines.point_at(int(run.numbers[5]))
    assert not len(tracks.maps[0][1].path)
    trust.cell.tick.native.click()
    assert tracks.maps[0][1].path.tolist() == [[5, near] for near in run.result.neighbors[5]]
    assert tracks._path.visible


def test_another_map_other_places_and_candidates(panel, mapped, finish, hand):
    trust, run = panel.trust, panel.session.runs.current
    panel.tabs.setCurrentIndex(2)
    assert not trust.changes.compare.enabled
    assert not trust.cell.ask.enabled
    panel.selection.select(run.numbers[:1], how="click")
    hand.press_button(trust.cell.ask)
    finish()
    assert trust.cell.found.item(0).text().startswith("where it lies")
    trust.cell.found.itemClicked.emit(trust.cell.found.item(0))
    assert len(panel.selection.numbers) == 15
    panel.parameters.n_neighbors = 12
    panel.embed()
    finish()
    assert trust.changes.other.current_choice == run.name
    hand.press_button(trust.changes.compare)
    finish()
    assert "neighbours of 60 cells differ" in trust.changes.said.value
    trust.changes.found.itemClicked.emit(trust.changes.found.item(0))
    panel.tabs.setCurrentIndex(0)
    panel.parameters.max_iter = 3
    panel.proposing.expand(animate=False)
    panel.proposing.name.value = "n_steps"
    hand.press_button(panel.proposing.button)
    finish()
    assert [panel.proposing.found.item(row).text()[:4] for row in range(3)] == ["s 1:", "s 2:", "s 3:"]
    panel.proposing.found.itemClicked.emit(panel.proposing.found.item(2))
    assert panel.parameters.n_steps == 3


def test_a_faint_field_lies_below_the_points_until_escape(panel, mapped, finish, hand, viewer, colours_at, qtbot):
    trust, run, fields = panel.trust, panel.session.runs.current, panel.scene.maps.painter.fields
    panel.tabs.setCurrentIndex(2)
    before, scene = list(viewer.layers), panel.scene.maps.canvas.node().scene
    n_children, cell = len(scene.children), 0
    panel.selection.select(run.numbers[[cell]], how="click")
    assert not trust.cell.field.enabled
    hand.press_button(trust.cell.ask)
    finish()
    assert trust.cell.field.value
    assert list(viewer.layers) == before  # it is not listed, and so no layer of cells or image to measure
    image, drawn = fields.image, panel.scene.maps.canvas._drawn_above
    assert np.array_equal(np.array(mapped.units), np.array(image.units))
    order = panel.scene.maps.canvas._vispy.layer_to_visual[mapped].order
    assert drawn[image]._visual.order < order
    # It is strongest where the model says, and seen there unless a point covers it.
    strongest = np.array(np.unravel_index(np.argmax(image.data), image.data.shape))
    near = np.array(image.data_to_world(strongest))
    spots = [near + mapped_step * 4 for mapped_step in np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * image.scale]
    rim = len(image.data) // 8  # where the field fades, and the canvas may end
    amid = image.data[rim:-rim, rim:-rim]
    places = np.transpose(np.unravel_index(np.argsort(amid, axis=None)[:20], amid.shape)) + rim
    weakest = [np.array(image.data_to_world(place)) for place in places]
    lit = max(colour.min() for colour in colours_at(spots))
    assert lit > 30
    assert min(colour.max() for colour in colours_at(weakest)) < lit
    trust.cell.field.native.click()
    assert fields.image is None
    assert len(scene.children) == n_children
    trust.cell.field.native.click()
    assert fields.image is not None
    qtbot.keyClick(hand.canvas, Qt.Key.Key_Escape)
    assert not trust.cell.field.value
    assert fields.image is None
    trust.cell.field.native.click()
    # Axes that are swapped: the field goes with the points.
    panel.session.display_settings.axes = (1, 0)
    swapped = np.array(fields.image.data_to_world(np.unravel_index(np.argmax(fields.image.data), image.data.shape)))
    centre = np.array(panel.scene.maps.shown[0].square.centre)
    assert np.abs((swapped - centre) + (near - centre)[::-1]).max() < 2 * np.max(image.scale)
    again = panel.scene.maps.shown[0].points  # other axes have laid the maps out anew
    again.visible = False
    assert fields.image is None
    again.visible = True
    assert fields.image is not None
    viewer.layers.remove(again)
    qtbot.wait(20)
    assert fields.image is None
    assert not [layer for layer in drawn if layer.name.startswith("field on")]


def test_maps_with_other_seeds_say_what_is_stable(panel, mapped, finish, hand, qtbot):
    trust, run = panel.trust, panel.session.runs.current
    panel.tabs.setCurrentIndex(2)
    assert not trust.stability.colour.enabled
    assert trust.stability.leave_out.value  # with other seeds alone, so few cells have the same map each time
    hand.press_button(trust.stability.make)
    finish()
    kept = run.result.stability.kept
    assert f"{kept.mean():.0%} are among its nearest" in trust.stability.said.value
    hand.press_button(trust.stability.colour)
    assert panel.explore.colours.by.value == STABILITY
    bottom = trust.stability.found.viewport().rect().bottomLeft()
    page = panel.tabs.currentWidget().viewport()
    qtbot.wait_until(lambda: trust.stability.found.viewport().mapTo(page, bottom).y() < page.height())
    n_unstable = int((kept < 0.5).sum())
    assert panel.status.value.endswith(f"{60 - n_unstable} cells stable, {n_unstable} unstable.")
    trust.stability.found.itemClicked.emit(trust.stability.found.item(1))
    assert (panel.selection.numbers == np.sort(run.numbers[kept < 0.5])).all()
