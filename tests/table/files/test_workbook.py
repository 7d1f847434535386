"""Excel workbooks, as laboratories keep them."""

import datetime
import re
import warnings
from zipfile import ZipFile

import pytest

from latentmap.table import read_table
from latentmap.table.libraries import import_optional

openpyxl = pytest.importorskip("openpyxl", reason='openpyxl is not installed: pip install "latentmap[files]"')


@pytest.fixture
def read(tmp_path):
    """Returns a function: sheets, each a list of rows, as the table that is read from them."""

    def read(*sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for number, rows in enumerate(sheets):
            sheet = book.create_sheet(f"Sheet {number + 1}")
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "cells.xlsx")
        return read_table(tmp_path / "cells.xlsx", layer="nuclei")

    return read


def test_numbers_are_read_as_they_are_stored(read):
    cells = read([["label", "area", "Intensität"], [3, 4.5, 1e-7], [1000, 9, 0.3]])
    assert cells.keys == [("nuclei", 0, 3), ("nuclei", 0, 1000)]
    assert cells.features["area"].tolist() == [4.5, 9]
    assert cells.features["Intensität"].tolist() == [1e-7, 0.3]
    assert cells.notes == ()


def test_a_german_workbook_with_numbers_as_text(read):
    cells = read([["label", "Fläche", "rund"], ["3", "1.234,5", 0.5], ["7", "12,25", "0,75"], ["8", None, "#WERT!"]])
    assert [label for *_, label in cells.keys] == [3, 7, 8]
    assert cells.features["Fläche"].tolist()[:2] == [1234.5, 12.25]
    # Numbers and numbers as text, in one column.
    assert cells.features["rund"].tolist()[:2] == [0.5, 0.75]
    assert cells.features.isna().sum().tolist() == [1, 1]


def test_a_number_as_text_that_could_be_two_is_not_guessed(read):
    cells = read([["label", "area"], [3, "1.234"], [7, "5.678"]])
    assert '"1.234" may be 1.234 or 1234' in " ".join(cells.notes)
    with pytest.raises(ValueError, match=r'column "label": "1\.234" may be'):
        read([["label", "area"], ["1.234", 1], ["5.678", 2]])


def test_gaps_blank_rows_and_errors_are_missing_values(read):
    cells = read([[], ["label", "area", "mean"], [3, None, "#DIV/0!"], [], [7, 2.5, 4]])
    assert cells.features["area"].isna().tolist() == [True, False]
    assert cells.features["mean"].isna().tolist() == [True, False]
    assert len(cells.features) == 2


def test_the_first_sheet_that_is_not_empty_is_read_and_the_others_are_named(read):
    cells = read([], [["label", "area"], [3, 1]], [["notes"], ["checked"]])
    assert cells.features["area"].tolist() == [1]
    assert 'Read from the sheet "Sheet 2"; not read: "Sheet 1", "Sheet 3".' in cells.notes


def test_a_hidden_sheet_is_read_only_if_there_is_no_other(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["label", "sum"])
    book.active.append([1, 9])
    book.active.sheet_state = "hidden"
    sheet = book.create_sheet("Cells")
    book.save(tmp_path / "cells.xlsx")
    assert list(read_table(tmp_path / "cells.xlsx", layer="nuclei").features) == ["sum"]
    sheet.append(["label", "area"])
    sheet.append([3, 4.5])
    book.save(tmp_path / "cells.xlsx")
    cells = read_table(tmp_path / "cells.xlsx", layer="nuclei")
    assert cells.keys == [("nuclei", 0, 3)]
    assert cells.notes == ('Read from the sheet "Cells"; not read: "Sheet".',)


def test_words_dates_and_switches(read):
    cells = read(
        [
            ["label", "class", "day", "edge", "well"],
            [3, "NA", datetime.date(2026, 1, 31), True, "B2"],
            [7, 12, None, False, "B3"],
        ]
    )
    assert cells.features["class"].tolist() == ["NA", "12"]
    assert cells.features["day"].tolist()[0] == "2026-01-31T00:00:00"
    assert cells.features["edge"].tolist() == [True, False]
    assert cells.features["well"].tolist() == ["B2", "B3"]


def test_columns_of_one_name_and_row_numbers_without_one(read):
    cells = read([[None, "label", "area", "area"], [0, 3, 1, 2], [1, 7, 3, 4]])
    assert list(cells.features) == ["area", "area.1"]
    assert any("Several columns are named" in note for note in cells.notes)
    assert any("without a name left out" in note for note in cells.notes)


@pytest.mark.parametrize(
    ("sheets", "sentence"),
    [
        (([],), "is empty: there is no cell in it"),
        (([["label", "area"]],), "has no rows"),
        (([["label", "area"], [3, 1, 5]],), r'sheet "Sheet 1", row 1 of the cells: 3 values, but .* names 2 columns'),
    ],
)
def test_what_is_no_table_is_a_sentence(read, sheets, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(*sheets)


def test_without_openpyxl_the_sentence_says_what_to_install(read, monkeypatch):
    def missing(name, purpose):
        return import_optional("no_openpyxl_here", purpose)

    monkeypatch.setattr("latentmap.table.files.reading.import_optional", missing)
    with pytest.raises(ValueError, match=r'Reading cells\.xlsx needs .*: pip install "latentmap\[files\]"'):
        read([["label", "area"], [3, 1]])


N = 12
AREA = [10.5 + at for at in range(N)]


def cells_below(*above, columns):
    """Rows of a sheet: those above, then N rows of these columns."""
    return [*above, *map(list, zip(*columns, strict=True))]


def test_lines_above_the_names_and_rows_of_units_are_left_out(read):
    table = cells_below(
        ["Plate 7"],
        ["Operator", "Ada"],
        [],
        ["CellID", "Area", "Mean", "Remark"],
        [None, "µm²", "counts"],
        columns=[range(5, 5 + N), AREA, range(N), ["", "", "dead"] * (N // 3)],
    )
    cells = read(table)
    assert [label for *_, label in cells.keys] == list(range(5, 5 + N))
    assert cells.features["Area"].tolist() == AREA
    assert "2 lines above the names of the columns left out." in cells.notes
    assert "1 row below the names of the columns left out, as it holds no cell (such as units)." in cells.notes


def test_a_table_may_stand_to_the_right_of_blank_columns(read):
    table = cells_below(["Plate 7"], ["label", "Area", "Mean"], columns=[range(1, N + 1), AREA, range(N)])
    for title in (["Plate 7"], []):
        cells = read([title, *([None, None, *row] for row in table[1:])])
        assert list(cells.features) == ["Area", "Mean"]
        assert cells.features["Area"].tolist() == AREA


def test_names_in_two_rows_are_joined_also_below_merged_cells(read):
    columns = [range(1, N + 1), AREA, range(N), AREA, range(N)]
    two = ["Image", "DAPI", "DAPI", "GFP", "GFP"], ["ObjectNumber", "Mean", "SD", "Mean", "SD"]
    assert list(read(cells_below(*two, columns=columns)).features) == ["DAPI_Mean", "DAPI_SD", "GFP_Mean", "GFP_SD"]
    merged = ["Image", "DAPI", None, "GFP"], two[1]
    assert list(read(cells_below(*merged, columns=columns)).features) == ["DAPI_Mean", "DAPI_SD", "GFP_Mean", "GFP_SD"]


def test_what_imagej_sums_up_is_no_cell(read):
    table = cells_below(["CellID", "Label", "Area"], columns=[range(1, N + 1), ["a.tif"] * N, AREA])
    summary = [[N + at, name, 5 * at] for at, name in enumerate(["Mean", "SD", "Min", "Max"])]
    cells = read([*table, *summary])
    assert len(cells.features) == N
    assert 'The last 4 rows left out, as they sum up the others: "Label" is "Mean"' in " ".join(cells.notes)


def test_identifiers_stored_as_text_stay_as_they_are_written(read):
    long = [str(110883424764611924 + at) for at in range(N)]
    patients = ["1234", "0023", None] * (N // 3)
    table = cells_below(
        ["CellID", "EntityID", "patient", "Area", "text"],
        columns=[range(1, N + 1), long, patients, AREA, [str(at) for at in range(N)]],
    )
    features = read(table).features
    assert features["EntityID"].tolist() == long
    assert features["patient"].tolist() == patients
    assert features["text"].tolist() == list(range(N))


@pytest.fixture
def kept(tmp_path):
    """Returns a function: rows, changed by another function as a sheet of openpyxl, as the table that is read."""

    def keep(rows, change):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        change(book.active)
        book.save(tmp_path / "cells.xlsx")
        return read_table(tmp_path / "cells.xlsx", layer="nuclei")

    return keep


def test_formulas_that_were_never_calculated_are_named(read):
    """Programs other than spreadsheets write formulas without results."""
    cells = read([["label", "area", "ratio"], [3, 4, "=B2/2"], [7, 9, "=B3/2"]])
    assert cells.features["ratio"].isna().all()
    (note,) = cells.notes
    assert note.startswith('Formulas without a result are missing values: 2 formulas in "ratio". Open the workbook')


def test_labels_that_were_never_calculated_are_refused(read):
    with pytest.raises(ValueError, match=r'column "label" says .* but its formulas have no results'):
        read([["label", "area"], ["=ROW()", 4], ["=ROW()", 9]])


def test_each_row_of_merged_cells_has_their_value(kept):
    """Excel keeps the value in the first of them; the others would be of another image, or of no class."""
    rows = [[None, "layer", "label", "area"]]
    rows += [[None, "A1", 1, 4], [None, None, 2, 5], [None, "B2", 1, 6], [None, None, 2, 7], [None, "B3", 9, 1]]

    def merge(sheet):
        sheet.merge_cells("B2:B3")
        sheet.merge_cells("B4:B5")

    cells = kept(rows, merge)
    assert cells.keys == [("A1", 0, 1), ("A1", 0, 2), ("B2", 0, 1), ("B2", 0, 2), ("B3", 0, 9)]
    assert cells.notes == ('Merged cells in "layer": each of their rows has their value.',)


def test_names_merged_over_two_rows_are_names(kept):
    rows = [["label", "DAPI", None, "GFP", None], [None, "Mean", "SD", "Mean", "SD"], [3, 1, 2, 3, 4], [7, 5, 6, 7, 8]]
    rows += [[label, 1, 2, 3, 4] for label in range(8, 12)]

    def merge(sheet):
        for merged in ("A1:A2", "B1:C1", "D1:E1"):
            sheet.merge_cells(merged)

    assert list(kept(rows, merge).features) == ["DAPI_Mean", "DAPI_SD", "GFP_Mean", "GFP_SD"]


def test_rows_that_are_hidden_are_read_and_counted(kept):
    """A filter in Excel hides rows, and a reader would take them for gone."""

    def hide(sheet):
        sheet.row_dimensions[3].hidden = True
        sheet.row_dimensions[90].hidden = True

    cells = kept([["label", "area"], [3, 4.5], [7, 9.5], [8, 1.5]], hide)
    assert len(cells.features) == 3
    (note,) = cells.notes
    assert note == ("1 hidden row of the sheet was read, too: delete it if it does not belong on the map.")


def test_what_openpyxl_says_of_styles_is_not_shown(tmp_path):
    """Programs that write workbooks leave out the default style."""
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "cells.xlsx"
    for row in (["label", "area"], [3, 4.5], [7, 9.0]):
        book.active.append(row)
    book.save(tmp_path / "whole.xlsx")
    with ZipFile(tmp_path / "whole.xlsx") as whole, ZipFile(path, "w") as other:
        for name in whole.namelist():
            content = whole.read(name)
            other.writestr(name, re.sub(rb"<cellStyles.*</cellStyles>", b"", content, flags=re.DOTALL))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(path, layer="nuclei").features["area"].tolist() == [4.5, 9.0]
