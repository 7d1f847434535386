import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from latentmap.jupyter.cell_inputs import read_cells
from latentmap.session import LayerSnapshot, Session, load, save
from latentmap.session.columns import StoredColumn
from latentmap.table import CellTable, MapTable, read_table, to_anndata, write_into, write_table

NAMES = ["AAAC-1", "007", "NA"]
AREAS = [4.0, 9.0, 2.0]


def explored(data):
    return read_cells(data, layer="cells", columns={}, has_labels=False)


def sheet_of(cells):
    rows = cells.features.reset_index().assign(map_1=[0.1, 0.2, 0.3])
    return MapTable(rows, ("area",), ("map_1",))


def barcoded(names=NAMES):
    return anndata.AnnData(
        np.array(AREAS)[:, None],
        obs=pd.DataFrame({"phase": ["G1", "S", "S"]}, index=names),
        var=pd.DataFrame(index=["area"]),
    )


@pytest.fixture
def cells():
    return explored(pd.DataFrame({"area": AREAS}, index=NAMES))


def test_the_index_of_a_table_is_kept(cells):
    assert cells.features["cell_name"].tolist() == NAMES
    assert cells.numeric == ["area"]
    assert [label for _, _, label in cells.keys] == [1, 2, 3]
    named = explored(pd.DataFrame({"area": AREAS}, index=pd.Index([7, 8, 10], name="donor")))
    assert named.features["donor"].tolist() == ["7", "8", "10"]
    assert named.numeric == ["area"]
    chosen = explored(pd.DataFrame({"area": AREAS}, index=[2, 5, 7]))
    assert chosen.features["cell_name"].tolist() == ["2", "5", "7"]
    counted = explored(pd.DataFrame({"area": AREAS}))
    assert list(counted.features) == ["area"]


def test_an_index_may_be_the_key():
    rows = pd.DataFrame({"area": AREAS}, index=pd.Index([3, 7, 1000], name="CellID"))
    assert [label for _, _, label in explored(rows).keys] == [3, 7, 1000]
    cells = CellTable.read(rows.rename_axis("label"), layer="cells")
    assert CellTable.read(cells.features, layer="other").keys == cells.keys


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".h5ad"])
def test_names_go_through_files(tmp_path, cells, ending):
    path = write_table(sheet_of(cells), tmp_path / f"map{ending}")
    again = read_table(path, layer="cells")
    assert again.features["cell_name"].tolist() == NAMES
    assert again.keys == cells.keys
    write_table(sheet_of(CellTable(again.features.drop(columns="map_1"))), path)
    assert read_table(path, layer="cells").features["cell_name"].tolist() == NAMES


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_names_that_pandas_writes_are_read(tmp_path, ending):
    rows, path = pd.DataFrame({"label": [3, 7, 9], "area": AREAS}, index=["a", "b", "c"]), tmp_path / f"cells{ending}"
    rows.to_csv(path) if ending == ".csv" else rows.to_parquet(path)
    cells = read_table(path, layer="cells")
    assert cells.features["cell_name"].tolist() == ["a", "b", "c"]
    assert cells.notes == ()


def test_names_go_through_a_session_file(tmp_path, cells):
    session = Session(lambda act: act())
    session.cell_index.add(cells.features.index)
    session.parameters.features = ("area",)
    layer = LayerSnapshot("cells", "labels", {}, {}, {"cell_name": StoredColumn.of(cells.features["cell_name"])})
    stored = load(save(session, tmp_path / "a.latentmap", [layer]))
    assert stored.layers[0].features["cell_name"].array().tolist() == NAMES


@pytest.mark.parametrize("names", [NAMES, ["0", "1", "2"]])
def test_a_map_goes_back_into_the_anndata_that_it_came_from(names):
    adata = barcoded(names)
    cells = explored(adata)
    assert cells.features["cell_name"].tolist() == names
    assert write_into(adata[[2, 0, 1]].copy(), sheet_of(cells), layer="cells") == ()
    assert write_into(adata, sheet_of(cells), layer="cells") == ()
    assert adata.obsm["X_latentmap"].ravel().tolist() == [0.1, 0.2, 0.3]
    assert to_anndata(sheet_of(cells)).obs_names.tolist() == names


def test_barcodes_that_two_layers_share_are_told_apart_by_the_layer():
    a, b = (
        CellTable.read(pd.DataFrame({"label": [1, 2, 3], "area": AREAS}, index=NAMES), layer=layer) for layer in "ab"
    )
    both = CellTable.pool([a, b]).features.reset_index().assign(map_1=np.arange(6.0))
    adata = barcoded()
    write_into(adata, MapTable(both, ("area",), ("map_1",)), layer="b")
    assert adata.obsm["X_latentmap"].ravel().tolist() == [3, 4, 5]
    saved = to_anndata(MapTable(both, ("area",), ("map_1",)))
    assert saved.obs_names.tolist()[:2] == ["a/0/1", "a/0/2"]
    assert saved.obs["cell_name"].tolist() == [*NAMES, *NAMES]


def test_numbers_that_repeat_from_image_to_image_are_no_key():
    rows = pd.DataFrame({"ImageNumber": [1, 1, 2], "ObjectNumber": [1, 2, 1], "area": AREAS})
    cells = explored(rows)
    assert [label for _, _, label in cells.keys] == [1, 2, 3]
    assert "numbered from 1, in the order of the rows" in cells.notes[-1]
    with pytest.raises(ValueError, match="more than one row"):
        read_cells(rows, layer="cells", columns={}, has_labels=True)


def test_names_of_several_levels_are_joined():
    columns = pd.MultiIndex.from_tuples([("label", ""), ("DNA", "mean"), ("DNA", "std")])
    cells = CellTable.read(pd.DataFrame([[3, 4.0, 1.0], [7, 5.0, 2.0]], columns=columns), layer="cells")
    assert cells.keys == [("cells", 0, 3), ("cells", 0, 7)]
    assert cells.numeric == ["DNA mean", "DNA std"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (pd.DataFrame([[1, 2.0, 3.0]], columns=["label", "area", "area"]), 'Several columns are named "area"'),
        (pd.DataFrame([[1, 2, 3.0]], columns=["label", "label", "area"]), 'Several columns are named "label"'),
        (pd.DataFrame([[1, 2.0, 3.0]], columns=["label", 1, "1"]), 'Several columns are named "1"'),
        (sp.csr_matrix(np.eye(3)), "A sparse matrix has no names of columns"),
        (sp.coo_array(np.eye(3)), "A sparse matrix has no names of columns"),
        (np.eye(3), "is a pandas.DataFrame, not a ndarray"),
        ([1, 2], "is a pandas.DataFrame, not a list"),
    ],
)
def test_what_is_no_table_is_a_sentence(rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        CellTable.read(rows, layer="cells")


def test_the_cells_of_a_sparse_frame_are_read():
    rows = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.eye(3)), columns=["a", "b", "c"]).assign(label=[3, 7, 9])
    assert CellTable.read(rows, layer="cells").numeric == ["a", "b", "c"]
