"""Cells brighter than the camera records are told."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable, preview
from latentmap.table.placeholders import placeholders
from latentmap.table.preparing import Preparation
from latentmap.table.saturation import saturated

RNG = np.random.default_rng(0)
BRIGHT = RNG.lognormal(size=2000)


@pytest.mark.parametrize("most", [255, 4095, 65535])
@pytest.mark.parametrize("share", [0.01, 0.2])
def test_saturated_cells_are_told(most, share):
    column = BRIGHT * most / np.quantile(BRIGHT, 1 - share)
    column = np.r_[np.minimum(column, most).round(), np.nan, np.inf]
    (said,) = saturated(np.column_stack([column, column / 2]), ["DAPI", "other"])
    assert said.startswith(f"DAPI is {most}, the most that the camera records, in {round(100 * share)} % of cells")
    assert "other" not in said
    assert placeholders(column[:, None], ["DAPI"]) == []


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("Area", np.minimum(BRIGHT * 200, 255).round()),
        ("n_spots", np.minimum(BRIGHT * 200, 255).round()),
        ("Spots_Count", np.minimum(BRIGHT * 200, 255).round()),
        ("angle", RNG.integers(0, 256, 2000)),
        ("scaled", 255 * (BRIGHT - BRIGHT.min()) / np.ptp(BRIGHT)),
        ("few", np.minimum(BRIGHT * 255 / np.quantile(BRIGHT, 0.998), 255)),
        ("mask", np.where(BRIGHT > 1, 255, 0)),
        ("missing", np.where(BRIGHT > 3, 65535, BRIGHT)),
        ("constant", np.full(2000, 255)),
        ("above", np.where(BRIGHT > 1, 255, 256)),
        ("empty", np.full(2000, np.nan)),
        ("DNA", np.r_[np.minimum(BRIGHT[:60] * 60, 254), 255, 255]),
    ],
)
def test_of_other_values_nothing_is_said(name, column):
    assert saturated(np.asarray(column, dtype=float)[:, None], [name]) == []


def test_the_preview_says_so():
    rows = pd.DataFrame({"label": np.arange(1, 2001), "DAPI_max": np.minimum(BRIGHT * 30_000, 65535), "area": BRIGHT})
    said = preview(CellTable.read(rows, layer="cells"), ["DAPI_max", "area"], Preparation()).sentence
    assert "DAPI_max is 65535, the most that the camera records, in " in said
