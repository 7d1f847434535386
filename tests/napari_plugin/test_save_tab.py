import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from latentmap.presenters.class_labels import ALL_CLASSES
from latentmap.table import read_provenance, read_table

pytestmark = pytest.mark.usefixtures("replayed")

SAVE_AS = "latentmap.napari_plugin.panel.save_tab.QFileDialog.getSaveFileName"


@pytest.fixture
def classed(panel, mapped):
    cell_index = panel.session.cell_index
    panel.session.classes.assign("big", cell_index.numbers_of([("cells", 0, 1000), ("cells", 0, 3)]))
    return panel


def test_nothing_can_be_kept_before_there_is_a_map(panel, cells):
    saving = panel.saving
    for button in (saving.table_button, saving.into_button, saving.features_button, saving.script_button):
        assert not button.enabled
    assert not saving.class_button.enabled
    with pytest.raises(ValueError, match="no map yet"):
        saving.save_table("x.csv")


def test_the_table_has_every_cell_and_its_record(subtests, monkeypatch, classed, finish, tmp_path):
    for ending in ("csv", "tsv", "parquet", "h5ad"):
        with subtests.test(ending):
            path = tmp_path / f"map.{ending}"
            chosen = (str(path), "")
            monkeypatch.setattr(SAVE_AS, lambda *_, to=chosen: to)
            classed.saving.table_button.native.click()
            finish()
            assert classed.status.value == f"Saved 60 cells in {path}."
            table = read_table(path, layer="cells").features
            result = classed.result
            assert set(table.index) == set(result.cells.keys)
            assert set(table.index[table["class"] == "big"]) == {("cells", 0, 1000), ("cells", 0, 3)}
            assert "n_neighbors" in str(read_provenance(path))


def test_an_ending_is_taken_from_the_kind_chosen(monkeypatch, classed, finish, tmp_path):
    chosen = (str(tmp_path / "map"), "Parquet (*.parquet)")
    monkeypatch.setattr(SAVE_AS, lambda *_: chosen)
    classed.saving.table_button.native.click()
    finish()
    assert (tmp_path / "map.parquet").exists()
    missing = (str(tmp_path / "missing" / "map.csv"), "")
    monkeypatch.setattr(SAVE_AS, lambda *_: missing)
    classed.saving.table_button.native.click()
    finish()
    assert "Saved" not in classed.status.value
    assert classed.status.value.endswith(".")


def test_a_map_is_written_into_an_anndata(classed, finish, features, tmp_path):
    import anndata

    obs = pd.DataFrame({"label": [1000, 3, 5]}, index=["a", "b", "c"])
    anndata.AnnData(np.ones((3, 2)), obs=obs).write_h5ad(tmp_path / "cells.h5ad")
    classed.saving.write_into(tmp_path / "cells.h5ad")
    finish()
    assert "1 of 3 rows of the AnnData without a cell on the map." in classed.status.value
    adata = anndata.read_h5ad(tmp_path / "cells.h5ad")
    rows = [classed.result.cells.keys.index(("cells", 0, label)) for label in (1000, 3)]
    np.testing.assert_allclose(adata.obsm["X_latentmap"][:2], classed.result.embedding[rows])
    assert adata.obs["latentmap_class"].tolist() == ["big", "big", ""]


def test_features_of_layers_are_completed_and_shape_no_map(classed, cells, features, finish):
    cells.features = pd.concat([features, pd.DataFrame({"area": [1.0], "DNA": 1.0, "actin": 1.0, "label": [5]})])
    before = classed.form.features.value
    classed.saving.features_button.native.click()
    table = cells.features.set_index("label")
    result = classed.result
    for (_, _, label), place, variance in zip(result.cells.keys, result.embedding, result.variances, strict=True):
        np.testing.assert_allclose(table.loc[label, ["map_1", "map_2"]].to_numpy(dtype=float), place)
        assert table.loc[label, "variance"] == variance
    assert np.isnan(table.loc[5, "map_1"])
    assert set(table.index[table["class"] == "big"]) == {3, 1000}
    assert (
        'The features of "cells" now have the coordinates of 60 cells. Not on the map: 1 cell.' in classed.status.value
    )
    assert classed.form.features.value == before


def test_rows_that_are_other_cells_by_now_are_told(classed, cells, features):
    classed.saving.write_features()
    assert "other values" not in classed.status.value
    cells.features = cells.features.assign(label=np.roll(cells.features["label"], 2))  # as after numbering labels anew
    classed.saving.write_features()
    assert "In 60 of 60 rows, features have other values" in classed.status.value


def test_columns_of_a_layer_s_own_stay(classed, cells, features, finish):
    own = np.resize(["tumour", "stroma"], len(features))
    cells.features = features.assign(**{"class": own, "variance": 7.0})
    for name in ("big", "large"):
        classed.session.classes.rename("big", name)
        classed.saving.write_features()
        table = cells.features.set_index("label")
        assert cells.features["class"].tolist() == own.tolist()
        assert (cells.features["variance"] == 7).all()
        assert table.loc[[3, 1000, 7], "class_1"].tolist() == [name, name, ""]
        assert "class_2" not in table
    assert '"variance" is not written: it is a column of the layer\'s own.' in classed.status.value
    assert 'The classes are in the column "class_1": "class" is a column of the layer\'s own.' in classed.status.value


def test_cells_that_are_dropped_are_not_written(classed, cells, finish):
    classed.session.dropped.drop(classed.session.cell_index.numbers_of([("cells", 0, 1000)]))
    classed.saving.write_features()
    table = cells.features.set_index("label")
    assert np.isnan(table.loc[1000, ["map_1", "map_2", "variance"]].to_numpy(dtype=float)).all()
    assert table["map_1"].notna().sum() == 59
    assert table.index[table["class"] == "big"].tolist() == [3]
    assert "the coordinates of 59 cells. Not on the map: 1 cell." in classed.status.value


def test_features_of_a_layer_have_one_map(classed, cells, features, finish):
    classed.parameters.n_components = 3
    classed.embed()
    finish()
    classed.saving.write_features()
    assert "map_3" in cells.features
    classed.session.runs.show(next(iter(classed.session.runs)))
    classed.saving.write_features()
    assert {"map_1", "map_2"} <= {*cells.features}
    assert "map_3" not in cells.features
    classed.session.classes.delete("big")
    classed.saving.write_features()
    assert set(cells.features["class"]) == {""}


def test_points_and_tracks_get_coordinates_too(viewer, panel, finish):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    steps = np.array([[track, frame, track, frame] for track in range(1, 5) for frame in range(10)], dtype=float)
    layers = [
        viewer.add_points(steps[:, 2:], name="p", features=table),
        viewer.add_tracks(steps, name="t", features=table),
    ]
    panel.cells.layers.value = layers
    panel.parameters.max_iter = 3
    panel.embed()
    finish()
    panel.session.classes.assign("few", np.arange(5))
    panel.saving.write_features()
    for layer in layers:
        assert np.isfinite(layer.features[["map_1", "map_2", "variance"]].to_numpy()).all()
    assert sum((layer.features["class"] == "few").sum() for layer in layers) == 5


def test_a_class_becomes_labels(classed, viewer, cells, labels):
    classed.saving.class_name.value = "big"
    classed.saving.class_button.native.click()
    layer = viewer.layers["big of cells"]
    np.testing.assert_array_equal(layer.data, np.where(np.isin(labels, [3, 1000]), labels, 0))
    np.testing.assert_array_equal(layer.scale, cells.scale)


def test_all_classes_become_labels_in_their_colours(classed, viewer, labels):
    classed.saving.class_name.value = ALL_CLASSES
    classed.saving.class_button.native.click()
    layer = viewer.layers["classes of cells"]
    np.testing.assert_array_equal(layer.data, np.isin(labels, [3, 1000]))
    np.testing.assert_allclose(layer.get_color(1), to_rgba(classed.session.classes["big"].colour), atol=1e-6)
    assert classed.status.value == 'Made "classes of cells". The numbers: 0 no class, 1 big.'


def test_the_script_makes_the_map_anew(classed, tmp_path):
    classed.saving.save_script(tmp_path / "map.py")
    assert {path.name for path in tmp_path.iterdir()} >= {"map.py", "map_cells.csv"}
    done = subprocess.run([sys.executable, "map.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_figure_shows_the_maps_and_images_in_view(qtbot, monkeypatch, viewer, classed, finish, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from PIL import Image

    (labels,) = [layer for layer in viewer.layers if layer.name == "cells"]
    classed.session.selection.select_keys([("cells", 0, 1000)])
    paths = []
    for visible in (True, False):
        labels.visible = visible
        paths.append(tmp_path / f"{visible}.png")
        monkeypatch.setattr(SAVE_AS, lambda *_, to=(str(paths[-1]), ""): to)
        classed.saving.figure_button.native.click()
        finish()
        qtbot.wait_until(lambda: not classed.saving.running)
        assert classed.status.value.startswith(f"Saved the figure in {paths[-1]}. Its caption: ")
    with Image.open(paths[0]) as both, Image.open(paths[1]) as alone:
        assert "The image “cells”" in both.text["Description"]
        assert "The image" not in alone.text["Description"]
        assert "1 selected cell with a ring." in both.text["Description"]
        assert both.height < alone.height


def test_a_figure_of_many_images_says_how_many_it_has(viewer, panel, labels, features, finish, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    small = features[:9]
    panel.cells.layers.value = [
        viewer.add_labels(labels[:, 10 * at :], name=f"field {at}", features=small) for at in range(8)
    ]
    panel.embed()
    finish()
    for path, words in (
        (tmp_path / "8.png", "It has 6 of 8 images: hide layers to choose which. Saved"),
        (None, "Saved"),
    ):
        panel.saving.save_figure(path or tmp_path / "6.png")
        finish()
        assert panel.status.value.startswith(words)
        viewer.layers["field 0"].visible = viewer.layers["field 1"].visible = False
