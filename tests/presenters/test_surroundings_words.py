"""Adding surroundings to a table that has a column of the same name."""

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.counts import CLASS
from latentmap.presenters.surroundings import CellPlaces, add_features, around
from latentmap.session import ColourBy
from latentmap.table import CellTable


def test_a_measured_column_is_not_overwritten(session):
    rows = pd.DataFrame({"label": [1, 2, 3], "neighbours": [7, 8, 9]})
    cells = CellTable.read(rows, layer="cells")
    session.classes.assign("B", session.cell_index.add(cells.features.index)[:1])
    places = CellPlaces([lambda: pd.DataFrame({0: [0.0, 1.0, 9.0], 1: 0.0}, cells.features.index)])
    with pytest.raises(ValueError, match=r'^The table has a column "neighbours" of its own: rename it, and open'):
        around(session, cells, places, CLASS, 2.0)
    without = CellTable(cells.features.drop(columns="neighbours"))
    with pytest.raises(ValueError, match=r'^The table has "near B" of its own: rename it'):
        around(session, CellTable(without.features.assign(**{"near B": 1.0})), places, CLASS, 2.0)
    found = around(session, without, places, CLASS, 2.0)().columns
    again = around(session, without.with_features(found), places, CLASS, 1.0)().columns
    assert again["neighbours"].tolist() == [1, 1, 0]
    np.testing.assert_array_equal(again["near B"], [0.0, 1.0, np.nan])


def test_columns_of_a_class_that_has_another_name_are_taken_out(session):
    rows = pd.DataFrame({"label": [1, 2, 3], "kind": ["x", "y", "x"], "near me": 1.0})
    cells = [CellTable.read(rows, layer="cells")]
    session.classes.assign("B", session.cell_index.add(cells[0].features.index))
    places = CellPlaces([lambda: pd.DataFrame({0: [0.0, 1.0, 9.0], 1: 0.0}, cells[0].features.index)])

    def add(of):
        found = around(session, cells[-1], places, of, 2.0)().columns
        told = add_features(session, of, found, lambda new, gone: cells.append(cells[-1].with_features(new, gone)))
        return told, list(cells[-1].features)[2:]

    kind = ColourBy("feature", "kind")
    assert add(CLASS) == ([], ["near B", "neighbours"])
    assert add(kind) == ([], ["near B", "near x", "near y", "neighbours"])
    session.parameters.features = ("near B", "near x")
    session.classes.rename("B", "B cells")
    told, columns = add(CLASS)
    assert told == ['Taken out, as there is no such group any more: "near B".']
    assert columns == ["near x", "near y", "near B cells", "neighbours"]
    assert session.parameters.features == ("near x",)
