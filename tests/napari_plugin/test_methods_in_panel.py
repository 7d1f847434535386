"""Every method from the panel: chosen, run, followed, stopped; and comparisons made by clicking."""

import numpy as np
import pytest
from holding import before_the_map, hold, with_a_map
from qtpy.QtCore import Qt

from latentmap.display.colours import MISSING_COLOUR
from latentmap.methods import METHODS, available

LEFT = Qt.MouseButton.LeftButton
OTHERS = [name for name in available() if name not in ("lvm", "comparisons")]


def choose(panel, method, **options):
    panel.form.method.value = method
    known = available()[method]().get_params()
    for name, value in options.items():
        if name in known:
            panel.parameters.set_of_method(name, value)


def forget(viewer, panel):
    """Have no map, as at first."""
    for run in list(panel.session.runs):
        panel.session.runs.delete(run)
    assert panel.result is None
    assert [layer.name for layer in viewer.layers] == ["cells"]


def test_each_method_is_chosen_and_makes_the_map(subtests, qtbot, viewer, panel, cells, finish):
    told = []
    panel.session.runs.progressed.connect(lambda run: told.append(panel.progress.text))
    for method in OTHERS:
        with subtests.test(method):
            forget(viewer, panel)
            choose(panel, method, max_iter=15, n_neighbors=6)
            told.clear()
            qtbot.mouseClick(panel.embed_button.native, LEFT)
            finish()
            result = panel.result
            points = viewer.layers["map of cells"]
            np.testing.assert_array_equal(points.features[["map_1", "map_2"]], result.embedding)
            assert ("variance" in points.features) == result.has_variances == panel.kept.variances.isVisible()
            assert available()[method].title in panel.session.runs.current.name
            assert available()[method].objective_name in panel.progress.text
            assert any(told)
            assert set(panel.form.sections[method].fields) == set(METHODS[method].fields)


def test_the_network_learns_from_pictures_of_the_cells(qtbot, viewer, panel, labels, finish):
    viewer.add_labels(labels, name="cells")
    viewer.add_image(np.random.default_rng(0).random(labels.shape), name="DNA")
    qtbot.mouseClick(panel.cells.measuring.pictures.native, LEFT)
    qtbot.mouseClick(panel.cells.measuring.button.native, LEFT)
    finish()
    assert "The pixels of their pictures are 256 more features, which are not ticked." in panel.status.value
    features = panel.form.features
    others = {name for name in features.choices if "pixel" not in name and not name.startswith("centroid")}
    assert set(panel.parameters.features) == others != set()
    qtbot.keyClicks(features.search, "pixel")
    qtbot.mouseClick(features.only, LEFT)
    assert panel.parameters.features == tuple(name for name in features.choices if name.startswith("DNA_pixel_"))
    assert len(panel.parameters.features) == 256
    choose(panel, "siamese", max_iter=5)
    qtbot.mouseClick(panel.embed_button.native, LEFT)
    finish()
    assert panel.result.estimator["map"].n_features_in_ == 256
    assert len(viewer.layers["map of cells"].data) == len(np.unique(labels)) - 1


def test_maps_that_were_told_otherwise_are_not_called_the_same(panel, cells, finish):
    choose(panel, "siamese", max_iter=2, n_neighbors=6)
    panel.embed()
    finish()
    keys = panel.cells.cells.features.index
    numbers = panel.session.cell_index.add(keys)
    panel.session.classes.assign("left", numbers[:20])
    panel.session.classes.assign("right", numbers[20:35])
    panel.embed()
    finish()
    assert panel.kept.difference.value.endswith(": 2 classes of 35 cells instead of neighbours alone.")
    panel.embed()
    assert not panel.running
    assert "its cells and parameters are the same" in panel.status.value


@pytest.fixture
def cancelled(qtbot, panel, cells, finish, monkeypatch):
    """From where a run is to be met to the run, which was cancelled by the button there."""

    def cancel(when):
        with monkeypatch.context() as patch:
            held = hold(patch, available()[panel.parameters.method], when)
            qtbot.mouseClick(panel.embed_button.native, LEFT)
            run = panel.session.runs.active
            qtbot.wait_until(held.reached.is_set, timeout=60_000)
            assert panel.cancel_button.enabled
            qtbot.mouseClick(panel.cancel_button.native, LEFT)
            assert panel.status.value == "Stopping after this step …"
            held.open.set()
            finish()
        assert (run.status, run.error, held.n_after) == ("stopped", None, 0)
        assert panel.embed_button.enabled
        assert not panel.cancel_button.enabled
        assert not panel.pause_button.enabled
        return run

    return cancel


def test_each_is_cancelled_before_there_is_a_map_and_with_one(subtests, viewer, panel, cells, cancelled):
    numbers = panel.session.cell_index.add(panel.cells.cells.features.index)
    panel.session.comparisons.restore([numbers[[0, 2, 1]], numbers[[3, 5, 4]], numbers[[7, 9, 10]]])
    for method in available():
        with subtests.test(method):
            forget(viewer, panel)
            choose(panel, method, max_iter=100_000, n_neighbors=6)
            assert cancelled(before_the_map).result is None
            assert panel.status.value == "Stopped before there was a map."
            assert "map of cells" not in viewer.layers
            run = cancelled(with_a_map)
            assert run.result.quality == {}
            assert panel.session.runs.current is run
            assert "60 cells on the map" in panel.status.value
            points = viewer.layers["map of cells"]
            np.testing.assert_array_equal(points.features[["map_1", "map_2"]], run.result.embedding)


@pytest.mark.parametrize(
    ("method", "name", "value", "depending"),
    [
        ("elastic-embedding", "attraction", "neighbors", "width"),
        ("laplacian-eigenmaps", "weights", "gaussian", "width"),
        ("lle", "variant", "standard", "reg"),
    ],
)
def test_what_does_nothing_beside_another_is_not_shown(panel, method, name, value, depending):
    choose(panel, method)
    section = panel.form.sections[method]
    section.fold.expand(animate=False)
    other = next(other for other in section.fields[name].choices if other != value)
    for chosen, is_shown in ((other, False), (value, True), (other, False)):
        section.fields[name].value = chosen
        assert section.fields[depending].native.isVisible() == is_shown


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
    assert "no cell has a value" in panel.explore.colours.legend.text
    colours = viewer.layers["map of cells"].face_color
    np.testing.assert_allclose(colours, np.broadcast_to(MISSING_COLOUR, colours.shape), atol=0.01)


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
        numbers = panel.session.cell_index.add(panel.cells.cells.features.index)
        for cell, words in ((0, "more like"), (2, "less like"), (1, "1 comparison;")):
            panel.session.selection.select([numbers[cell]], how="click in the image")
            assert words in section.words.value
        panel.parameters.set_of_method("max_iter", 20)
        qtbot.mouseClick(panel.embed_button.native, LEFT)
        finish()
        assert panel.result.supervision.tolist() == [[0, 2, 1]]
        assert "map of cells" in viewer.layers

    def test_tools_that_take_clicks_are_put_away(self, panel, viewer, cells, hand):
        panel.tools.value = "polygon"
        viewer.layers.selection.active = cells
        cells.mode = "paint"
        panel.comparing.on.value = True
        assert (panel.tools.value, cells.mode) == ("move", "pan_zoom")
        assert 'the tool "paint" of "cells", the polygon' in panel.status.value
        cells.mode = "paint"
        cells.selected_label = 7
        hand.click((5, 5))
        assert 'The tool "paint" of "cells" takes the clicks' in panel.status.value
        assert not panel.session.comparisons.picked
        panel.tools.value = "polygon"
        assert not panel.session.comparisons.on
        assert "Comparing is off" in panel.status.value

    def test_another_method_ends_it(self, panel):
        panel.comparing.on.value = True
        panel.form.method.value = "lvm"
        assert not panel.session.comparisons.on
        assert not panel.comparing.native.isVisible()
