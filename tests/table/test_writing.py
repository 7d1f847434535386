import numpy as np
import pandas as pd
import pytest

from latentmap.table import write_csv


class Unwritable:
    def __str__(self):
        raise RuntimeError("no text for this")


def test_what_is_written_is_read_back_exactly(tmp_path):
    rows = pd.DataFrame({"layer": ["Zellen µ", 'a "b", c'], "label": [3, 1000], "area": [1 / 3, np.nan]})
    path = write_csv(rows, tmp_path / "cells.csv")
    pd.testing.assert_frame_equal(pd.read_csv(path, float_precision="round_trip"), rows)


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="no text for this"):
        write_csv(pd.DataFrame({"label": [*range(10_000), Unwritable()]}), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_csv(pd.DataFrame({"label": [1]}), tmp_path / "missing" / "cells.csv")
