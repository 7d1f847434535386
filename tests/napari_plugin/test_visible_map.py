"""A map that one can see: its place, the size of its points, its rings, and cells far out."""

import numpy as np
import pytest
from scipy.ndimage import label as connected

from latentmap.display.colours import scale_shades
from latentmap.display.map_place import Box, place_map

pytestmark = pytest.mark.usefixtures("replayed")


def luminance(colours):
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return linear[:, :3] @ [0.2126, 0.7152, 0.0722]


def test_each_colour_of_the_scale_stands_out_on_black_and_on_white():
    found = luminance(scale_shades(50))
    assert (np.diff(found) > 0).all()
    assert (found[0] + 0.05) / 0.05 > 2.5
    assert 1.05 / (found[-1] + 0.05) > 1.5


@pytest.mark.parametrize("canvas", [(700, 580), (850, 780), (600, 1200)])
def test_map_and_image_stand_side_by_side_unless_the_image_is_wide(canvas):
    square = place_map(Box(0, 0, 512, 512), canvas)
    assert square.centre[1] > 512
    wide = place_map(Box(0, 0, 130, 2000), canvas)
    height = 130 + 1.05 * wide.side
    assert wide.centre[0] > 130
    assert wide.side * min(canvas[1] / max(2000, wide.side), canvas[0] / height) > 0.6 * min(canvas)


def spot_at(viewer, place):
    """How many pixels the spot has that is drawn at a world position."""
    picture = viewer.screenshot(canvas_only=True, flash=False)[..., :3].max(axis=-1)
    camera = viewer.scene.camera
    row, column = np.round(np.array(picture.shape) / 2 + (place - np.array(camera.center[-2:])) * camera.zoom).astype(
        int
    )
    spots, _ = connected(picture > 60)
    return int((spots == spots[row, column]).sum()) if spots[row, column] else 0


def test_points_are_as_large_on_the_screen_at_any_zoom(qtbot, viewer, panel, cells, mapped):
    camera, (shown,) = viewer.scene.camera, panel.scene.maps.shown
    counts = []
    for zoom in (20, 60, 300):
        camera.center, camera.zoom = (0, *mapped.data[10]), zoom
        qtbot.wait(50)
        counts.append(spot_at(viewer, mapped.data[10]))
    area = np.pi / 4 * shown.pixels**2
    assert 0.5 * area < counts[1] < 1.6 * area
    assert counts[1] == pytest.approx(counts[2], abs=8)
    panel.explore.colours.sized.value = True
    sizes = mapped.size.copy()
    camera.zoom = 600
    qtbot.wait_until(lambda: mapped.size[0] < sizes[0])
    assert mapped.size.max() * camera.zoom < 40


def test_cells_far_out_are_drawn_at_the_edge_until_all_are_shown(viewer, panel, cells, mapped):
    (shown,) = panel.scene.maps.shown
    embedding = np.array(panel.result.embedding)
    embedding[[4, 9]] = [[0, 40 * np.ptp(embedding)], [-40 * np.ptp(embedding), 0]]
    shown.finish(embedding, panel.result.variances)
    shown.paint(np.ones((60, 4)))
    symbols = [str(symbol) for symbol in mapped.symbol]
    assert symbols[4] == "triangle_up"
    assert symbols[9] == "diamond"
    assert set(np.delete(symbols, [4, 9])) == {"disc"}
    assert mapped.data[4, 0] == pytest.approx(mapped.data[:, 0].min())
    before = np.ptp(np.delete(mapped.data, [4, 9], axis=0), axis=0).max()
    panel.explore.views.show_all.value = True
    assert panel.session.display_settings.show_all
    assert {str(symbol) for symbol in mapped.symbol} == {"disc"}
    assert np.ptp(np.delete(mapped.data, [4, 9], axis=0), axis=0).max() < before / 10
    panel.explore.views.show_all.value = False
    assert [str(symbol) for symbol in mapped.symbol] == symbols
    assert shown.beyond == 2
    panel.session.dropped.drop(shown.cell_numbers[[4]])
    assert shown.beyond == 1


def test_selected_points_keep_their_fill_inside_a_thin_neutral_ring(viewer, panel, cells, mapped):
    panel.selection.select_keys([("cells", 0, 7), ("cells", 0, 1000)])
    rings = panel.scene.maps.shown[0].rings
    np.testing.assert_allclose(rings.face_color, mapped.face_color[[1, 2, 1, 2]], atol=1e-5)
    assert np.ptp(rings.border_color[0, :3]) == 0
    assert (rings.border_color[:2, 3] == 1).all()
    assert (rings.border_color[2:, 3] < 0.5).all()
    assert (rings.border_width < 0.15).all()
    assert mapped.opacity < 0.5


def test_rings_hide_no_face_where_selected_points_lie_close_together(qtbot, panel, mapped, colours_at):
    (shown,) = panel.scene.maps.shown
    colours = np.tile([0.8, 0.1, 0.1, 1.0], (60, 1))
    shown.paint(colours)
    panel.selection.select(shown.cell_numbers)
    # All points within so few pixels that each ring covers other points.
    reach = 30 / panel.scene.maps.viewer.scene.camera.zoom
    middle = mapped.data.mean(axis=0)
    shown._at.world[:] = middle + reach * (np.random.default_rng(0).random((60, 2)) - 0.5)
    shown._put()
    shown.highlight(np.ones(60, dtype=bool))
    drawn = np.array(colours_at(mapped.data))
    is_red = (drawn[:, 0] > 150) & (drawn[:, 1:3] < 80).all(axis=1)
    assert is_red.mean() > 0.9


def test_the_user_can_write_at_the_points(viewer, panel, cells, mapped):
    """napari makes letters for a layer without any text as well, which takes a tenth of a second; here it does not."""
    drawn = viewer.window._qt_viewer.canvas.layer_to_visual[mapped].node.text
    assert not drawn.visible
    panel.selection.select_keys([("cells", 0, 7)])
    mapped.features = mapped.features
    assert not drawn.visible

    def bright():
        return int((viewer.screenshot(canvas_only=True, flash=False)[..., 1] > 200).sum())

    before = bright()
    mapped.text = {"string": "{label}", "size": 20, "color": "white"}
    assert drawn.visible
    assert bright() > before + 200
    mapped.text = None
    assert not drawn.visible
