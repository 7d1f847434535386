"""What is drawn holds what a rule written out point by point says."""

import numpy as np
import pytest
from reference.places import distance_to, winds_round

from latentmap.display.region import BrushStroke, Lasso

SHAPE = (31, 43)


class Pixels:
    """A plane of pixels that lies anyhow in the world."""

    def __init__(self, rng, skewed=True):
        turn = rng.uniform(0, 2 * np.pi)
        self.steps = np.diag(rng.choice([0.3, 1, 4], 2))
        if skewed:
            self.steps = self.steps @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]] + [[0, 0.1], [0, 0]]
        self.origin = rng.uniform(-50, 50, 2)

    def of(self, places):
        return (places - self.origin) @ np.linalg.inv(self.steps)

    def centre(self, row, column):
        return self.origin + np.array([row, column]) @ self.steps

    def centres(self):
        """Those of all pixels of the image, row by row."""
        return self.origin + np.argwhere(np.ones(SHAPE)) @ self.steps


def whole(stencil):
    """The pixels covered, in an image of all of them."""
    covered = np.zeros(SHAPE, dtype=bool)
    covered[stencil.window] = stencil.covered
    return covered


@pytest.mark.parametrize("seed", range(30))
def test_a_loop_holds_what_it_goes_round(seed):
    """Also if it crosses itself, reaches beyond the image, or goes round all of it."""
    rng = np.random.default_rng(seed)
    pixels = Pixels(rng)
    middle, reach = pixels.centre(*rng.uniform(-5, SHAPE)), rng.choice([2, 10, 60]) * np.abs(pixels.steps).max()
    corners = middle + rng.normal(scale=reach, size=(rng.integers(3, 12), 2))
    loop = Lasso(corners)
    covered = whole(loop.pixel_mask(pixels.of, SHAPE))
    np.testing.assert_array_equal(covered.ravel(), winds_round(pixels.centres(), corners))
    points = middle + rng.normal(scale=1.5 * reach, size=(300, 2))
    np.testing.assert_array_equal(loop.contains(points), winds_round(points, corners))


@pytest.mark.parametrize("seed", range(30))
def test_a_stroke_holds_what_is_near_its_path(seed):
    rng = np.random.default_rng(seed)
    pixels = Pixels(rng)
    middle, size = pixels.centre(*rng.uniform(-5, SHAPE)), np.abs(pixels.steps).max()
    path = middle + rng.normal(scale=rng.choice([0, 10, 40]) * size, size=(rng.integers(1, 6), 2))
    radius = rng.choice([1.5, 4, 20]) * size
    stroke = BrushStroke(path, radius)
    covered = whole(stroke.pixel_mask(pixels.of, SHAPE))
    points = middle + rng.normal(scale=2 * radius, size=(200, 2))
    alone = np.concatenate([stroke.contains(point[None]) for point in points])
    for places, found in ((pixels.centres(), covered.ravel()), (points, alone)):
        distances = distance_to(places, path)
        is_clear = abs(distances - radius) > 1e-3 * radius
        np.testing.assert_array_equal(found[is_clear], distances[is_clear] < radius)


@pytest.mark.parametrize("seed", range(20))
def test_a_brush_finer_than_the_pixels_takes_those_that_it_passes_over(seed):
    rng = np.random.default_rng(seed)
    pixels = Pixels(rng, skewed=False)
    ends = rng.uniform(-3, np.add(SHAPE, 2), (2, 2))
    path = pixels.centre(0, 0) + ends @ pixels.steps
    covered = whole(BrushStroke(path, 0.05 * np.diag(pixels.steps).min()).pixel_mask(pixels.of, SHAPE))
    clearly, at_all = np.zeros(SHAPE, dtype=bool), np.zeros(SHAPE, dtype=bool)
    places = ends[0] + np.linspace(0, 1, 5000)[:, None] * (ends[1] - ends[0])
    places = places[((np.round(places) >= 0) & (np.round(places) < SHAPE)).all(axis=1)]
    at_all[tuple(np.round(places).astype(int).T)] = True
    well_within = places[np.abs(places - np.round(places)).max(axis=1) < 0.48]
    clearly[tuple(np.round(well_within).astype(int).T)] = True
    assert clearly[~covered].sum() == 0
    assert covered[~at_all].sum() == 0


@pytest.mark.parametrize("n_corners", [0, 1, 2])
def test_a_loop_of_hardly_any_corners_holds_nothing(n_corners):
    corners = np.array([[3.0, 4.0], [20.0, 11.0]])[:n_corners]
    loop = Lasso(corners)
    assert not loop.pixel_mask(lambda places: places, SHAPE).covered.any()
    assert not loop.contains(np.array([[3.0, 4.0], [10.0, 7.0], [5.0, 5.0]])).any()
    assert not loop.contains(np.empty((0, 2))).any()


def test_a_loop_no_larger_than_a_click_holds_nothing():
    loop = Lasso(np.array([[3.0, 4.0], [3.0, 4.2], [3.0, 4.0], [3.0, 3.9]]))
    assert not loop.pixel_mask(lambda places: places, SHAPE).covered.any()
    assert not loop.contains(np.argwhere(np.ones(SHAPE)).astype(float)).any()


def test_a_touch_of_the_brush():
    stroke = BrushStroke(np.array([[3.2, 4.1]]), 1.0)
    assert np.argwhere(whole(stroke.pixel_mask(lambda places: places, SHAPE))).tolist() == [[3, 4], [3, 5], [4, 4]]
    assert stroke.contains(np.array([[3.0, 4.0], [5.0, 4.0]])).tolist() == [True, False]
    assert not stroke.contains(np.empty((0, 2))).any()


@pytest.mark.parametrize(
    "region", [Lasso(np.array([[0, 0], [0, 9], [9, 5]])), BrushStroke(np.array([[0, 0], [0, 9]]), 3)]
)
@pytest.mark.parametrize("shift", [(1000, 5), (-1000, 5), (5, 1e6), (5, -1e6)])
def test_what_is_drawn_beside_the_image_holds_no_pixel(region, shift):
    assert not region.pixel_mask(lambda places: places + np.array(shift), SHAPE).covered.any()


def test_the_overlapping_ends_of_a_lasso_leave_no_hole():
    angles = np.linspace(0, 2.6 * np.pi, 60)
    loop = Lasso(15 + 10 * np.column_stack([np.sin(angles), np.cos(angles)]))
    covered = whole(loop.pixel_mask(lambda places: places, SHAPE))
    assert covered[15, 15]
    assert covered[20, 20]
    assert abs(covered.sum() - np.pi * 100) < 12
