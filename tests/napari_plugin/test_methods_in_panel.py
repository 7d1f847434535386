"""Every method from the panel: chosen, run, followed, stopped; and comparisons made by clicking."""

import numpy as np
import pytest
from qtpy.QtCore import Qt

from latentmap.display.colours import NOTHING
from latentmap.display.methods import METHODS
from latentmap.methods import available

LEFT = Qt.MouseButton.LeftButton
OTHERS = [name for name in available() if name not in ("lvm", "comparisons")]


def choose(panel, method, **options):
    panel.form.method.value = method
    known = available()[method]().get_params()
    for name, value in options.items():
        if name in known:
            panel.parameters.set_of_method(name, value)


@pytest.mark.parametrize("method", OTHERS)
def test_a_method_is_chosen_and_makes_the_map(qtbot, viewer, panel, cells, finish, method):
    choose(panel, method, max_iter=15, n_neighbors=6)
    told = []
    panel.session.runs.progressed.connect(lambda run: told.append(panel.progress.text))
    qtbot.mouseClick(panel.embed_button.native, LEFT)
    finish()
    result = panel.result
    points = viewer.layers["map of cells"]
    np.testing.assert_array_equal(points.features[["map_1", "map_2"]], result.embedding)
    assert ("variance" in points.features) == result.has_variances == panel.kept.variances.isVisible()
    assert available()[method].title in panel.session.runs.current.name
    assert available()[method].sought in panel.progress.text
    assert any(told)
    assert set(panel.form.others[method].fields) == set(METHODS[method].fields)


def test_a_long_one_shows_its_progress_and_cancels_with_its_map(qtbot, viewer, panel, cells, finish):
    choose(panel, "elastic-embedding", n_neighbors=6, max_iter=100_000, tol=0.0)
    qtbot.mouseClick(panel.embed_button.native, LEFT)
    qtbot.wait_until(lambda: "cost" in panel.progress.text, timeout=60_000)
    qtbot.mouseClick(panel.cancel_button.native, LEFT)
    finish()
    assert panel.session.runs.current.status == "stopped"
    points = viewer.layers["map of cells"]
    np.testing.assert_array_equal(points.features[["map_1", "map_2"]], panel.result.embedding)


def test_cells_are_coloured_grey_and_the_legend_says_why_where_there_are_no_variances(viewer, panel, cells, finish):
    choose(panel, "elastic-embedding", n_neighbors=6, max_iter=5)
    panel.embed()
    finish()
    assert "there are no such numbers" in panel.explore.colours.legend.text
    colours = viewer.layers["map of cells"].face_color
    np.testing.assert_allclose(colours, np.broadcast_to(NOTHING, colours.shape), atol=0.01)


class TestComparisons:
    @pytest.fixture(autouse=True)
    def chosen(self, panel, cells):
        panel.form.method.value = "comparisons"

    def test_without_any_the_panel_says_how_to_make_them(self, qtbot, panel, finish):
        qtbot.mouseClick(panel.embed_button.native, LEFT)
        finish()
        assert "click three cells" in panel.status.value

    def test_three_clicks_are_one_and_the_map_learns_from_them(self, qtbot, viewer, panel, finish):
        section = panel.comparing
        assert section.native.isVisible()
        section.on.value = True
        assert "Click a cell" in section.words.value
        numbers = panel.session.register.enter(panel.cells.cells.features.index)
        for cell, words in ((0, "more like"), (2, "less like"), (1, "1 comparison;")):
            panel.session.selection.choose([numbers[cell]], how="click in the image")
            assert words in section.words.value
        panel.parameters.set_of_method("max_iter", 20)
        qtbot.mouseClick(panel.embed_button.native, LEFT)
        finish()
        assert panel.result.taught.tolist() == [[0, 2, 1]]
        assert "map of cells" in viewer.layers

    def test_another_method_ends_it(self, panel):
        panel.comparing.on.value = True
        panel.form.method.value = "lvm"
        assert not panel.session.comparing.on
        assert not panel.comparing.native.isVisible()
