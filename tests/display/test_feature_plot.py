"""What a plot of features draws, in pixels."""

import numpy as np
import pytest

from latentmap.display import feature_plot
from latentmap.display.feature_plot import FeaturePlot, Limits
from latentmap.session import Axis

AXES = (Axis("area"), Axis("CD4"))
RED, BLUE = (255, 0, 0), (0, 0, 255)
UNIT = Limits(0.0, 1.0, 0.0, 1.0)


def picture(plot, colours, selected=(), limits=UNIT, size=(100, 50)):
    marked = np.isin(np.arange(len(plot.positions)), selected)
    return plot.picture(limits, size, np.array(colours), marked)


def test_points_lie_where_their_values_are_and_others_dim_when_some_are_selected():
    plot = FeaturePlot(AXES, np.array([[0.255, 0.75], [0.755, 0.25], [np.nan, 0.5], [40.0, 0.5]]))
    drawn = picture(plot, [RED, BLUE, RED, RED])
    assert drawn[12, 25].tolist() == [*RED, 255]
    assert drawn[37, 75].tolist() == [*BLUE, 255]
    assert not drawn[25].any()  # neither a cell without a value nor one out of view
    drawn = picture(plot, [RED, BLUE, RED, RED], selected=[1])
    assert drawn[37, 75].tolist() == [*BLUE, 255]
    assert drawn[12, 25, :3].tolist() == list(RED)
    assert 0 < drawn[12, 25, 3] < 100
    # Zoomed in on the selected cell.
    closer = picture(plot, [RED, BLUE, RED, RED], limits=Limits(0.705, 0.805, 0.2, 0.3))
    assert closer[25, 50].tolist() == [*BLUE, 255]


def test_many_cells_are_a_density_in_the_mean_colour_of_their_classes(monkeypatch):
    monkeypatch.setattr(feature_plot, "MOST_POINTS", 100)
    dense = np.tile([[0.1, 0.9]], (150, 1))
    plot = FeaturePlot(AXES, np.vstack([dense, [[0.9, 0.1]], [[0.5, 0.5]], [[0.5, 0.5]]]))
    colours = [RED] * 151 + [RED, BLUE]
    drawn = picture(plot, colours)
    assert drawn[5, 10].tolist() == [*RED, 255]
    assert drawn[25, 50, :3].tolist() == [128, 0, 128]
    assert 0 < drawn[45, 90, 3] < drawn[25, 50, 3] < 255
    lit = picture(plot, colours, selected=[150])
    assert lit[45, 90].tolist() == [*RED, 255]
    assert lit[5, 10, 3] < 100


def test_a_histogram_has_bars_as_high_as_cells_are_many_with_the_selected_ones_at_the_foot():
    values = np.repeat([0.0, 1.0], [40, 10])[:, None]
    plot = FeaturePlot(AXES[:1], values)
    limits = plot.limits
    assert limits == Limits(-0.04, 1.04, 0.0, 42.0)
    drawn = plot.picture(limits, (108, 84), np.array([RED] * 50), np.arange(50) < 20)
    left, right = drawn[:, 5], drawn[:, 103]
    assert (left[:, 3] > 0).sum() == 80
    assert (left[:, 3] == 255).sum() == 40
    assert (right[:, 3] > 0).sum() == 20
    assert not drawn[:, 50].any()
    assert [text for _, text in plot.ticks(limits)[1]] == ["0", "10", "20", "30", "40"]


@pytest.mark.parametrize(
    "values", [np.empty((0, 2)), np.full((3, 2), np.nan), [[2.0, 3.0]], [[1e300, 0.0], [0.0, 1.0]]]
)
def test_no_cell_one_cell_and_far_cells_are_drawn(values):
    for n_axes in (1, 2):
        plot = FeaturePlot(AXES[:n_axes], np.array(values)[:, :n_axes])
        drawn = picture(plot, np.zeros((len(values), 3)), limits=plot.limits)
        assert drawn.shape == (50, 100, 4)
        assert drawn.any() == plot.shown.any()
        assert all(len(ticks) for ticks in plot.ticks(plot.limits))
