import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from napari.utils.colormaps import Colormap

from latentmap.napari_layers.session_layers import copied_layers, made_layers
from latentmap.session import ColourBy, LayerSnapshot, load
from latentmap.session.file import _DOCUMENT

pytestmark = pytest.mark.usefixtures("replayed")


def open_panel(viewer):
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    return panel


@pytest.fixture
def reopened(make_napari_viewer, panel, qtbot, tmp_path):
    """The panel and viewer of a second window, into which the session of the first was opened from its file."""

    def reopen(prepare=lambda viewer: None):
        path = tmp_path / "session.latentmap"
        panel.saving.save_session(path)
        qtbot.wait_until(lambda: not panel.running, timeout=60_000)
        assert panel.status.value.startswith(f"The session is in {path}.")
        other = make_napari_viewer(show=True)
        prepare(other)
        opened = open_panel(other)
        opened.saving.open_session(path)
        qtbot.wait_until(lambda: not opened.running, timeout=60_000)
        assert opened.status.value.startswith("Opened session.latentmap.")
        return opened, other

    return reopen


def own_layers(viewer):
    return [layer for layer in viewer.layers if "latentmap" not in layer.metadata]


def assert_same_layers(before, after):
    assert [layer.name for layer in before] == [layer.name for layer in after]
    for old, new in zip(before, after, strict=True):
        assert type(old) is type(new)
        assert tuple(map(str, old.units)) == tuple(map(str, new.units))
        assert (old.axis_labels, old.visible, old.blending) == (new.axis_labels, new.visible, new.blending)
        for name in ("scale", "translate", "rotate", "shear"):
            np.testing.assert_allclose(getattr(old, name), getattr(new, name), atol=1e-12)
        np.testing.assert_allclose(old.affine.affine_matrix, new.affine.affine_matrix)
        if hasattr(old, "features"):
            pd.testing.assert_frame_equal(old.features, new.features)


def assert_same_session(panel, opened):
    assert opened.selection.keys.equals(panel.selection.keys)
    assert opened.parameters == panel.parameters
    assert list(opened.session.classes) == list(panel.session.classes)
    for one in panel.session.classes.names:
        old, new = (each.session.cell_index.keys(each.session.classes.members(one)) for each in (panel, opened))
        assert set(old) == set(new)
    assert [run.name for run in opened.session.runs] == [run.name for run in panel.session.runs]
    for old, new in zip(panel.session.runs, opened.session.runs, strict=True):
        pd.testing.assert_frame_equal(old.result.cells.features, new.result.cells.features)
        np.testing.assert_array_equal(old.result.embedding, new.result.embedding)
        np.testing.assert_array_equal(old.result.variances, new.result.variances)
    assert set(opened.session.cell_index.keys(opened.session.dropped.numbers)) == set(
        panel.session.cell_index.keys(panel.session.dropped.numbers)
    )
    assert opened.session.display_settings == panel.session.display_settings


def link_of(viewer, layer):
    return next(source for source in layer.scene.link.sources if source.layer in viewer.layers)


def test_everything_of_a_session_comes_back(qtbot, viewer, panel, cells, features, finish, reopened, labels):
    cells.scale, cells.translate, cells.units = (0.5, 0.25), (3, 4), ("um", "um")
    words = np.where(np.arange(60) % 3, "T", "B").astype(object)
    words[5] = None
    cells.features = features.assign(
        cell_type=words,
        count=np.arange(60),
        flag=np.arange(60) % 2 == 0,
        kind=pd.Categorical(np.where(np.arange(60) % 2, "a", "b")),
        gappy=[np.nan, *range(59)],
    )
    panel.form.features.value = ["area", "DNA", "actin"]
    panel.embed()
    finish()
    panel.form.fields["n_neighbors"].value = 8
    panel.embed()
    finish()
    cell_index = panel.session.cell_index
    panel.session.dropped.drop(cell_index.numbers_of([("cells", 0, 1009)]))
    panel.session.classes.assign("big", cell_index.numbers_of([("cells", 0, 1000), ("cells", 0, 1002)]))
    panel.session.display_settings.colour_by = ColourBy("feature", "actin")
    panel.selection.select_keys([("cells", 0, 3), ("cells", 0, 1001)], how="test")
    opened, other = reopened()
    assert_same_layers(own_layers(viewer), own_layers(other))
    assert_same_session(panel, opened)
    assert other.layers["cells"].features["label"].dtype.kind == "i"
    assert opened.cells.value == [other.layers["cells"]]
    assert opened.form.fields["n_neighbors"].value == 8
    points = other.layers["map of cells"]
    assert set(points.selected_data) == {0, 3}
    lit = np.asarray(opened.scene.link.sources[0].highlight.data) >= 128
    assert set(np.unique(labels[lit])) == {3, 1001}
    points.selected_data = {1}
    assert list(opened.selection.keys) == [("cells", 0, 7)]
    other.layers["cells"].selected_label = 1003
    assert list(opened.selection.keys) == [("cells", 0, 1003)]
    assert set(points.selected_data) == {5}
    opened.selection.undo()
    opened.embed()
    qtbot.wait_until(lambda: not opened.running, timeout=60_000)
    assert len(opened.session.runs) == 3
    assert len(opened.result.embedding) == 59


def test_a_renamed_layer_stays_linked(panel, cells, mapped, reopened):
    cells.name = "nuclei of today"
    opened, other = reopened()
    other.layers["nuclei of today"].selected_label = 1003
    assert list(opened.selection.keys) == [("cells", 0, 1003)]
    opened.embed()
    assert opened.cells.cells.keys[0] == ("cells", 0, 3)


@pytest.mark.parametrize("sample", ["tissue", "time_lapse", "three_d"])
def test_samples(qtbot, viewer, panel, finish, reopened, sample):
    viewer.open_sample("latentmap", sample)
    panel.parameters.max_iter = 3
    panel.embed()
    finish()
    key = panel.result.cells.keys[-1]
    opened, other = reopened()
    assert_same_layers(own_layers(viewer), own_layers(other))
    assert_same_session(panel, opened)
    opened.selection.select_keys([key], how="test")
    source = opened.scene.link.sources[0]
    lit = np.asarray(source.highlight.data) == 1
    truth = source.layer.data == key[2]
    if source.has_frames:
        truth[np.arange(len(truth)) != key[1]] = False
        assert other.dims.current_step[0] == key[1]
        lit = np.stack([np.asarray(source.highlight.data[frame]) == 1 for frame in range(len(truth))])
    np.testing.assert_array_equal(lit, truth)


def test_the_frame_in_view_comes_back(viewer, panel, finish, reopened):
    viewer.open_sample("latentmap", "time_lapse")
    panel.parameters.max_iter = 3
    panel.embed()
    finish()
    panel.selection.select_keys([panel.result.cells.keys[0]], how="test")
    viewer.dims.set_current_step(0, 3)
    opened, other = reopened()
    assert (opened.session.playhead.frame, other.dims.current_step[0]) == (3, 3)


def test_pooled_layers_points_tracks_shapes_and_scales(viewer, panel, labels, features, finish, reopened):
    rng = np.random.default_rng(1)
    viewer.add_image(
        rng.random((60, 100)), name="own colours", colormap=Colormap([[0, 0, 0], [1, 0.3, 0]], name="ours")
    )
    a = viewer.add_labels([labels, labels[::2, ::2]], name="a", features=features, multiscale=True)
    table = features.drop(columns="label")
    points = viewer.add_points(
        rng.random((60, 2)) * 60, name="p", features=table, size=np.linspace(1, 4, 60), symbol="x"
    )
    steps = np.array([[track, frame, frame + track, 20.0] for track in range(1, 7) for frame in range(10)], dtype=float)
    tracks = viewer.add_tracks(steps, name="t", features=table, graph={3: [1, 2]}, tail_length=7)
    corners = [np.array([[0, 0], [0, 4], [4, 4.0]]) + 2 * number for number in range(60)]
    shapes = viewer.add_shapes(corners, name="s", shape_type="polygon", features=table)
    surface = viewer.add_surface(
        (rng.random((60, 3)) * 20, np.array([[0, 1, 2], [3, 4, 5]]), np.arange(60.0)), name="m", features=table
    )
    everyone = [a, points, tracks, shapes, surface]
    panel.reset_choices()
    panel.cells.layers.value = everyone
    panel.parameters.max_iter = 3
    panel.embed()
    finish()
    assert len(panel.result.cells.features) == 300
    keys = {layer: [key for key in panel.result.cells.keys if key[0] == layer][7] for layer in "apstm"}
    panel.selection.select_keys(keys.values(), how="test")
    opened, other = reopened()
    panel.selection.clear()
    assert_same_layers(own_layers(viewer), own_layers(other))
    assert set(opened.selection.keys) == set(keys.values())
    assert [layer.name for layer in opened.cells.value] == [layer.name for layer in panel.cells.value]
    assert other.layers["a"].multiscale
    assert [level.shape for level in other.layers["a"].data] == [(60, 100), (30, 50)]
    np.testing.assert_allclose(other.layers["own colours"].colormap.colors[-1], [1, 0.3, 0, 1])
    assert dict(other.layers["t"].graph) == {3: [1, 2]}
    assert other.layers["t"].tail_length == 7
    np.testing.assert_array_equal(other.layers["t"].data, tracks.data)
    np.testing.assert_allclose(other.layers["p"].size, points.size)
    assert set(map(str, other.layers["p"].symbol)) == set(map(str, points.symbol))
    for old, new in zip(shapes.data, other.layers["s"].data, strict=True):
        np.testing.assert_array_equal(old, new)
    for layer in "pstm":
        light = next(source for source in opened.scene.link.sources if source.name == layer).highlight
        assert len(light.data) == 1, layer
    opened.selection.clear()
    assert other.layers["p"].opacity == points.opacity == 1


def test_layers_that_are_open_already_are_linked(viewer, panel, cells, mapped, reopened, labels, features):
    def prepare(other):
        other.add_labels(labels.copy(), name="cells", opacity=0.3)

    opened, other = reopened(prepare)
    assert [layer.name for layer in own_layers(other)] == ["cells"]
    assert other.layers["cells"].opacity == 0.3
    pd.testing.assert_frame_equal(other.layers["cells"].features, cells.features)
    other.layers["cells"].selected_label = 1003
    assert list(opened.selection.keys) == [("cells", 0, 1003)]


def test_a_layer_of_the_same_name_with_other_cells_is_not_taken_for_it(
    viewer, panel, mapped, reopened, labels, features
):
    def prepare(other):
        other.add_labels(labels[::-1].copy(), name="cells", features=features)
        open_panel(other)

    opened, other = reopened(prepare)
    assert [layer.name for layer in own_layers(other)] == ["cells", "cells [1]"]
    assert opened.cells.value == [other.layers["cells [1]"]]
    assert other.layers["cells [1]"].data is not other.layers["cells"].data
    other.layers["cells [1]"].selected_label = 1003
    assert list(opened.selection.keys) == [("cells", 0, 1003)]
    assert opened.cells.sources.of(other.layers["cells"]).name != "cells"


def test_opening_over_a_run_and_another_map(qtbot, panel, cells, mapped, tmp_path, features, finish, crawling, viewer):
    panel.selection.select_keys([("cells", 0, 1000)], how="test")
    panel.saving.save_session(tmp_path / "session.latentmap")
    finish()
    panel.form.fields["n_neighbors"].value = 9
    panel.embed()
    qtbot.wait_until(lambda: panel.session.runs.active.progress is not None, timeout=60_000)
    panel.session.live.on = True
    panel.saving.open_session(tmp_path / "session.latentmap")
    qtbot.wait_until(lambda: not panel.saving.running, timeout=60_000)
    qtbot.wait(300)
    assert not panel.running
    assert panel.form.fields["n_neighbors"].value == 6
    assert len(panel.session.runs) == 1
    assert list(panel.selection.keys) == [("cells", 0, 1000)]
    assert [layer.name for layer in viewer.layers] == ["cells", "map of cells"]


def test_what_is_painted_after_the_button_was_pressed_is_not_in_the_file(qtbot, panel, cells, mapped, tmp_path, finish):
    panel.saving.save_session(tmp_path / "session.latentmap")
    before = cells.data.copy()
    cells.data[:] = 9
    finish()
    (layer,) = load(tmp_path / "session.latentmap").layers
    np.testing.assert_array_equal(layer.arrays["data"], before)


def test_what_cannot_be_kept_is_said(panel, cells, mapped, viewer, tmp_path, finish):
    viewer.add_vectors(np.zeros((3, 2, 2)), name="arrows")
    panel.saving.save_session(tmp_path / "session.latentmap")
    finish()
    assert 'Not kept: "arrows", because Vectors layers are not supported.' in panel.status.value
    panel.saving.save_session(tmp_path / "missing" / "session.latentmap")
    finish()
    assert panel.status.value == '"session.latentmap": No such file or directory.'
    cells.features = cells.features.assign(odd=[[1]] * 60)
    panel.saving.save_session(tmp_path / "other.latentmap")
    finish()
    assert 'Features of the layer "cells": The column "odd" holds list objects' in panel.status.value
    assert [path.name for path in tmp_path.iterdir()] == ["session.latentmap"]


def truncated(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def foreign(path):
    path.write_text("label,area\n3,4\n")


def pickled(path):
    import pickle

    path.write_bytes(pickle.dumps({"cells": [1]}))


def edited(change):
    """What changes the document of a session file."""

    def edit(path):
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        document = json.loads(members[_DOCUMENT])
        change(document["session"])
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in {**members, _DOCUMENT: json.dumps(document).encode()}.items():
                archive.writestr(name, data)

    return edit


def option(name, value):
    def change(session):
        session["layers"][0]["options"][name] = value

    return edited(change)


def other_kind(session):
    session["layers"][0]["kind"] = "vectors"


def as_float(session):
    session["layers"][0]["kind"] = "points"


def without_data(session):
    session["layers"][0]["arrays"] = {}


def more_arrays(session):
    layer = session["layers"][0]
    layer["arrays"]["custom_interpolation_kernel_2d"] = layer["arrays"]["data"]


BAD = {
    "truncated": truncated,
    "foreign": foreign,
    "pickled": pickled,
    "a kind that is not known": edited(other_kind),
    "data of another kind": edited(as_float),
    "no data": edited(without_data),
    "arrays that are not known": edited(more_arrays),
    "an option that is not known": option("metadata", {"latentmap": 1}),
    "source code": option("colormap", ["__import__('os').system('touch hurt-by-session')"]),
    "units to be computed": option("units", ["9**9**9**9", "um"]),
    "units that are not known": option("units", ["blurbs", "blurbs"]),
    "another number of axes": option("scale", [1, 1, 1]),
    "an infinite scale": option("scale", [1e999, 1]),
    "a blending that there is not": option("blending", "eval"),
    "an affine that is none": option("affine", [[1, 2], [3]]),
    "a source that is no name": option("source", 3),
}


@pytest.fixture
def unchanged(panel, mapped, viewer, tmp_path, finish):
    """Check that opening a session file that something was done to gives a sentence and changes nothing."""
    path = tmp_path / "session.latentmap"
    panel.selection.select_keys([("cells", 0, 1000)], how="test")
    panel.saving.write_session(path)
    whole = path.read_bytes()

    def check(damage, open_it):
        path.write_bytes(whole)
        damage(path)
        panel.selection.select_keys([("cells", 0, 1001)], how="test")
        before, run = list(viewer.layers), panel.session.runs.current
        panel.tell("")
        open_it(path)
        finish()
        assert panel.status.value.startswith('"session.latentmap" cannot be opened')
        assert "Traceback" not in panel.status.value
        assert panel.status.value.endswith(".")
        assert list(viewer.layers) == before
        assert panel.session.runs.current is run
        assert list(panel.selection.keys) == [("cells", 0, 1001)]

    return check


def test_a_bad_file_gives_a_sentence_and_changes_nothing_whatever_way_it_is_opened(
    subtests, monkeypatch, panel, viewer, unchanged
):
    def by_button(path):
        chosen = (str(path), "")
        monkeypatch.setattr("latentmap.napari_plugin.panel.save_tab.QFileDialog.getOpenFileName", lambda *_: chosen)
        panel.saving.open_button.native.click()

    def by_reader(path):
        viewer.open(path, plugin="latentmap")

    def by_drop(path):
        viewer.window._qt_viewer._qt_open([str(path)], stack=False)

    for name, damage in BAD.items():
        with subtests.test(name):
            unchanged(damage, panel.saving.open_session)
    assert not Path("hurt-by-session").exists()
    for way in (by_button, by_reader, by_drop):
        for name in ("truncated", "no data"):
            with subtests.test(f"{name}, {way.__name__}"):
                unchanged(BAD[name], way)


def test_labels_edited_after_measuring_are_told_of_in_the_session(qtbot, viewer, panel, labels, finish, reopened):
    viewer.add_image(np.cumsum(labels > 0, axis=1) * 1.0, name="DNA")
    layer = viewer.add_labels(np.stack([labels, labels[::-1]]), name="film")
    panel.cells.measuring.first_axis.value = "time"
    panel.cells.measuring.measure()
    finish()
    panel.embed()
    finish()
    layer.data[0, 2:8, 2:8] = 1000
    opened, other = reopened()
    qtbot.wait_until(lambda: "1 gone (3); 1 altered (1000)" in opened.cells.changes.value)
    other.layers["film"].fill((1, 54, 14), 0)
    qtbot.wait_until(lambda: "2 gone (3, 7); 1 altered (1000)" in opened.cells.changes.value)


def test_what_a_file_says_of_measured_cells_is_checked():
    keys, marks = np.array([[0, 3], [0, 7]]), np.ones((2, 2))
    arrays, how = {"measured_keys": keys, "measured_marks": marks}, {"measured_in_frames": False}

    def opened(arrays, options):
        return made_layers([LayerSnapshot("x", "labels", {"data": np.eye(4, dtype=int), **arrays}, options)])

    (layer,) = opened(arrays, how)
    assert layer.metadata["latentmap_reference"].fingerprints.index.tolist() == [(0, 3), (0, 7)]
    for wrong, options in (
        (arrays, {}),
        (arrays, {"measured_in_frames": 1}),
        ({"measured_keys": keys}, how),
        ({**arrays, "measured_keys": keys[0]}, how),
        ({**arrays, "measured_keys": keys * 1.0}, how),
        ({**arrays, "measured_marks": marks[:1]}, how),
    ):
        with pytest.raises(ValueError, match="does not say how its cells were measured"):
            opened(wrong, options)


def test_layers_with_options_of_no_such_layer_are_refused():
    image = np.zeros((4, 4))
    (taken,), _ = copied_layers(made_layers([LayerSnapshot("x", "image", {"data": image}, {})]))
    assert taken.options["colormap"] == "gray"
    for name, value in {"cache": True, "multiscale": True, "texture": "x", "text": "{x.__class__}"}.items():
        with pytest.raises(ValueError, match="unknown options"):
            made_layers([LayerSnapshot("x", "image", {"data": image}, {name: value})])
    for array in (np.array(["a"]), np.zeros(3, dtype="datetime64[s]"), np.zeros(3, dtype=[("a", int)])):
        with pytest.raises(ValueError, match="not hold real numbers"):
            made_layers([LayerSnapshot("x", "image", {"data": array}, {})])


def test_napari_opens_and_saves_sessions(qtbot, viewer, panel, cells, mapped, make_napari_viewer, tmp_path):
    path = tmp_path / "session.latentmap"
    assert viewer.layers.save(str(path), plugin="latentmap") == [str(path)]
    assert [layer.name for layer in load(path).layers] == ["cells"]
    other = make_napari_viewer(show=True)
    assert other.open(path, plugin="latentmap") == []
    opened = open_panel(other)
    qtbot.wait_until(lambda: not opened.running and len(other.layers) > 0, timeout=60_000)
    assert [layer.name for layer in other.layers] == [layer.name for layer in viewer.layers]
    np.testing.assert_array_equal(opened.result.embedding, panel.result.embedding)


def test_a_window_that_is_closed_waits_for_the_file(qtbot, viewer, panel, mapped, tmp_path):
    path = tmp_path / "session.latentmap"
    panel.saving.save_session(path)
    panel.saving.stop()
    assert len(load(path).runs) == 1


def test_a_layer_that_is_linked_again_is_followed_again(viewer, panel, cells, mapped, finish, tmp_path, labels):
    panel.saving.write_session(tmp_path / "session.latentmap")
    panel.saving.open_session(tmp_path / "session.latentmap")
    finish()
    cells.data = np.roll(labels, 3, axis=1)
    panel.selection.select_keys([("cells", 0, 1000)], how="test")
    lit = np.asarray(panel.scene.link.sources[0].highlight.data) == 1
    np.testing.assert_array_equal(lit, cells.data == 1000)


def test_what_was_written_to_layers_is_known_when_the_session_is_opened_again(panel, cells, mapped, reopened, features):
    cells.features = features.assign(variance=7.0)
    panel.session.classes.assign("A" * 300, panel.session.cell_index.numbers_of([("cells", 0, 3)]))
    panel.saving.write_features()
    panel.session.classes.rename("A" * 300, "B")
    opened, other = reopened()
    opened.saving.write_features()
    table = other.layers["cells"].features
    assert table["variance"].tolist() == [7.0] * 60
    assert {*table} == {*cells.features}
    assert table["class"].value_counts().to_dict() == {"": 59, "B": 1}
