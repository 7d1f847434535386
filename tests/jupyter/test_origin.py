"""What the map of a notebook is written into: whatever its cells came from."""

import asyncio

import anndata
import numpy as np
import pandas as pd
import pytest
from napari.components import ViewerModel
from skimage.io import imread

from latentmap.jupyter import LabelledImage, explore
from latentmap.table import CellTable
from latentmap.table.files.reading import read_anndata
from latentmap.table.found_maps import found_maps

LABELS = np.zeros((64, 64), dtype=np.uint16)
for _number in range(16):
    LABELS[16 * (_number // 4) + 2 :, 16 * (_number % 4) + 2 :][:10, :10] = 3 * (_number + 1)
NUMBERS = np.unique(LABELS)[1:]


def table(seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"label": NUMBERS, **{name: rng.normal(size=len(NUMBERS)) for name in "abc"}})


def mapped(look, *data, **how):
    """Whatever `look` returns of a widget with a map and a class of two cells."""

    async def main():
        shown = explore(*data, **how)
        try:
            shown.session.parameters.n_neighbors, shown.session.parameters.max_iter = 5, 4
            shown.embed()
            run = await shown.finished()
            shown.classes.assign("T", shown.session.cell_index.numbers_of(run.result.cells.features.index[:2]))
            found = look(shown, run.result)
            return await found if asyncio.iscoroutine(found) else found
        finally:
            shown.close()

    return asyncio.run(main())


def press(shown, _=None):
    shown.keep.write_button.click()
    return shown.status.value


def test_a_dataframe_gets_columns_whatever_the_order_of_its_rows():
    frame = table()

    def look(shown, result):
        frame.sort_values("a", inplace=True)
        assert shown.keep.write_button.description == "Write into DataFrame"
        assert "The DataFrame now has &quot;map_1&quot;, &quot;map_2&quot;" in press(shown)
        return result

    result = mapped(look, frame, None, LABELS)
    own = frame.set_index("label").loc[NUMBERS]
    np.testing.assert_array_equal(own[["map_1", "map_2"]], result.embedding)
    assert own["class"].tolist() == ["T", "T", *[""] * 14]
    # It gives the same map again: what was written is no feature.
    again = mapped(lambda _, result: result, frame.sort_values("label").reset_index(drop=True), None, LABELS)
    np.testing.assert_array_equal(again.embedding, result.embedding)


def test_rows_that_were_only_numbered_must_be_the_same_rows():
    frame = table().drop(columns="label")

    def look(shown, _):
        assert "now has" in press(shown)
        frame.drop(index=3, inplace=True)
        return press(shown)

    assert "run explore() again" in mapped(look, frame)


def test_rows_that_were_only_numbered_are_known_by_their_features():
    frame = table().drop(columns="label").assign(kind=list("ABAB" * 4), gap=[np.nan, *[1.0] * 15])

    def look(shown, _):
        frame["more"] = 1.0
        assert "now has" in press(shown)
        assert "now has" in press(shown)  # also with the columns that the first time has brought
        frame.sort_values("a", ignore_index=True, inplace=True)
        return press(shown)

    assert "run explore() again" in mapped(look, frame)


@pytest.mark.parametrize("name", ["label", "CellID"])
def test_labels_that_come_after_the_map_are_not_the_numbers_of_its_rows(name):
    frame = table().drop(columns="label")

    def look(shown, result):
        frame[name] = np.arange(16, 0, -1)
        assert "now has" in press(shown)
        return result

    result = mapped(look, frame)
    np.testing.assert_array_equal(frame[["map_1", "map_2"]], result.embedding)


def test_numbered_rows_whose_features_have_other_names_are_not_known():
    frame = table().drop(columns="label")

    def look(shown, _):
        frame.rename(columns=str.upper, inplace=True)
        frame.sort_values("A", ignore_index=True, inplace=True)
        return press(shown)

    assert "with other features: run explore() again" in mapped(look, frame)
    assert list(frame) == list("ABC")


def test_it_is_said_if_rows_with_these_labels_are_other_cells():
    frame = table()

    def look(shown, _):
        said = press(shown)
        frame["label"] = frame["label"].to_numpy()[::-1]
        return said, press(shown)

    before, after = mapped(look, frame)
    assert "other values" not in before
    assert "In 16 of 16 rows, features have other values than those that the map was made of" in after


def test_a_table_that_was_copied_cannot_be_written_into():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed").Table.from_pandas(table())
    assert mapped(lambda shown, _: shown.keep.write_button.layout.display, arrow) == "none"


def test_a_table_of_cells_that_is_changed_later_does_not_change_the_widgets():
    cells = CellTable.read(table(), layer="cells")

    def look(shown, result):
        cells.features["a"] = 0.0
        assert shown.session.same_run(shown.cells) is not None
        np.testing.assert_array_equal(shown.cells.features["a"], table()["a"])

    mapped(look, cells)


@pytest.mark.parametrize("file", ["", "cells.h5ad", "cells.zarr"])
@pytest.mark.filterwarnings("ignore:Writing zarr v2:UserWarning")
def test_an_anndata_gets_the_map_also_in_its_file(file, tmp_path):
    rows, path = table(), tmp_path / file
    adata = anndata.AnnData(rows[list("abc")].to_numpy(), obs=pd.DataFrame(index=[f"cell-{i}" for i in NUMBERS]))
    if file:
        (adata.write_zarr if file.endswith("zarr") else adata.write_h5ad)(path)

    def look(shown, result):
        said = press(shown)
        assert (f"Written into &quot;{file}&quot;" if file else "The AnnData now has obsm") in said
        return result

    result = mapped(look, path if file else adata)
    written = read_anndata(path) if file else adata
    np.testing.assert_array_equal(written.obsm["X_latentmap"], result.embedding)
    assert written.obs["latentmap_class"].tolist()[:3] == ["T", "T", ""]


@pytest.mark.parametrize("has_labels", [False, True])
def test_the_same_anndata_gives_the_same_map_again(has_labels):
    rows = table()
    obs = pd.DataFrame({"label": NUMBERS} if has_labels else {}, index=[f"cell-{i}" for i in NUMBERS])
    adata = anndata.AnnData(rows[list("abc")].to_numpy(), obs=obs)
    first = mapped(lambda shown, result: (press(shown), result)[1], adata)

    def look(shown, result):
        assert [one.name for one in found_maps(shown.cells.features)] == ["earlier map"]
        assert "latentmap_variance" not in shown.table()
        return result

    again = mapped(look, adata)
    assert again.parameters["features"] == first.parameters["features"]
    np.testing.assert_array_equal(again.embedding, first.embedding)


@pytest.mark.parametrize(
    "data", [table(), table().to_numpy(), "cells.h5ad", None], ids=lambda data: type(data).__name__
)
def test_what_is_no_anndata_is_refused_in_words(data):
    def look(shown, _):
        with pytest.raises(ValueError, match=r"takes an AnnData or a SpatialData, not a .*: shown\.table\(\) has"):
            shown.write_into(data)

    mapped(look, table())


def test_layers_of_napari_get_features_which_do_not_come_back():
    viewer = ViewerModel()
    layer = viewer.add_labels(LABELS, name="cells", features=table())

    async def look(shown, result):
        before = list(shown.cells.features)
        assert "now have the coordinates of 16 cells" in press(shown)
        await asyncio.sleep(0.05)
        assert list(shown.cells.features) == before
        assert "now have the coordinates" in shown.status.value
        layer.features = layer.features.assign(new=1.0)
        await asyncio.sleep(0.05)
        assert "new" in shown.cells.features
        return result

    result = mapped(look, viewer)
    np.testing.assert_array_equal(layer.features[["map_1", "map_2"]], result.embedding)
    assert layer.features["class"].tolist()[:3] == ["T", "T", ""]


def test_what_cannot_be_written_into_is_not_offered(tmp_path):
    table().to_csv(tmp_path / "cells.csv", index=False)
    for data in (table()[list("abc")].to_numpy(), tmp_path / "cells.csv"):
        assert mapped(lambda shown, _: shown.keep.write_button.layout.display, data) == "none"


def test_before_there_is_a_map_it_is_said():
    async def main():
        shown = explore(table())
        said = press(shown)
        shown.close()
        return said

    assert "There is no map yet: press Embed." in asyncio.run(main())


def test_classes_as_labels_are_an_array_and_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def look(shown, _):
        labels = np.where(np.isin(LABELS, NUMBERS[:2]), LABELS, 0)
        np.testing.assert_array_equal(shown.class_labels("T"), labels)
        np.testing.assert_array_equal(shown.class_labels(), labels > 0)
        keep = shown.keep
        assert keep._class_row.layout.display == "none"
        keep.kind.value = next(kind for _, kind in keep.kind.options if kind.title == "classes as labels")
        assert keep._class_row.layout.display is None
        assert [text for text, _ in keep.class_name.options] == ["all classes, numbered", "T"]
        keep.class_name.value = "T"
        shown.classes.assign("U", [5])
        assert keep.class_name.value == "T"
        keep.button.click()
        np.testing.assert_array_equal(imread(tmp_path / "map.labels.tif"), labels)
        return shown.status.value

    assert "Saved &quot;map.labels.tif&quot;" in mapped(look, table(), None, LABELS)


def test_of_several_images_the_labels_of_one_must_be_named():
    pictures = [LabelledImage(name, LABELS) for name in ("A", "B")]
    rows = pd.concat([table(1).assign(layer="A"), table(2).assign(layer="B")])

    def look(shown, _):
        shown.classes.assign("T", range(20))
        with pytest.raises(ValueError, match='"A", "B": name one'):
            shown.class_labels("T")
        return shown.class_labels("T", layer="B")

    assert np.unique(mapped(look, rows, pictures)).tolist() == [0, *NUMBERS[:4]]
