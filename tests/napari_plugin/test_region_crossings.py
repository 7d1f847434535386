import numpy as np
import pytest
from skimage.measure import points_in_poly

from latentmap.napari_plugin.region import Loop


@pytest.mark.parametrize("seed", range(5))
def test_a_lasso_holds_what_scikit_image_says_even_where_it_crosses_itself(seed):
    rng = np.random.default_rng(seed)
    corners, points = rng.uniform(0, 30, size=(40, 2)), rng.uniform(-5, 35, size=(2000, 2))
    np.testing.assert_array_equal(Loop(corners).holds(points), points_in_poly(points, corners))


@pytest.mark.parametrize("seed", range(5))
def test_the_pixels_of_a_lasso_are_those_whose_middle_it_holds(seed):
    corners = np.random.default_rng(seed).uniform(-8, 28, size=(12, 2))
    stencil = Loop(corners).stencil(lambda places: places, (20, 22))
    covered = np.zeros((20, 22), dtype=bool)
    covered[stencil.window] = stencil.covered
    pixels = np.argwhere(np.ones_like(covered))
    np.testing.assert_array_equal(covered[tuple(pixels.T)], points_in_poly(pixels.astype(float), corners))


def test_nothing_is_held_by_a_line_and_by_a_loop_beside_the_image():
    line = Loop(np.array([[2.0, 1], [2.0, 9], [2.0, 4]]))
    assert not line.holds(np.array([[2.0, 5], [1.0, 5]])).any()
    beside = Loop(np.array([[50.0, 50], [50, 60], [60, 60]]))
    assert not beside.stencil(lambda places: places, (20, 20)).covered.any()
