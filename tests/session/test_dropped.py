import numpy as np
import pandas as pd
import pytest

from latentmap.session import CellIndex, Dropped, SelectionStep
from latentmap.table import CellTable

LABELS = [3, 7, 1000, 1001]


@pytest.fixture
def table():
    return CellTable.read(pd.DataFrame({"label": LABELS, "area": [4.0, 5.0, 6.0, 7.0]}), layer="cells")


@pytest.fixture
def cell_index(table):
    cell_index = CellIndex()
    cell_index.add(table.features.index)
    return cell_index


@pytest.fixture
def heard():
    return []


@pytest.fixture
def dropped(cell_index, heard):
    dropped = Dropped(cell_index)
    dropped.changed.connect(lambda out, back: heard.append((out.tolist(), back.tolist())))
    return dropped


def test_dropping_and_restoring_tell_what_happened(dropped, heard):
    story = (SelectionStep("replace", "lasso on the map", 2, 2),)
    dropped.drop([2, 0], story)
    dropped.drop([0])
    assert dropped.numbers.tolist() == [0, 2]
    assert dropped.story == story
    dropped.drop([0, 1])
    assert dropped.story == ()
    dropped.restore([2, 3])
    dropped.restore([2])
    dropped.restore()
    dropped.restore()
    assert heard == [([0, 2], []), ([1], []), ([], [2]), ([], [0, 1])]
    assert len(dropped) == 0


def test_rows_that_are_no_cell_and_cells_met_later_are_not_dropped(dropped, cell_index):
    dropped.drop([3])
    late = cell_index.add([("cells", 1, 3)])
    assert dropped.is_dropped(np.array([3, -1, 0, *late])).tolist() == [True, False, False, False]


def test_a_table_without_them_says_how_many_are_gone(dropped, table):
    assert dropped.without(table) is table
    dropped.drop([1])
    assert dropped.without(table).notes == ("1 cell dropped by hand left out.",)
    dropped.drop([3])
    left = dropped.without(CellTable(table.features, ("Read.",)))
    assert left.keys == [("cells", 0, 3), ("cells", 0, 1000)]
    assert left.notes == ("Read.", "2 cells dropped by hand left out.")


def test_a_table_that_does_not_hold_them_stays_as_it_is(dropped, table):
    dropped.drop([1])
    other = CellTable.read(pd.DataFrame({"label": LABELS, "area": 1.0}), layer="other")
    assert dropped.without(other) is other


def test_no_cell_left_is_an_error(dropped, table):
    dropped.drop(range(4))
    with pytest.raises(ValueError, match="restore some of them"):
        dropped.without(table)
