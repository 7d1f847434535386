"""Adding surroundings to a table that has a column of the same name."""

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.counts import CLASS
from latentmap.presenters.surroundings import CellPlaces, around
from latentmap.table import CellTable


def test_a_measured_column_is_not_overwritten(session):
    rows = pd.DataFrame({"label": [1, 2, 3], "neighbours": [7, 8, 9]})
    cells = CellTable.read(rows, layer="cells")
    session.classes.assign("B", session.cell_index.add(cells.features.index)[:1])
    places = CellPlaces([lambda: pd.DataFrame({0: [0.0, 1.0, 9.0], 1: 0.0}, cells.features.index)])
    with pytest.raises(ValueError, match=r'^The table has a column "neighbours" of its own: rename it, and open'):
        around(session, cells, places, CLASS, 2.0)
    without = CellTable(cells.features.drop(columns="neighbours"))
    found = around(session, without, places, CLASS, 2.0)().columns
    again = around(session, without.with_features(found), places, CLASS, 1.0)().columns
    assert again["neighbours"].tolist() == [1, 1, 0]
    np.testing.assert_array_equal(again["near B"], [0.0, 1.0, np.nan])
