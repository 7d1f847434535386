"""Texts whose columns stand below one another, with spaces between them."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import read_table
from latentmap.table.files.text_records import SPACES, separator_of

N = 12
AREA = np.linspace(10.5, 90.5, N)
ROWS = pd.DataFrame({"label": range(3, 3 + N), "area": AREA, "DNA": np.geomspace(1, 9, N)})


def read(folder, text, ending=".txt", encoding="utf-8"):
    path = folder / f"cells{ending}"
    path.write_bytes(text.encode(encoding))
    return read_table(path, layer="cells")


@pytest.mark.parametrize("ending", [".txt", ".dat", ".csv"])
def test_columns_between_spaces_are_read(tmp_path, ending):
    text = ROWS.to_string(index=False, float_format=lambda value: repr(float(value)))
    for written in (text, text.replace("\n", "  \r\n"), f"Plate 7\n\n{text}\n\nMean  50 4.0\n"):
        cells = read(tmp_path, written, ending)
        assert [label for *_, label in cells.keys] == ROWS["label"].tolist()
        np.testing.assert_array_equal(cells.features["area"], AREA)
        np.testing.assert_array_equal(cells.features["DNA"], ROWS["DNA"])


def test_decimal_commas_and_points(tmp_path):
    assert read(tmp_path, "label area\n1 3,5\n2 4,25\n").features["area"].tolist() == [3.5, 4.25]
    cells = read(tmp_path, "label area\n1 1.234\n2 5.678\n")
    assert cells.features["area"].tolist() == [1.234, 5.678]
    assert cells.notes == ()


def test_r_gives_no_name_to_the_rows_names(tmp_path):
    text = '"label" "cell type" "area"\n' + "".join(f'"{at}" {at} "T cell" {at / 8}\n' for at in range(1, 9))
    cells = read(tmp_path, text)
    assert cells.features["cell type"].tolist() == ["T cell"] * 8
    assert cells.features["area"].tolist() == [at / 8 for at in range(1, 9)]
    assert list(cells.features) == ["cell type", "area"]


@pytest.mark.parametrize("place", [2, 500])
def test_a_gap_between_spaces_is_an_error_that_names_the_line(tmp_path, place):
    lines = ["label area mean", *(f"{at} {at}.5 7" for at in range(1, 600))]
    lines[place] = "3 7"
    with pytest.raises(ValueError, match=rf"line {place + 1}: 2 values, but .* 3 columns.*by tabs or commas") as error:
        read(tmp_path, "\n".join(lines) + "\n")
    assert "which value belongs to which column" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "Cell ID;Mean area\n1;4\n2;5\n",
        "Cell ID\tMean area\n1 000\t4\n2 000\t5\n",
        "Cell ID,Mean area\n1,4 5\n2,5 6\n",
        # Of names with spaces nobody knows where one ends, and words are no table.
        "Cell ID  Mean area\n1  4\n2  5\n",
        "Cell type\nT cell\nB cell\n",
        "label\n1\n2\n",
    ],
)
def test_other_texts_are_not_divided_at_spaces(text):
    assert separator_of(text) != SPACES


def test_lists_within_a_column_are_not_the_columns(tmp_path):
    # HALO writes the settings of the analysis for each cell, with more semicolons than the table has commas.
    settings = "Zoom:1;Dye 1:DAPI;Dye 1 Weight:1;Dye 2:Opal 520;Dye 2 Weight:0;Fill Holes:false;Store Cells:true"
    names = "Image Location,Analysis Inputs,Object Id,XMin,Nucleus Area"
    for quote in ("", '"'):
        rows = [f"C:/slides/a.tif,{quote}{settings}{quote},{at},{7 * at},{at + 0.25}" for at in range(1, 10)]
        cells = read(tmp_path, "\n".join([names, *rows]) + "\n", ".csv")
        assert [label for *_, label in cells.keys] == list(range(1, 10))
        assert cells.features["Nucleus Area"].tolist() == [at + 0.25 for at in range(1, 10)]
        assert not any("above" in note for note in cells.notes)


@pytest.mark.parametrize(("separator", "within"), [(",", ";"), (";", ","), ("\t", ","), ("\t", ";")])
@pytest.mark.parametrize("above", ["", "Plate{}P1\n\n"])
def test_lists_that_differ_from_cell_to_cell_do_not_divide_their_column(tmp_path, separator, within, above):
    markers = "CD3", "CD8", "CD20", "FOXP3", "CD68"
    rows = [["label", "area", "phenotype"]]
    for at in range(1, 20):
        signs = within.join(f"{marker}{'+-'[at * 21 // 2**place % 2]}" for place, marker in enumerate(markers))
        rows.append([str(at), str(at + 0.25), f'"{signs}"' if within == "," else signs])
    text = above.format(separator) + "\n".join(separator.join(row) for row in rows) + "\n"
    cells = read(tmp_path, text, ".csv")
    assert list(cells.features) == ["area", "phenotype"]
    assert len(cells.features) == 19


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_long_line_of_names_is_divided(tmp_path, separator):
    genes = [f"ENSG{at:011d}" for at in range(9000)]
    rows = [[str(at), *[str((at * 7 + place) % 5) for place in range(9000)]] for at in range(1, 4)]
    text = "\n".join(separator.join(row) for row in [["label", *genes], *rows]) + "\n"
    cells = read(tmp_path, text, ".csv")
    assert cells.features.shape == (3, 9000)
    assert cells.features[genes[3]].tolist() == [0, 2, 4]
