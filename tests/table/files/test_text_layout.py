"""Exports of other programs: rows that are no cells, and identifiers that numbers would not keep."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import preview, read_table
from latentmap.table.files.text_layout import layout_of, n_describing
from latentmap.table.preparing import Preparation

N = 12
AREA, MEAN = np.linspace(10.5, 90.5, N), np.geomspace(1, 9, N)


def written(folder, text):
    path = folder / "cells.csv"
    path.write_text(text, encoding="utf-8")
    return path


def words_of(column):
    """The words of a column; None for none, which is NaN in pandas 3."""
    return [None if pd.isna(word) else word for word in column]


def rows(*columns):
    return "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def test_the_rows_of_trackmate_below_the_names_are_no_cells(tmp_path):
    text = "LABEL,ID,RADIUS,AREA\nLabel,Spot ID,Radius,Area\nLabel,Spot ID,R,A\n,,(pixel),(pixel^2)\n"
    text += rows([f"ID{100 + at}" for at in range(N)], range(100, 100 + N), MEAN, AREA)
    cells = read_table(written(tmp_path, text), layer="cells", columns={"label": "ID"})
    assert cells.features.index.get_level_values("label").tolist() == list(range(100, 100 + N))
    np.testing.assert_allclose(cells.features["AREA"], AREA)
    assert "3 rows below the names of the columns left out" in " ".join(cells.notes)


def test_a_row_of_units_is_no_cell(tmp_path):
    text = "CellID,Area,Mean\n,µm²,\n" + rows(range(5, 5 + N), AREA, MEAN)
    cells = read_table(written(tmp_path, text), layer="cells")
    assert cells.features.index.get_level_values("label").tolist() == list(range(5, 5 + N))
    np.testing.assert_allclose(cells.features["Area"], AREA)
    assert "1 row below the names of the columns left out" in " ".join(cells.notes)


@pytest.mark.parametrize(
    "first",
    [["1", "2.5"], ["1", "n.d."], ["", ""], ["NaN", "nan"], ["-3", "x"], ["1,5", ""]],
)
def test_a_row_with_a_number_or_with_nothing_is_a_cell(first):
    cells = [[str(at), str(at / 3)] for at in range(2, 9)]
    assert n_describing([first, *cells]) == 0
    assert n_describing([["name", "words"], *[["a", "b"]] * 9]) == 0
    assert n_describing([["Area", "µm"], ["1", "2"]]) == 0


def test_what_imagej_sums_up_is_no_cell(tmp_path):
    text = "CellID,Label,Area,Mean\n" + rows(range(1, N + 1), ["a.tif"] * N, AREA, MEAN)
    text += rows(range(N + 1, N + 5), ["Mean", "SD", "Min", "Max"], [50, 25, 10, 90], [4, 2, 1, 9])
    cells = read_table(written(tmp_path, text), layer="cells")
    assert len(cells.features) == N
    assert 'The last 4 rows left out, as they sum up the others: "Label" is "Mean"' in " ".join(cells.notes)


def test_identifiers_stay_as_they_are_written(tmp_path):
    long = [str(110883424764611924400221639916314253469 + at) for at in range(N)]
    ids = ["1088300001100016" + f"{at:03}" if at else "" for at in range(N)]
    text = "CellID,EntityID,id,patient,Area\n" + rows(range(1, N + 1), long, ids, ["0001", "0023"] * (N // 2), AREA)
    features = read_table(written(tmp_path, text), layer="cells").features
    assert features["EntityID"].tolist() == long
    assert words_of(features["id"]) == [None, *ids[1:]]
    assert features["patient"].tolist() == ["0001", "0023"] * (N // 2)


def test_object_is_the_label_of_steinbock(tmp_path):
    numbers = np.arange(3, 3 + 2 * N, 2)
    cells = read_table(written(tmp_path, "Object,Area\n" + rows(numbers, AREA)), layer="cells")
    assert cells.features.index.get_level_values("label").tolist() == numbers.tolist()


def test_numbers_without_a_name_stay_unless_they_count_the_rows(tmp_path):
    numbers = [7, 3, *range(100, 98 + N)]
    labels = range(1, N + 1)
    kept = read_table(written(tmp_path, ",CellID,Area\n" + rows(numbers, labels, AREA)), layer="cells")
    assert kept.features["row"].tolist() == numbers
    assert 'it is called "row"' in " ".join(kept.notes)
    assert "where or when: row." in preview(kept, ["Area"], Preparation()).sentence
    for start in (0, 1):
        text = ",CellID,Area\n" + rows(range(start, start + N), labels, AREA)
        assert "row" not in read_table(written(tmp_path, text), layer="cells").features


def test_other_sets_of_features_are_told(tmp_path):
    table = pd.DataFrame({"Area": AREA, "Mean": MEAN}).assign(**{f"PC{at}": MEAN * at for at in range(1, 9)})
    table.insert(0, "label", np.arange(1, N + 1))
    table.to_csv(tmp_path / "cells.csv", index=False)
    cells = read_table(tmp_path / "cells.csv", layer="cells")
    said = preview(cells, [f"PC{at}" for at in range(1, 9)], Preparation(scaling="none")).sentence
    assert "Other features that a map can be made of: table columns (2)." in said
    said = preview(cells, ["Area", "Mean"], Preparation()).sentence
    assert "Other features that a map can be made of: PC (8)." in said
    assert "Other features" not in preview(cells, ["Area", "PC1"], Preparation()).sentence


@pytest.mark.parametrize("above", ["Database Name\tT\nPlate Name\tp\n\n[Data]\n", "# made by\n# version 3\n", "\n\n"])
def test_lines_above_the_names_are_left_out(tmp_path, above):
    path = tmp_path / "cells.txt"
    body = "CellID\tArea\tMean\t\n" + rows(range(5, 5 + N), AREA, MEAN, [""] * N).replace(",", "\t")
    path.write_text(above + body, encoding="utf-8")
    cells = read_table(path, layer="cells")
    assert cells.features.index.get_level_values("label").tolist() == list(range(5, 5 + N))
    np.testing.assert_allclose(cells.features["Area"], AREA)
    n_lines = sum(bool(line) for line in above.splitlines())
    assert (f"{n_lines} lines above the names of the columns left out." in cells.notes) == bool(n_lines)


def test_the_separator_is_that_of_the_table_not_of_what_is_above(tmp_path):
    """As Imaris writes it."""
    text = "\nVolume\n==================== \nVolume,Unit,ID,\n" + rows(AREA, ["um^3"] * N, range(1, N + 1), [""] * N)
    cells = read_table(written(tmp_path, text), layer="cells", columns={"label": "ID"})
    np.testing.assert_allclose(cells.features["Volume"], AREA)


def test_names_in_two_rows_are_joined_where_one_does_not_tell(tmp_path):
    text = "Image,Image,Cells,Nuclei\nImageNumber,ObjectNumber,AreaShape_Area,AreaShape_Area\n"
    text += rows([1] * N, range(1, N + 1), AREA, MEAN)
    cells = read_table(written(tmp_path, text), layer="cells", columns={"label": "ObjectNumber"})
    np.testing.assert_allclose(cells.features["Cells_AreaShape_Area"], AREA)
    np.testing.assert_allclose(cells.features["Nuclei_AreaShape_Area"], MEAN)
    assert "ImageNumber" in cells.features
    assert not any("left out" in note for note in cells.notes)


def test_a_table_of_two_columns_begins_with_its_first_line(tmp_path):
    text = "label,area\n" + rows(range(1, N + 1), AREA)
    assert read_table(written(tmp_path, text), layer="cells").notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("12", "0023"),
        ("12", "110883424764611924"),
        ("12", "1108834247646119245"),
        ("12", "110883424764611924400221639916314253469"),
        ("1108", ""),
        ("", "007"),
    ],
)
def test_identifiers_further_down_stay_as_they_are_written(tmp_path, first, later, encoding):
    n = 5000
    ids = [first, *[str(at) for at in range(100, n + 98)], later]
    text = "CellID,id,count,Area\n" + rows(range(1, n + 1), ids, range(n), np.arange(n) / 8)
    path = tmp_path / "cells.csv"
    path.write_text(text, encoding=encoding)
    features = read_table(path, layer="cells").features
    if later:
        assert words_of(features["id"]) == [one or None for one in ids]
    else:
        assert features["id"].tolist()[:-1] == [float(one) for one in ids[:-1]]
    assert features["count"].tolist() == list(range(n))
    assert features["Area"].tolist() == (np.arange(n) / 8).tolist()


@pytest.mark.parametrize("change", [("@", ","), ("@", ",,"), ("1,2,3@", "1,2"), ('"', ""), (",", ";"), (",", "|")])
def test_so_they_do_in_rows_of_any_form(tmp_path, change):
    text = "CellID,count,id\n1,2,3@\n" + "".join(f'{at},{at % 7},"{at}"@\n' for at in range(2, 999)) + '999,1,"007"@\n'
    text = text.replace(*change).replace("@", "")
    if change[1] == "|":
        text = f"sep=|\n{text}"
    features = read_table(written(tmp_path, text), layer="cells").features
    first = [None if change[1] == "1,2" else "3"]
    assert words_of(features["id"]) == [*first, *map(str, range(2, 999)), "007"]
    assert features["count"].tolist() == [2, *(at % 7 for at in range(2, 999)), 1]


def test_large_measurements_are_no_identifiers(tmp_path):
    n = 5000
    sums = [at + 0.5 for at in range(n - 2)] + [1e18, 2e20]
    whole = [f"{at}.0" for at in range(n - 1)] + ["1e18"]
    dates = ["05.01.2026"] * n
    text = "CellID,sum,whole,date\n" + rows(range(1, n + 1), sums, whole, dates)
    features = read_table(written(tmp_path, text), layer="cells").features
    assert features["sum"].tolist() == sums
    assert features["whole"].tolist() == [*range(n - 1), 1e18]
    assert features["date"].tolist() == dates


ABOVE = {
    "a title": [["Experiment 3"]],
    "names and values": [["Plate", "P1"], ["Date", "2026-01-01"], []],
    "a unit": [["Experiment 3"], ["Pixel size", "0.25", "µm"], []],
}


@pytest.mark.parametrize(
    ("above", "n_columns"), [("a title", 4), ("names and values", 4), *((one, 8) for one in ABOVE)]
)
@pytest.mark.parametrize("form", ["bare", "filled up", "workbook"])
def test_what_stands_above_the_names_is_left_out(tmp_path, above, n_columns, form):
    """A spreadsheet fills all rows up with separators, also those of a title."""
    names = ["label", "area", "DNA", "actin", "CD3", "CD8", "CD4", "CD20"][:n_columns]
    cells = [[str(cell), *(f"{cell * place * 1.1:.2f}" for place in range(1, n_columns))] for cell in range(1, 9)]
    rows = [*ABOVE[above], names, *cells]
    if form == "workbook":
        openpyxl = pytest.importorskip("openpyxl", reason='openpyxl is not installed: pip install "latentmap[files]"')
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "cells.xlsx")
        found = read_table(tmp_path / "cells.xlsx", layer="cells")
    else:
        n = n_columns if form == "filled up" else 0
        text = "".join(",".join([*row, *[""] * (n - len(row))]) + "\n" for row in rows)
        (tmp_path / "cells.csv").write_text(text)
        found = read_table(tmp_path / "cells.csv", layer="cells")
    assert [key[-1] for key in found.keys] == list(range(1, 9))
    assert list(found.features) == names[1:]
    assert found.features.to_numpy().tolist() == [[float(value) for value in row[1:]] for row in cells]
    assert "above the names of the columns left out." in found.notes[0]


def test_names_of_groups_are_not_left_out():
    groups, names = ["Cell", "", "Nucleus", "", "", "", "", ""], ["label", "Mean", "Area", "Mean", "SD", "x", "y", "z"]
    layout = layout_of([groups, names, *[[str(place) for place in range(8)]] * 8])
    assert layout.names[:4] == ["label", "Cell_Mean", "Area", "Nucleus_Mean"]


def test_a_first_line_of_numbers_may_be_a_cell(tmp_path):
    """Space Ranger wrote the places of spots without names of the columns."""
    spots = [
        [f"AAAC{at:02}-1", "1", str(at * 7 % 40), str(at * 11 % 90), str(1500 + at * 311 % 4000)] for at in range(12)
    ]
    (note,) = layout_of(spots[3:] + spots[:3]).notes
    assert 'holds numbers such as "2433": if it is a cell, write a line of names above it.' in note
    cells = [[str(at), str(at * 7 % 40), str(at * 11 % 90), str(at % 5)] for at in range(1, 12)]
    # The numbers of cells start with the first one.
    assert "if it is a cell" in " ".join(layout_of(cells).notes)
    for names in ("0,1,2,3", "label,400,402,404", "label,x,2,1", "100.05,210.1,455.3,980.7"):
        assert layout_of([names.split(","), *cells]).notes == []


@pytest.mark.parametrize("order", [1, -1])
def test_names_that_are_masses_are_no_cell(order):
    masses = [f"{112.4 + 31.7 * at + at % 3:.1f}" for at in range(12)][::order]
    spectra = [[str(cell), *(str(cell * at * 97 % 1000) for at in range(12))] for cell in range(1, 30)]
    assert layout_of([["label", *masses], *spectra]).notes == []
