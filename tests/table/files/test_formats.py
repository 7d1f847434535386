from pathlib import Path

import pandas as pd
import pytest

from latentmap.table import MapTable, read_table, write_table
from latentmap.table.files.formats import READABLE, WRITABLE, endings, format_of, is_anndata

SHEET = MapTable(pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3, 7], "area": [4.5, 9.0]}), features=("area",))


@pytest.mark.parametrize("one", WRITABLE, ids=lambda one: one.name)
def test_every_format_that_is_written_is_read_again(one, tmp_path):
    path = write_table(SHEET, tmp_path / f"map{one.ending.upper()}")
    assert read_table(path, layer="nuclei").features["area"].tolist() == [4.5, 9.0]


@pytest.mark.parametrize(
    "one", [one for one in READABLE if one.kind == "text" and one.ending != ".gz"], ids=lambda one: one.name
)
def test_text_is_read_whatever_its_ending_and_separator(one, tmp_path):
    for separator in (",", ";", "\t"):
        path = tmp_path / f"cells{one.ending}"
        path.write_text(f"label{separator}area\n3{separator}4.5\n")
        assert read_table(path, layer="nuclei").features["area"].tolist() == [4.5]


@pytest.mark.parametrize("name", ["map.txt", "map.xlsx", "map"])
def test_a_table_is_not_written_in_other_formats(name, tmp_path):
    with pytest.raises(ValueError, match=r"\.csv, \.tsv, \.parquet or \.h5ad \(AnnData\)"):
        write_table(SHEET, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_sentences_and_dialogs_name_every_format():
    said = ".csv, .tsv, .txt, .dat, .gz (packed text), .xlsx (Excel), .parquet, .h5ad (AnnData) or .h5 (10x Genomics)"
    assert endings(READABLE) == said
    assert {one.ending for one in READABLE} - {one.ending for one in WRITABLE} == {
        ".txt",
        ".dat",
        ".gz",
        ".xlsx",
        ".h5",
    }
    assert format_of(Path("cells.H5AD")).name == "AnnData"
    assert is_anndata(Path("cells.H5AD"))
    assert not is_anndata(Path("cells.csv"))


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("cells.csv.xz", "unpack it first"),
        ("cells.fcs", "Export its events as CSV"),
        ("cells.SQLite", "ExportToSpreadsheet"),
        ("cells.loom", r'scanpy\.read_loom\("cells\.loom"\)\.write_h5ad\("cells\.h5ad"\)'),
        ("spots.xml", "TrackMate's, export the table of spots as CSV"),
        ("cells.xls", r"save it as an Excel workbook \(\.xlsx\)"),
        ("cells.numbers", "Export To > Excel"),
        ("cells.sav", "Open it in SPSS, and export the table as CSV"),
        ("cells.dta", "Open it in Stata"),
        ("cells.sas7bdat", "Open it in SAS"),
        ("cells.table", "KNIME's, write it with the node CSV Writer"),
        ("cells.feather", r'pandas\.read_feather\("cells\.feather"\)\.to_csv\("cells_table\.csv"'),
        ("cells.h5seurat", "Read it in R"),
        ("cells.json", "write it as CSV"),
        ("cells.pkl", "could run any program"),
        ("matrix.mtx", r"read_10x_mtx.*Or open the \.h5 file"),
        ("tissue.gef", "stereopy writes its cells as AnnData"),
        ("RoiSet.zip", "regions of interest hold no measurements"),
        ("img_seg.npy", "Cellpose's _seg.npy, save the masks as TIFF"),
        ("stack.lif", "open it in Fiji, save it as OME-TIFF"),
        ("labels.tif", "It is an image: measure its cells first"),
        ("cells.other", "Save it as one of these"),
    ],
)
def test_of_other_formats_it_is_said_how_to_get_a_table(tmp_path, name, advice):
    path = tmp_path / name
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    with pytest.raises(ValueError, match=rf'"{name}": a table of cells is read from \.csv.*{advice}'):
        read_table(path, layer="nuclei")


def test_text_that_imagej_calls_a_workbook_is_told(tmp_path):
    path = tmp_path / "Results.xls"
    path.write_text(" \tLabel\tArea\n1\ta.tif\t4.5\n")
    with pytest.raises(ValueError, match=r"text in spite of its name.*rename it to end in \.tsv"):
        read_table(path, layer="nuclei")


def test_a_workbook_that_may_not_be_read_is_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "Results.xls"
    path.write_text(" \tLabel\tArea\n")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ValueError, match=r"save it as an Excel workbook"):
        read_table(path, layer="nuclei")


def test_a_folder_of_counts_says_what_to_do(tmp_path):
    folder = tmp_path / "filtered_feature_bc_matrix"
    folder.mkdir()
    (folder / "matrix.mtx.gz").write_bytes(b"")
    with pytest.raises(ValueError, match=r'"filtered_feature_bc_matrix" is a folder with the counts.*read_10x_mtx'):
        read_table(folder, layer="cells")
