import numpy as np
import pytest

from latentmap.display.thinning import thin_points


@pytest.fixture
def positions():
    return np.random.default_rng(3).normal(size=(5000, 2))


@pytest.mark.parametrize("most", [1, 4, 5, 300, 4999])
def test_as_many_points_as_asked_for(positions, most):
    wanted = np.arange(len(positions)) % 10 > 0
    chosen = thin_points(positions, wanted, None, most)
    assert not (chosen & ~wanted).any()
    # The outermost points are drawn in any case.
    assert chosen.sum() == max(min(most, wanted.sum()), 4)


def test_zooming_in_never_removes_a_point(positions):
    everyone, drawn = np.ones(len(positions), dtype=bool), np.zeros(len(positions), dtype=bool)
    for reach in (9, 2, 1, 0.5, 0.2, 0.05):
        inside = (np.abs(positions) <= reach).all(axis=1)
        chosen = thin_points(positions, everyone, np.array([[-reach] * 2, [reach] * 2]), 100)
        assert not (drawn & inside & ~chosen).any()
        drawn = chosen
    assert (chosen >= inside).all()  # where all have room


def test_the_ends_are_drawn(positions):
    wanted = positions[:, 0] < 1
    chosen = thin_points(positions, wanted, None, 10)
    for axis in (0, 1):
        seen, there = positions[chosen, axis], positions[wanted, axis]
        assert (seen.min(), seen.max()) == (there.min(), there.max())
