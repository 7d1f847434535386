"""A real SpatialData with images, labels, a table and transformations, through the notebook, napari and back."""

import asyncio
import hashlib
import os
import shutil
import warnings
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest

from latentmap.cli.main import main
from latentmap.table import MapTable, from_spatialdata, read_table
from latentmap.table.files.spatialdata_io import is_spatialdata_store, labels_elements, read_spatialdata

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    spatialdata = pytest.importorskip("spatialdata", reason="scripts/test has spatialdata in another environment")
    from spatialdata.models import Image2DModel, Labels2DModel, ShapesModel, TableModel
    from spatialdata.transformations import Affine, Identity, Scale, Translation, get_transformation, set_transformation

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
CELLS = 36
SIZE = 72


def labels_of():
    """Squares of six pixels, six by six."""
    labels = np.zeros((SIZE, SIZE), dtype=np.int32)
    for label in range(1, CELLS + 1):
        row, column = divmod(label - 1, 6)
        labels[12 * row + 3 : 12 * row + 9, 12 * column + 3 : 12 * column + 9] = 10 * label
    return labels


@pytest.fixture
def sdata():
    rng = np.random.default_rng(0)
    half, turned = (
        Scale([0.5, 0.5], axes=("y", "x")),
        Affine([[0.8, -0.6, 5], [0.6, 0.8, 1], [0, 0, 1]], input_axes=("y", "x"), output_axes=("y", "x")),
    )
    stains = {"c_coords": ["DAPI", "CD3"], "dims": ("c", "y", "x")}
    image = rng.random((2, SIZE, SIZE)).astype("float32")
    of_table = {
        "region": pd.Categorical(["left_cells"] * CELLS + ["right_cells"] * CELLS),
        "cell": np.tile(10 * np.arange(1, CELLS + 1), 2),
        "leiden": pd.Categorical(rng.integers(2, size=2 * CELLS).astype(str)),
    }
    table = anndata.AnnData(
        rng.normal(size=(2 * CELLS, 4)),
        obs=pd.DataFrame(of_table, index=[f"cell-{i}" for i in range(2 * CELLS)]),
        var=pd.DataFrame(index=["area", "DAPI", "CD3", "CD8"]),
        uns={"leiden_colors": np.array(["#112233", "#445566"])},
        obsm={"X_pca": rng.normal(size=(2 * CELLS, 3))},
    )
    return spatialdata.SpatialData(
        images={
            "left": Image2DModel.parse(image, transformations={"global": half, "other": Identity()}, **stains),
            "right": Image2DModel.parse(image, transformations={"global": turned}, scale_factors=[2], **stains),
            "overview": Image2DModel.parse(image[:, ::4, ::4], **stains),
        },
        labels={
            "left_cells": Labels2DModel.parse(labels_of(), dims=("y", "x"), transformations={"global": half}),
            "right_cells": Labels2DModel.parse(
                labels_of(), dims=("y", "x"), transformations={"global": turned}, scale_factors=[2]
            ),
        },
        shapes={"spots": ShapesModel.parse(rng.random((5, 2)) * SIZE, geometry=0, radius=2.0)},
        tables={
            "table": TableModel.parse(
                table, region=["left_cells", "right_cells"], region_key="region", instance_key="cell"
            )
        },
    )


@pytest.fixture
def store(sdata, tmp_path):
    sdata.write(tmp_path / "tissue.zarr")
    return tmp_path / "tissue.zarr"


def digests(folder, without):
    """What each file of a store holds, but for those of a table and the index of the whole."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and without not in path.parts and path.parent != Path(folder)
    }


def test_cells_have_the_keys_that_the_table_names(sdata, store):
    for cells in (
        from_spatialdata(sdata, layer="?"),
        from_spatialdata(read_spatialdata(store), layer="?"),
        read_table(store, layer="?"),
    ):
        assert cells.keys[:2] == [("left_cells", 0, 10), ("left_cells", 0, 20)]
        assert cells.keys[-1] == ("right_cells", 0, 10 * CELLS)
        np.testing.assert_array_equal(cells.features["CD3"], sdata["table"].X[:, 2])
        assert cells.colours["leiden"] == {"0": "#112233", "1": "#445566"}
        assert "X_pca_3" in cells.mappable
    assert is_spatialdata_store(store)
    assert not is_spatialdata_store(store.parent)


def test_labels_come_with_the_images_that_lie_in_the_same_place(sdata):
    elements, notes = labels_elements(sdata)
    left, right = elements
    assert (left.name, list(left.channels), left.scale) == ("left_cells", ["DAPI", "CD3"], (0.5, 0.5))
    assert (right.name, list(right.channels), right.scale) == ("right_cells", ["DAPI", "CD3"], (1.0, 1.0))
    assert [level.shape for level in right.levels] == [(SIZE, SIZE), (SIZE // 2, SIZE // 2)]
    np.testing.assert_array_equal(left.channels["CD3"][0], sdata["left"].values[1])
    assert notes == ['Not shown: "overview", which has another size or position than the labels of every table.']


def test_an_image_that_lies_elsewhere_in_one_of_the_systems_is_of_other_pixels(sdata):
    tiles = {"global": Identity(), "slide": Translation([0, 500], axes=("y", "x"))}
    for element in ("right", "right_cells"):
        set_transformation(sdata[element], tiles, set_all=True)
    for element in ("left", "left_cells"):
        set_transformation(sdata[element], {**tiles, "slide": Identity()}, set_all=True)
    left, right = labels_elements(sdata)[0]
    assert list(left.channels) == list(right.channels) == ["DAPI", "CD3"]
    assert (len(left.channels["DAPI"]), len(right.channels["DAPI"])) == (1, 2)  # the resolutions of each


@pytest.mark.parametrize(("pixel", "far"), [(1e-9, 0), (0.2, 1e6), (1, 0)])
def test_images_agree_with_labels_to_half_a_pixel(sdata, pixel, far):
    def placed(by, shift):
        axes = {"input_axes": ("y", "x"), "output_axes": ("y", "x")}
        return {"global": Affine([[by * pixel, 0, far + shift * pixel], [0, by * pixel, 0], [0, 0, 1]], **axes)}

    set_transformation(sdata["left_cells"], placed(1, 0), set_all=True)
    for by, shift, agrees in ((1, 0.3, True), (1, 1, False), (2, 0, False), (1.001, 0, True), (-1, SIZE, False)):
        set_transformation(sdata["left"], placed(by, shift), set_all=True)
        assert bool(labels_elements(sdata)[0][0].channels) == agrees, (by, shift)


def test_the_sizes_of_pixels_are_those_of_one_coordinate_system(sdata):
    micrometres, millimetres = Scale([0.5, 0.5], axes=("y", "x")), Scale([0.0005, 0.0005], axes=("y", "x"))
    set_transformation(sdata["left_cells"], {"um": micrometres, "mm": millimetres}, set_all=True)
    set_transformation(sdata["right_cells"], {"mm": millimetres, "um": micrometres}, set_all=True)
    assert [one.scale for one in labels_elements(sdata)[0]] == [(0.5, 0.5), (0.5, 0.5)]
    set_transformation(sdata["right_cells"], {"um": Identity(), "mm": millimetres}, set_all=True)
    assert [one.scale for one in labels_elements(sdata)[0]] == [(0.0005, 0.0005), (0.0005, 0.0005)]
    set_transformation(sdata["right_cells"], {"of its own": Scale([3, 3], axes=("y", "x"))}, set_all=True)
    assert [one.scale for one in labels_elements(sdata)[0]] == [(0.5, 0.5), (3.0, 3.0)]


def test_two_tables_of_the_same_cells_are_one(sdata):
    second = anndata.AnnData(np.arange(4.0).reshape(2, 2), obs=sdata["table"].obs[["region", "cell"]].iloc[[2, 0]])
    second.var_names = ["CD3", "volume"]
    sdata["more"] = TableModel.parse(second, region=["left_cells"], region_key="region", instance_key="cell")
    cells = from_spatialdata(sdata, layer="?").features
    assert len(cells) == 2 * CELLS
    assert cells.loc[("left_cells", 0, 30), "volume"] == 1
    assert cells.loc[("left_cells", 0, 10), "CD3 (more)"] == 2
    assert np.isnan(cells.loc[("left_cells", 0, 20), "volume"])


def test_a_table_of_shapes_whose_names_are_words_is_numbered(sdata):
    obs = pd.DataFrame({"region": pd.Categorical(["spots"] * 5), "spot": [f"spot {n}" for n in range(5)]})
    spots = anndata.AnnData(np.eye(5), obs=obs.set_axis(list("abcde")))
    sdata["spots_table"] = TableModel.parse(spots, region="spots", region_key="region", instance_key="spot")
    cells = from_spatialdata(sdata, layer="?")
    assert ("spots_table", 0, 5) in cells.keys
    assert "the cells are numbered" in " ".join(cells.notes)


def places(element):
    """The transformation of an element to each coordinate system."""
    found = get_transformation(element, get_all=True)
    axes = {"input_axes": ("y", "x"), "output_axes": ("y", "x")}
    return {system: one.to_affine_matrix(**axes).tolist() for system, one in found.items()}


async def explored(data, class_name="", **how):
    """Make a map, a class of the first cells, and write both into the data."""
    from latentmap.jupyter import explore

    shown = explore(data, **how)
    try:
        shown.session.parameters.max_iter = 5
        shown.embed()
        run = await shown.finished()
        first = shown.session.cell_index.numbers_of(run.result.cells.features.index[:4])
        shown.session.classes.assign(class_name or "odd", first)
        told = shown.write_into(data) if not isinstance(data, Path) else ()
        pictures = {one.name: (one.shape, list(one.channels)) for one in shown.images.pane.pictures}
        return run.result, pictures, told, " ".join(shown.cells.notes)
    finally:
        shown.close()


def test_the_round_trip_changes_nothing_but_the_table(sdata, store):
    before = digests(store, "tables")
    read = spatialdata.read_zarr(store)
    result, pictures, told, notes = asyncio.run(explored(read))
    assert pictures == {name: ((SIZE, SIZE), ["DAPI", "CD3"]) for name in ("left_cells", "right_cells")}
    assert "overview" in notes
    assert told == ('Written into "table" of "tissue.zarr".',)
    assert digests(store, "tables") == before
    assert not [path for path in store.parent.iterdir() if path != store]
    again = spatialdata.read_zarr(store)
    table, own = again["table"], sdata["table"]
    np.testing.assert_array_equal(table.obsm["X_latentmap"], result.embedding)
    np.testing.assert_array_equal(table.obs["latentmap_variance"], result.variances)
    assert table.obs["latentmap_class"].tolist() == ["odd"] * 4 + [""] * (2 * CELLS - 4)
    pd.testing.assert_frame_equal(table.obs[own.obs.columns], own.obs)
    np.testing.assert_array_equal(table.X, own.X)
    np.testing.assert_array_equal(table.obsm["X_pca"], own.obsm["X_pca"])
    assert table.uns["leiden_colors"].tolist() == ["#112233", "#445566"]
    assert {**table.uns["spatialdata_attrs"]} == {**own.uns["spatialdata_attrs"]}
    for name in ("left", "left_cells", "right_cells"):
        assert places(again[name]) == places(sdata[name])
    assert labels_elements(again)[0][0].scale == (0.5, 0.5)


def test_a_map_in_a_store_can_be_replayed_and_measured_in_a_shell(store, capsys):
    assert main(["replay", str(store)]) == 1
    assert "has no record of how a map was made" in capsys.readouterr().err
    read = spatialdata.read_zarr(store)
    asyncio.run(explored(read))
    assert main(["replay", str(store)]) == 0
    assert capsys.readouterr().out == f"The map of {2 * CELLS} cells is the same, bit for bit.\n"
    assert main(["quality", str(store)]) == 0
    assert f"neighbours of each of {2 * CELLS} cells" in capsys.readouterr().out

    other = read["table"].copy()
    other.uns["latentmap"] = other.uns["latentmap"].replace('"random_state": 0', '"random_state": 1')
    read.tables["other"] = other
    read.write_element("other")
    assert main(["replay", str(store)]) == 1
    assert 'The tables "other", "table" have different maps' in capsys.readouterr().err


def test_a_path_is_opened_and_an_array_of_obsm_chosen(store):
    result, pictures, _, _ = asyncio.run(explored(store, use_rep="X_pca"))
    assert result.parameters["features"] == ("X_pca_1", "X_pca_2", "X_pca_3")
    assert [*pictures] == ["left_cells", "right_cells"]


def test_it_is_said_which_labels_have_no_cells_and_which_cells_no_labels(sdata):
    sdata.labels["nuclei"] = sdata.labels.pop("left_cells")
    _, pictures, _, notes = asyncio.run(explored(sdata))
    assert [*pictures] == ["right_cells"]
    assert 'The tables have cells of "left_cells", but the SpatialData has no such labels or shapes.' in notes
    assert 'Not shown: labels "nuclei", because no table has a cell of them.' in notes


@pytest.mark.parametrize("said", [{"scale": (2, 2)}, {"has_frames": True}])
def test_a_size_of_pixels_beside_that_of_the_spatialdata_is_refused(sdata, said):
    with pytest.raises(ValueError, match="A SpatialData says by its transformations how large its pixels are"):
        asyncio.run(explored(sdata, **said))


def test_a_failure_leaves_the_old_table(store, monkeypatch):
    from latentmap.table.files import spatialdata_io

    read, before = spatialdata.read_zarr(store), digests(store, "?")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    with pytest.raises(OSError, match="No space"):
        asyncio.run(explored(read))
    assert digests(store, "?") == before
    assert spatialdata_io.is_spatialdata_store(store)


def test_a_table_that_cannot_take_its_place_leaves_the_old_one(store, monkeypatch):
    read, before, rename = spatialdata.read_zarr(store), digests(store, "?"), os.rename

    def in_use(old, new):
        if Path(old).name == "new":
            raise PermissionError(13, "The folder is in use")
        rename(old, new)

    monkeypatch.setattr(os, "rename", in_use)
    with pytest.raises(PermissionError, match="in use"):
        asyncio.run(explored(read))
    assert digests(store, "?") == before
    assert not [path for path in store.parent.iterdir() if path != store]


def test_rows_left_out_and_counts_changed_in_memory_stay_on_the_disk(store):
    read = spatialdata.read_zarr(store)
    whole = read["table"].copy()
    before = digests(store / "tables" / "table" / "X", "?")
    read.tables["table"] = read["table"][50:20:-1].copy()
    read["table"].X = np.log1p(np.abs(read["table"].X))
    result, _, told, _ = asyncio.run(explored(read))
    assert told == (f'{2 * CELLS - 30} of {2 * CELLS} rows of "table" without a cell on the map, on the disk.', told[1])
    again = spatialdata.read_zarr(store)["table"]
    assert digests(store / "tables" / "table" / "X", "?") == before
    np.testing.assert_array_equal(again.X, whole.X)
    pd.testing.assert_frame_equal(again.obs[whole.obs.columns], whole.obs)
    np.testing.assert_array_equal(again.obsm["X_latentmap"][50:20:-1], result.embedding)
    assert np.isnan(np.delete(again.obsm["X_latentmap"], slice(21, 51), axis=0)).all()
    assert (again.obs["latentmap_class"] == "odd").sum() == 4


def test_results_of_an_earlier_map_are_replaced_on_the_disk(store):
    asyncio.run(explored(spatialdata.read_zarr(store)))
    read = spatialdata.read_zarr(store)
    read["table"].obs["latentmap_old"] = 1.0
    read.delete_element_from_disk("table")
    read.write_element("table")
    result, _, _, _ = asyncio.run(explored(read, class_name="even"))
    again = spatialdata.read_zarr(store)["table"]
    assert "latentmap_old" not in again.obs
    assert {*again.obs["latentmap_class"]} == {"even", ""}
    np.testing.assert_array_equal(again.obsm["X_latentmap"], result.embedding)


def test_it_is_said_that_a_table_is_in_memory_only(store):
    read = spatialdata.read_zarr(store)
    read.tables["mine"] = read["table"].copy()
    del read.tables["table"]
    _, _, told, _ = asyncio.run(explored(read))
    assert told == ('Written in memory only, as the store has no such table: "mine".',)
    assert "X_latentmap" not in spatialdata.read_zarr(store)["table"].obsm


def test_a_store_that_has_gone_is_refused(store):
    read = spatialdata.read_zarr(store)
    store.rename(store.with_name("moved.zarr"))
    read.tables["table"] = read["table"].copy()
    del read.images["left"], read.images["right"], read.images["overview"]
    for name in [*read.labels]:
        del read.labels[name]
    with pytest.raises(ValueError, match="is not there any more: write the SpatialData anew"):
        asyncio.run(explored(read))


def test_a_store_of_an_older_version_is_refused(store):
    read = spatialdata.read_zarr(store)
    (store / "zarr.json").rename(store / ".zgroup")
    before = digests(store, "?")
    with pytest.raises(ValueError, match=r'^"tissue\.zarr" was written by an older spatialdata'):
        asyncio.run(explored(read))
    assert digests(store, "?") == before


def test_a_table_without_cells_of_the_map_stays_as_it_is(sdata):
    from latentmap.jupyter import explore

    of_others = pd.DataFrame({"region": pd.Categorical(["elsewhere"] * 3), "cell": [1, 2, 3]}, index=list("abc"))
    others = TableModel.parse(
        anndata.AnnData(np.ones((3, 1)), obs=of_others), region="elsewhere", region_key="region", instance_key="cell"
    )

    async def main():
        shown = explore(sdata)
        shown.session.parameters.max_iter = 5
        shown.embed()
        await shown.finished()
        sdata.tables["others"] = others
        assert shown.write_into(sdata) == ('Written into "table".',)
        with pytest.raises(ValueError, match="No row of the AnnData belongs to a cell on the map"):
            shown.write_into(spatialdata.SpatialData(tables={"others": others.copy()}))
        with pytest.raises(ValueError, match="This SpatialData has no table"):
            shown.write_into(spatialdata.SpatialData())
        shown.close()

    asyncio.run(main())
    assert "X_latentmap" in sdata["table"].obsm
    assert not len(sdata["others"].obsm)


def test_without_a_table_the_labels_are_measured(sdata):
    del sdata.tables["table"]
    from latentmap.jupyter import explore

    async def made():
        shown = explore(sdata)
        cells = shown.cells
        shown.close()
        return cells

    cells = asyncio.run(made())
    assert len(cells.features) == 2 * CELLS
    assert cells.features["area"].iloc[0] == 9.0  # 36 pixels of a quarter each
    # Labels that lie turned have pixels of one unit of the same coordinates.
    assert cells.features["area"].iloc[-1] == 36.0


def opened_by_napari_spatialdata(viewer, sdata):
    """Layers with the metadata that napari-spatialdata gives them."""
    for side in ("left", "right"):
        adata = sdata["table"][sdata["table"].obs["region"] == f"{side}_cells"]
        keys = {"region_key": "region", "instance_key": "cell", "table_names": ["table"], "adata": adata}
        common = {"sdata": sdata, "_active_in_cs": {"global"}, "_current_cs": "global"}
        place = np.array(places(sdata[f"{side}_cells"])["global"])
        viewer.add_image(
            np.asarray(labels_elements(sdata)[0][0].channels["DAPI"][0]),
            name=side,
            affine=place,
            metadata={**common, "name": side},
        )
        viewer.add_labels(
            labels_of(), name=f"{side}_cells", affine=place, metadata={**common, **keys, "name": f"{side}_cells"}
        )


def test_layers_of_napari_spatialdata_have_the_cells_of_their_table(store):
    from napari.components import ViewerModel

    from latentmap.napari_layers.sources import Sources
    from latentmap.table import CellTable

    viewer, sdata = ViewerModel(), spatialdata.read_zarr(store)
    opened_by_napari_spatialdata(viewer, sdata)
    sources = Sources(viewer)
    found = [sources.of(layer) for layer in sources.candidates()]
    cells = CellTable.pool([source.table() for source in reversed(found)])
    assert cells.keys == from_spatialdata(sdata, layer="?").keys
    assert cells.colours["leiden"] == {"0": "#112233", "1": "#445566"}
    assert viewer.layers["left_cells"].features["index"].tolist() == list(range(10, 10 * CELLS + 1, 10))


def test_features_that_a_layer_has_of_its_own_stay(sdata):
    from napari.layers import Labels

    from latentmap.napari_layers.spatialdata_layers import annotate

    own = pd.DataFrame({"index": [10, 20], "mine": [1.0, 2.0]})
    layer = Labels(labels_of(), features=own, metadata={"sdata": sdata, "name": "left_cells"})
    annotate(layer)
    assert list(layer.features) == ["index", "mine"]
    other = Labels(labels_of(), metadata={"sdata": "no SpatialData", "name": "left_cells"})
    annotate(other)
    assert other.features.empty


def loose_table():
    """A table that says which label a row is, but not of which element."""
    obs = pd.DataFrame({"label": 10 * np.arange(CELLS, 0, -1)}, index=[f"c{row}" for row in range(CELLS)])
    return anndata.AnnData(np.arange(CELLS * 2.0).reshape(CELLS, 2), obs=obs, var=pd.DataFrame(index=["area", "CD3"]))


def test_a_table_of_no_element_is_of_a_layer_only_if_there_are_no_other_labels(sdata):
    from napari.layers import Labels

    from latentmap.napari_layers.spatialdata_layers import annotate, write_back

    sdata.tables["table"] = loose_table()
    layers = [Labels(labels_of(), metadata={"sdata": sdata, "name": name}) for name in ("left_cells", "right_cells")]
    for layer in layers:
        annotate(layer)
        assert layer.features.empty
    del sdata.labels["right_cells"]
    annotate(layers[0])
    assert layers[0].features["index"].tolist() == sdata["table"].obs["label"].tolist()
    rows = layers[0].features.rename(columns={"index": "label", "area": "map_1"}).assign(layer="here", frame=0)
    told = write_back(layers[:1], ["here"], MapTable(rows, coordinates=("map_1",)))
    assert told == ['Written into "table".']
    assert sdata["table"].obsm["X_latentmap"].ravel().tolist() == sdata["table"].X[:, 0].tolist()


def test_of_a_table_only_the_rows_of_the_layer_are_read(sdata, monkeypatch):
    from latentmap.table.files import spatialdata_io

    read, sizes = spatialdata_io.from_anndata, []
    monkeypatch.setattr(
        spatialdata_io, "from_anndata", lambda adata, **how: sizes.append(adata.n_obs) or read(adata, **how)
    )
    cells = spatialdata_io.cells_of_element(sdata, "right_cells")
    pd.testing.assert_frame_equal(cells.features, from_spatialdata(sdata, layer="?").features[CELLS:])
    assert sizes[0] == CELLS


def test_points_are_not_written_to_the_rows_that_have_their_numbers(sdata):
    from napari.layers import Points

    from latentmap.napari_layers.points_source import PointsSource
    from latentmap.napari_layers.spatialdata_layers import write_back

    obs = pd.DataFrame({"region": pd.Categorical(["spots"] * 5), "spot": [5, 4, 3, 2, 1]}, index=list("abcde"))
    table = TableModel.parse(
        anndata.AnnData(np.ones((5, 1)), obs=obs), region="spots", region_key="region", instance_key="spot"
    )
    sdata.tables["table"] = table
    features = pd.DataFrame({"map_1": np.arange(5.0)})
    layer = Points(np.eye(5, 2), features=features, name="drawn", metadata={"sdata": sdata, "name": "spots"})
    rows = PointsSource(layer, "drawn").rows().assign(layer="drawn", frame=0)
    told = write_back([layer], ["drawn"], MapTable(rows, coordinates=("map_1",)))
    assert told == ['"drawn" is not written into the SpatialData: only labels are.']
    assert "X_latentmap" not in table.obsm


def test_the_panel_maps_them_and_writes_back(make_napari_viewer, qtbot, store):
    viewer, sdata = make_napari_viewer(), spatialdata.read_zarr(store)
    before = digests(store, "tables")
    opened_by_napari_spatialdata(viewer, sdata)
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    panel.cells.layers.value = [viewer.layers["left_cells"], viewer.layers["right_cells"]]
    panel.session.parameters.max_iter = 5
    panel.embed_button.native.click()
    qtbot.waitUntil(lambda: not panel.session.runs.running and panel.session.runs.current is not None, timeout=60_000)
    panel.saving.write_features()
    result = panel.session.runs.current.result
    again = spatialdata.read_zarr(store)["table"]
    assert len(result.embedding) == 2 * CELLS
    order = from_spatialdata(sdata, layer="?").features.index.get_indexer(result.cells.features.index)
    np.testing.assert_array_equal(again.obsm["X_latentmap"][order], result.embedding)
    assert digests(store, "tables") == before
    assert 'Written into "table" of "tissue.zarr".' in panel.status.value
