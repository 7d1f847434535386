import numpy as np
import pandas as pd
import pytest

from latentmap.session.cell_index import as_keys
from latentmap.session.columns import StoredColumn, StoredTable

COLUMNS = {
    "float64": pd.Series([1 / 3, np.nan, -0.0, np.inf]),
    "float32": pd.Series([0.1, np.nan, -0.0, 3e38], dtype=np.float32),
    "float16": pd.Series([0.1, 1, 2, 3], dtype=np.float16),
    "big endian": pd.Series(np.array([1, 2, 3, 4], dtype=">i4")),
    "uint8": pd.Series([0, 1, 2, 255], dtype=np.uint8),
    "bool": pd.Series([True, False, True, True]),
    "complex": pd.Series([1j, 2, 3, 4]),
    "time": pd.Series(pd.to_datetime(["2020-01-01", None, "2021-05-06", "1999-01-01"])),
    "span": pd.Series(pd.to_timedelta([1, 2, None, 4], unit="s")),
    "Int64": pd.Series([1, None, 2**62 + 1, -4], dtype="Int64"),
    "UInt16": pd.Series([1, None, 3, 4], dtype="UInt16"),
    "Float32": pd.Series([0.1, None, 3, 4], dtype="Float32"),
    "boolean": pd.Series([True, None, False, True], dtype="boolean"),
    "category": pd.Series(["b", None, "a", "b"], dtype="category"),
    "ordered numbers": pd.Series(pd.Categorical([3.5, 1, None, 1], [3.5, 2, 1], ordered=True)),
    "words": pd.Series(["Zellen µ", "", 'a "b"\n', "NA"], dtype=object),
    "objects": pd.Series([1, 1.0, True, "1"], dtype=object),
    "missing": pd.Series([None, np.nan, pd.NA, -0.0], dtype=object),
    "string": pd.Series(["a", None, "b", "a"], dtype="string"),
    "string with nan": pd.Series(["a", None, "b", "a"], dtype=pd.StringDtype("python", na_value=np.nan)),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_every_type_comes_back(column):
    array = StoredColumn.of(column).array()
    again = pd.Series(array, dtype=array.dtype)
    pd.testing.assert_series_equal(again, column, check_exact=True)
    assert again.dtype == column.dtype
    assert [type(value) for value in again] == [type(value) for value in column]
    assert [repr(value) for value in again] == [repr(value) for value in column]


def test_no_part_holds_objects():
    for column in COLUMNS.values():
        parts = StoredColumn.of(column)
        assert not any(part.dtype.hasobject for part in (parts.values, parts.words, parts.gaps) if part is not None)


def test_a_table_comes_back_with_its_keys_and_names():
    keys = as_keys([("cells", 0, 3), ("nuclei", 1, 3), ("cells", 0, 1000), ("cells", 7, 2**40)])
    table = pd.DataFrame(COLUMNS).set_axis(keys)
    pd.testing.assert_frame_equal(StoredTable.of(table).table(), table, check_exact=True)
    twice = table[["float64", "words", "float64"]]
    pd.testing.assert_frame_equal(StoredTable.of(twice).table(), twice)
    empty = table[[]]
    pd.testing.assert_frame_equal(StoredTable.of(empty).table(), empty)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([[1, 2], [3]], name="outline"),
        pd.Series([pd.Timestamp("2020-01-01"), "b"], dtype=object, name="outline"),
        pd.Series(pd.date_range("2020", periods=2, tz="UTC"), name="outline"),
        pd.Series(pd.arrays.SparseArray([0, 1]), name="outline"),
    ],
)
def test_what_cannot_be_kept_is_said_of_its_column(column):
    with pytest.raises(ValueError, match=r'The column "outline" .* a session file cannot'):
        StoredColumn.of(column)
