"""The shades of a faint field look even on a dark ground and on a light one."""

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

from latentmap.display.field_shades import field_opacities, field_shades


def on(ground, shades):
    """The colours that an eye sees on a grey ground."""
    opacity = shades[:, 3:]
    return opacity * shades[:, :3] + (1 - opacity) * ground


@pytest.mark.parametrize(("on_dark", "ground"), [(True, 0.0), (False, 1.0)])
def test_equal_steps_look_equal(on_dark, ground):
    seen = rgb2lab(on(ground, field_shades(on_dark, 10)))
    steps = np.abs(np.diff(seen[:, 0]))
    assert steps == pytest.approx(np.full(9, 5.0), abs=0.05)
    assert seen[:, 1:] == pytest.approx(np.zeros((10, 2)), abs=0.1)


@pytest.mark.parametrize(("on_dark", "ground"), [(True, 0.12), (False, 0.97)])
def test_steps_are_seen_on_the_grounds_of_editors_too(on_dark, ground):
    seen = rgb2lab(on(ground, field_shades(on_dark, 10)))
    steps = deltaE_ciede2000(seen[:-1], seen[1:])
    assert steps.min() > 1.5
    assert steps.max() < 3 * steps.min()


def test_nothing_is_drawn_where_the_share_is_nothing_and_points_stay_clear():
    for on_dark in (True, False):
        assert field_opacities(np.array([0.0]), on_dark=on_dark) == pytest.approx([0], abs=1e-3)
        assert field_opacities(np.array([1.0]), on_dark=on_dark)[0] < 0.5
