"""Which changes ask for another map, and which would make the same one again."""

from dataclasses import replace

import numpy as np
import pytest

from latentmap.samples.tissue import tissue
from latentmap.session import Parameters, iter_run
from latentmap.session.repetition import is_repeated

PARAMETERS = Parameters(features=("area", "dab_mean"), max_iter=2, scale_within="plate")


@pytest.fixture(scope="module")
def cells():
    table = tissue().cells
    plates = np.arange(len(table.features)) % 2
    return replace(table, features=table.features.assign(plate=plates, note="seen"))


@pytest.fixture(scope="module")
def result(cells):
    steps = iter_run(cells, PARAMETERS)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


def changed(table, **columns):
    return replace(table, features=table.features.assign(**columns))


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({}, True),
        ({"note": "other"}, True),
        ({"eccentricity": 0.0}, True),
        ({"area": 1.0}, False),
        ({"plate": 1}, False),
    ],
)
def test_columns_that_shape_the_map_count_and_no_others(cells, result, change, is_same):
    assert is_repeated(result, cells, changed(cells, **change), PARAMETERS, None) is is_same


def test_fewer_cells_and_other_parameters_make_another_map(cells, result):
    fewer = replace(cells, features=cells.features.iloc[1:])
    assert not is_repeated(result, cells, fewer, PARAMETERS, None)
    for change in ({"random_state": 1}, {"n_neighbors": 9}, {"features": ("area", "dab_std")}, {"scale_within": ""}):
        assert not is_repeated(result, cells, cells, replace(PARAMETERS, **change), None)
