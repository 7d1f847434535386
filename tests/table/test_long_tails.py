"""When a transform is advised."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable, Preparation, preview
from latentmap.table.long_tails import tail_advice

RNG = np.random.default_rng(0)
BRIGHT = RNG.lognormal(3, 1.5, size=(400, 6))
COUNTS = RNG.negative_binomial(0.3, 0.03, size=(400, 6)).astype(float)


@pytest.mark.parametrize("values", [BRIGHT, COUNTS, 1e4 * BRIGHT], ids=["light", "counts", "16 bits"])
def test_tails_that_a_transform_draws_in_are_told(values):
    (said,) = tail_advice(values)
    assert said.startswith("6 of 6 features have a long tail")


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=(400, 6)),
        RNG.gamma(4, 30, size=(400, 6)),  # as the areas of cells
        np.log(BRIGHT),
        np.arcsinh(BRIGHT / 5),
        BRIGHT / 1e4,  # light from 0 to 1: no logarithm of 1 + x helps
        np.where(RNG.random((400, 6)) < 0.03, RNG.normal(3, 0.3, (400, 6)), 0.0),  # logarithms of counts, mostly 0
        np.c_[BRIGHT[:, :1], RNG.normal(size=(400, 5))],
        np.full((400, 6), np.nan),
        np.ones((400, 6)),
        np.empty((0, 6)),
        np.empty((400, 0)),
    ],
)
def test_nothing_is_said_where_none_would_help(values):
    assert tail_advice(values) == []


def test_gaps_infinity_and_values_below_0_are_no_hindrance():
    values = BRIGHT - 10
    values[::7], values[3] = np.nan, np.inf
    (said,) = tail_advice(values)
    assert "arcsinh(x / 5)" in said


def test_many_cells_and_features_are_told_by_some():
    values = np.tile(BRIGHT, (30, 100))
    assert tail_advice(values)[0].startswith("600 of 600 features")


def test_the_preview_says_it_until_there_is_a_transform():
    rows = pd.DataFrame(BRIGHT, columns=list("abcdef")).assign(label=np.arange(1, 401))
    cells = CellTable.read(rows, layer="cells")
    assert "long tail" in preview(cells, list("abcdef"), Preparation()).sentence
    for transform in ("log1p", "arcsinh", "rank"):
        assert "long tail" not in preview(cells, list("abcdef"), Preparation(transform=transform)).sentence
