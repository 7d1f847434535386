"""Cells are selected by the real mouse, on the map and in the image, and both show it."""

from threading import Event

import numpy as np
import pytest
from hand import CTRL, RIGHT, SHIFT, along, around
from qtpy.QtCore import Qt
from ringed import ringed

from latentmap.images.boxes import FrameBoxes
from latentmap.napari_plugin.scene.mouse import Mouse, mode_of

CYAN = np.array([0, 0.6, 1]) * 255
TOOLS = ("lasso", "rectangle", "brush")


def centre_of(labels, number):
    """World position of the middle of a cell."""
    return np.argwhere(labels == number).mean(axis=0)


def is_lit(colour):
    return np.abs(colour - CYAN).max() < 90 and colour[2] > 150


def numbers(panel):
    """The labels of the cells selected."""
    return set(panel.selection.keys.get_level_values("label"))


def trails(viewer):
    """What is drawn above all layers."""
    scene = viewer.window._qt_viewer.canvas.view.scene
    above = [*scene.children, *viewer.window._qt_viewer.canvas.view.children]
    return [node for node in above if node.order >= 1_000_000 and type(node).__name__ == "Line"]


@pytest.fixture
def use(panel, hand):
    """Choose a tool by its button."""
    panel.tabs.setCurrentIndex(1)

    def choose(tool):
        hand.press_button(panel.tools.buttons[tool])
        assert panel.scene.mouse.tool == tool

    return choose


@pytest.fixture
def two_groups(mapped):
    """The rows of the points left and right of the middle of the map's largest gap, and that place."""
    columns = np.sort(mapped.data[:, 1])
    gap = np.argmax(np.diff(columns)[5:-5]) + 5
    middle = columns[gap : gap + 2].mean()
    left = mapped.data[:, 1] < middle
    return np.flatnonzero(left), np.flatnonzero(~left), middle


def rings(panel):
    return ringed(panel.scene.maps.shown[0])


def ring_is_drawn(viewer, colours_at, row):
    """Whether a white ring is around a point of the map."""
    place, reach = viewer.layers["map of cells"].data[row], 12 / viewer.scene.camera.zoom
    return any(
        colour.min() > 150 for colour in colours_at([place + np.array([0, x]) for x in np.linspace(-reach, reach, 49)])
    )


def test_a_lasso_on_the_map_lights_up_its_cells(viewer, panel, mapped, labels, hand, use, two_groups, colour_at):
    inside, outside, _ = two_groups
    own = mapped.features["label"].to_numpy()
    before = colour_at(centre_of(labels, own[inside[0]]))
    use("lasso")
    hand.drag(*around(mapped.data[inside], margin=1.5))
    assert numbers(panel) == set(own[inside])
    assert [choice.how for choice in panel.selection.story] == ["lasso on the map"]
    assert is_lit(colour_at(centre_of(labels, own[inside[0]])))
    assert not is_lit(colour_at(centre_of(labels, own[outside[0]])))
    assert not is_lit(before)
    assert len(rings(panel)) == len(inside)


def test_what_is_drawn_in_the_image_rings_points(subtests, viewer, panel, mapped, labels, hand, use, colours_at):
    for tool in TOOLS:
        with subtests.test(tool):
            panel.selection.clear()
            row = [1000, 1001, 1002]
            places = [centre_of(labels, number) for number in row]
            use(tool)
            if tool == "brush":
                hand.drag(*places)
            elif tool == "rectangle":
                corners = around(places, margin=4)
                hand.drag(corners[0], corners[2])
            else:
                hand.drag(*around(places, margin=4))
            # The brush is wide, and touches cells beside its path.
            assert set(row) <= numbers(panel)
            assert tool == "brush" or numbers(panel) == set(row)
            assert panel.selection.story[-1].how == f"{tool} in the image"
            assert ring_is_drawn(viewer, colours_at, 2)
            assert not ring_is_drawn(viewer, colours_at, mapped.features.index[mapped.features["label"] == 1050][0])
            assert set(rings(panel)[:, 1]) <= set(mapped.data[:, 1])


def test_a_polygon_in_the_image(subtests, viewer, panel, mapped, labels, hand, use):
    for close in ("right button", "first corner", "double click"):
        with subtests.test(close):
            panel.selection.clear()
            use("polygon")
            view = viewer.scene.camera.center, viewer.scene.camera.zoom
            corners = around([centre_of(labels, number) for number in (1000, 1001)], margin=4)[:4]
            for corner in corners[:3]:
                hand.click(corner)
                assert not panel.selection
            assert trails(viewer)
            if close == "double click":
                hand.double_click(corners[3])
            else:
                hand.click(corners[3])
                hand.click(corners[0]) if close == "first corner" else hand.click((30, 50), button=RIGHT)
            assert numbers(panel) == {1000, 1001}
            assert (viewer.scene.camera.center, viewer.scene.camera.zoom) == view
            assert panel.selection.story[-1].how == "polygon in the image"
            assert not trails(viewer)


def test_keys_add_subtract_and_intersect(panel, mapped, labels, hand, use):
    def loop(first, last, keys):
        hand.drag(*around([centre_of(labels, first), centre_of(labels, last)], margin=4), keys=keys)

    use("lasso")
    hand.drag(*around([centre_of(labels, 1000), centre_of(labels, 1002)], margin=4))
    loop(1003, 1004, SHIFT)
    assert numbers(panel) == {1000, 1001, 1002, 1003, 1004}
    loop(1004, 1004, CTRL)
    assert numbers(panel) == {1000, 1001, 1002, 1003}
    loop(1002, 1005, SHIFT | CTRL)
    assert numbers(panel) == {1002, 1003}
    loop(1020, 1021, CTRL)
    assert numbers(panel) == {1002, 1003}
    assert [(choice.mode, choice.how) for choice in panel.selection.story] == [
        ("replace", "lasso in the image"),
        ("add", "lasso in the image"),
        ("subtract", "lasso in the image"),
        ("intersect", "lasso in the image"),
    ]


def test_clicks_with_every_tool(subtests, viewer, panel, mapped, labels, hand, use, colour_at, colours_at):
    for tool in ("move", "lasso", "rectangle", "brush"):
        with subtests.test(tool):
            assert not panel.selection
            use(tool)
            hand.click(centre_of(labels, 1003))
            assert numbers(panel) == {1003}
            hand.click(mapped.data[7], SHIFT)
            assert numbers(panel) == {1003, 1005}
            assert [choice.how for choice in panel.selection.story] == ["click in the image", "click on the map"]
            assert is_lit(colour_at(centre_of(labels, 1005)))
            assert ring_is_drawn(viewer, colours_at, 5)
            hand.click(centre_of(labels, 1003), CTRL)
            assert numbers(panel) == {1005}
            hand.click((-3, 50), SHIFT)
            assert numbers(panel) == {1005}
            hand.click((-3, 50))
            assert not panel.selection
            assert not trails(viewer)


def test_a_click_on_the_map_takes_the_nearest_point(panel, mapped, hand):
    zoom = 60 / (mapped.size[0] / 2)
    panel._viewer.scene.camera.center = (0, *mapped.data[10])
    panel._viewer.scene.camera.zoom = zoom
    hand.click(mapped.data[10])
    assert numbers(panel) == {1008}


def test_dragging_with_move_pans(viewer, panel, mapped, labels, hand, use):
    use("move")
    before = np.array(viewer.scene.camera.center)
    hand.drag((30, 50), (30, 40))
    np.testing.assert_allclose(viewer.scene.camera.center[-2:], before[-2:] + np.array([0, 10]), atol=1)
    assert not panel.selection


def test_drawing_moves_neither_view_nor_points(subtests, viewer, panel, mapped, hand, use):
    for tool in (*TOOLS, "polygon"):
        with subtests.test(tool):
            camera, places = viewer.scene.camera, mapped.data.copy()
            before = np.array(camera.center), camera.zoom
            use(tool)
            hand.drag(mapped.data[3], mapped.data[20], mapped.data[40])
            np.testing.assert_allclose(camera.center, before[0])
            assert camera.zoom == before[1]
            assert camera.mouse_pan
            np.testing.assert_array_equal(mapped.data, places)


def test_the_trail_is_seen_while_drawing_only(subtests, viewer, panel, mapped, labels, hand, use, colour_at):
    for tool in TOOLS:
        with subtests.test(tool):
            assert not trails(viewer)
            use(tool)
            start, end = (-4.0, 5.0), (-2.0, 60.0)
            dark = colour_at((-4.0, 30.0) if tool == "rectangle" else (-3.0, 32.5))
            hand.hover(start)
            hand.press(start)
            hand.move(*along([start, end]))
            assert len(trails(viewer)) == 1
            drawn = colour_at((-4.0, 30.0) if tool == "rectangle" else (-3.0, 32.5))
            assert np.abs(drawn - dark).max() > 60
            hand.release(end)
            assert not trails(viewer)
            np.testing.assert_allclose(colour_at((-4.0, 30.0)), dark, atol=3)


def test_the_wheel_zooms_with_every_tool(viewer, mapped, hand, use):
    for tool in ("move", "lasso", "polygon"):
        use(tool)
        zoom = viewer.scene.camera.zoom
        hand.turn_wheel((30, 50), 1)
        assert viewer.scene.camera.zoom > zoom


def test_a_polygon_stays_where_it_is_when_the_view_is_zoomed(viewer, panel, mapped, labels, hand, use):
    use("polygon")
    corners = around([centre_of(labels, number) for number in (1000, 1001)], margin=4)[:4]
    hand.click(corners[0])
    hand.click(corners[1])
    hand.turn_wheel((10, 30), 2)
    hand.click(corners[2])
    hand.click(corners[3])
    hand.click(corners[0])
    assert numbers(panel) == {1000, 1001}


def test_a_drag_with_alt_zooms_as_ever(qtbot, viewer, panel, mapped, hand, use):
    use("lasso")
    zoom = viewer.scene.camera.zoom
    hand.drag((5, 5), (50, 50), keys=Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: viewer.scene.camera.zoom != zoom)
    assert not panel.selection
    assert not trails(viewer)


def test_another_tool_in_the_middle_of_a_polygon(viewer, panel, mapped, labels, hand, use):
    use("polygon")
    for place in [(5, 5), (5, 30), (30, 30)]:
        hand.click(place)
    assert trails(viewer)
    use("lasso")
    assert not trails(viewer)
    hand.click(centre_of(labels, 1003))
    assert numbers(panel) == {1003}
    use("polygon")
    hand.click((5, 5), button=RIGHT)
    assert numbers(panel) == {1003}


def test_escape_gives_a_polygon_up(qtbot, viewer, panel, mapped, labels, hand, use):
    use("polygon")
    for place in [(5, 5), (5, 30), (30, 30)]:
        hand.click(place)
    assert trails(viewer)
    qtbot.keyClick(hand.canvas, Qt.Key.Key_Escape)
    assert not trails(viewer)
    hand.click((5, 5), button=RIGHT)
    assert not panel.selection


def test_another_layer_that_uses_the_mouse_has_it(viewer, panel, cells, mapped, labels, hand, use):
    use("lasso")
    viewer.layers.selection.active = cells
    cells.mode, cells.selected_label, cells.brush_size = "paint", 9, 1
    panel.selection.clear()
    hand.drag(*around([centre_of(labels, 1000)], margin=4.5))
    assert (cells.data == 9).any()
    assert not panel.selection
    assert not trails(viewer)
    cells.mode = "pan_zoom"
    hand.drag(*around([centre_of(labels, 1005)], margin=4.5))
    assert numbers(panel) == {1005}


def test_hovering_shows_the_cell(viewer, panel, mapped, labels, hand, use, qtbot):
    use("lasso")
    hand.hover(centre_of(labels, 1003))
    hand.hover(centre_of(labels, 1003) + 0.5)
    assert panel.explore.card.key == ("cells", 0, 1003)
    # A pixel further, for a busy vispy passes over a move, and Qt over one that leads nowhere.
    for _ in range(3):
        hand.hover(mapped.data[7])
        hand.hover(mapped.data[7] + np.array([0, 1 / viewer.scene.camera.zoom]))
        qtbot.wait(30)
    assert panel.explore.card.key == ("cells", 0, 1005)
    hand.hover((-4, 50))
    hand.hover((-4, 51))
    assert panel.explore.card.key is None


def test_drawing_on_the_canvas_in_three_dimensions(viewer, panel, mapped, labels, hand, use):
    viewer.dims.ndisplay = 3
    use("lasso")
    hand.drag((5, 5), (30, 30), (5, 30))
    viewer.dims.ndisplay = 2
    hand.drag(*around([centre_of(labels, 1005)], margin=4.5))
    assert numbers(panel) == {1005}


def test_what_keys_mean():
    assert mode_of(["Shift"]) == "add"
    assert mode_of(["Alt"]) == mode_of(["Control"]) == "subtract"


def test_a_mouse_that_is_closed_leaves_the_viewer_alone(viewer, qtbot):
    before = list(viewer.mouse_drag_callbacks), list(viewer.mouse_move_callbacks)
    mouse = Mouse(viewer, lambda: viewer.window._qt_viewer.canvas.view, drawn=print, clicked=print, hovered=print)
    assert len(viewer.mouse_drag_callbacks) == len(before[0]) + 1
    mouse.close()
    mouse.close()
    assert (list(viewer.mouse_drag_callbacks), list(viewer.mouse_move_callbacks)) == before


def test_the_picture_of_a_cell_comes_once_a_large_image_has_been_looked_through(
    panel, mapped, labels, hand, use, qtbot, monkeypatch
):
    monkeypatch.setattr("latentmap.images.boxes._SMALL", 0)
    begun, found = Event(), FrameBoxes.of
    monkeypatch.setattr(FrameBoxes, "of", lambda boxes, frame: begun.wait(60) and found(boxes, frame))
    use("lasso")
    hand.hover(centre_of(labels, 1003))
    hand.hover(centre_of(labels, 1003) + 0.5)
    card = panel.explore.card
    assert card.key == ("cells", 0, 1003)
    assert "Label 1003" in card.text
    without = card.grab().toImage()
    begun.set()
    qtbot.wait_until(lambda: not panel.pictures.looking)
    assert card.key == ("cells", 0, 1003)
    assert card.grab().toImage() != without
