from pathlib import Path

import pandas as pd
import pytest

from latentmap.table import MapTable, read_table, write_table
from latentmap.table.formats import READABLE, WRITABLE, endings, format_of, is_anndata

SHEET = MapTable(pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3, 7], "area": [4.5, 9.0]}), features=("area",))


@pytest.mark.parametrize("one", WRITABLE, ids=lambda one: one.name)
def test_every_format_that_is_written_is_read_again(one, tmp_path):
    path = write_table(SHEET, tmp_path / f"map{one.ending.upper()}")
    assert read_table(path, layer="nuclei").features["area"].tolist() == [4.5, 9.0]


@pytest.mark.parametrize("one", [one for one in READABLE if one.kind == "text"], ids=lambda one: one.name)
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
    assert endings(READABLE) == ".csv, .tsv, .txt, .dat, .xlsx (Excel), .parquet or .h5ad (AnnData)"
    assert {one.ending for one in READABLE} - {one.ending for one in WRITABLE} == {".txt", ".dat", ".xlsx"}
    assert format_of(Path("cells.H5AD")).name == "AnnData"
    assert is_anndata(Path("cells.H5AD"))
    assert not is_anndata(Path("cells.csv"))
