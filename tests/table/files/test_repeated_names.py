"""Files that were put together, each with the names of its columns, are one table."""

import pytest

from latentmap.table import read_table
from latentmap.table.files.delimited_text import DelimitedText
from latentmap.table.files.repeated_names import line_of_names

NAMES = ["layer", "label", "patient", "Area"]
CELLS = [[image, at, "0012", 10.5 + at] for image in ("a.tif", "b.tif") for at in range(1, 9)]
TOLD = "row left out, as it repeats the names of the columns."


def text_of(rows, separator=",", end="\n"):
    return "".join(separator.join(map(str, row)) + end for row in rows)


def put_together(folder, *parts, encoding="utf-8"):
    path = folder / "cells.csv"
    path.write_bytes(b"".join(part.encode(encoding) for part in parts))
    return path


def check(cells, n_repeats=1):
    assert [key[-1] for key in cells.keys] == [row[1] for row in CELLS]
    assert cells.features["Area"].tolist() == [row[3] for row in CELLS]
    assert set(cells.features["patient"]) == {"0012"}
    assert f"{n_repeats} row" in " ".join(cells.notes)
    assert "the names of the columns" in " ".join(cells.notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_names_above_each_part_are_left_out_and_told(tmp_path, encoding, end, separator):
    parts = (text_of([NAMES, *half], separator, end) for half in (CELLS[:8], CELLS[8:]))
    cells = read_table(put_together(tmp_path, *parts, encoding=encoding), layer="cells")
    check(cells)
    assert TOLD in " ".join(cells.notes)


def test_names_far_below_and_at_the_end(tmp_path):
    rows = [["a.tif", at, "0012", at / 2] for at in range(1, 1001)]
    names = text_of([NAMES])
    path = put_together(tmp_path, names, text_of(rows[:900]), names, text_of(rows[900:]), names.rstrip())
    cells = read_table(path, layer="cells")
    assert cells.features["Area"].tolist() == [row[3] for row in rows]
    assert "2 rows left out, as they repeat the names of the columns." in " ".join(cells.notes)


@pytest.mark.parametrize("text", ["{0}\n1,2\n", "Plate 1\n{0}\r\n1,2\r\n", "not {0}\n{0}!\n{0}\n1,2\n{0}\n"])
@pytest.mark.parametrize("line", ["label,area", '"label","area"', 'label,"area"', "label, area ", '  "label" ,area'])
def test_the_line_of_names_is_found_as_it_is_written(text, line):
    assert line_of_names(text.format(line), ["label", "area"], ",") == line


def test_the_first_line_of_names_counts():
    assert line_of_names('"label","area"\n1,2\nlabel,area\n', ["label", "area"], ",") == '"label","area"'
    assert line_of_names('label,area\n1,2\n"label","area"\n', ["label", "area"], ",") == "label,area"
    assert line_of_names("1,2\nlabel,area", ["label", "area"], ",") == ""


def test_columns_between_spaces(tmp_path):
    lines = [f"{at:8d} {at / 2:8.3f}\n" for at in range(1, 17)]
    head = "   label     area\n"
    cells = read_table(put_together(tmp_path, head, *lines[:8], head, *lines[8:]), layer="cells")
    assert len(cells.features) == 16
    assert cells.numeric == ["area"]


def test_in_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason='openpyxl is not installed: pip install "latentmap[files]"')
    book = openpyxl.Workbook()
    for row in [NAMES, *CELLS[:8], NAMES, *CELLS[8:]]:
        book.active.append(row)
    book.save(tmp_path / "cells.xlsx")
    check(read_table(tmp_path / "cells.xlsx", layer="cells"))


def test_cells_that_are_alike_all_stay(tmp_path):
    """Without names, the first row may be one of many copies."""
    text = DelimitedText.open(put_together(tmp_path, text_of([[1, 2.5, 3]] * 20)))
    assert len(text.read(words=(), keys=())[0]) == 19
    assert not any("repeat" in note for note in text.notes)
