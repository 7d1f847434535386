import numpy as np
import pandas as pd
import pytest

from latentmap.measuring import MeasureProgress
from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_plugin.panel.key_dialog import KeyDialog
from latentmap.napari_plugin.panel.measure_section import MeasureSection

pytestmark = pytest.mark.usefixtures("replayed")


def numbers_of(labels):
    return np.unique(labels)[1:]


def test_a_table_is_loaded_by_key(panel, viewer, labels, finish, tmp_path):
    layer = viewer.add_labels(labels, name="nuclei")
    numbers = numbers_of(labels)[::-1]
    rows = pd.DataFrame({"label": [*numbers[:-1], 5], "count": np.arange(60), "type": ["T", "B"] * 30})
    rows.to_csv(tmp_path / "cells.csv", index=False)
    panel.cells.load_table(tmp_path / "cells.csv")
    assert panel.running
    finish()
    assert '60 rows of "cells.csv" loaded' not in panel.status.value
    assert '59 rows of "cells.csv" loaded.' in panel.status.value
    assert (
        "1 of 60 rows of the table left out, because their cells are not in the image: label 5." in panel.status.value
    )
    assert "1 of 60 cells in the image without a row in the table: label 3." in panel.status.value
    table = layer.features.set_index("index")
    assert table["count"].dtype.kind == "i"
    assert table.loc[1000, "count"] == list(numbers).index(1000)
    assert table["type"].tolist() == ["T", "B"] * 29 + ["T"]
    assert panel.cells.cells.numeric == ["count"]


def write_anndata(rows, path):
    import anndata

    adata = anndata.AnnData(rows[["area", "stain"]].to_numpy(), obs=rows[["label"]].set_axis(map(str, range(50))))
    adata.var_names = ["area", "stain"]
    adata.write_h5ad(path)


def test_a_table_completes_features_that_there_are(subtests, panel, cells, features, finish, tmp_path):
    rows = pd.DataFrame({"label": features["label"][:50], "area": np.arange(50.0), "stain": np.arange(50) / 7})
    rows.to_csv(tmp_path / "cells.tsv", sep="\t", index=False)
    rows.to_parquet(tmp_path / "cells.parquet")
    write_anndata(rows, tmp_path / "cells.h5ad")
    for ending in ("tsv", "parquet", "h5ad"):
        with subtests.test(ending):
            cells.features = features
            panel.tell("")
            panel.cells.load_table(tmp_path / f"cells.{ending}")
            finish()
            assert 'Replaced: "area".' in panel.status.value
            assert "10 of 60 cells in the image without a row" in panel.status.value
            table = cells.features.set_index("index")
            assert set(table) == {"area", "DNA", "actin", "stain"}
            np.testing.assert_allclose(table["DNA"][features["label"]], features["DNA"])
            np.testing.assert_allclose(table["area"][rows["label"]], rows["area"])
            assert table["stain"].isna().sum() == 10


def test_a_table_of_several_layers(panel, viewer, labels, finish, tmp_path):
    one, two = viewer.add_labels(labels, name="one"), viewer.add_labels(labels, name="two")
    panel.cells.layers.value = [one, two]
    numbers = numbers_of(labels)
    rows = pd.concat(
        [pd.DataFrame({"label": numbers, "layer": name, "x": at + numbers}) for at, name in enumerate(["one", "two"])]
    )
    rows.drop(columns="layer").iloc[:60].to_csv(tmp_path / "bare.csv", index=False)
    panel.cells.load_table(tmp_path / "bare.csv")
    finish()
    assert '"one", "two"' in panel.status.value or '"two", "one"' in panel.status.value
    assert 'add a column "layer"' in panel.status.value
    assert one.features.empty
    rows.to_csv(tmp_path / "both.csv", index=False)
    panel.cells.load_table(tmp_path / "both.csv")
    finish()
    np.testing.assert_array_equal(one.features["x"], numbers)
    np.testing.assert_array_equal(two.features["x"], 1 + numbers)


def test_tables_call_layers_as_they_are_called_until_a_map_has_their_cells(panel, viewer, labels, finish, tmp_path):
    one = viewer.add_labels(labels, name="masks")
    one.name = "one"
    two = viewer.add_labels(labels[::-1], name="masks")
    panel.cells.layers.value = [one, two]
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"label": numbers_of(labels), "x": rng.normal(size=60), "y": rng.normal(size=60)})
    both = pd.concat([rows.assign(layer="masks", z=2.0), rows.assign(layer="one", z=1.0)])
    both.to_csv(tmp_path / "both.csv", index=False)
    panel.cells.load_table(tmp_path / "both.csv")
    finish()
    assert (one.features["z"] == 1).all()
    assert (two.features["z"] == 2).all()
    two.name = "two"
    assert set(panel.cells.cells.features.index.unique("layer")) == {"one", "two"}
    panel.embed()
    finish()
    two.name = "later"
    assert set(panel.cells.cells.features.index.unique("layer")) == {"one", "two"}
    panel.selection.select_keys([("two", 0, 7)])
    lit = {source.layer.name: np.asarray(source.highlight.data).any() for source in panel.scene.link.sources}
    assert lit == {"one": False, "later": True}


def test_features_of_several_layers_are_read_once_when_a_table_is_loaded(
    qtbot, panel, viewer, labels, finish, tmp_path, monkeypatch
):
    both = [viewer.add_labels(labels, name=name) for name in ("one", "two")]
    panel.cells.layers.value = both
    numbers, read = numbers_of(labels), []
    rows = [pd.DataFrame({"label": numbers, "layer": layer.name, "x": numbers}) for layer in both]
    pd.concat(rows).to_csv(tmp_path / "both.csv", index=False)
    table = LabelsSource.table
    monkeypatch.setattr(LabelsSource, "table", lambda self: read.append(self.name) or table(self))
    panel.cells.load_table(tmp_path / "both.csv")
    finish()
    assert sorted(read) == ["one", "two"]
    assert len(panel.cells.cells.features) == 120
    both[0].features = both[0].features.head(50)
    qtbot.wait_until(lambda: len(panel.cells.cells.features) == 110)


@pytest.mark.parametrize("frames", [1, 2])
def test_a_table_saved_before_its_layer_was_renamed(panel, viewer, labels, finish, tmp_path, frames):
    layer = viewer.add_labels(np.stack([labels] * 2) if frames > 1 else labels, name="nuclei [1]")
    numbers = numbers_of(labels)
    rows = pd.concat(
        [pd.DataFrame({"layer": "nuclei", "frame": frame, "label": numbers, "x": numbers}) for frame in range(frames)]
    )
    rows.to_csv(tmp_path / "cells.csv", index=False)
    panel.cells.load_table(tmp_path / "cells.csv")
    finish()
    assert 'The table calls the layer "nuclei"; its rows are taken as cells of "nuclei [1]".' in panel.status.value
    np.testing.assert_array_equal(layer.features["x"], np.tile(numbers, frames))


def test_a_table_with_frames_makes_a_film_of_the_layer(panel, viewer, labels, finish, tmp_path):
    layer = viewer.add_labels(np.stack([labels, labels[::-1]]), name="film")
    numbers = numbers_of(labels)
    rows = pd.concat([pd.DataFrame({"label": numbers, "frame": frame, "x": numbers * (1 + frame)}) for frame in (0, 1)])
    rows.to_csv(tmp_path / "film.csv", index=False)
    panel.cells.load_table(tmp_path / "film.csv")
    finish()
    assert len(layer.features) == 120
    assert panel.cells.cells.keys[60] == ("film", 1, 3)
    assert panel.cells.cells.features.loc[("film", 1, 1000), "x"] == 2000


def test_a_table_for_points_and_tracks(panel, viewer, finish, tmp_path):
    rng = np.random.default_rng(0)
    steps = np.array([[track, frame, track, frame] for track in (1, 2) for frame in range(3)], dtype=float)
    points = viewer.add_points(
        rng.random((4, 2)), name="p", features=pd.DataFrame({"label": [9, 4, 7, 5], "x": [1.0, 2, 3, 4]})
    )
    tracks = viewer.add_tracks(steps, name="t", features=pd.DataFrame({"x": np.arange(6.0)}))
    panel.cells.layers.value = [points, tracks]
    rows = pd.DataFrame({"layer": ["p", "p", "t"], "frame": [0, 0, 2], "label": [7, 4, 2], "y": [70.0, 40, 22]})
    rows.to_csv(tmp_path / "cells.csv", index=False)
    panel.cells.load_table(tmp_path / "cells.csv")
    finish()
    np.testing.assert_array_equal(points.features["y"], [np.nan, 40, 70, np.nan])
    np.testing.assert_array_equal(points.features["label"], [9, 4, 7, 5])
    np.testing.assert_array_equal(tracks.features["y"], [np.nan] * 5 + [22])


def test_a_table_that_cannot_be_loaded_is_refused_in_words(subtests, panel, cells, features, finish, tmp_path):
    before = cells.features.copy()
    for text, said in {
        "area\n3.5\n": "does not say which cell a row belongs to",
        "label,area\n5,3\n": "No row of the table belongs to a cell in the image",
        "": "is empty",
        "label,layer,area\n3,other,3\n5,other,3\n": 'The table has layer "other"',
        None: "There is no file",
    }.items():
        with subtests.test(said):
            path = tmp_path / f"{said}.csv"
            if text is not None:
                path.write_text(text)
            panel.tell("")
            panel.cells.load_table(path)
            finish()
            assert said in panel.status.value
            pd.testing.assert_frame_equal(cells.features, before)


@pytest.fixture
def foreign(labels, tmp_path):
    """A table as other programs write it, without a column that is called label."""
    numbers = numbers_of(labels)
    rows = pd.DataFrame({"Well": "A1", "Serial": np.arange(1, 61), "Nr": numbers, "Area": 7, "DNA": numbers / 3})
    rows.to_csv(tmp_path / "foreign.csv", index=False)
    return tmp_path / "foreign.csv"


def dialog_of(qtbot, panel):
    qtbot.wait_until(lambda: bool(panel.findChildren(KeyDialog)), timeout=10_000)
    (dialog,) = panel.findChildren(KeyDialog)
    assert dialog.isVisible()
    return dialog


def test_the_user_chooses_the_column_that_numbers_the_cells(qtbot, panel, viewer, labels, finish, foreign):
    layer = viewer.add_labels(labels, name="nuclei")
    panel.cells.load_table(foreign)
    dialog = dialog_of(qtbot, panel)
    offered = [dialog.columns.itemData(place) for place in range(dialog.columns.count())]
    assert offered == ["Nr", "Serial"]
    assert dialog.windowTitle() == "Load foreign.csv"
    # The user is to choose, so nothing is said of other ways out.
    assert dialog.about.text() == (
        'The table of "nuclei" does not say which cell a row belongs to. Which of its columns holds the cells\' '
        "numbers in the labels image?"
    )
    assert "60 of 60 rows" in dialog.fit.text()
    assert [dialog.rows.item(row, 0).text() for row in range(3)] == ["3", "7", "1000"]
    dialog.columns.setCurrentIndex(1)
    assert dialog.value == dialog.rows.horizontalHeaderItem(0).text() == "Serial"
    assert "2 of 60 rows have their cell in the image; 58 cells in the image have no row." in dialog.fit.text()
    dialog.columns.setCurrentIndex(0)
    dialog.accept()
    finish()
    assert '60 rows of "foreign.csv" loaded.' in panel.status.value
    np.testing.assert_array_equal(layer.features["index"], numbers_of(labels))
    assert panel.cells.cells.numeric == ["Serial", "Area", "DNA"]


def test_a_dialog_that_is_cancelled_changes_nothing(qtbot, panel, cells, features, finish, foreign):
    panel.cells.load_table(foreign)
    dialog_of(qtbot, panel).reject()
    assert not panel.running
    assert "does not say which cell a row belongs to" in panel.status.value
    pd.testing.assert_frame_equal(cells.features, features)


def test_a_column_called_label_that_fits_nothing_is_not_insisted_on(qtbot, panel, cells, foreign, finish):
    rows = pd.read_csv(foreign).assign(label=np.arange(90_000, 90_060))
    rows.to_csv(foreign, index=False)
    panel.cells.load_table(foreign)
    assert dialog_of(qtbot, panel).value == "Nr"


def test_measuring_anew_adds_and_replaces(panel, viewer, cells, labels, features, finish):
    viewer.add_image(labels / 10, name="DNA")
    viewer.add_image(labels / 5, name="RNA")
    cells.features = features.assign(type="T").drop(columns="actin").iloc[::-1].iloc[:50]
    assert panel.cells.anew_button.visible
    assert not panel.cells.measuring.visible
    panel.cells.anew_button.native.click()
    assert panel.cells.measuring.visible
    assert panel.cells.measuring.pairs.ticked == ["DNA", "RNA"]
    panel.cells.measuring.pairs.ticked = ["DNA"]
    viewer.add_image(labels / 3, name="third")
    assert panel.cells.measuring.pairs.ticked == ["DNA", "third"]
    panel.cells.measuring.measure()
    finish()
    assert 'Replaced: "area".' in panel.status.value
    table = cells.features.set_index("index")
    assert len(table) == 60
    assert (table["area"] == 36).all()
    np.testing.assert_allclose(table["DNA_mean"], table.index / 10)
    np.testing.assert_allclose(table["DNA"][features["label"][10:]], features["DNA"][10:])
    assert table["type"].isna().sum() == 10
    assert not [name for name in table if name.startswith("RNA")]
    assert not panel.cells.measuring.visible


def test_what_is_kept_of_cells_that_lie_elsewhere_is_told(panel, viewer, labels, finish):
    layer = viewer.add_labels(labels, name="cells")
    panel.cells.measuring.measure()
    finish()
    layer.features = layer.features.assign(type="T")
    panel.cells.anew_button.changed.emit(True)
    panel.cells.measuring.measure()
    finish()
    assert "was known of" not in panel.status.value
    layer.data = np.where((labels == 3) | (labels == 7), 10 - labels, labels)
    panel.cells.anew_button.changed.emit(True)
    panel.cells.measuring.measure()
    finish()
    assert (
        '2 cells are not where they were when they were last measured, and keep what was known of them in "type".'
    ) in panel.status.value


def test_cancel_stops_measuring(qtbot, monkeypatch, panel, viewer, labels, finish):
    from latentmap.napari_layers import measuring_layers

    def forever(*_, **__):
        while not (yield MeasureProgress(1, 2, "shape")):
            pass

    monkeypatch.setattr(measuring_layers, "iter_measure", forever)
    layers = [viewer.add_labels(labels, name=name) for name in ("a", "b")]
    panel.cells.layers.value = layers
    panel.cells.measuring.measure()
    assert panel.cancel_button.enabled
    panel.cancel_button.native.click()
    finish()
    assert panel.status.value == "Measuring was stopped; no layer was changed."
    assert not panel.cancel_button.enabled
    assert all(layer.features.empty for layer in layers)


@pytest.mark.parametrize(
    ("shape", "options", "first"),
    [
        ((3, 8, 8), {}, "depth"),
        ((3, 8, 8), {"axis_labels": ("T", "y", "x")}, "time"),
        ((3, 8, 8), {"units": ("second", "um", "um")}, "time"),
        ((2, 3, 8, 8), {}, "time"),
        ((8, 8), {"axis_labels": ("t", "x")}, "depth"),
    ],
)
def test_the_first_axis_is_guessed_and_can_be_changed(panel, viewer, finish, shape, options, first):
    labels = np.zeros(shape, dtype=int)
    labels[..., 1:7, 1:7] = 4
    layer = viewer.add_labels(labels, name="cells", **options)
    measuring: MeasureSection = panel.cells.measuring
    assert measuring.first_axis.value == first
    if len(shape) == 3:
        measuring.first_axis.value = "time"
        measuring.measure()
        finish()
        assert layer.features["frame"].tolist() == [0, 1, 2]


def test_units_of_several_axes(panel, viewer, finish):
    labels = np.zeros((4, 8, 8), dtype=int)
    labels[1:3, 1:7, 1:7] = 4
    layer = viewer.add_labels(labels, name="cells", scale=(500, -0.5, 0.5), units=("nm", "um", "um"))
    panel.cells.measuring.measure()
    finish()
    assert layer.features["volume_um3"].tolist() == pytest.approx([2 * 36 * 0.125])


def test_layers_are_named_as_the_keys_are(panel, cells, mapped, finish, viewer):
    cells.name = "renamed"
    panel.cells.anew_button.native.click()
    panel.cells.measuring.measure()
    finish()
    assert panel.cells.cells.keys[0] == ("cells", 0, 3)
    assert {"area", "DNA", "perimeter"} <= set(cells.features)


def test_cells_are_measured_in_the_images_that_lie_where_they_are(panel, viewer, labels, finish):
    places = {"left": (0, 0), "right": (0, 200)}
    for factor, (name, place) in enumerate(places.items(), start=1):
        viewer.add_image(labels * factor, name="DNA", translate=place)
        viewer.add_labels(labels, name=name, translate=place)
    panel.cells.layers.value = [viewer.layers[name] for name in places]
    panel.cells.measuring.measure()
    finish()
    for factor, name in enumerate(places, start=1):
        table = viewer.layers[name].features
        np.testing.assert_allclose(table["DNA_mean"], table["index"] * factor)
        assert [column for column in table if "DNA" in column] == ["DNA_mean", "DNA_std", "DNA_min", "DNA_max"]


def test_a_map_of_cells_that_were_measured_anew_says_so_while_it_is_in_view(qtbot, panel, measured, labels, finish):
    (first,) = panel.session.runs
    qtbot.wait(300)
    assert not panel.older.label.visible
    measured.data = np.where(labels > 0, labels[::-1, ::-1], 0)
    panel.cells.anew_button.changed.emit(True)
    panel.cells.measuring.measure()
    finish()
    qtbot.wait_until(lambda: panel.older.label.value.startswith("Features of 60 of 60 cells have other values"))
    panel.embed()
    finish()
    qtbot.wait_until(lambda: not panel.older.label.value)
    panel.session.runs.show(first)
    qtbot.wait_until(lambda: f'that the map "{first.name}" was made of' in panel.older.label.value)
