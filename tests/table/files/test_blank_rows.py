"""Rows that are left blank between the cells: lines without a word, or with separators alone."""

import pandas as pd
import pytest

from latentmap.table.files.reading import read_table

CELLS = pd.DataFrame(
    {
        "label": [3, 1, 2, 2**53 + 1, 9],
        "area": [3.5, 4.25, 5.75, 6.5, 7.25],
        "spots": [3, 0, 2, 1, 5],
        "sum": [1e300, 2, 3, 4, 5],
        "DNA": [1.0, None, 2.0, 3.0, 4.0],
        "kind": ["a", "", "NA", "b", "a"],
        "plate": ["007", "008", "008", "007", "007"],
    }
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("blank", ["", "separators", "quotes"])
def test_they_change_nothing(tmp_path, separator, blank):
    lines = CELLS.to_csv(sep=separator, index=False, decimal="," if separator == ";" else ".").splitlines()
    (tmp_path / "whole.csv").write_text("\n".join(lines) + "\n")
    word = '""' if blank == "quotes" else ""
    row = separator.join([word] * CELLS.shape[1]) if blank else ""
    (tmp_path / "blank.csv").write_text("\n".join([*lines[:2], row, row, *lines[2:5], row, *lines[5:]]) + "\n")
    whole, found = (read_table(tmp_path / name, layer="cells") for name in ("whole.csv", "blank.csv"))
    assert whole.features["spots"].dtype == "int64"
    assert whole.features["plate"].tolist() == ["007", "008", "008", "007", "007"]
    assert whole.features["sum"].max() == 1e300
    pd.testing.assert_frame_equal(found.features, whole.features)
    assert found.notes == whole.notes


def test_a_row_with_a_value_and_no_label_is_refused(tmp_path):
    (tmp_path / "cells.csv").write_text("label,area\n1,3.5\n,2.5\n3,4.5\n")
    with pytest.raises(ValueError, match="1 row without a number"):
        read_table(tmp_path / "cells.csv", layer="cells")
