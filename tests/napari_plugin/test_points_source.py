"""Layers whose rows of features are cells: points, steps of tracks, shapes, vertices."""

import numpy as np
import pandas as pd
import pytest
from napari.layers import Labels, Points, Shapes, Surface, Tracks
from reference.places import winds_round
from test_selection_link_rules import Stage

from latentmap.display.region import BrushStroke, Lasso
from latentmap.napari_layers.source import View
from latentmap.table.tracks import find_tracks

pytestmark = pytest.mark.usefixtures("replayed")

N = 30


def points(rng, ndim=2, **settings):
    data = rng.uniform(0, 40, (N, ndim))
    data[:, :-2] = np.round(data[:, :-2] / 10)
    features = {"area": rng.normal(size=N), **settings.pop("features", {})}
    return Points(data, name="spots", features=features, size=rng.uniform(1, 4, N), **settings)


def shapes(rng, ndim=2, **settings):
    corners = rng.uniform(0, 40, (N, 1, ndim)) + np.pad([[0, 0], [0, 3], [3, 3], [3, 0]], ((0, 0), (ndim - 2, 0)))
    corners[..., :-2] = np.round(corners[..., :-2] / 10)
    return Shapes(list(corners), name="spots", features={"area": rng.normal(size=N)}, edge_width=0, **settings)


def tracks(rng, ndim=3, **settings):
    steps = [[track, time, *rng.uniform(0, 40, ndim - 1)] for track in range(1, 7) for time in range(5)]
    return Tracks(np.array(steps), name="spots", features={"area": rng.normal(size=N)}, **settings)


def surface(rng, ndim=2, **settings):
    corners = rng.uniform(0, 40, (N, ndim))
    corners[:, :-2] = np.round(corners[:, :-2] / 10)
    faces = rng.permutation(N).reshape(-1, 3)
    return Surface((corners, faces), name="spots", features={"area": rng.normal(size=N)}, **settings)


KINDS = {
    "points": lambda rng, **settings: points(rng, 2, **settings),
    "points with numbers": lambda rng, **settings: points(rng, features={"label": numbers(rng)}, **settings),
    "points in space": lambda rng, **settings: points(rng, 3, **settings),
    "points with frames": lambda rng, **settings: points(
        rng, features={"index": np.repeat(range(1, 11), 3), "frame": np.tile(range(3), 10)}, **settings
    ),
    "shapes": lambda rng, **settings: shapes(rng, 2, **settings),
    "shapes in space": lambda rng, **settings: shapes(rng, 3, **settings),
    "tracks": lambda rng, **settings: tracks(rng, 3, **settings),
    "tracks in space": lambda rng, **settings: tracks(rng, 4, **settings),
    "surface": lambda rng, **settings: surface(rng, 2, **settings),
    "surface in space": lambda rng, **settings: surface(rng, 3, **settings),
}


def light_of(panel, name):
    return next(source.highlight for source in panel.scene.link.sources if source.name == name)


def numbers(rng):
    return np.array([3, 7, 1000, 2**33, *range(2000, 2000 + N - 4)])[rng.permutation(N)]


def centres(layer):
    """Each cell's place, in the layer's own coordinates."""
    if isinstance(layer, Shapes):
        return np.array([np.mean(corners, axis=0) for corners in layer.data])
    if isinstance(layer, Tracks):
        return layer.data[:, 1:]
    return layer.vertices if isinstance(layer, Surface) else layer.data


def keys_of(kind, layer):
    """The cells, row by row."""
    if kind == "points with numbers":
        return [("spots", 0, int(label)) for label in layer.features["label"]]
    if kind == "points with frames":
        return [("spots", row % 3, row // 3 + 1) for row in range(N)]
    if isinstance(layer, Tracks):
        return [("spots", int(time), int(track)) for track, time in layer.data[:, :2]]
    return [("spots", 0, row + 1) for row in range(N)]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def layer(kind, rng):
    ndim = 2 + ("in space" in kind) + kind.startswith("tracks")
    scale, translate = [1.0, 1.0, 2.0, 0.5][-ndim:], [0.0, 3.0, -10.0, 5.0][-ndim:]
    return KINDS[kind](rng, scale=scale, translate=translate)


@pytest.fixture
def stage(layer):
    return Stage(layer)


@pytest.fixture
def keys(kind, layer, stage):
    return keys_of(kind, layer)


@pytest.fixture
def world(layer):
    """Each cell's place in the world."""
    return centres(layer) * layer.scale + layer.translate


def turn_to(stage, place):
    dims = stage.viewer.dims
    dims.set_point(range(dims.ndim), place)


def in_view(stage, layer, place):
    """Whether a cell lies in the slice in view."""
    hidden = [axis for axis in range(layer.ndim) if axis not in stage.viewer.dims.displayed]
    here = (np.array(stage.viewer.dims.point) - layer.translate) / layer.scale
    own = (place - layer.translate) / layer.scale
    return all(abs(own[axis] - here[axis]) <= 0.5 for axis in hidden)


def test_the_table_and_the_keys(stage, keys):
    assert [tuple(key) for key in stage.cells.keys] == keys
    assert list(stage.sources[0].keys()) == keys
    # The number of a track is for colours and paths, and no feature that shapes a map.
    assert [name for name in stage.cells.numeric if name != "track_id"] == ["area"]
    assert ("track_id" in stage.cells.numeric) == isinstance(stage.sources[0].layer, Tracks)


def test_a_click_takes_the_nearest_cell_that_it_touches(kind, stage, layer, keys, world, rng):
    shown = list(stage.viewer.dims.displayed)
    zoom = stage.viewer.scene.camera.zoom
    for aim in range(0, N, 2):
        turn_to(stage, world[aim])
        place = world[aim][shown] + rng.choice([0.0, 0.4, 3.0]) * rng.normal(size=2)
        if isinstance(layer, Shapes):
            reached = [
                row
                for row in range(N)
                if in_view(stage, layer, world[row])
                and winds_round(place, (layer.data[row] * layer.scale + layer.translate)[:, shown])
            ]
            expected = reached[-1] if reached else None
        else:
            sizes = (
                layer.size
                if isinstance(layer, Points)
                else np.full(N, np.ptp(centres(layer)[:, -2:], axis=0).max() / 60)
            )
            near = [
                (distance, row)
                for row in range(N)
                if in_view(stage, layer, world[row])
                and (distance := np.linalg.norm(world[row][shown] - place))
                <= max(sizes[row] * np.mean(layer.scale[shown]) / 2, 8 / zoom)
            ]
            expected = min(near)[1] if near else None
        stage.click(place)
        assert stage.selected == (set() if expected is None else {keys[expected]})


def test_what_is_drawn_takes_the_cells_whose_middle_lies_within(stage, layer, keys, world, rng):
    shown = list(stage.viewer.dims.displayed)
    stage.map.points.visible = False
    for _ in range(6):
        turn_to(stage, world[rng.integers(N)])
        corners = rng.uniform(world[:, shown].min(axis=0), world[:, shown].max(axis=0), (6, 2))
        stage.draw(Lasso(corners))
        here = [row for row in range(N) if in_view(stage, layer, world[row])]
        assert stage.selected == {keys[row] for row in here if winds_round(world[row][shown], corners)}
        stage.draw(BrushStroke(corners[:1], 6))
        near = {keys[row] for row in here if np.linalg.norm(world[row][shown] - corners[0]) <= 6}
        assert stage.selected == near


def test_what_is_selected_is_ringed_and_all_else_dimmed(stage, layer, keys, world, rng):
    light, opacity = stage.link.sources[0].highlight, layer.opacity
    chosen = [int(row) for row in rng.choice(N, 7, replace=False)]
    stage.select({keys[row] for row in chosen})
    assert light.visible
    assert layer.opacity < opacity
    ringed = light.data * light.scale + light.translate
    np.testing.assert_allclose(ringed, world[sorted(chosen)])
    stage.select(set())
    assert not light.visible
    assert layer.opacity == opacity


def test_where_a_cell_is(stage, layer, keys, world):
    (source,) = stage.sources
    for row in range(0, N, 3):
        _, frame, label = keys[row]
        np.testing.assert_allclose(source.position(frame, label), world[row])
        turn_to(stage, world[(row + 7) % N])
        assert source.is_in_view(frame, label, View.of(stage.viewer)) == in_view(stage, layer, world[row])
        stage.link.go_to(keys[row])
        assert in_view(stage, layer, world[row])
        np.testing.assert_allclose(stage.viewer.scene.camera.center[-2:], world[row][-2:])
        assert source.is_in_view(frame, label, View.of(stage.viewer))
    assert source.position(0, 12345) is None
    assert source.position(0, 0) is None


def test_points_keep_their_numbers_when_some_are_deleted_or_added(rng):
    layer = points(rng)
    stage = Stage(layer)
    (source,) = stage.sources
    stage.select({("spots", 0, 5)})
    layer.selected_data = {0, 2}
    layer.remove_selected()
    assert source.keys().get_level_values("label").tolist() == [2, *range(4, N + 1)]
    light = stage.link.sources[0].highlight
    np.testing.assert_allclose(light.data, layer.data[[2]])
    layer.add([[1.0, 2.0], [3.0, 4.0]])
    assert source.keys().get_level_values("label").tolist() == [2, *range(4, N + 3)]
    layer.selected_data = {len(layer.data) - 1}
    layer.remove_selected()
    layer.add([9.0, 9.0])
    assert source.keys().is_unique
    layer.data = np.empty((0, 2))
    assert not light.visible
    stage.click((9.0, 9.0))
    stage.draw(Lasso(np.array([[0, 0], [0, 99], [99, 99], [99, 0]])))


def test_a_point_that_an_affine_transform_makes_small_is_clicked_at_its_size():
    layer = Points(
        [[0, 0], [100, 100]], size=10, name="spots", features={"area": [1.0, 2.0]}, affine=np.diag([0.1, 0.1, 1])
    )
    stage = Stage(layer)
    stage.viewer.scene.camera.zoom = 100
    stage.click((0.4, 0))
    assert stage.selected == {("spots", 0, 1)}
    stage.click((3, 3))
    assert stage.selected == set()


def test_rings_follow_points_that_are_moved(rng):
    layer = points(rng)
    stage = Stage(layer)
    stage.select({("spots", 0, 4)})
    moved = layer.data.copy()
    moved[3] = [100, 100]
    layer.data = moved
    np.testing.assert_allclose(stage.link.sources[0].highlight.data, [[100, 100]])


def test_rows_of_other_layers_or_of_no_cell_are_not_this_layers_cells(rng):
    layers = ["spots", "elsewhere", "", None, "spots"]
    layer = Points(
        10.0 * np.arange(10).reshape(5, 2),
        name="spots",
        features={"label": [1, 2, 3, 4, 0], "layer": layers, "area": rng.normal(size=5)},
    )
    stage = Stage(layer)
    everywhere = Lasso(np.array([[-5, -5], [-5, 99], [99, 99], [99, -5]]))
    stage.map.points.visible = False
    stage.draw(everywhere)
    assert stage.selected == {("spots", 0, 1), ("spots", 0, 3), ("spots", 0, 4)}
    for row, expected in enumerate([{("spots", 0, 1)}, set(), {("spots", 0, 3)}]):
        stage.click(layer.data[row])
        assert stage.selected == expected


def test_hidden_points_are_not_there(rng):
    layer = points(rng)
    stage = Stage(layer)
    layer.shown = [row != 3 for row in range(N)]
    stage.click(layer.data[3])
    assert ("spots", 0, 4) not in stage.selected


def test_tracks_whose_first_is_number_0(rng):
    steps = np.array([[track, time, *rng.uniform(0, 40, 2)] for track in range(4) for time in range(3)])
    stage = Stage(Tracks(steps, name="spots", features={"area": rng.normal(size=12)}))
    assert set(stage.cells.keys) == {("spots", time, track + 1) for track in range(4) for time in range(3)}


def test_tracks_are_the_cells_that_they_were_when_number_0_is_deleted(rng):
    steps = np.array([[track, time, *rng.uniform(0, 40, 2)] for track in range(4) for time in range(3)])
    layer = Tracks(steps, name="spots", features={"area": rng.normal(size=12)})
    stage = Stage(layer)
    (source,) = stage.link.sources
    before = source.position(1, 3)
    features = layer.features
    layer.data = steps[3:]
    layer.features = features[3:].reset_index(drop=True)
    np.testing.assert_allclose(source.position(1, 3), before)
    assert set(source.table().keys) == {("spots", time, track + 1) for track in range(1, 4) for time in range(3)}


def test_the_graph_of_tracks_joins_daughters_to_their_mother():
    steps = np.array([[1, 0, 5, 5], [1, 1, 5, 6], [2, 2, 4, 6], [3, 2, 6, 6], [3, 3, 6, 7]], dtype=float)
    stage = Stage(Tracks(steps, name="spots", graph={2: [1], 3: [1]}, features={"area": np.arange(5.0)}))
    tracks = find_tracks(stage.cells.features)
    assert sorted(map(tuple, tracks.links.tolist())) == [(0, 1), (1, 2), (1, 3), (3, 4)]
    assert tracks.n_divisions == 1


def test_points_and_labels_in_one_run_through_the_panel(viewer, panel, finish, labels, features, rng, qtbot):
    image = viewer.add_labels(labels, name="regions", features=features)
    spots = viewer.add_points(
        rng.uniform(0, 60, (N, 2)),
        name="spots",
        features=pd.DataFrame(rng.normal(size=(N, 3)), columns=["area", "DNA", "actin"]),
    )
    panel.cells.layers.value = [image, spots]
    panel.embed()
    finish()
    assert panel.result is not None
    assert len(panel.result.embedding) == 60 + N
    panel.selection.select_keys([("regions", 0, 7), ("spots", 0, 7)])
    lit = np.asarray(light_of(panel, "regions").data)
    assert set(np.unique(labels[lit == 1])) == {7}
    np.testing.assert_allclose(light_of(panel, "spots").data, spots.data[[6]])
    assert isinstance(image, Labels)


def test_features_that_come_later(viewer, panel, rng):
    layer = viewer.add_points(rng.uniform(0, 60, (N, 2)), name="spots")
    assert layer not in panel.cells.layers.things
    layer.features = pd.DataFrame({"area": rng.normal(size=N)})
    assert layer in panel.cells.layers.things
    panel.cells.layers.value = [layer]
    assert [tuple(key) for key in panel.cells.table().keys] == [("spots", 0, row + 1) for row in range(N)]
    layer.features = layer.features.assign(DNA=rng.normal(size=N))
    assert panel.cells.table().numeric == ["area", "DNA"]


def test_the_panel_takes_tracks(viewer, panel, finish, rng):
    panel.form.fields["n_neighbors"].value = 6
    steps = [[track, time, *rng.uniform(0, 40, 2)] for track in range(1, 7) for time in range(5)]
    features = pd.DataFrame(rng.normal(size=(30, 3)), columns=["area", "DNA", "actin"])
    layer = viewer.add_tracks(np.array(steps), name="spots", features=features)
    assert panel.cells.value == [layer]
    layer.features = features.assign(tubulin=rng.normal(size=30))
    assert panel.cells.table().numeric == ["area", "DNA", "actin", "tubulin", "track_id"]
    assert "track_id" not in panel.session.parameters.features
    panel.embed()
    finish()
    panel.selection.select_keys([("spots", 3, 2)])
    np.testing.assert_allclose(light_of(panel, "spots").data, layer.data[[8], 1:])
    assert viewer.dims.current_step[0] == 3


def test_genes_of_many_cells_are_mapped_by_components(viewer, panel, rng):
    genes = pd.DataFrame(rng.normal(size=(120, 501))).add_prefix("gene ")
    panel.cells.layers.value = [viewer.add_points(rng.uniform(0, 60, (120, 2)), name="spots", features=genes)]
    assert len(panel.session.parameters.features) == 501
    assert panel.session.parameters.n_pca == panel.form.preparation.n_pca.value == 50
