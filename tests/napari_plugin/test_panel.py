import threading

import numpy as np
import pandas as pd
import pytest
from qtpy.QtCore import Qt

from latentmap.session import ColourBy
from latentmap.table.text_numbers import EXACT

pytestmark = pytest.mark.usefixtures("replayed")


def test_the_empty_state_says_what_to_do(panel):
    assert "Open Sample > latentmap > Tissue" in panel.cells.about.value
    assert not panel.embed_button.enabled
    assert not panel.cells.measuring.visible
    assert panel.cells.sample_button.visible
    assert panel.cells.layers.height() < 30
    panel.embed()
    assert "There are no cells yet" in panel.status.value


def test_two_clicks_in_the_panel_lead_to_a_linked_map_of_the_sample(qtbot, viewer, panel, finish):
    qtbot.mouseClick(panel.cells.sample_button.native, Qt.MouseButton.LeftButton)
    assert not panel.cells.sample_button.visible
    qtbot.mouseClick(panel.embed_button.native, Qt.MouseButton.LeftButton)
    finish()
    mapped = viewer.layers["map of cells"]
    assert len(mapped.data) == len(viewer.layers["cells"].features)
    assert len(np.unique(mapped.face_color, axis=0)) > 20
    mapped.selected_data = {3}
    assert panel.scene.link.sources[0].highlight.visible


@pytest.mark.usefixtures("new_window")
def test_a_map_can_be_made_without_scrolling_in_a_small_window(qtbot, viewer, panel, cells):
    # These stay as high as the highest that they have shown, and would hold the window.
    viewer.window._qt_viewer.dockLayerControls.hide()
    panel.tell("A sentence of several lines. " * 10)

    def is_small():
        viewer.window.resize(1024, 640)
        return panel.window().height() <= 640

    qtbot.wait_until(is_small)
    qtbot.wait(100)
    for button in (panel.embed_button, panel.pause_button, panel.cancel_button):
        assert button.native.visibleRegion().boundingRect().size() == button.native.size()


def test_labels_with_features_can_be_embedded_at_once(qtbot, panel, cells):
    qtbot.wait_until(lambda: panel.about.value == "60 cells, 3 of 3 features, standardised.")
    assert panel.form.features.value == ["area", "DNA", "actin"]
    assert panel.parameters.features == ("area", "DNA", "actin")
    assert panel.embed_button.enabled


def test_columns_that_cannot_shape_a_map_are_told_above_the_form(qtbot, panel, cells, features):
    cells.features = features.assign(kind="T", blank=np.nan)
    said = (
        "60 cells, 3 of 3 features, standardised. Not offered, because it does not hold numbers: kind. Not offered, "
        "because no cell has a finite number there: blank."
    )
    qtbot.wait_until(lambda: panel.about.value == said)
    assert panel.form.features.value == ["area", "DNA", "actin"]


def test_form_and_parameters_follow_each_other(panel, cells):
    panel.form.fields["n_steps"].value = 2
    panel.form.fields["n_levels"].value = 1
    assert (panel.parameters.n_steps, panel.parameters.n_levels) == (2, 1)
    panel.parameters.n_components = 3
    panel.parameters.features = ("DNA",)
    assert panel.form.fields["n_components"].value == 3
    assert panel.form.features.value == ["DNA"]


def test_embedding_shows_progress_and_a_map_that_moves(qtbot, viewer, panel, cells, finish, crawling):
    seen = []
    threads = set()

    def watch(event):
        layer = event.value
        if layer.name.startswith("map "):  # "map to come", at first
            layer.events.set_data.connect(
                lambda: (seen.append(layer.data.copy()), threads.add(threading.current_thread()))
            )

    viewer.layers.events.inserted.connect(watch)
    bar = panel.progress.native
    texts = set()
    bar.valueChanged.connect(lambda value: texts.add(panel.progress.text))
    crawling.seconds = 0.1
    panel.embed()
    assert panel.cancel_button.enabled
    qtbot.wait_until(lambda: len({frame.tobytes() for frame in seen}) > 4, timeout=60_000)
    assert panel.running
    crawling.hurry()
    finish()
    points = viewer.layers["map of cells"]
    assert len(points.data) == 60
    assert threads == {threading.main_thread()}
    assert any("/" in text for text in texts)
    assert bar.value() == bar.maximum()
    assert f"{panel.result.n_iter} iterations" in panel.progress.text
    assert "60 cells on the map" in panel.status.value
    assert not panel.cancel_button.enabled


def test_a_finished_map(subtests, viewer, panel, cells, mapped):
    with subtests.test("lies right of the image, as high as it and in view"):
        (top, left), (bottom, right) = mapped.extent.world
        image_top, image_bottom = cells.extent.world[:, 0]
        assert left > cells.extent.world[1, 1]
        assert image_top <= top < bottom <= image_bottom
        height, width = np.array(viewer.screenshot(canvas_only=True, flash=False).shape[:2]) / viewer.camera.zoom
        centre_row, centre_column = viewer.camera.center[-2:]
        assert left < right < centre_column + width / 2
        assert cells.extent.world[0, 1] > centre_column - width / 2
        assert centre_row - height / 2 < top < bottom < centre_row + height / 2
    with subtests.test("has the result's cells as points"):
        features = mapped.features
        np.testing.assert_array_equal(features[["map_1", "map_2"]], panel.result.embedding)
        np.testing.assert_array_equal(features["variance"], panel.result.variances)
        keys = zip(features["layer"], features["frame"], features["label"], strict=True)
        assert list(keys) == panel.result.cells.keys
        assert np.corrcoef(mapped.data[:, 1], panel.result.embedding[:, 0])[0, 1] == pytest.approx(1)
        assert np.corrcoef(mapped.data[:, 0], panel.result.embedding[:, 1])[0, 1] == pytest.approx(-1)
    with subtests.test("says how faithful it is"):
        assert set(panel.result.quality) == {"recall", "trustworthiness"}
        assert "are among its 10 nearest on the map" in panel.status.value
    with subtests.test("stays where it is"):
        before = mapped.data.copy()
        mapped.data = mapped.data + 5
        np.testing.assert_array_equal(mapped.data, before)


@pytest.mark.parametrize("n_components", [1, 3])
def test_other_dimensions_are_drawn_and_kept(panel, cells, finish, viewer, n_components):
    panel.form.fields["n_components"].value = n_components
    panel.embed()
    finish()
    points = viewer.layers["map of cells"]
    assert points.data.shape == (60, 2)
    assert np.ptp(points.data, axis=0).min() > 0
    assert f"map_{n_components}" in points.features


def test_cancelling_keeps_the_map_so_far(qtbot, viewer, panel, cells, finish, crawling):
    panel.embed()
    # The map of the start is drawn before the first iteration: a run cancelled right then has none.
    runs = panel.session.runs
    qtbot.wait_until(lambda: bool(runs.active.progress and runs.active.progress.iteration), timeout=60_000)
    panel.cancel()
    crawling.hurry()
    finish()
    assert 1 <= panel.result.n_iter < 20
    assert panel.status.value.startswith("Stopped after ")
    assert "before the map was finished. 60 cells on the map" in panel.status.value
    most = panel.session.parameters.max_iter
    assert panel.progress.text == f"stopped after {panel.result.n_iter} of {most} iterations"
    assert panel.progress.native.value() < panel.progress.native.maximum()
    np.testing.assert_array_equal(viewer.layers["map of cells"].features[["map_1", "map_2"]], panel.result.embedding)


def test_a_new_run_takes_the_place_of_the_old_one(qtbot, viewer, panel, cells, finish, crawling):
    panel.embed()
    qtbot.wait_until(lambda: "map of cells" in viewer.layers, timeout=60_000)
    panel.form.fields["n_neighbors"].value = 8
    panel.embed()
    crawling.hurry()
    finish()
    qtbot.wait(200)
    assert panel.result.parameters["n_neighbors"] == 8
    assert [layer.name for layer in viewer.layers] == ["cells", "map of cells"]


def test_a_run_is_not_touched_by_what_happens_to_the_table_meanwhile(panel, cells, features, finish):
    panel.embed()
    cells.features = features.assign(area=0.0, label=features["label"] + 5)
    finish()
    assert panel.result.cells.keys[0] == ("cells", 0, 3)
    assert panel.result.cells.features["area"].nunique() == 60


def test_cells_left_out_are_counted(panel, cells, features, finish, viewer):
    cells.features = features.assign(DNA=[np.nan, *features["DNA"][1:]])
    panel.embed()
    finish()
    assert "1 of 60 cells left out of the map: no number in DNA (1)." in panel.status.value
    assert len(viewer.layers["map of cells"].data) == 59


def test_repeated_keys_are_refused_in_words(panel, cells, features):
    cells.features = features.assign(label=7)
    assert "label 7 in frame 0" in panel.cells.about.value
    assert not panel.embed_button.enabled


def test_an_impossible_parameter_is_said_in_words(panel, cells, finish):
    panel.parameters.n_components = 60
    panel.embed()
    finish()
    assert "Lower n_components" in panel.status.value
    assert panel.result is None
    assert panel.embed_button.enabled


def test_k_follows_where_there_are_few_cells(qtbot, panel, cells, features, finish):
    cells.features = features.head(14)
    panel.form.fields["n_neighbors"].value = 22
    qtbot.wait_until(lambda: "14 cells: k is 4, not 22." in panel.about.value)
    panel.embed()
    finish()
    assert "14 cells: k is 4, not 22." in panel.status.value
    assert panel.session.runs.current.name == "1: k 4, s 2"
    assert panel.form.fields["n_neighbors"].value == 22
    panel.form.fields["n_neighbors"].value = 3
    qtbot.wait_until(lambda: "k is" not in panel.about.value)


def test_all_layers_that_are_to_be_measured_are_named(panel, viewer, labels):
    panel.cells.layers.value = [viewer.add_labels(labels, name=name) for name in ("nuclei", "cytoplasm")]
    for name in ("nuclei", "cytoplasm"):
        assert f'"{name}"' in panel.cells.about.value
    assert "have no features yet. Press Measure" in panel.cells.about.value


def test_labels_without_features_can_be_measured(viewer, panel, labels, finish):
    viewer.add_image(np.stack([labels % 200] * 3, axis=-1).astype(np.uint8), name="stain", rgb=True)
    viewer.add_image(labels / 10, name="DNA")
    viewer.add_image(np.zeros((5, 5)), name="elsewhere")
    layer = viewer.add_labels(labels, name="nuclei")
    assert "Press Measure" in panel.cells.about.value
    assert panel.cells.measuring.visible
    panel.cells.measuring.measure()
    finish()
    assert panel.cells.about.value == ""
    assert len(panel.cells.cells.features) == 60
    assert not panel.cells.measuring.visible
    assert layer.features["index"].tolist() == np.unique(labels)[1:].tolist()
    assert layer.features["DNA_mean"].tolist() == pytest.approx((np.unique(labels)[1:] / 10).tolist())
    assert {"area", "stain_blue_max"} <= set(layer.features)
    assert not [name for name in layer.features if "elsewhere" in name]


def test_an_empty_labels_layer(viewer, panel, finish):
    viewer.add_labels(np.zeros((20, 20), dtype=int), name="nothing")
    panel.cells.measuring.measure()
    finish()
    assert '"nothing" holds no cell' in panel.status.value


def test_classes_colour_the_map(panel, mapped):
    panel.session.display_settings.colour_by = ColourBy("class")
    assert panel.explore.colours.legend.text == ["no class yet"]
    mapped.selected_data = {2, 5}
    panel.explore.selected.class_name.value = "dividing"
    panel.explore.selected.assign.native.click()
    assert panel.explore.colours.legend.text == ["dividing"]
    assert panel.session.classes.members("dividing").tolist() == [2, 5]
    mapped.selected_data = set()
    panel.explore.colours.legend.picked.emit("dividing", "replace")
    assert set(mapped.selected_data) == {2, 5}
    others = np.delete(mapped.face_color, [2, 5], axis=0)
    assert len(np.unique(others, axis=0)) == 1
    assert not np.allclose(mapped.face_color[2], others[0])
    assert panel.session.classes["dividing"].story[0].how == "points on the map"


def test_the_selection_can_be_taken_back(panel, mapped):
    mapped.selected_data = {2, 5}
    mapped.selected_data = {7}
    panel.explore.selected.undo.native.click()
    assert set(mapped.selected_data) == {2, 5}
    panel.explore.selected.invert.native.click()
    assert len(mapped.selected_data) == 58


def test_saving_writes_keys_features_coordinates_variance_and_classes(panel, mapped, finish, tmp_path):
    panel.saving.save_table(tmp_path / "map.csv")
    finish()
    saved = pd.read_csv(tmp_path / "map.csv", **EXACT)
    of_map = ["map_1", "map_2", "variance", "lost_neighbors"]
    assert list(saved.columns) == ["layer", "frame", "label", "area", "DNA", "actin", *of_map]
    assert saved["label"].tolist()[:3] == [3, 7, 1000]
    np.testing.assert_array_equal(saved["map_1"], panel.result.embedding[:, 0])
    panel.session.classes.assign("dividing", [1, 2])
    panel.saving.save_table(tmp_path / "map.csv")
    finish()
    saved = pd.read_csv(tmp_path / "map.csv", keep_default_na=False)
    assert saved["class"].tolist() == ["", "dividing", "dividing", *[""] * 57]


def test_colours_and_sizes_mean_what_the_user_chooses(panel, mapped):
    by_variance = mapped.face_color.copy()
    assert "(logarithmic)" in panel.explore.colours.legend.text[0]
    panel.session.display_settings.colour_by = ColourBy("feature", "area")
    area = panel.result.cells.features["area"]
    order = np.argsort(area)[3:-3]
    brightness = mapped.face_color[:, :3].sum(axis=1)[order]
    assert np.corrcoef(brightness, area.iloc[order])[0, 1] > 0.9
    assert not np.allclose(mapped.face_color, by_variance)
    assert len(np.unique(mapped.size)) == 1
    panel.explore.colours.sized.value = True
    assert np.corrcoef(mapped.size, np.log(panel.result.variances))[0, 1] > 0.5
