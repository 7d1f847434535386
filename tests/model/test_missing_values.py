"""Which values are missing, in arrays of every kind."""

import numpy as np
import pandas as pd
import pytest

from latentmap.model.missing_values import is_missing


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array(["T", pd.NA, None, np.nan, pd.NaT, "", 0, False], object), [0, 1, 1, 1, 1, 0, 0, 0]),
        (pd.array([1, None, 3], "Int64").to_numpy(dtype=object), [0, 1, 0]),
        (pd.array(["T", None, "nan"], "string").to_numpy(dtype=object), [0, 1, 0]),
        (np.array([0.0, np.nan, np.inf]), [0, 1, 0]),
        (np.array(["2024-01-01", "NaT"], "datetime64[D]"), [0, 1]),
        (np.array([0, -1]), [0, 0]),
        (np.array(["", "nan"]), [0, 0]),
        (np.array([[pd.NA, "T"], ["B", None]], object), [[1, 0], [0, 1]]),
    ],
)
def test_missing_is_what_is_no_value_and_nothing_else(values, expected):
    found = is_missing(values)
    assert found.dtype == bool
    np.testing.assert_array_equal(found, np.array(expected, bool))
