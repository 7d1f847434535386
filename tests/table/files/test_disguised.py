"""Files with the ending of another format: what they really are, and what to do."""

import sqlite3
from zipfile import ZipFile

import pandas as pd
import pytest

from latentmap.table import read_table

ROWS = pd.DataFrame({"label": [1, 2], "area": [4.5, 9.0]})


def database(path):
    connection = sqlite3.connect(path)
    ROWS.to_sql("Per_Object", connection)
    connection.close()


def archive(member, content=b""):
    def write(path):
        with ZipFile(path, "w") as one:
            one.writestr(member, content)

    return write


def content(content):
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "write", "sentence"),
    [
        ("cells.csv", ROWS.to_parquet, r"is a Parquet file.*Rename it to end in \.parquet\."),
        ("cells.csv", lambda path: ROWS.to_csv(path, compression="gzip"), "is packed.*Unpack it first"),
        ("cells.csv", database, "is an SQLite database.*ExportToSpreadsheet"),
        ("cells.txt", content(b"FCS3.1         256    1000" + bytes(50)), "is an FCS file.*Export its events"),
        (
            "cells.parquet",
            ROWS.to_feather,
            r"is a Feather file.*read_feather\(\"cells\.parquet\"\)\.to_csv\(\"cells_table\.csv\"",
        ),
        ("cells.csv", ROWS.to_stata, r"is a Stata file"),
        ("cells.csv", content(b"\x89HDF\r\n\x1a\n" + bytes(50)), r"is an HDF5 file.*end in \.h5ad or \.h5\."),
        ("cells.csv", lambda path: path.write_text(ROWS.to_json(orient="records")), "is JSON.*write it as CSV"),
        ("cells.csv", content(b"\n<!DOCTYPE html>\n<html>Log in</html>"), "is a web page.*Download the table again"),
        ("cells.xlsx", archive("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), "OpenDocument.*xlsx"),
        ("cells.xlsx", archive("Index/Document.iwa"), "Numbers.*Export To > Excel"),
        ("cells.csv", archive("xl/workbook.xml"), r"is an Excel workbook.*end in \.xlsx"),
        ("cells.xlsx", content(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)), r"\(\.xls\), or one with a password"),
        ("labels.csv", content(b"II*\0" + bytes(50)), "is a TIFF image.*measure its cells"),
    ],
)
def test_what_a_file_is_in_spite_of_its_name(tmp_path, name, write, sentence):
    path = tmp_path / name
    write(path)
    with pytest.raises(ValueError, match=rf'"{name}" .*{sentence}'):
        read_table(path, layer="cells")


@pytest.mark.parametrize("first", ["PAR1", "FCS3", "FCS3.1", "[DNA]", "{area}", "ARROW1", "<area>", "II*"])
def test_names_of_columns_do_not_mislead(tmp_path, first):
    path = tmp_path / "cells.csv"
    path.write_text(f"{first},label\n4,1\n9,2\n")
    assert read_table(path, layer="cells").features[first].tolist() == [4, 9]
