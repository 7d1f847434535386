"""What lights up cells is drawn above their layer, wherever napari draws that, and is not listed."""

import numpy as np
import pytest
from napari.layers import Image

GREEN = np.array([0, 255, 0])


@pytest.fixture
def light():
    """Draw an image of the same pixels above a layer, in green."""

    def over(panel, layer, data, **options):
        look = {"colormap": "green", "contrast_limits": (0, 1), "blending": "translucent_no_depth"}
        above = Image(data, interpolation2d="nearest", **look, **options)
        panel.scene.images.draw_above(above, layer)
        return above

    return over


def is_green(colour):
    return np.abs(colour - GREEN).max() < 40


@pytest.mark.parametrize("n_levels", [1, 2])
def test_it_is_where_the_layer_is(viewer, panel, light, colours_at, n_levels):
    data = np.zeros((2, 40, 60), dtype=int)
    data[0, 10:20, 10:20] = data[1, 20:30, 30:40] = 1
    levels = [data, data[:, ::2, ::2]][:n_levels]
    place = {"scale": (1, 3, 3), "translate": (0, 50, 20), "multiscale": n_levels > 1}
    below = viewer.add_labels(levels if n_levels > 1 else data, name="film", **place)
    floats = [level.astype(float) for level in levels]
    light(panel, below, floats if n_levels > 1 else floats[0], **place)
    assert [layer.name for layer in viewer.layers] == ["film"]
    lit, dark = (50 + 3 * 15, 20 + 3 * 15), (50 + 3 * 25, 20 + 3 * 35)
    viewer.reset_view()
    viewer.dims.set_current_step(0, 0)
    assert [is_green(colour) for colour in colours_at([lit, dark])] == [True, False]
    viewer.dims.set_current_step(0, 1)
    assert [is_green(colour) for colour in colours_at([lit, dark])] == [False, True]
    viewer.scene.camera.zoom *= 3
    viewer.scene.camera.center = dark
    assert is_green(colours_at([dark])[0])
    # Another layer on top hides it, one below does not.
    cover = viewer.add_image(np.ones((300, 300)), name="cover")
    assert not is_green(colours_at([dark])[0])
    viewer.layers.move(viewer.layers.index(cover), 0)
    assert is_green(colours_at([dark])[0])


def test_it_is_seen_in_depth(viewer, panel, light, colours_at):
    data = np.zeros((20, 40, 40), dtype=int)
    data[5:15, 10:30, 10:30] = 1
    below = viewer.add_labels(data, name="volume")
    light(panel, below, data.astype(float))
    viewer.dims.ndisplay = 3
    viewer.reset_view()
    assert is_green(colours_at([np.asarray(viewer.scene.camera.center)[-2:]])[0])


def test_it_goes_with_the_layer(viewer, panel, light):
    data = np.ones((20, 20))
    below = viewer.add_image(data)
    above = light(panel, below, data)
    scene = viewer.window._qt_viewer.canvas.view.scene
    before = len(scene.children)
    viewer.layers.clear()
    assert not panel.scene.images.is_drawn_above(above)
    assert len(scene.children) == before - 2
    # What is drawn no more follows no slider.
    again = viewer.add_image(np.ones((3, 20, 20)))
    viewer.dims.set_current_step(0, 2)
    assert again in viewer.layers


def test_twelve_images_add_one_map_to_the_list(viewer, panel, labels, features, finish, stored_fits):
    for number in range(12):
        viewer.add_labels(labels, name=f"field {number}", features=features)
    panel.cells.layers_row.all.native.click()
    with stored_fits.used():
        panel.embed()
        finish()
    panel.selection.select_keys([(f"field {number}", 0, 7) for number in range(12)])
    assert len(viewer.layers) == 13
    assert sum(source.highlight.visible for source in panel.scene.link.sources) == 12
