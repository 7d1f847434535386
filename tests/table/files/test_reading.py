import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from latentmap.table import from_anndata, read_provenance, read_table, reading_errors
from latentmap.table.libraries import import_optional

anndata = pytest.importorskip("anndata")


def written(tmp_path, text, name="cells.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_text(text, encoding=encoding)
    return path


def spreadsheet(**columns):
    return pd.DataFrame({"label": [3, 7], "area": [4.0, 9.0], **columns})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("comma.csv", "label,area\n3,4.5\n1000,9.25\n"),
        ("tab.tsv", "label\tarea\n3\t4.5\n1000\t9.25\n"),
        ("tab.txt", "label\tarea\n3\t4.5\n1000\t9.25\n"),
        ("german.csv", "label;area\r\n3;4,5\r\n1000;9,25\r\n"),
        ("semicolon.CSV", "label;area\n3;4.5\n1000;9.25\n"),
        ("quoted.csv", '"label","area"\n3,4.5\n1000,9.25'),
        ("excel.csv", "\ufefflabel,area\n3,4.5\n1000,9.25\n"),
    ],
)
def test_text_as_spreadsheets_and_languages_write_it(tmp_path, name, text):
    cells = read_table(written(tmp_path, text, name), layer="nuclei")
    assert cells.keys == [("nuclei", 0, 3), ("nuclei", 0, 1000)]
    assert cells.features["area"].tolist() == [4.5, 9.25]


def test_a_separator_in_a_name_does_not_mislead(tmp_path):
    cells = read_table(written(tmp_path, 'label,"a; b; c",area\n3,1,2\n'), layer="nuclei")
    assert list(cells.features) == ["a; b; c", "area"]


def test_numbers_are_read_exactly(tmp_path):
    numbers = [0.1 + 0.2, 1 / 3, 1e-310, 123456789.123456789]
    rows = pd.DataFrame({"label": [1, 2, 3, 2**60 + 1], "area": numbers})
    rows.to_csv(tmp_path / "cells.csv", index=False)
    cells = read_table(tmp_path / "cells.csv", layer="nuclei")
    assert cells.features["area"].tolist() == numbers
    assert cells.keys[-1] == ("nuclei", 0, 2**60 + 1)


def test_a_table_may_name_several_layers_and_frames(tmp_path):
    text = "layer,frame,label,area\nNA,0,3,1\nNA,1,3,2\n,0,3,3\n"
    cells = read_table(written(tmp_path, text), layer="nuclei")
    assert cells.keys == [("NA", 0, 3), ("NA", 1, 3), ("nuclei", 0, 3)]


def test_key_columns_of_other_names_are_taken_when_said(tmp_path):
    text = "ObjectNumber,ImageNumber,site,area\n3,0,NA,1\n3,1,NA,2\n"
    path = written(tmp_path, text)
    columns = {"label": "ObjectNumber", "frame": "ImageNumber", "layer": "site"}
    cells = read_table(path, layer="nuclei", columns=columns)
    assert cells.keys == [("NA", 0, 3), ("NA", 1, 3)]
    assert list(cells.features) == ["area"]
    with pytest.raises(ValueError, match='no column "CellID"'):
        read_table(path, layer="nuclei", columns={"label": "CellID"})


def test_without_a_key_the_columns_that_could_be_it_are_named(tmp_path):
    path = written(tmp_path, "Nucleus,site,area\n3,1,1.5\n4,1,2.5\n")
    with pytest.raises(ValueError, match=r'add a column "label".* whole numbers: "Nucleus", "site"'):
        read_table(path, layer="nuclei")


def test_row_numbers_are_neither_key_nor_feature(tmp_path):
    spreadsheet().to_csv(tmp_path / "cells.csv")
    cells = read_table(tmp_path / "cells.csv", layer="nuclei")
    assert list(cells.features) == ["area"]
    assert cells.notes == ("Columns: 1 without a name left out (such as the rows' numbers).",)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column_without_a_name_that_names_the_cells_is_kept_and_said(tmp_path, suffix):
    rows = spreadsheet().assign(**{"Unnamed: 3": [f"AAAC-{at}" for at in range(len(spreadsheet()))]})
    path = tmp_path / f"cells{suffix}"
    rows.to_csv(path, index=False) if suffix == ".csv" else rows.to_parquet(path)
    cells = read_table(path, layer="nuclei")
    assert cells.features["cell_name"].tolist() == rows["Unnamed: 3"].tolist()
    assert cells.notes == ('The column without a name ("Unnamed: 3") names each row: it is called "cell_name".',)


def test_a_column_that_says_which_cell_in_words_is_refused_by_its_name(tmp_path):
    path = written(tmp_path, "cell_id,area\naaa-1,1\nbbb-1,2\n")
    with pytest.raises(ValueError, match='2 rows without a number in column "cell_id"'):
        read_table(path, layer="nuclei")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("cells.csv", b"label,area\n", r'"cells\.csv" has no rows'),
        ("cells.csv", b'label,area\n3,"4\n', r'"cells\.csv" is damaged'),
        ("cells.csv", "label,area\n3,4\n".encode("utf-16-le"), 'not in UTF-8: save it as "CSV UTF-8"'),
        ("cells.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "not in UTF-8"),
        ("cells.parquet", b"PAR1 and no more", "is damaged, or not a Parquet file"),
        ("cells.h5ad", b"\x89HDF\r\n\x1a\n and no more", "is damaged, or not an AnnData file"),
        ("cells.xlsx", b"PK", "is damaged, or not an Excel workbook"),
        ("cells.xls", b"\xd0\xcf", r"is read from \.csv, .*\.xlsx \(Excel\)"),
        ("cells", b"label\n3\n", "is read from .csv"),
    ],
)
def test_what_is_no_table_is_a_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_table(path, layer="nuclei")


@pytest.mark.parametrize("suffix", [".parquet", ".h5ad"])
def test_half_a_file_is_a_sentence(tmp_path, suffix):
    path, half = tmp_path / f"cells{suffix}", tmp_path / f"half{suffix}"
    if suffix == ".parquet":
        spreadsheet().to_parquet(path)
    else:
        anndata.AnnData(obs=spreadsheet().set_index(pd.Index(["a", "b"]))).write_h5ad(path)
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for read in (lambda: read_table(half, layer="nuclei"), lambda: read_provenance(half)):
        with pytest.raises(ValueError, match="is damaged"):
            read()


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".h5ad"])
def test_what_is_not_there_is_a_sentence(tmp_path, suffix):
    with pytest.raises(ValueError, match="There is no file"):
        read_table(tmp_path / f"cells{suffix}", layer="nuclei")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        read_table(folder, layer="nuclei")


def test_a_foreign_record_is_a_sentence(tmp_path):
    path = written(tmp_path, "label\n3\n")
    written(tmp_path, "[1, 2", "cells.csv.json")
    with pytest.raises(ValueError, match=r'"cells\.csv\.json" is damaged, or not a record of latentmap'):
        read_provenance(path)


def test_a_parquet_file_whose_index_is_the_label(tmp_path):
    spreadsheet(frame=[0, 1]).set_index(["label", "frame"]).to_parquet(tmp_path / "cells.parquet")
    cells = read_table(tmp_path / "cells.parquet", layer="nuclei")
    assert cells.keys == [("nuclei", 0, 3), ("nuclei", 1, 7)]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_anndata_gives_the_columns_of_x_and_of_obs(tmp_path, kind):
    obs = pd.DataFrame({"cell_id": [3, 7], "area": [1.0, 2.0], "phase": ["G1", "S"]}, index=["a", "b"])
    adata = anndata.AnnData(kind(np.array([[0.0, 4.0], [9.0, 0.0]])), obs=obs)
    adata.var_names = ["DNA", "area"]
    adata.write_h5ad(tmp_path / "cells.h5ad")
    cells = read_table(tmp_path / "cells.h5ad", layer="nuclei")
    assert cells.keys == [("nuclei", 0, 3), ("nuclei", 0, 7)]
    assert cells.features["DNA"].tolist() == [0.0, 9.0]
    assert cells.features["area (X)"].tolist() == [4.0, 0.0]
    assert cells.features["area"].tolist() == [1.0, 2.0]
    renamed = 'In X as well as in obs, so those of X are now called NAME (X): "area".'
    dense = "X is sparse, and dense in the table here: less than 1 MiB. The AnnData keeps it sparse."
    assert cells.notes == (renamed,) if kind is np.asarray else (dense, renamed)
    assert adata.var_names.tolist() == ["DNA", "area"]


def test_a_spatialdata_table_says_itself_where_its_keys_are():
    obs = pd.DataFrame({"where": pd.Categorical(["A", "B"]), "which": [3, 3]}, index=["a", "b"])
    adata = anndata.AnnData(np.ones((2, 1)), obs=obs)
    adata.uns["spatialdata_attrs"] = {"region": ["A", "B"], "region_key": "where", "instance_key": "which"}
    assert from_anndata(adata, layer="unused").keys == [("A", 0, 3), ("B", 0, 3)]


def test_an_index_that_names_the_labels_is_the_key_but_row_numbers_are_not():
    adata = anndata.AnnData(obs=pd.DataFrame({"area": [1.0, 2.0]}, index=pd.Index(["3", "7"], name="label")))
    assert from_anndata(adata, layer="nuclei").keys == [("nuclei", 0, 3), ("nuclei", 0, 7)]
    adata.obs.index.name = "index"
    with pytest.raises(ValueError, match='add a column "label"'):
        from_anndata(adata, layer="nuclei")


def test_an_anndata_too_large_is_refused_before_it_fills_the_memory():
    adata = anndata.AnnData(
        sp.csr_matrix((60_000, 10_000)), obs=pd.DataFrame({"label": np.arange(1, 60_001)}).rename(str)
    )
    with pytest.raises(ValueError, match="60000 cells and 10000 columns: too many"):
        from_anndata(adata, layer="nuclei")


@pytest.mark.parametrize(
    "foreign",
    [5, "{", "[1]", "[" * 100_000, '{"renamed": [1]}', '{"renamed": {"area": 7}}', {"a": "b"}, np.ones((2, 2))],
)
def test_something_else_under_our_name_in_uns_is_no_record(tmp_path, foreign):
    adata = anndata.AnnData(np.ones((2, 1)), obs=pd.DataFrame({"label": [3, 7]}, index=["a", "b"]))
    adata.var_names = ["area"]
    adata.uns["latentmap"] = foreign
    adata.write_h5ad(tmp_path / "cells.h5ad")
    cells = read_table(tmp_path / "cells.h5ad", layer="nuclei")
    assert [label for _, _, label in cells.keys] == [3, 7]
    assert isinstance(read_provenance(tmp_path / "cells.h5ad"), dict)
    assert from_anndata(adata, layer="nuclei").keys == cells.keys


def test_a_record_does_not_rename_a_column_over_another():
    obs = pd.DataFrame({"label": [3, 7], "size": [1.0, 2.0]}, index=["a", "b"])
    adata = anndata.AnnData(obs=obs, uns={"latentmap": '{"renamed": {"label": "size"}}'})
    assert from_anndata(adata, layer="nuclei").features["size"].tolist() == [1, 2]


@pytest.mark.parametrize("places", [np.zeros((2, 2, 2)), np.array([["a"], ["b"]])])
def test_what_is_no_map_in_obsm_is_left_out_and_said(places):
    adata = anndata.AnnData(np.ones((2, 1)), obs=pd.DataFrame({"label": [3, 7]}, index=["a", "b"]))
    adata.obsm["X_latentmap"] = places
    cells = from_anndata(adata, layer="nuclei")
    assert "map_1" not in cells.features
    assert cells.notes == ('obsm["X_latentmap"] is left out: it is not a table of numbers, so it holds no map.',)


def test_a_library_that_is_there_but_broken_is_not_said_to_be_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_library.py").write_text("import no_such_library_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"which is installed but cannot be loaded .*no_such_library_at_all"):
        import_optional("broken_library", "Reading cells.h5ad")


def test_a_library_missed_in_reading_is_not_damage():
    expected = pytest.raises(ValueError, match="libraries that are installed: No module named 'hdf5plugin'")
    with expected, reading_errors(Path("cells.h5ad"), "AnnData file"):
        raise ModuleNotFoundError("No module named 'hdf5plugin'", name="hdf5plugin")


def test_genes_that_share_a_symbol_all_stay():
    obs, names = pd.DataFrame({"label": [3, 7, 9]}), ["CD4", "CD8", "CD4", "CD4.1"]
    X = np.arange(12.0).reshape(3, 4)
    with pytest.warns(UserWarning, match="Variable names are not unique"):
        adata = anndata.AnnData(X, obs, pd.DataFrame(index=names), layers={"log": np.log1p(X)})
    cells = from_anndata(adata, layer="cells")
    distinct = ["CD4", "CD8", "CD4.1", "CD4.1.1"]
    np.testing.assert_array_equal(cells.features[distinct], X)
    np.testing.assert_array_equal(cells.features[[f"{name} [layer log]" for name in distinct]], np.log1p(X))
    said = 'Several columns are named "CD4", "CD4.1": all but the first get a number after the name.'
    assert said in cells.notes


def test_what_anndata_says_to_programmers_is_not_shown(tmp_path, monkeypatch):
    """Of a file by version 0.5 or 0.6, it says where things have moved."""
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "cells.h5ad"
    adata = anndata.AnnData(np.eye(3), obs=pd.DataFrame({"label": [1, 2, 3]}, index=list("abc")))
    adata.write_h5ad(path)
    read = anndata.read_h5ad

    def of_an_old_file(path):
        warnings.warn("Moving element from .uns to .obsp.", FutureWarning, stacklevel=2)
        return read(path)

    monkeypatch.setattr(anndata, "read_h5ad", of_an_old_file)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        assert len(read_table(path, layer="a").features) == 3
