"""Linked layers that the user renames, moves, hides, paints on or gives other data."""

import numpy as np
import pytest
from napari.layers import Labels, Points
from test_selection_link_rules import Stage

from latentmap.display import label_plane
from latentmap.display.region import Lasso

SQUARES = np.kron(np.array([[3, 0, 7], [0, 1000, 0]]), np.ones((6, 6), dtype=int))


def layer_of(data, name="cells", numbers=(3, 7, 1000, 5), **settings):
    rng = np.random.default_rng(0)
    return Labels(
        data.copy(), name=name, features={"index": numbers, "area": rng.normal(size=len(numbers))}, **settings
    )


@pytest.fixture
def layer():
    return layer_of(SQUARES)


@pytest.fixture
def stage(layer):
    return Stage(layer)


@pytest.fixture
def light(stage):
    return stage.link.sources[0].highlight


def lit(light):
    return np.asarray(light.data).astype(bool)


def test_a_renamed_layer_keeps_its_cells(stage, layer, light):
    layer.name = "nuclei"
    stage.click((8, 8))
    assert stage.selected == {("cells", 0, 1000)}
    assert light.visible
    assert light.name == "selected nuclei"


def test_the_light_lies_where_its_layer_lies(stage, layer, light):
    stage.select({("cells", 0, 3)})
    layer.scale, layer.translate = (2, 5), (10, -3)
    layer.rotate = 30
    np.testing.assert_allclose(light.data_to_world((3, 4)), layer.data_to_world((3, 4)))
    stage.click(layer.data_to_world((3, 15)))
    assert stage.selected == {("cells", 0, 7)}


def test_a_hidden_layer_is_neither_lit_nor_clicked(stage, layer, light):
    stage.select({("cells", 0, 3), ("cells", 0, 7)})
    layer.visible = False
    assert not light.visible
    stage.click((8, 8))
    assert not stage.selected
    stage.select({("cells", 0, 3)})
    layer.visible = True
    assert light.visible
    np.testing.assert_array_equal(lit(light), SQUARES == 3)


def test_showing_a_layer_again_leaves_the_frame_in_view(layer):
    film = layer_of(np.stack([SQUARES, SQUARES]), name="film")
    film.features = film.features.assign(frame=[0, 0, 1, 1])
    stage = Stage(film)
    stage.select({("film", 1, 1000)})
    assert stage.viewer.dims.current_step[0] == 1
    stage.viewer.dims.set_current_step(0, 0)
    film.visible = False
    film.visible = True
    assert stage.viewer.dims.current_step[0] == 0


@pytest.mark.parametrize("same_shape", [True, False])
def test_other_data_are_lit_at_once(stage, layer, light, same_shape):
    stage.select({("cells", 0, 3), ("cells", 0, 5)})
    other = np.where(SQUARES == 7, 3, SQUARES)
    other = other if same_shape else np.pad(other, ((5, 9), (0, 20)))
    layer.data = other
    assert light.visible
    np.testing.assert_array_equal(lit(light), other == 3)
    where = np.argwhere(other == 3)[0]
    stage.click(where)
    assert stage.selected == {("cells", 0, 3)}


def test_data_of_more_axes(stage, layer, light):
    layer.data = np.stack([SQUARES, SQUARES[::-1]])
    stage.select({("cells", 0, 7)})
    np.testing.assert_array_equal(lit(light), layer.data == 7)


def test_what_is_painted_is_lit(stage, layer, light):
    stage.select({("cells", 0, 3), ("cells", 0, 5)})
    layer.data_setitem((np.array([9]), np.array([14])), 3)
    assert light.get_value((9, 14)) == 1
    layer.paint((8, 14), 5)
    assert light.get_value((8, 14)) == 1
    layer.undo()
    assert light.get_value((8, 14)) == 0
    layer.data[11, 0] = 3
    layer.refresh()
    assert light.get_value((11, 0)) == 1


def test_labels_of_three_columns_are_no_image_in_colours():
    data = np.zeros((40, 50, 3), dtype=np.uint8)
    data[5:20, 5:20] = 7
    layer = layer_of(data, "tissue", numbers=(7,))
    stage = Stage(layer)
    stage.select({("tissue", 0, 7)})
    light = stage.link.sources[0].highlight
    assert not light.rgb
    np.testing.assert_array_equal(lit(light), data == 7)


def test_labels_that_no_key_can_have_are_passed_over():
    huge = 2**63 + 5
    layer = layer_of(np.where(SQUARES == 7, huge, SQUARES.astype(np.uint64)))
    stage = Stage(layer)
    stage.click((8, 8))
    assert stage.selected == {("cells", 0, 1000)}
    stage.click((3, 15))
    assert not stage.selected
    stage.draw(Lasso(np.array([[-1.0, -1], [-1, 19], [13, 19], [13, -1]])))
    assert stage.selected == {("cells", 0, 3), ("cells", 0, 1000)}


def test_the_topmost_visible_layer_is_clicked():
    below, above = layer_of(SQUARES, "below"), layer_of(np.where(SQUARES == 3, 0, SQUARES), "above")
    spots = Points([[3.0, 15.0]], name="spots", size=2, features={"label": [4], "area": [1.0]})
    stage = Stage(below, above, spots)
    for change, at_7, at_3 in (
        (lambda: None, ("spots", 0, 4), ("below", 0, 3)),
        (lambda: setattr(spots, "visible", False), ("above", 0, 7), ("below", 0, 3)),
        (lambda: stage.viewer.layers.move(stage.viewer.layers.index(below), 99), ("below", 0, 7), ("below", 0, 3)),
        (lambda: setattr(below, "visible", False), ("above", 0, 7), None),
    ):
        change()
        stage.click((3, 15))
        assert stage.selected == {at_7}
        stage.click((3, 3))
        assert stage.selected == ({at_3} if at_3 else set())


def test_a_layer_that_is_linked_again_is_followed_again(stage, layer, light):
    (source,) = stage.sources
    stage.link.remove(layer)
    assert light not in stage.viewer.layers
    layer.data, layer.scale = SQUARES[::-1].copy(), (4, 4)
    stage.link.add(source)
    stage.select({("cells", 0, 3)})
    np.testing.assert_array_equal(lit(light), SQUARES[::-1] == 3)
    np.testing.assert_allclose(light.scale, (4, 4))
    layer.data = SQUARES.copy()
    np.testing.assert_array_equal(lit(light), SQUARES == 3)


def test_a_number_that_the_layer_cannot_hold():
    layer = layer_of(SQUARES.clip(0, 200).astype(np.uint8), numbers=(3, 7, 200, 1000))
    stage = Stage(layer)
    stage.select({("cells", 0, 1000)})
    assert not np.asarray(stage.link.sources[0].highlight.data).any()
    stage.select({("cells", 0, 200)})
    assert layer.selected_label == 200


def test_going_to_a_cell_of_a_plane_while_the_view_is_three_dimensional(stage):
    stage.viewer.add_image(np.zeros((4, 12, 18)))
    stage.viewer.dims.ndisplay = 3
    stage.viewer.scene.camera.center = (2.0, 0.0, 0.0)
    stage.link.go_to(("cells", 0, 1000))
    at = np.round(stage.viewer.scene.camera.center).astype(int)
    assert at[0] == 2
    assert SQUARES[tuple(at[1:])] == 1000


def test_a_hidden_map_is_not_drawn_on(stage):
    middle = stage.map.positions.mean(axis=0)
    around = Lasso(middle + 30 * np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]))
    stage.viewer.layers["cells"].visible = False
    stage.draw(around)
    assert len(stage.selected) == 4
    stage.session.selection.clear()
    stage.map.points.visible = False
    stage.draw(around)
    assert not stage.selected


@pytest.mark.parametrize("largest", [0, 10_000])
def test_planes_too_large_to_be_read_whole(monkeypatch, stage, largest):
    """The share of a cell is that of all its pixels, also of those beside the region."""
    monkeypatch.setattr(label_plane, "_LARGEST_PLANE", largest)
    stage.map.points.visible = False
    stage.draw(Lasso(np.array([[-1, 2.5], [-1, 13.5], [12, 13.5], [12, 2.5]])))
    assert stage.selected == {("cells", 0, 3), ("cells", 0, 1000)}
