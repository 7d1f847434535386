import numpy as np
import pandas as pd
import pytest
from ringed import ringed

from latentmap.napari_layers.changed_together import changed_together
from latentmap.napari_plugin.scene import drawn_cells
from latentmap.napari_plugin.scene.drawn_cells import POINTS_DURING_RUN
from latentmap.napari_plugin.scene.map_layer import MapLayer, Square
from latentmap.table import CellTable


@pytest.fixture
def map_layer(features):
    cells = CellTable.read(features, layer="cells")
    return MapLayer(cells, np.arange(60), Square(np.array([24.75, 90.0]), 30.0), "map of cells")


def test_before_the_first_map_the_points_span_the_square(map_layer):
    low, high = map_layer.points.data.min(axis=0), map_layer.points.data.max(axis=0)
    np.testing.assert_allclose(high - low, 30, atol=1)
    assert low[1] > 70


def test_two_axes_share_a_scale_and_the_second_points_up(map_layer):
    embedding = np.random.default_rng(0).normal(size=(60, 2)) * [8, 2]
    map_layer.finish(embedding, np.ones(60))
    rows, columns = map_layer.points.data.T
    scale = np.ptp(columns) / np.ptp(embedding[:, 0])
    np.testing.assert_allclose(np.diff(columns), scale * np.diff(embedding[:, 0]))
    np.testing.assert_allclose(np.diff(rows), -scale * np.diff(embedding[:, 1]))
    assert (rows.min() + rows.max()) / 2 == pytest.approx(24.75, abs=0.5)


def test_one_axis_is_drawn_against_the_variance(map_layer):
    embedding = np.linspace(0, 1, 60)[:, None]
    variances = np.geomspace(1, 1e3, 60)
    map_layer.finish(embedding, variances)
    rows, columns = map_layer.points.data.T
    assert (np.diff(columns) > 0).all()
    assert (np.diff(rows) < 0).all()


def test_cells_that_coincide_can_be_drawn(map_layer):
    map_layer.finish(np.zeros((60, 2)), np.ones(60))
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


def test_a_stray_cell_does_not_squeeze_the_others(map_layer):
    embedding = np.random.default_rng(0).normal(size=(60, 2))
    map_layer.finish(embedding, np.ones(60))
    assert map_layer.beyond == 0
    embedding[7] = [1000, 0]
    map_layer.finish(embedding, np.ones(60))
    assert map_layer.beyond >= 1
    assert np.ptp(np.delete(map_layer.points.data, 7, axis=0), axis=0).min() > 15
    assert map_layer.points.data[7, 1] == map_layer.points.data[:, 1].max()


def test_a_large_map_moves_by_a_sample_and_ends_whole():
    n = POINTS_DURING_RUN + 1000
    cells = CellTable.read(pd.DataFrame({"label": np.arange(1, n + 1), "area": 1.0}), layer="cells")
    large = MapLayer(cells, np.arange(n), Square(np.zeros(2), 100.0), "map")
    embedding = np.random.default_rng(0).normal(size=(n, 2))
    large.move(embedding, np.ones(n))
    assert len(large.points.data) == POINTS_DURING_RUN
    sample = large.numbers
    large.paint(np.ones((n, 4)))
    large.highlight(np.arange(n) == sample[3])
    np.testing.assert_array_equal(ringed(large), large.points.data[[3]])
    moved = large.points.data.copy()
    # The finished map has the same few points, until the window has had time for other things.
    large.finish(embedding, np.ones(n), fewer=True)
    assert (len(large.points.data), large.n_at_rest) == (POINTS_DURING_RUN, n)
    assert large.limit_points(False)
    assert large.numbers.tolist() == list(range(n))
    np.testing.assert_allclose(large.points.data[sample], moved)
    assert large.points.features["label"].tolist() == list(range(1, n + 1))


def test_the_next_map_takes_the_layers_over(map_layer, features):
    points, rings = map_layer.points, map_layer.rings
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    map_layer.highlight(np.isin(np.arange(60), [3, 4]))
    told = []
    points.selected_data = {3, 4}
    points.selected_data.events.items_changed.connect(lambda *_: told.append(1))
    fewer = CellTable.read(features.iloc[:7], layer="cells")
    map_layer.begin(fewer, np.arange(100, 107), Square(np.array([0.0, 0.0]), 10.0), "another map")
    assert (map_layer.points, map_layer.rings) == (points, rings)
    assert (points.name, rings.name) == ("another map", "selected on another map")
    assert not told
    assert not len(rings.data)
    assert map_layer.numbers.tolist() == list(range(100, 107))
    map_layer.finish(np.random.default_rng(1).normal(size=(7, 2)), np.ones(7))
    assert points.features["label"].tolist() == features["label"].tolist()[:7]
    assert np.abs(points.data).max() <= 5


def test_what_changes_together_is_drawn_once(map_layer):
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    drawn = []
    map_layer.points.events.set_data.connect(lambda _: drawn.append("data"))
    map_layer.points.events.face_color.connect(lambda _: drawn.append("colours"))
    with changed_together(map_layer.points):
        map_layer.move(np.random.default_rng(1).normal(size=(60, 2)), np.ones(60))
        map_layer.paint(np.full((60, 4), 0.5), np.linspace(0, 1, 60))
    assert drawn == ["data"]
    np.testing.assert_allclose(map_layer.points.face_color, 0.5)
    assert np.ptp(map_layer.points.size) > 0


def test_the_same_colours_and_sizes_are_not_drawn_again(map_layer):
    colours, shares, drawn = np.full((60, 4), 0.5), np.linspace(0, 1, 60), []
    map_layer.paint(colours, shares)
    map_layer.points.events.set_data.connect(drawn.append)
    map_layer.paint(colours.copy(), shares.copy())
    assert not drawn
    map_layer.paint(colours, 1 - shares)
    assert len(drawn) == 1
    map_layer.paint(np.full((60, 4), 0.25), 1 - shares)
    assert len(drawn) == 2
    map_layer.hollow = np.arange(60) < 5
    map_layer.paint(np.full((60, 4), 0.25), 1 - shares)
    assert len(drawn) == 3
    assert len(np.unique(map_layer.points.face_color, axis=0)) == 2


def test_cells_that_come_to_the_edge_get_its_symbol_though_their_colours_stay(map_layer):
    places, colours = np.random.default_rng(0).normal(size=(60, 2)), np.full((60, 4), 0.5)
    map_layer.move(places, np.ones(60))
    map_layer.paint(colours)
    assert {str(symbol) for symbol in map_layer.points.symbol} == {"disc"}
    map_layer.move(np.vstack([places[:-1], [[0, 500]]]), np.ones(60))
    map_layer.paint(colours)
    assert map_layer.beyond
    assert str(map_layer.points.symbol[-1]) == "triangle_up"
    map_layer.move(places, np.ones(60))
    map_layer.paint(colours)
    assert str(map_layer.points.symbol[-1]) == "disc"


def test_a_map_that_moves_keeps_its_points_and_its_thumbnail(monkeypatch, features):
    monkeypatch.setattr(drawn_cells, "POINTS_DURING_RUN", 20)
    cells = CellTable.read(features, layer="cells")
    map_layer = MapLayer(cells, np.arange(60), Square(np.zeros(2), 10.0), "map")
    drawn, thumbnails = [], []
    map_layer.points.events.set_data.connect(lambda _: drawn.append(map_layer.rows.tolist()))
    map_layer.points.events.thumbnail.connect(thumbnails.append)
    for seed in range(3):
        with changed_together(map_layer.points, thumbnail=False):
            map_layer.move(np.random.default_rng(seed).normal(size=(60, 2)), np.ones(60))
            assert not map_layer.hide(np.zeros(60, dtype=bool))
    assert len(drawn) == 3
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(drawn[0]) == 20
    assert not thumbnails
    assert map_layer.hide(np.arange(60) == drawn[0][0])
    assert drawn[0][0] not in map_layer.rows
    map_layer.finish(np.random.default_rng(4).normal(size=(60, 2)), np.ones(60))
    assert thumbnails
    np.testing.assert_array_equal(np.isin(outermost(map_layer), map_layer.rows), True)


def outermost(map_layer):
    """The cells that lie farthest to each side."""
    places = map_layer.cell_positions
    return np.unique(np.concatenate([places.argmin(axis=0), places.argmax(axis=0)]))


def test_fewer_points_are_drawn_as_soon_as_there_is_known_to_be_no_graphics_card(monkeypatch, features):
    monkeypatch.setattr(drawn_cells, "MOST_BY_SOFTWARE", 20)
    cells, is_software = CellTable.read(features, layer="cells"), False
    shown = MapLayer(cells, np.arange(60), Square(np.zeros(2), 100.0), "map", by_software=lambda: is_software)
    shown.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    assert len(shown.points.data) == shown.n_at_rest == 60
    assert not shown.is_large
    is_software = True
    assert shown.is_large
    assert shown.draw_in_view(None)
    assert len(shown.points.data) == shown.n_at_rest == 20


@pytest.fixture
def few_drawn(monkeypatch):
    """Of a map with more than 20 points only so many are drawn."""
    monkeypatch.setattr(drawn_cells, "MOST", 20)


def test_of_a_large_map_a_part_is_drawn_and_all_of_it_from_near(few_drawn, map_layer):
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    map_layer.paint(np.linspace(0, 1, 240).reshape(60, 4), np.linspace(0, 1, 60))
    points, far = map_layer.points, map_layer.rows
    assert len(points.data) == len(far) == 20
    assert map_layer.there.all()
    middle = np.median(map_layer.cell_positions, axis=0)
    window = np.array([middle - 3, middle + 3])
    inside = np.flatnonzero(
        np.all((map_layer.cell_positions >= window[0]) & (map_layer.cell_positions <= window[1]), axis=1)
    )
    assert 3 < len(inside) <= 20
    assert map_layer.draw_in_view(window)
    assert not map_layer.draw_in_view(window)
    drawn = np.union1d(inside, outermost(map_layer))
    assert map_layer.rows.tolist() == drawn.tolist()
    np.testing.assert_array_equal(points.data, map_layer.cell_positions[drawn])
    np.testing.assert_allclose(points.face_color, np.linspace(0, 1, 240).reshape(60, 4)[drawn], atol=1e-6)
    np.testing.assert_allclose(points.size, map_layer.size * 3 ** (drawn / 59 - 0.5))
    assert points.features["label"].tolist() == [map_layer.cells.keys[row][2] for row in drawn]
    map_layer.draw_in_view(np.array([middle - 10, middle + 10]))
    assert len(map_layer.rows) == 20
    # What one sees from afar one sees from near.
    assert set(far) & set(inside) <= set(map_layer.rows)
    map_layer.draw_in_view(None)
    assert map_layer.rows.tolist() == far.tolist()
    map_layer.leave()
    assert len(points.data) == 60


def test_what_is_drawn_reaches_as_far_as_the_whole_map(few_drawn, map_layer):
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    place = map_layer.cell_positions[7]
    for window in (None, np.array([place - 1e-6, place + 1e-6])):
        map_layer.draw_in_view(window)
        assert len(map_layer.points.data) <= 20
        np.testing.assert_array_equal(map_layer.points.data.min(axis=0), map_layer.cell_positions.min(axis=0))
        np.testing.assert_array_equal(map_layer.points.data.max(axis=0), map_layer.cell_positions.max(axis=0))


def test_rings_are_around_the_points_that_are_drawn(few_drawn, map_layer):
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    out = np.setdiff1d(np.arange(60), map_layer.rows)[:2]
    map_layer.highlight(np.isin(np.arange(60), out))
    assert not len(map_layer.rings.data)
    assert map_layer.points.opacity < 1
    place = map_layer.cell_positions[out[0]]
    map_layer.draw_in_view(np.array([place - 1e-6, place + 1e-6]))
    np.testing.assert_array_equal(ringed(map_layer), [place])


def test_cells_that_are_hidden_leave_room_for_others(few_drawn, map_layer):
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    hidden = np.isin(np.arange(60), map_layer.rows)
    assert map_layer.hide(hidden)
    assert len(map_layer.rows) == 20
    assert not hidden[map_layer.rows].any()
    hidden[np.flatnonzero(~hidden)[:25]] = True
    map_layer.hide(hidden)
    assert map_layer.rows.tolist() == np.flatnonzero(~hidden).tolist()


def test_points_that_the_user_deleted_stay_away(few_drawn, map_layer):
    map_layer.finish(np.random.default_rng(0).normal(size=(60, 2)), np.ones(60))
    deleted = map_layer.rows[[0, 7]]
    map_layer.points.selected_data = {0, 7}
    map_layer.points.remove_selected()
    assert np.flatnonzero(~map_layer.there).tolist() == deleted.tolist()
    map_layer.draw_in_view(np.array([[-1e3, -1e3], [1e3, 1e3]]))
    assert len(map_layer.rows) == 20
    assert not set(deleted) & set(map_layer.rows)
