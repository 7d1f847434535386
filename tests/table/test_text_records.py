"""Texts whose columns stand below one another, with spaces between them."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import read_table
from latentmap.table.text_records import SPACES, separator_of

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
