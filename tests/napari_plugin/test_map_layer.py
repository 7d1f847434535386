import numpy as np
import pytest
from napari.layers import Labels

from latentmap.napari_plugin.map_layer import MapLayer
from latentmap.table import CellTable


@pytest.fixture
def map_layer(labels, features):
    cells = CellTable.read(features, layer="cells")
    return MapLayer(Labels(labels, scale=(0.5, 0.5), translate=(10, 20)), cells, left=70)


def test_before_the_first_map_the_points_span_the_square(map_layer):
    low, high = map_layer.points.data.min(axis=0), map_layer.points.data.max(axis=0)
    np.testing.assert_allclose(high - low, 30, atol=1)
    assert low[1] > 70


def test_two_axes_share_a_scale_and_the_second_points_up(map_layer):
    embedding = np.random.default_rng(0).normal(size=(60, 2)) * [8, 2]
    map_layer.show(embedding, np.ones(60))
    rows, columns = map_layer.points.data.T
    scale = np.ptp(columns) / np.ptp(embedding[:, 0])
    np.testing.assert_allclose(np.diff(columns), scale * np.diff(embedding[:, 0]))
    np.testing.assert_allclose(np.diff(rows), -scale * np.diff(embedding[:, 1]))
    assert (rows.min() + rows.max()) / 2 == pytest.approx(10 + 0.5 * 29.5, abs=0.5)


def test_one_axis_is_drawn_against_the_variance(map_layer):
    embedding = np.linspace(0, 1, 60)[:, None]
    variances = np.geomspace(1, 1e3, 60)
    map_layer.show(embedding, variances)
    rows, columns = map_layer.points.data.T
    assert (np.diff(columns) > 0).all()
    assert (np.diff(rows) < 0).all()


def test_cells_that_coincide_can_be_drawn(map_layer):
    map_layer.show(np.zeros((60, 2)), np.ones(60))
    assert np.isfinite(map_layer.points.data).all()
    assert np.isfinite(map_layer.points.face_color).all()


def test_points_are_painted_and_sized(map_layer):
    colours = np.random.default_rng(0).uniform(size=(60, 4))
    map_layer.paint(colours)
    np.testing.assert_allclose(map_layer.points.face_color, colours, atol=1e-6)
    even = map_layer.points.size.copy()
    assert len(np.unique(even)) == 1
    map_layer.paint(colours, np.linspace(0, 1, 60))
    assert (np.diff(map_layer.points.size) > 0).all()
    assert map_layer.points.size[-1] / map_layer.points.size[0] == pytest.approx(3)


def test_points_that_the_user_deleted_leave_the_others_their_colours(map_layer):
    colours = np.random.default_rng(0).uniform(size=(60, 4))
    map_layer.points.selected_data = {0, 7}
    map_layer.points.remove_selected()
    assert map_layer.rows.tolist() == [*range(1, 7), *range(8, 60)]
    map_layer.paint(colours)
    np.testing.assert_allclose(map_layer.points.face_color, np.delete(colours, [0, 7], axis=0), atol=1e-6)
