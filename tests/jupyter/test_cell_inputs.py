import asyncio
import sys
from types import SimpleNamespace

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix

from latentmap.jupyter.cell_inputs import read_cells
from latentmap.jupyter.explore import explore

ROWS = pd.DataFrame({"label": [3, 7, 1000], "area": [4.0, 9.0, 2.0], "kind": ["a", "b", "a"]})


def read(data, has_labels=False, **columns):
    return read_cells(data, layer="nuclei", columns=columns, has_labels=has_labels)


def test_a_table_that_names_its_cells():
    table = read(ROWS)
    assert table.keys == [("nuclei", 0, 3), ("nuclei", 0, 7), ("nuclei", 0, 1000)]
    assert not table.notes
    assert read(ROWS.set_index("label")).keys == table.keys
    assert read(ROWS.rename(columns={"label": "CellID"}), label="CellID").keys == table.keys


def test_rows_without_labels_are_numbered_and_that_is_said():
    rows = ROWS.drop(columns="label")
    table = read(rows)
    assert [key[2] for key in table.keys] == [1, 2, 3]
    assert "numbered from 1, in the order of the rows" in table.notes[-1]
    with pytest.raises(ValueError, match='add a column "label"'):
        read(rows, has_labels=True)


def test_rows_with_an_index_of_several_levels_are_numbered():
    rows = ROWS.drop(columns="label").set_index(
        pd.MultiIndex.from_product([["A"], ["1", "2", "3"]], names=["plate", "well"])
    )
    table = read(rows)
    assert [key[2] for key in table.keys] == [1, 2, 3]
    assert table.features["well"].tolist() == ["1", "2", "3"]


def test_a_table_of_another_library_keeps_its_labels_and_names():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    cells = read(pyarrow.table({"label": [9, 3], "area": [4.0, 5.0]}))
    assert cells.keys == [("nuclei", 0, 9), ("nuclei", 0, 3)]
    assert cells.features["area"].tolist() == [4.0, 5.0]


def test_rows_are_not_numbered_anew_where_a_column_says_for_most_which_cell_they_are(tmp_path):
    rows = pd.DataFrame({"CellID": [3, 7, 1000, np.nan], "area": [4.0, 9.0, 2.0, 5.0]})
    path = tmp_path / "cells.csv"
    rows.to_csv(path, index=False)
    adata = anndata.AnnData(rows[["area"]].to_numpy(), obs=rows[["CellID"]].set_axis(["w", "x", "y", "z"]))
    for data in (rows, path, adata):
        with pytest.raises(
            ValueError, match='olumn "CellID" says which cell a row is, but not in 1 of 4 rows'
        ) as refusal:
            read(data)
        assert "which is row 4. Correct these rows" in str(refusal.value)
    assert len(read(rows.rename(columns={"CellID": "score"})).keys) == 4


def test_an_array_has_features_by_number():
    table = read(np.arange(6.0).reshape(3, 2))
    assert table.numeric == ["feature_1", "feature_2"]
    assert table.features["feature_2"].tolist() == [1, 3, 5]
    for strange in (np.zeros(3), np.zeros((2, 2, 2)), np.array([["a"]]), 7):
        with pytest.raises(ValueError, match="Cells are taken from a DataFrame"):
            read(strange)


def test_what_a_mask_hides_is_missing():
    values = np.ma.masked_equal(np.arange(6).reshape(3, 2), 3)
    assert read(values).features["feature_2"].tolist()[::2] == [1, 5]
    assert np.isnan(read(values).features["feature_2"].iloc[1])


def test_a_sparse_array_is_taken_with_its_zeros():
    for kind in (csr_matrix, csr_array, coo_array):
        table = read(kind(np.array([[0, 4.0], [9, 0], [0, 0]])))
        assert table.features["feature_2"].tolist() == [4, 0, 0]
    with pytest.raises(ValueError, match="3000000 rows and 20000 columns: too many for a map"):
        read(csr_array((3_000_000, 20_000)))


@pytest.mark.parametrize("backed", [False, True])
def test_anndata(tmp_path, backed):
    obs = ROWS[["label", "kind"]].set_axis(["x", "y", "z"])
    adata = anndata.AnnData(ROWS[["area"]].to_numpy(), obs=obs, var=pd.DataFrame(index=["area"]))
    if backed:
        adata.write_h5ad(tmp_path / "cells.h5ad")
        adata = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    table = read(adata)
    assert [key[2] for key in table.keys] == [3, 7, 1000]
    assert table.features["area"].tolist() == [4, 9, 2]


def test_anndata_whose_cells_come_from_no_image():
    adata = anndata.AnnData(ROWS[["area"]].to_numpy(), var=pd.DataFrame(index=["area"]))
    table = read(adata)
    assert [key[2] for key in table.keys] == [1, 2, 3]
    assert "numbered from 1, in the order of the rows" in table.notes[-1]
    with pytest.raises(ValueError, match="label"):
        read(adata, has_labels=True)


def test_the_argument_that_names_the_column_is_told():
    obs = pd.DataFrame({"nucleus_no": [3, 7, 1000], "kind": ["a", "b", "a"]}, index=["x", "y", "z"])
    adata = anndata.AnnData(ROWS[["area"]].to_numpy(), obs=obs, var=pd.DataFrame(index=["area"]))
    with pytest.raises(ValueError, match=r'If a column of obs holds it .*: columns={"label": "nucleus_no"}\.$'):
        read(adata, has_labels=True)
    assert read(adata, has_labels=True, label="nucleus_no").keys == read(ROWS).keys
    del adata.obs["nucleus_no"]
    adata.X = adata.X + 0.5
    with pytest.raises(ValueError, match=r'columns={"label": "cell_id"}'):
        read(adata, has_labels=True)
    with pytest.raises(ValueError, match=r'If a column holds it .*: columns={"label": "nr"}\.$'):
        read(ROWS.rename(columns={"label": "nr"}), has_labels=True)


def test_a_file(tmp_path):
    ROWS.to_csv(tmp_path / "cells.csv", index=False)
    assert read(tmp_path / "cells.csv").keys == read(ROWS).keys
    assert read(str(tmp_path / "cells.csv")).keys == read(ROWS).keys


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".h5ad"])
def test_a_file_whose_cells_come_from_no_image(tmp_path, ending):
    rows, path = ROWS[["area", "kind"]], tmp_path / f"cells{ending}"
    if ending == ".h5ad":
        obs = rows[["kind"]].set_axis(["x", "y", "z"])
        anndata.AnnData(rows[["area"]].to_numpy(), obs=obs, var=pd.DataFrame(index=["area"])).write_h5ad(path)
    elif ending == ".parquet":
        rows.to_parquet(path)
    else:
        rows.to_csv(path, sep="\t" if ending == ".tsv" else ",", index=False)
    table = read(path)
    assert [key[2] for key in table.keys] == [1, 2, 3]
    assert table.features["area"].tolist() == [4, 9, 2]
    assert "numbered from 1, in the order of the rows" in table.notes[-1]
    with pytest.raises(ValueError, match="label"):
        read(path, has_labels=True)


def test_a_file_says_which_cells_it_has_in_its_own_way(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("cell_id;area\n3;4,5\n1000;9,25\n")
    assert read(path).keys == [("nuclei", 0, 3), ("nuclei", 0, 1000)]
    assert read(path).features["area"].tolist() == [4.5, 9.25]


def test_outside_a_notebook_a_sentence():
    with pytest.raises(RuntimeError, match="needs a notebook"):
        explore(ROWS)


def test_nothing_to_measure():
    with pytest.raises(ValueError, match="There are no cells yet"):
        explore()


def test_labels_of_another_name_than_the_tables():
    labels = np.array([[3, 7], [1000, 0]])
    with pytest.raises(ValueError, match=r'cells from "nuclei", but none from "cells".*layer="nuclei"'):
        explore(ROWS.assign(layer="nuclei"), None, labels)


@pytest.mark.parametrize("has_frames", [False, True])
def test_a_film_that_is_taken_for_a_stack_is_told(has_frames):
    film = np.array([[[3, 7], [1000, 0]], [[7, 3], [0, 1000]]])
    rows = pd.concat([ROWS.assign(frame=frame) for frame in (0, 1)])

    async def main():
        shown = explore(rows, None, film, has_frames=has_frames)
        notes = shown.cells.notes
        shown.close()
        return notes

    told = [note for note in asyncio.run(main()) if "give has_frames=True" in note]
    assert bool(told) != has_frames


def test_in_marimo_a_plain_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "marimo", SimpleNamespace(running_in_notebook=lambda: True))
    with pytest.raises(RuntimeError, match="which marimo does not support: use JupyterLab"):
        explore(ROWS)


def test_spatialdata_is_taken_by_its_tables():
    def table(region, area):
        obs = pd.DataFrame({"region": region, "instance_id": [3, 7]}, index=["x", "y"])
        declared = {"region": region, "region_key": "region", "instance_key": "instance_id"}
        X = np.array([[area], [area + 1]])
        return anndata.AnnData(X, obs, pd.DataFrame(index=["area"]), uns={"spatialdata_attrs": declared})

    async def main():
        shown = explore(SimpleNamespace(tables={"a": table("left", 4.0), "b": table("right", 8.0)}))
        keys, areas = shown.cells.keys, shown.cells.features["area"].tolist()
        shown.close()
        return keys, areas

    keys, areas = asyncio.run(main())
    assert keys == [("left", 0, 3), ("left", 0, 7), ("right", 0, 3), ("right", 0, 7)]
    assert areas == [4, 5, 8, 9]
    with pytest.raises(ValueError, match="has no table"):
        read(SimpleNamespace(tables={}))
