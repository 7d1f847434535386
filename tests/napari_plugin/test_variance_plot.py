import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt

from latentmap.napari_plugin.panel.variance_plot import VariancePlot
from latentmap.napari_plugin.scene.colours import SCALE

VARIANCES = 10 ** np.random.default_rng(0).normal(-1.5, 0.6, 2000)
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def pointed_at():
    return []


@pytest.fixture
def plot(qtbot, pointed_at):
    plot = VariancePlot()
    qtbot.addWidget(plot)
    plot.threshold.connect(pointed_at.append)
    plot.setStyleSheet("background-color: rgb(38, 41, 48); color: rgb(240, 241, 242)")
    plot.resize(360, 130)
    plot.show()
    plot.show_variances(VARIANCES)
    return plot


def at(plot, variance):
    return QPoint(round(plot.x_of(variance)), 60)


def pixels(plot):
    picture = plot.grab().toImage()
    return np.array(
        [[picture.pixelColor(x, y).getRgb()[:3] for x in range(picture.width())] for y in range(picture.height())]
    )


def test_a_click_tells_the_variance_there_and_counts_the_cells_above(qtbot, plot, pointed_at):
    assert plot.text == [f"median {np.median(VARIANCES):.3g}"]
    qtbot.mouseClick(plot, LEFT, pos=at(plot, 0.1))
    assert pointed_at == [pytest.approx(0.1, rel=0.02)]
    above = np.sum(pointed_at[0] < VARIANCES)
    assert plot.text[1] == f"above {pointed_at[0]:.3g}: {above} cells ({above / 20:.2g} %)"


def test_a_drag_tells_only_where_it_ends(qtbot, plot, pointed_at):
    qtbot.mousePress(plot, LEFT, pos=at(plot, 0.01))
    qtbot.mouseMove(plot, at(plot, 0.1))
    assert pointed_at == []
    qtbot.mouseRelease(plot, LEFT, pos=at(plot, 0.2))
    assert pointed_at == [pytest.approx(0.2, rel=0.02)]


def test_the_right_button_tells_nothing(qtbot, plot, pointed_at):
    qtbot.mouseClick(plot, Qt.MouseButton.RightButton, pos=at(plot, 0.1))
    assert pointed_at == []


def test_beyond_the_axis_is_its_end(qtbot, plot, pointed_at):
    qtbot.mouseClick(plot, LEFT, pos=QPoint(0, 60))
    qtbot.mouseClick(plot, LEFT, pos=QPoint(plot.width() - 1, 60))
    assert pointed_at == [pytest.approx(VARIANCES.min()), pytest.approx(VARIANCES.max())]


def test_places_and_variances_are_each_other_s_inverse(plot):
    for variance in (0.005, 0.03, 0.4):
        assert plot.variance_at(plot.x_of(variance)) == pytest.approx(variance)


def test_bars_have_the_colours_that_the_points_have(plot):
    drawn = pixels(plot)
    floor = plot.height() - 2 * 17 - 4 - 2
    low, high = (np.round(255 * SCALE.map(end).ravel()[:3]) for end in (0.0, 1.0))
    bottom, top = np.quantile(VARIANCES, [0.01, 0.99])
    np.testing.assert_allclose(drawn[floor, round(plot.x_of(bottom))], low, atol=1)
    np.testing.assert_allclose(drawn[floor, round(plot.x_of(top))], high, atol=1)


def test_bars_are_as_high_as_there_are_cells(plot):
    drawn, background = pixels(plot), (38, 41, 48)

    def height(variance):
        column = drawn[20:90, round(plot.x_of(variance)) + 3]
        return (column != background).any(axis=1).sum()

    assert height(10**-1.5) > height(10**-2.3) > height(10**-2.9) > 0


def test_the_axis_is_in_the_theme_s_colour(plot):
    axis = plot.height() - 2 * 17 - 4
    for colour in ((240, 241, 242), (59, 58, 57)):
        plot.setStyleSheet(f"color: rgb{colour}")
        np.testing.assert_array_equal(pixels(plot)[axis, 100], colour)


def test_without_a_map_there_is_nothing_to_point_at(qtbot, plot, pointed_at):
    plot.show_variances(None)
    qtbot.mouseClick(plot, LEFT, pos=QPoint(100, 60))
    assert pointed_at == []
    assert plot.text == []
    with pytest.raises(ValueError, match="no variances"):
        plot.variance_at(100)


@pytest.mark.parametrize("odd", [np.full(5, 0.3), np.array([0.1, 0.2, np.nan, 0.0]), np.full(3, np.nan), np.empty(0)])
def test_variances_of_which_no_histogram_can_be_made_do_no_harm(plot, odd):
    plot.show_variances(odd)
    plot.grab()
    assert plot.text == (
        [f"median {0.3 if odd[0] == 0.3 else 10 ** np.log10([0.1, 0.2]).mean():.3g}"] if (odd > 0).any() else []
    )
