"""Rows below the cells are left out with a sentence, and no cell is."""

import numpy as np
import pytest

from latentmap.table import read_table
from latentmap.table.files.reading import read_rows

N = 12
AREA = [10.5 + at for at in range(N)]
NAMES = ["CellID", "Image", "Area", "Mean"]
CELLS = [[at + 1, "a.tif", AREA[at], at] for at in range(N)]


def text_of(rows, separator=","):
    return "".join(separator.join("" if part is None else str(part) for part in row) + "\n" for row in rows)


def written(folder, text, *, encoding="utf-8"):
    path = folder / "cells.csv"
    path.write_bytes(text.encode(encoding))
    return path


def workbook(folder, rows):
    openpyxl = pytest.importorskip("openpyxl", reason='openpyxl is not installed: pip install "latentmap[files]"')
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "cells.xlsx")
    return folder / "cells.xlsx"


FOOTERS = [
    ([[], ["Total", None, 192.5, 66]], 'The last row left out, as it sums up the others: "CellID" is "Total".'),
    (
        [["Mean", "", 16, 5.5], ["SD", "", 3.6, 3.6]],
        'The last 2 rows left out, as they sum up the others: "CellID" is ',
    ),
    ([["Exported by Ada"]], '1 row below the cells left out, as it holds no cell: "Exported by Ada".'),
    ([[], ["Exported by", "Ada"], ["Date", "2026-01-31"]], "2 rows below the cells left out, as they hold no cell: "),
    ([[], ["Plate", "P1", 7, 7]], '1 row below the cells left out, as it holds no cell: "Plate".'),
    ([[], [None, None, 192.5, 66]], '1 row below the cells left out, as it holds no cell: "192.5".'),
    ([[None, "Mean", 16, 5.5], [None, "Max", 21.5, 11]], '"Image" is "Mean", "Max".'),
]


@pytest.mark.parametrize("kind", ["text", "workbook"])
@pytest.mark.parametrize(("footer", "sentence"), FOOTERS)
def test_rows_below_the_cells_are_left_out_and_told(tmp_path, footer, sentence, kind):
    rows = [NAMES, *CELLS, *footer]
    path = workbook(tmp_path, rows) if kind == "workbook" else written(tmp_path, text_of(rows))
    cells = read_table(path, layer="cells")
    assert [label for *_, label in cells.keys] == list(range(1, N + 1))
    assert cells.features["Area"].tolist() == AREA
    assert cells.numeric == ["Area", "Mean"]
    assert sentence in " ".join(cells.notes)


@pytest.mark.parametrize("kind", ["text", "workbook"])
@pytest.mark.parametrize(
    "last",
    [
        # Gaps, also where a cell has no measurement at all.
        [[], [13, "b.tif", None, None]],
        [[13, None, "n.d.", "-"]],
        [[], [13, "Total", 4.5, 7]],
        [[13, "Max", 4.5, 7]],
        [[], [], [13, "a.tif", 4.5, 7], []],
        [[], [13, None, 4.5, 7]],
    ],
)
def test_a_cell_is_never_left_out(tmp_path, last, kind):
    rows = [NAMES, *CELLS, *last]
    path = workbook(tmp_path, rows) if kind == "workbook" else written(tmp_path, text_of(rows))
    cells = read_table(path, layer="cells")
    assert [label for *_, label in cells.keys] == list(range(1, N + 2))
    assert not any("left out" in note for note in cells.notes)


def test_a_cell_without_a_name_is_a_cell_below_an_empty_line_too(tmp_path):
    rows = [["Type", "CellID", "Area"], *(["T", at, at / 4] for at in range(1, 13)), [], ["", 13, 7.5]]
    assert len(read_table(written(tmp_path, text_of(rows)), layer="cells").features) == 13


def test_names_of_sums_may_name_cells(tmp_path):
    rows = [["CellID", "Who", "Area"], *([at, ["Max", "Sum"][at % 2], at / 4] for at in range(1, 13))]
    assert len(read_table(written(tmp_path, text_of(rows)), layer="cells").features) == 12


@pytest.mark.parametrize("kind", ["text", "workbook"])
@pytest.mark.parametrize("word", ["Mean", "Total", "Grand Total", "Mittelwert", "Moyenne", "Écart-type", "Promedio"])
def test_a_single_sum_below_names_is_left_out_and_told(tmp_path, kind, word):
    rows = [["Image", "Area", "Mean"], *([f"a{at % 3}.tif", at / 4, at] for at in range(1, 13)), [word, 1.6, 6.5]]
    path = workbook(tmp_path, rows) if kind == "workbook" else written(tmp_path, text_of(rows))
    found, notes = read_rows(path, {})
    assert found["Area"].tolist() == [at / 4 for at in range(1, 13)]
    assert f'The last row left out, as it sums up the others: "Image" is "{word}".' in notes


@pytest.mark.parametrize("kind", ["text", "workbook"])
def test_sums_among_the_cells_are_told(tmp_path, kind):
    def told(rows):
        path = workbook(tmp_path, rows) if kind == "workbook" else written(tmp_path, text_of(rows))
        return [note for note in read_rows(path, {})[1] if "named like" in note]

    rows = [["Image", "Area"], *([["Total", "a.tif"][at % 4 > 0], at / 4] for at in range(1, 14))]
    assert told(rows) == [
        '3 of 13 rows are named like sums and taken for cells, such as row 4 ("Total"). Take them out of the table if '
        "they sum up others."
    ]
    assert told(rows[:7]) == [
        '1 of 6 rows is named like a sum and taken for a cell: row 4 ("Total"). Take it out of the table if it sums up '
        "others."
    ]
    assert not told([["Image", "CellID", "Area"], *([name, at, area] for at, (name, area) in enumerate(rows[1:], 1))])


@pytest.mark.parametrize("name", ["Media", "Media 1", "Soma"])
def test_cells_of_a_control_below_an_empty_line_are_cells(tmp_path, name):
    rows = [["Who", "Area"], *(["drug", at / 4] for at in range(1, 13)), [], *([name, at / 3] for at in range(1, 4))]
    found, notes = read_rows(written(tmp_path, text_of(rows)), {})
    assert (len(found), [note for note in notes if "left out" in note]) == (15, [])


@pytest.mark.parametrize("word", ["Max", "Sum", "Count", "CV", "Meanwhile", "Total RNA", "Media", "Soma"])
def test_a_single_row_that_may_be_named_so_is_a_cell(tmp_path, word):
    rows = [["Who", "Area"], *([f"a{at % 3}", at / 4] for at in range(1, 13)), [word, 1.6]]
    assert len(read_rows(written(tmp_path, text_of(rows)), {})[0]) == 13


def test_cells_of_a_group_that_is_called_like_a_sum_are_cells(tmp_path):
    rows = [["Who", "Area"], *([["Input", "Total"][at > 9], at / 4] for at in range(1, 13))]
    assert len(read_rows(written(tmp_path, text_of(rows)), {})[0]) == 12


def test_a_row_that_is_cut_off_is_left_out(tmp_path):
    whole = text_of([NAMES, *CELLS])
    for cut in (whole[:-5], whole[:-8] + '"b', whole + "1"):
        cells = read_table(written(tmp_path, cut), layer="cells")
        assert len(cells.features) == N - 1 + (cut[:-1] == whole)
        assert any("The last row left out, as it is cut off after " in note for note in cells.notes)
    # Many programs end without an end of line, and some write no gaps.
    for text in (whole[:-1], whole.replace(",0\n", "\n")[:-1], whole + "13,b.tif,,"):
        assert not any("left out" in note for note in read_table(written(tmp_path, text), layer="cells").notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_below_many_cells(tmp_path, encoding, end):
    n = 20_000
    text = "label;Fläche;Mean\n" + "".join(f"{at};{at / 8};2\n" for at in range(1, n + 1)).replace(".", ",")
    text = (text + "\nSumme;7;7\n\n\nGedruckt von Ä\n").replace("\n", end)
    cells = read_table(written(tmp_path, text, encoding=encoding), layer="cells")
    np.testing.assert_array_equal(cells.features["Fläche"], np.arange(1, n + 1) / 8)
    assert 'as it holds no cell: "Gedruckt von Ä".' in " ".join(cells.notes)


def test_a_short_table_is_read_as_if_nothing_stood_below(tmp_path):
    text = "label;area\n1;1.234\n2;0.5\n3;7.25\n\nMean;3\n"
    cells = read_table(written(tmp_path, text), layer="cells")
    assert cells.features["area"].tolist() == [1.234, 0.5, 7.25]
    assert cells.notes == ('The last row left out, as it sums up the others: "label" is "Mean".',)
