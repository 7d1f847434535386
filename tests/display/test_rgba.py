import numpy as np

from latentmap.display.colours import MISSING_COLOUR, coded_colours, rgba
from latentmap.session import ColourGroups, ColourScale

SHADES = np.repeat(np.linspace(0.1, 1, 9)[:, None], 4, axis=1)


def test_a_scale_runs_from_dark_to_bright_and_leaves_gaps_grey():
    found = rgba(ColourScale("area", np.array([0.0, 0.5, 1.0, np.nan]), 0, 10), SHADES)
    assert (np.diff(found[:3, :3].sum(axis=1)) > 0).all()
    np.testing.assert_allclose(found[3], MISSING_COLOUR)


def test_bytes_are_the_same_colours():
    scale = ColourScale("area", np.array([0.0, 0.3, 1.0, np.nan]), 0, 10)
    found = coded_colours(scale, SHADES).in_bytes()[:]
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, np.rint(255 * rgba(scale, SHADES)))


def test_groups_have_their_own_colours():
    found = rgba(ColourGroups("class", np.array([1, 0, -1]), ("a", "b"), ("#ff0000", "#0000ff")), SHADES)
    np.testing.assert_allclose(found[:2, :3], [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_allclose(found[2], MISSING_COLOUR)
