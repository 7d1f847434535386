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


def test_colour_follows_the_variance(map_layer):
    variances = np.geomspace(1e-3, 10, 60)
    map_layer.show(np.random.default_rng(0).normal(size=(60, 2)), variances)
    certain, uncertain = map_layer.points.face_color[[0, -1], :3]
    assert certain.sum() < uncertain.sum()
    assert len(np.unique(map_layer.points.face_color, axis=0)) > 30
