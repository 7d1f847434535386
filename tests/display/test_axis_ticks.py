import numpy as np
import pytest

from latentmap.display.axis_ticks import axis_ticks, linear_ticks, log_ticks
from latentmap.session import Axis


def test_ticks_of_a_logarithmic_axis_are_round_few_and_inside():
    for low, high in [(-9.7, 12.2), (-3, 0), (-1.2, -0.2), (-0.1, 0.15), (0.301, 0.3011)]:
        values = log_ticks(low, high)
        assert 2 <= len(values) <= 10
        assert values == sorted(values)
        assert all(low - 1e-3 <= np.log10(value) <= high + 1e-3 for value in values)


@pytest.mark.parametrize("ends", [(-3, 5), (0, 1), (1e6, 1e6 + 1), (-1e-9, 2e-9), (4.5, 4.5)])
def test_ticks_of_a_linear_axis_are_few_inside_and_at_equal_distances(ends):
    values = linear_ticks(*ends, 6)
    assert 1 <= len(values) <= 7
    assert all(ends[0] - 1e-12 <= value <= ends[1] + 1e-12 for value in values)
    assert np.allclose(np.diff(values, 2), 0, atol=1e-9 * (abs(ends[1]) + 1))


@pytest.mark.parametrize("ends", [(-8, 8), (0.1, 0.2), (5, 6), (-0.5, 9)])
def test_ticks_of_an_arcsinh_axis_stand_where_their_values_lie(ends):
    axis = Axis("CD4", "arcsinh", 5.0)
    ticks = axis_ticks(axis, *ends)
    assert 2 <= len(ticks) <= 8
    assert [at for at, _ in ticks] == sorted(at for at, _ in ticks)
    for at, text in ticks:
        assert ends[0] - 1e-9 <= at <= ends[1] + 1e-9
        assert np.isclose(axis.values(np.array(at)), float(text), rtol=1e-4)
