import numpy as np

from latentmap.display.colours import MISSING_COLOUR, rgba
from latentmap.session import ColourGroups, ColourScale

SHADES = np.repeat(np.linspace(0.1, 1, 9)[:, None], 4, axis=1)


def test_a_scale_runs_from_dark_to_bright_and_leaves_gaps_grey():
    found = rgba(ColourScale("area", np.array([0.0, 0.5, 1.0, np.nan]), 0, 10), SHADES)
    assert (np.diff(found[:3, :3].sum(axis=1)) > 0).all()
    np.testing.assert_allclose(found[3], MISSING_COLOUR)


def test_groups_have_their_own_colours():
    found = rgba(ColourGroups("class", np.array([1, 0, -1]), ("a", "b"), ("#ff0000", "#0000ff")), SHADES)
    np.testing.assert_allclose(found[:2, :3], [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_allclose(found[2], MISSING_COLOUR)
