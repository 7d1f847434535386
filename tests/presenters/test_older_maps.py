"""Maps in view that were made of other values than their cells have now."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.older_maps import older_maps
from latentmap.session import Run
from latentmap.table import CellTable

ROWS = pd.DataFrame({"label": [3, 7, 9], "area": [40.0, 52.0, np.nan], "DNA": [1.0, 2.0, 3.0]})


def read(rows):
    return CellTable.read(rows, layer="nuclei")


@pytest.fixture
def run():
    return Run("1: k 6", read(ROWS), MappingProxyType({"features": ("area",)}))


@pytest.mark.parametrize(
    "same",
    [
        ROWS,
        ROWS.iloc[::-1],
        ROWS.assign(DNA=0.0),  # no part of the map
        ROWS.assign(texture=5.0),
        ROWS.drop(columns="area"),
        ROWS.iloc[:1],
        ROWS.assign(label=ROWS["label"] + 100),
    ],
)
def test_a_map_of_the_values_that_cells_have_is_not_spoken_of(run, same):
    assert older_maps([run], read(same)) == ""


def test_each_map_of_other_values_is_named(run):
    other = Run("2: k 9", read(ROWS), MappingProxyType({"features": ("area", "DNA")}))
    said = older_maps([run, other], read(ROWS.assign(DNA=[1.0, 2.0, 4.0])))
    assert said.startswith('Features of 1 of 3 cells have other values than those that the map "2: k 9" was made of')
    said = older_maps([run, other], read(ROWS.assign(area=[40.0, 0.0, 0.0]).iloc[::-1]))
    assert said.count("Features of 2 of 3 cells") == 2


def test_a_map_made_elsewhere_is_not_made_of_the_features(run):
    run.made_elsewhere = "X_umap"
    assert older_maps([run], read(ROWS.assign(area=0.0))) == ""
