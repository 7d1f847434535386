import numpy as np
import pandas as pd
import pytest

from latentmap.measuring import measure
from latentmap.table import CellTable, keys_in_image
from latentmap.table.whole_numbers import LARGEST, whole_or_none


def labels_of(values, dtype=None):
    rows = pd.DataFrame({"label": pd.Series(values, dtype=dtype), "area": 1.0})
    return [label for _, _, label in CellTable.read(rows, layer="nuclei").keys]


@pytest.mark.parametrize(
    ("values", "dtype", "labels"),
    [
        ([3, 1000], "uint64", [3, 1000]),
        ([3.0, 1000.0], None, [3, 1000]),
        (["3", " 1000 "], None, [3, 1000]),
        (["3.0", "1e3"], None, [3, 1000]),
        ([3.0, 2047.0], "float16", [3, 2047]),
        (["3", "9007199254740993.0"], None, [3, 2**53 + 1]),
        (["3", "9007199254740993"], "string", [3, 2**53 + 1]),
        (["3", str(LARGEST)], None, [3, LARGEST]),
        ([3, 2**53 + 1], "Int64", [3, 2**53 + 1]),
        ([3, LARGEST], object, [3, LARGEST]),
        ([3, 1000], "category", [3, 1000]),
        (["3", "1000"], "category", [3, 1000]),
        ([-3, 7], None, [-3, 7]),
    ],
)
def test_whole_numbers_of_any_type_are_read_exactly(values, dtype, labels):
    assert labels_of(values, dtype) == labels


@pytest.mark.parametrize(
    ("values", "dtype", "sentence"),
    [
        ([3, np.inf], None, 'column "label" holds inf: a cell\'s number is at most 9223372036854775807'),
        ([3, -np.inf], None, 'column "label" holds -inf'),
        (["3", "inf"], None, 'column "label" holds inf'),
        ([3, 1e19], None, r'column "label" holds 1e\+19'),
        ([3, 1e30], "float32", 'column "label" holds 1'),
        (["3", "1e999"], None, 'column "label" holds 1e999'),
        (["3", "1e999999999"], None, '1 row without a number in column "label"'),
        ([3, 2**63], "uint64", 'column "label" holds 9223372036854775808'),
        ([3, 2**64 - 1], "UInt64", 'column "label" holds 18446744073709551615'),
        ([3, 2**64 + 1], object, 'column "label" holds 18446744073709551617'),
        (["3", "18446744073709551617"], None, 'column "label" holds 18446744073709551617'),
        ([3, 2.0**53], None, 'column "label" holds 9007199254740992 as a decimal number of 53 binary digits'),
        ([3, 2.0**53], object, 'column "label" holds 9007199254740992 as a decimal number of 53 binary digits'),
        ([3, 2048], "float16", 'column "label" holds 2048 as a decimal number of 11 binary digits'),
        ([3, 2.0**24], "float32", 'column "label" holds 16777216 as a decimal number of 24 binary digits'),
        ([3, 7.5], None, 'column "label" must hold whole numbers, not 7.5'),
        (["3", "7.5"], None, 'column "label" must hold whole numbers, not 7.5'),
        (["3", "x7"], None, r'1 row without a number in column "label" \(such as "x7"\)'),
        ([3, None], "Int64", '1 row without a number in column "label"'),
        ([True, False], None, 'column "label" must hold whole numbers, not "True"'),
        ([True, 3], object, '1 row without a number in column "label"'),
        ([3 + 0j, 4j], None, 'column "label" must hold whole numbers'),
        (pd.to_datetime(["2026-01-01", "2026-01-02"]), None, 'column "label" must hold whole numbers'),
        (pd.to_timedelta([1, 2], unit="h"), None, 'column "label" must hold whole numbers'),
    ],
)
def test_no_number_becomes_another(values, dtype, sentence):
    with pytest.raises(ValueError, match=sentence):
        labels_of(values, dtype)


def test_frames_are_read_as_labels_are():
    rows = pd.DataFrame({"label": [1, 2], "frame": [1e30, 1], "area": 1.0})
    with pytest.raises(ValueError, match='column "frame" holds 1e'):
        CellTable.read(rows, layer="nuclei")


@pytest.mark.parametrize("read", [measure, keys_in_image])
def test_labels_of_pixels_that_no_key_can_hold_are_refused_by_name(read):
    labels = np.zeros((8, 8), dtype=np.uint64)
    labels[1:4, 1:4] = LARGEST
    assert read(labels, layer="nuclei") is not None
    labels[5:7, 5:7] = LARGEST + 1
    with pytest.raises(ValueError, match=r'"nuclei" holds label 9223372036854775808.*renumber the cells'):
        read(labels, layer="nuclei")


def test_what_is_no_exact_number_is_no_cell_s():
    values = [3, None, 1e19, np.inf, 2.0**60, "5", "no", 2**63, LARGEST]
    assert whole_or_none(pd.Series(values, dtype=object)).tolist() == [3, 0, 0, 0, 0, 5, 0, 0, LARGEST]
