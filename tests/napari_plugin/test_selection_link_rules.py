"""Whatever layers are like, a cell is found by its layer, frame and number: checked pixel by pixel."""

from functools import partial
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from napari.components import ViewerModel
from napari.layers import Image, Labels
from reference.places import distance_to, winds_round

from latentmap.display.region import BrushStroke, Lasso
from latentmap.napari_layers.source import View
from latentmap.napari_layers.sources import Sources
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.maps import Maps
from latentmap.napari_plugin.scene.mouse import Drawing
from latentmap.napari_plugin.scene.selection_link import SelectionLink
from latentmap.session import Session
from latentmap.session.run import Run
from latentmap.table import CellTable

SHAPES = {"plane": (23, 19), "volume": (4, 11, 12), "film": (3, 12, 11), "film of volumes": (3, 3, 9, 8)}
NUMBERS = {
    "uint8": [1, 2, 3, 7, 11, 200, 254],
    "int32": [3, 7, 8, 1000, 1001, 40_000],
    "uint64": [3, 7, 1000, 1002, 60_000_000],
    "int64": [-3, 3, 7, 1000, 1002, 2**33, 2**33 + 1],
}
SEEDS = range(24)


class ClosedWindow:
    """What draws a viewer, and is let go of at once."""


class Stage:
    """Layers of cells in a viewer without a window, a map of them, and the link between these."""

    def __init__(self, *layers, others=()):
        self.viewer = ViewerModel()
        for layer in (*others, *layers):
            self.viewer.add_layer(layer)
        self.session, self.told = Session(lambda call: call()), []
        finder = Sources(self.viewer)
        self.sources = [finder.of(layer) for layer in layers]
        canvas = Canvas(self.viewer, ClosedWindow())
        self.maps = Maps(canvas, self.session, lambda meant: None)
        self.link = SelectionLink(canvas, self.maps, self.session, self.told.append)
        self.cells = CellTable.pool([source.table() for source in self.sources])
        numbers = self.session.cell_index.add(self.cells.features.index)
        self.maps.stand_next_to(layers)
        self.map = self.maps.begin(Run("map", self.cells, MappingProxyType({"n_components": 2})), self.cells, numbers)
        rng = np.random.default_rng(0)
        self.map.finish(rng.normal(size=(len(numbers), 2)), rng.uniform(0.5, 1, len(numbers)))
        for source in self.sources:
            self.link.add(source)
        self.link.watch_maps()

    @property
    def selected(self):
        return set(self.session.selection.keys)

    def select(self, keys):
        self.session.selection.select_keys(keys)
        assert self.selected == set(keys)

    def at(self, place):
        """The mouse at a place: world coordinates of the axes in view, all others as the sliders have them."""
        dims = self.viewer.dims
        position = np.array(dims.point)
        position[list(dims.displayed)] = place
        return SimpleNamespace(position=tuple(position), dims_displayed=list(dims.displayed), view_direction=None)

    def click(self, place, mode="replace"):
        self.link.click(self.at(place), mode, self.viewer)

    def draw(self, region, mode="replace"):
        self.told.clear()
        self.link.draw(Drawing(region, "lasso", mode), self.viewer)


class Placed:
    """Where the pixels of a layer lie: scaled, turned in the last plane, moved."""

    def __init__(self, rng, ndim, turned):
        self.scale = rng.choice([0.5, 1, 2, 3], ndim)
        self.translate = rng.integers(-20, 20, ndim) / 2
        self.angle = float(rng.uniform(-90, 90)) if turned else 0.0
        self.turn = np.eye(ndim)
        cos, sin = np.cos(np.radians(self.angle)), np.sin(np.radians(self.angle))
        self.turn[-2:, -2:] = [[cos, -sin], [sin, cos]]

    @property
    def settings(self):
        return {"scale": self.scale, "translate": self.translate, "rotate": self.turn}

    def world(self, pixels):
        return (self.scale * np.asarray(pixels)) @ self.turn.T + self.translate

    def pixel(self, worlds):
        return ((np.asarray(worlds) - self.translate) @ self.turn) / self.scale


class Scenario:
    """Labels and a table of theirs, which do not fit each other quite."""

    def __init__(self, seed, name="cells"):
        self.rng = rng = np.random.default_rng(seed)
        self.name, self.kind = name, list(SHAPES)[seed % len(SHAPES)]
        self.is_film = self.kind.startswith("film")
        dtype = rng.choice(list(NUMBERS))
        numbers = np.array(NUMBERS[dtype])
        shape = SHAPES[self.kind]
        # Blocks, and some pixels strewn about: a cell need not be in one piece.
        blocks = rng.choice([0, 0, *numbers], [-(-side // 3) for side in shape])
        for axis, side in enumerate(shape):
            blocks = np.repeat(blocks, 3, axis=axis).take(range(side), axis=axis)
        strewn = rng.random(shape) < 0.08
        self.data = np.where(strewn, rng.choice([0, *numbers], shape), blocks).astype(dtype)
        self.placed = Placed(rng, len(shape), turned=bool(rng.integers(2)))
        self.rows = self._rows(numbers)
        self.multiscale = bool(rng.integers(3) == 0) and self.kind != "film of volumes"
        coarse = self.data[(slice(None),) * (len(shape) - 2) + (slice(None, None, 2),) * 2]
        self.layer = Labels(
            [self.data, coarse] if self.multiscale else self.data,
            multiscale=self.multiscale,
            name=name,
            features=self.rows.drop(columns=[] if self.is_film else ["frame"]),
            **self.placed.settings,
        )
        self.levels = [self.data, coarse] if self.multiscale else [self.data]

    def _rows(self, numbers):
        """Rows in any order, of most of the cells, of some that are in no pixel, and perhaps of the background."""
        rng = self.rng
        frames = range(self.data.shape[0] + 1) if self.is_film else [0]
        rows = [(frame, number) for frame in frames for number in [*numbers, 5] if rng.random() < 0.8]
        rows = [rows[at] for at in rng.permutation(len(rows))] or [(0, int(numbers[0]))]
        if rng.random() < 0.3:
            rows.insert(1, (0, 0))
        column = rng.choice(["label", "index"])
        table = pd.DataFrame(rows, columns=["frame", column]).astype({column: np.int64})
        return table.assign(area=rng.normal(size=len(table)))

    @property
    def keys(self):
        """The cells of the table, row by row."""
        labels = self.rows["label" if "label" in self.rows else "index"]
        return [
            (self.name, int(frame), int(label))
            for frame, label in zip(self.rows["frame"], labels, strict=True)
            if label != 0
        ]

    def key_of(self, pixel):
        """The key of the cell that a pixel is part of."""
        label = int(self.data[tuple(pixel)])
        return (self.name, int(pixel[0]) if self.is_film else 0, label) if label != 0 else None

    def others(self):
        """Layers of other dimensions in the same viewer."""
        rng = self.rng
        return [Image(np.zeros((2, 3, 4, 5, 6)), name="5-D"), Image(np.zeros((8, 9)), name="2-D", scale=(0.5, 2))][
            : int(rng.integers(3))
        ]

    def turn_to_some_slice(self, viewer):
        """Look at a slice through a pixel, with any axes in view; return the axes of the layer that are."""
        rng, ndim = self.rng, self.data.ndim
        if self.placed.angle == 0 and ndim > 2 and rng.random() < 0.4:
            last = viewer.dims.ndim - ndim + rng.permutation(ndim)
            viewer.dims.order = (*range(viewer.dims.ndim - ndim), *(int(axis) for axis in last))
        world = self.placed.world([rng.integers(side) for side in self.data.shape])
        viewer.dims.set_point(range(viewer.dims.ndim - ndim, viewer.dims.ndim), world)
        return tuple(axis - (viewer.dims.ndim - ndim) for axis in viewer.dims.displayed)

    def pixels_in_view(self, viewer):
        """The pixels of the slice in view."""
        missing = viewer.dims.ndim - self.data.ndim
        middle = self.placed.pixel(viewer.dims.point[missing:])
        shown = [axis - missing for axis in viewer.dims.displayed]
        hidden = [axis for axis in range(self.data.ndim) if axis not in shown]
        pixels = np.argwhere(np.ones(self.data.shape))
        for pixel in pixels[(pixels[:, hidden] == np.round(middle[hidden])).all(axis=1)].tolist():
            yield tuple(pixel)

    def place_in_view(self, pixels, viewer):
        """World coordinates of the middle of a pixel, or of many, of the axes in view."""
        missing = viewer.dims.ndim - self.data.ndim
        return self.placed.world(pixels)[..., [axis - missing for axis in viewer.dims.displayed]]

    def centres(self, viewer):
        """The middle of each pixel of the slice in view."""
        pixels = list(self.pixels_in_view(viewer))
        places = self.place_in_view(np.reshape(pixels, (-1, self.data.ndim)), viewer)
        return dict(zip(pixels, places, strict=True))


@pytest.fixture(params=SEEDS)
def scenario(request):
    return Scenario(request.param)


def test_what_is_selected_is_lit_and_nothing_else(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    rng = scenario.rng
    light = stage.link.sources[0].highlight
    for share in (0.2, 0.6, 0):
        chosen = {key for key in scenario.keys if rng.random() < share}
        stage.select(chosen)
        assert light.visible == bool(chosen)
        levels = light.data if scenario.multiscale else [light.data]
        for level, lit in enumerate(levels if chosen else []):
            expected = np.zeros(scenario.levels[level].shape)
            for pixel in np.ndindex(*expected.shape):
                fine = (*pixel[:-2], *(2**level * at for at in pixel[-2:]))
                expected[pixel] = scenario.key_of(fine) in chosen
            np.testing.assert_array_equal(np.asarray(lit), expected)
    np.testing.assert_allclose(light.affine.affine_matrix, scenario.layer.affine.affine_matrix)
    for pixel in rng.integers(0, 9, (5, scenario.data.ndim)):
        np.testing.assert_allclose(light.data_to_world(pixel), scenario.placed.world(pixel), atol=1e-9)


def test_the_light_shows_the_slice_in_view(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    light = stage.link.sources[0].highlight
    stage.viewer.add_layer(light)  # so that napari slices it, as the window does otherwise
    chosen = set(scenario.keys[::2])
    stage.select(chosen)
    for _ in range(4):
        scenario.turn_to_some_slice(stage.viewer)
        for pixel in scenario.pixels_in_view(stage.viewer):
            world = np.array(stage.viewer.dims.point)
            world[list(stage.viewer.dims.displayed)] = scenario.place_in_view(pixel, stage.viewer)
            value = light.get_value(tuple(world), world=True)
            if not scenario.multiscale:
                assert value == (scenario.key_of(pixel) in chosen)


def test_a_click_selects_the_cell_of_the_pixel(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    rng, viewer = scenario.rng, stage.viewer
    known = set(scenario.keys)
    for _ in range(8):
        stage.select(scenario.keys[:1])
        shown = list(scenario.turn_to_some_slice(viewer))
        places = scenario.place_in_view(np.argwhere(np.ones(scenario.data.shape)), viewer)
        place = rng.uniform(places.min(axis=0) - 1, places.max(axis=0) + 1)
        missing = viewer.dims.ndim - scenario.data.ndim
        world = np.array(viewer.dims.point)[missing:]
        world[shown] = place
        pixel = np.round(scenario.placed.pixel(world)).astype(int)
        inside = all(0 <= at < side for at, side in zip(pixel, scenario.data.shape, strict=True))
        key = scenario.key_of(pixel) if inside else None
        around = (
            scenario.data[
                tuple(slice(max(at - 2, 0), at + 3) if axis in shown else at for axis, at in enumerate(pixel))
            ]
            if inside
            else []
        )
        if scenario.multiscale and len(np.unique(around)) != 1:
            continue  # a coarser scale may be in view, and is another picture at the cells' edges
        stage.told.clear()
        stage.click(place)
        assert stage.selected == ({key} & known)
        assert bool(stage.told) == (key is not None and key not in known)


def test_a_lasso_selects_the_cells_of_which_half_lies_within(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    rng, viewer = scenario.rng, stage.viewer
    stage.map.points.visible = False
    for _ in range(4):
        scenario.turn_to_some_slice(viewer)
        centres = scenario.centres(viewer)
        low, high = (extreme(list(centres.values()) or [(0, 0)], axis=0) for extreme in (np.min, np.max))
        corners = rng.uniform(low - 3, high + 3, (rng.integers(3, 9), 2))
        expected = brute_within(scenario, centres, partial(winds_round, corners=corners), 0.5)
        stage.session.selection.clear()
        stage.draw(Lasso(corners))
        assert stage.selected == expected & set(scenario.keys)
        unknown = len(expected - set(scenario.keys))
        count = "1 cell" if unknown == 1 else f"{unknown} cells"
        said = f"Not on the map: {count} in this region, with no row in the table or left out."
        assert stage.told == ([said] if unknown else [])


def test_a_brush_selects_the_cells_that_it_touches(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    rng, viewer = scenario.rng, stage.viewer
    stage.map.points.visible = False
    for radius in (0.05, 0.8, 3.0, 30.0):
        scenario.turn_to_some_slice(viewer)
        centres = scenario.centres(viewer)
        low, high = (extreme(list(centres.values()) or [(0, 0)], axis=0) for extreme in (np.min, np.max))
        path = rng.uniform(low - 3, high + 3, (rng.integers(1, 5), 2))
        passed = passed_pixels(scenario, path, viewer)
        away = {pixel: distance_to(centre, path) for pixel, centre in centres.items()}
        least, most = (
            brute_within(scenario, away, lambda distance, reach=reach: distance <= reach, 0)
            for reach in (0.998 * radius, 1.002 * radius)
        )
        passed = {scenario.key_of(pixel) for pixel in passed & set(centres)} - {None}
        stage.session.selection.clear()
        stage.draw(BrushStroke(path, radius))
        known = set(scenario.keys)
        assert (least | passed) & known <= stage.selected <= (most | touched_roughly(scenario, away)) & known


def test_the_points_of_the_map_are_the_rows_of_the_table(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    rng, points, keys = scenario.rng, stage.map.points, scenario.keys
    assert len(points.data) == len(keys)
    for _ in range(2):
        rows = {int(row) for row in rng.integers(0, len(keys), 3)}
        points.selected_data = rows
        assert stage.selected == {keys[row] for row in rows}
        chosen = {key for key in keys if rng.random() < 0.5}
        stage.select(chosen)
        assert {keys[row] for row in points.selected_data} == chosen
        gone = int(rng.integers(len(keys)))
        if len(keys) > 2:
            points.selected_data = {gone}
            points.remove_selected()
            keys = keys[:gone] + keys[gone + 1 :]


def test_where_a_cell_is(scenario):
    stage = Stage(scenario.layer, others=scenario.others())
    (source,), viewer = stage.sources, stage.viewer
    for key in [*scenario.keys[:6], ("cells", 0, 12345), ("cells", 99, 3)]:
        pixels = {pixel for pixel in np.ndindex(*scenario.data.shape) if scenario.key_of(pixel) == key}
        place = source.position(*key[1:])
        assert (place is None) == (not pixels)
        scenario.turn_to_some_slice(viewer)
        in_view = scenario.data.ndim == 2 or bool(pixels & set(scenario.pixels_in_view(viewer)))
        assert source.is_in_view(*key[1:], View.of(viewer)) == in_view
        if not pixels:
            stage.link.go_to(key)
            assert stage.told[-1] == f'Cell {key[2]} of "cells" is not in any open layer.'
            continue
        pixel = tuple(int(at) for at in np.round(scenario.placed.pixel(place)))
        assert pixel in pixels
        stage.link.go_to(key)
        np.testing.assert_allclose(viewer.scene.camera.center[-2:], scenario.place_in_view(pixel, viewer))
        if np.all(scenario.placed.scale == scenario.placed.scale[0]):
            assert pixel in set(scenario.pixels_in_view(viewer))


@pytest.mark.parametrize("seed", range(0, 24, 3))
def test_pooled_layers_keep_equal_keys_apart(seed):
    one, two = Scenario(seed, "one"), Scenario(seed + 4, "two")
    stage = Stage(one.layer, two.layer)
    rng = one.rng
    assert [tuple(key) for key in stage.cells.keys] == one.keys + two.keys
    chosen = {key for key in one.keys + two.keys if rng.random() < 0.4}
    stage.select(chosen)
    for scenario in (one, two):
        light = next(one.highlight for one in stage.link.sources if one.name == scenario.name)
        if light.visible:
            lit = np.asarray(light.data[0] if scenario.multiscale else light.data)
            for pixel in np.ndindex(*lit.shape):
                assert lit[pixel] == (scenario.key_of(pixel) in chosen)
        else:
            assert not {key for key in chosen if key[0] == scenario.name}


def brute_within(scenario, measured, holds, share):
    """The cells of the slice in view of whose pixels enough lie within, by what is known of each pixel."""
    inside, every = {}, {}
    for pixel, known in measured.items():
        key = scenario.key_of(pixel)
        if key is not None:
            every[key] = every.get(key, 0) + 1
            inside[key] = inside.get(key, 0) + bool(holds(known))
    return {key for key in every if inside[key] > 0 and inside[key] >= share * every[key]}


def passed_pixels(scenario, path, viewer):
    """The pixels whose inside a line passes through."""
    missing = viewer.dims.ndim - scenario.data.ndim
    shown = [axis - missing for axis in viewer.dims.displayed]
    ends = zip(path, [*path[1:], path[-1]], strict=True)
    along = np.concatenate([start + np.linspace(0, 1, 300)[:, None] * (end - start) for start, end in ends])
    worlds = np.tile(np.array(viewer.dims.point)[missing:], (len(along), 1))
    worlds[:, shown] = along
    places = scenario.placed.pixel(worlds)
    pixels = np.round(places)
    inside = (np.abs(places - pixels)[:, shown] < 0.4).all(axis=1)
    return set(map(tuple, pixels[inside].astype(int).tolist()))


def touched_roughly(scenario, away):
    """Cells with a pixel that a line passes through, or nearly does; of these a fine brush may take some."""
    reach = np.linalg.norm(scenario.placed.scale) / 2
    return {scenario.key_of(pixel) for pixel, distance in away.items() if distance <= reach} - {None}


def test_numbers_that_no_key_can_hold_are_no_cells():
    pixels = np.zeros((12, 12), dtype=np.uint64)
    pixels[1:4, 1:4], pixels[6:9, 6:9] = 7, 2**63 + 7
    stage = Stage(Labels(pixels, name="cells", features=pd.DataFrame({"index": [7], "area": [9.0]})))
    (source,), view = stage.sources, View.of(stage.viewer)
    assert source.at(stage.at((2, 2)), view) == (0, 7)
    assert source.at(stage.at((7, 7)), view) is None
    stage.click((7, 7))
    assert stage.selected == set()
    stage.draw(Lasso(np.array([[-1, -1], [-1, 11], [11, 11], [11, -1]])))
    assert stage.selected == {("cells", 0, 7)}
