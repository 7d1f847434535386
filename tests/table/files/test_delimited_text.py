import numpy as np
import pandas as pd
import pytest

from latentmap.table import read_table
from latentmap.table.decimals import TextSummary, to_python


def read(tmp_path, text, **columns):
    path = tmp_path / "cells.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path, layer="nuclei", columns=columns)


def labels(cells):
    return [label for _, _, label in cells.keys]


@pytest.mark.parametrize(
    ("text", "keys", "columns"),
    [
        # German Excel, first rows whole.
        ("label;area;mean\r\n3;1.234,56;2\r\n1.000;812;1,25\r\n", [3, 1000], {"area": [1234.56, 812.0]}),
        ("label;area\n1;4\n2;5\n3;6,5\n", [1, 2, 3], {"area": [4.0, 5.0, 6.5]}),
        ("label\tarea\n3\t4\n1000\t9,25\n", [3, 1000], {"area": [4.0, 9.25]}),
        ('label,area\n3,"4,5"\n4,"12"\n', [3, 4], {"area": [4.5, 12.0]}),
        # Thousands: of a whole column nothing but another column tells.
        ("label;area;mean\n3;812;0,5\n4;1.234;1,5\n", [3, 4], {"area": [812, 1234], "mean": [0.5, 1.5]}),
        ('label,area\n3,"1,234.5"\n4,"12"\n', [3, 4], {"area": [1234.5, 12.0]}),
        ('label,area\n3,"1,234,567"\n4,"1,234"\n', [3, 4], {"area": [1234567, 1234]}),
        ("label;area\n3;1 234,5\n4; 7,5 \n5;\n", [3, 4, 5], {"area": [1234.5, 7.5, np.nan]}),
        ("label;area\n3;1'234.5\n4;7.5\n", [3, 4], {"area": [1234.5, 7.5]}),
        ("label;area\n3;1\u202f234,5\n4;\u22127,5\n", [3, 4], {"area": [1234.5, -7.5]}),
        # Each column as its own numbers say.
        ("label;a;b\n1;4,5;4.5\n2;5,5;1.234\n", [1, 2], {"a": [4.5, 5.5], "b": [4.5, 1.234]}),
        ("label;area\n1.000;7.5\n4.000;12.25\n", [1, 4], {"area": [7.5, 12.25]}),
        ("label,area\n1.000,7.500\n4.000,12.250\n", [1, 4], {"area": [7.5, 12.25]}),
        ("label;area\n3;0.234\n4;12\n", [3, 4], {"area": [0.234, 12.0]}),
        # What Excel says of a cell without a number.
        ("label;area\n1;4,5\n2;#DIV/0!\n3;#NV\n", [1, 2, 3], {"area": [4.5, np.nan, np.nan]}),
        ("label;area\n3;inf\n4;13,5\n", [3, 4], {"area": [np.inf, 13.5]}),
        # Separators at the end of rows.
        ("label,area,mean\n1,812,0.5,\n2,640,0.7,\n", [1, 2], {"area": [812, 640], "mean": [0.5, 0.7]}),
        ("label,area\n1,812,,\n2,640,,\n", [1, 2], {"area": [812, 640]}),
        ("label;area;\n1;812,5;\n2;1,5;\n", [1, 2], {"area": [812.5, 1.5]}),
        # How texts begin and end.
        ("sep=;\r\nlabel;area\r\n3;4,5\r\n", [3], {"area": [4.5]}),
        ("\ufeff\"sep=;\"\nlabel;area\n3;4,5\n", [3], {"area": [4.5]}),
        ("\n\nlabel,area\n\n3,4.5\n\n", [3], {"area": [4.5]}),
        ("label;area\r3;4,5\r4;5,5\r", [3, 4], {"area": [4.5, 5.5]}),
        ("label;Fläche µm²\n3;4,5\n".encode("utf-16"), [3], {"Fläche µm²": [4.5]}),
        # Separators within names and words.
        ('label,name,area\n3,"a; b; c",4.5\n4,"c ""q""; d",5\n', [3, 4], {"area": [4.5, 5.0]}),
        ("label;area, mean\n3;4,5\n4;5,5\n", [3, 4], {"area, mean": [4.5, 5.5]}),
        ("label;x (a,b,c)\n3;4,5\n4;5,5\n", [3, 4], {"x (a,b,c)": [4.5, 5.5]}),
        # Exact keys.
        ("label,area\n9007199254740993.0,2\n", [2**53 + 1], {"area": [2]}),
    ],
)  # fmt: skip
def test_every_country_s_numbers(tmp_path, text, keys, columns):
    cells = read(tmp_path, text)
    assert labels(cells) == keys
    assert cells.notes == ()
    for name, values in columns.items():
        np.testing.assert_array_equal(cells.features[name].to_numpy(dtype=float), values)
        assert name in cells.numeric


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        (
            'label,area\n3,"1,234"\n4,"12"\n',
            1234,
            'Read, though it could be another number: "1,234" as 1234 in "area".',
        ),
        ("label;area\n3;1,234\n4;12\n", 1.234, 'Read, though it could be another number: "1,234" as 1.234 in "area".'),
        (
            "label;area\n3;1.234\n4;12\n",
            "1.234",
            'Not read as numbers: "area": "1.234" may be 1.234 or 1234. Save the table with a decimal point, and '
            "without thousands separators.",
        ),
        ("label\tarea\n3\t1,234\n4\t12\n", "1,234", '"1,234" may be 1234 or 1.234'),
        ("label;a;b;area\n3;4,5;4.5;1.234\n4;5,5;5.5;12\n", "1.234", '"1.234" may be 1.234 or 1234'),
        ("label;area\n3;12 %\n4;13,5 %\n", "12 %", 'Not numbers, so no features: "area" (such as "12 %").'),
        ("label;area\n1;4,5\n2;n.d.\n", "4,5", 'Not numbers, so no features: "area" (such as "n.d.").'),
        ("label;area\n1;4,5\n2;4,5.6\n", "4,5", 'Not numbers, so no features: "area" (such as "4,5.6").'),
        ("label,area,area\n3,4.5,6\n", 4.5, 'Several columns are named "area": all but the first'),
        (
            "label;area;µm\n3;4,5;2\n".encode("cp1252"),
            4.5,
            "Not in UTF-8, so read as Windows-1252: check that letters such as ä and µ are right.",
        ),
    ],
)
def test_what_can_be_read_in_two_ways_or_in_none_is_said(tmp_path, text, value, note):
    cells = read(tmp_path, text)
    assert cells.features["area"].tolist()[0] == value
    (said,) = cells.notes
    assert note in said


@pytest.mark.parametrize("separator", [";", "\t"])
def test_three_decimals_in_all_numbers_are_those_of_imagej(tmp_path, separator):
    areas = [f"{at + 1}.{at * 37 % 1000:03}" for at in range(14)]
    rows = [separator.join([str(at + 1), area, str(at)]) for at, area in enumerate(areas)]
    cells = read(tmp_path, "\n".join([separator.join(["label", "Mean", "Max"]), *rows]) + "\n")
    assert cells.features["Mean"].tolist() == [float(area) for area in areas]
    assert cells.notes == ('Read, though it could be another number: "1.000" as 1.000 in "Mean".',)
    # One without a mark: it may separate thousands.
    cells = read(
        tmp_path, "\n".join([separator.join(["label", "Mean", "Max"]), *rows, f"15{separator}812{separator}1"])
    )
    assert "Mean" not in cells.numeric
    # Keys are not guessed.
    with pytest.raises(ValueError, match=r'column "label": "1\.000" may be 1\.000 or 1000'):
        read(tmp_path, "\n".join([separator.join(["label", "Max"]), *(f"{area}{separator}3" for area in areas)]) + "\n")


def test_columns_follow_or_contradict_those_with_three_decimals(tmp_path):
    def read_columns(**columns):
        columns = {"label": map(str, range(1, 15)), **columns}
        rows = zip(*([name, *column] for name, column in columns.items()), strict=True)
        return read(tmp_path, "\n".join(map("\t".join, rows)) + "\n")

    points, commas = ([f"{at + 1}{mark}{at * 37 % 1000:03}" for at in range(14)] for mark in ".,")
    # So few different numbers would not tell.
    cells = read_columns(Mean=points, Min=["1.000", "2.000"] * 7)
    assert cells.features["Min"].tolist() == [1, 2] * 7
    # Spreadsheets write thousands with commas.
    assert read_columns(IntDen=commas).numeric == []
    # Of two signs, one separates thousands.
    assert read_columns(Mean=points, IntDen=commas).numeric == []
    assert read_columns(Mean=[*points[:7], *commas[7:]]).numeric == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r'"cells\.csv" is empty'),
        ("\n \n", r'"cells\.csv" is empty'),
        ("sep=;\n", r'"cells\.csv" is empty'),
        ("label,area\n", r'"cells\.csv" has no rows'),
        ("label,area\n3,4,5\n1000,9,25\n", "row 1 of the cells: 3 values, but the first line names 2 columns"),
        ("label,area\n" + 300 * "3,4\n" + "1000,9,25\n", "row 301 of the cells: 3 values"),
        ("label,area\n" + 300 * "3,4\n" + "1000,9,25,7\n", "line 302: 4 values"),
        ("label\tarea\n1\t3\t4.5\n2\t7\t4.5\n", "3 values, but the first line names 2 columns.*Give every column"),
        ("label;area\n1.000;7\n4;12\n", r'column "label": "1\.000" may be 1\.000 or 1000'),
        ("label\tarea\n1,000\t7\n4\t12\n", 'column "label": "1,000" may be 1000 or 1.000'),
        ("label,area\n18446744073709551617,1\n", 'column "label" holds 18446744073709551617'),
        ("label,area\ninf,1\n3,2\n", 'column "label" holds inf'),
        ("label;area\n4,5;1,5\n", 'column "label" must hold whole numbers, not 4.5'),
    ],
)
def test_no_text_is_read_as_another_table(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(tmp_path, text)


def test_a_table_of_words_beside_numbers_says_nothing(tmp_path):
    cells = read(tmp_path, "label,phase,area\n3,G1,4.5\n4,S,5\n")
    assert (cells.numeric, cells.notes) == (["area"], ())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_pandas_writes_comes_back_to_the_last_bit(tmp_path, separator):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"label": np.arange(1, 500), "a": rng.normal(size=499), "b": rng.integers(0, 9, 499)})
    rows.loc[[3, 400], "a"] = np.nan
    for mark in ".,":
        rows.to_csv(tmp_path / "cells.csv", sep=separator, decimal=mark, index=False)
        cells = read_table(tmp_path / "cells.csv", layer="nuclei")
        pd.testing.assert_frame_equal(cells.features.reset_index()[list(rows)], rows, check_exact=True)


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("1.234", "1.234", "1234"),
        ("1,234.5", "1234.5", None),
        ("0.123", "0.123", None),
        ("1234.567", "1234.567", None),
        ("1.234.567", None, "1234567"),
        ("1.23.456", None, None),
        ("01,234", None, "01.234"),
        ("12.05.2024", None, None),
        ("1 234", "1234", "1234"),
        ("12 34", None, None),
        ("-.5e-3", "-.5e-3", None),
        (".", None, None),
        ("1e", None, None),
        ("", None, None),
    ],
)
def test_numbers_with_either_mark(text, point, comma):
    assert (to_python(text, "."), to_python(text, ",")) == (point, comma)


def test_texts_tell_their_mark():
    assert TextSummary.of(["1.234", "0,5"]).marks == {","}
    assert TextSummary.of(["1.5", "0,5"]).marks == {".", ","}
    assert TextSummary.of(["812", "1.234", " "]).marks == set()


@pytest.mark.parametrize("other", ["", ";x"])
def test_a_column_with_both_marks_loses_no_number_in_silence(tmp_path, other):
    rows = ["label;area", "3;0.5", "7;0,75", "8;0,8"]
    cells = read(tmp_path, "\n".join(row + other for row in rows) + "\n")
    assert cells.features["area"].tolist() == ["0.5", "0,75", "0,8"]
    (note,) = cells.notes
    assert note.startswith('Not read as numbers: "area": some numbers have a decimal point and others a decimal comma.')
    with pytest.raises(ValueError, match=r'column "label": some numbers have a decimal point and others'):
        read(tmp_path, "label;area\n3.0;1\n7,0;2\n")
