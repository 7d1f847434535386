import numpy as np
import pandas as pd
import pytest

from latentmap.session import CellIndex
from latentmap.session.cell_index import as_keys
from latentmap.table import CellTable


def test_numbers_stay_while_cells_come_and_whatever_their_order():
    rng = np.random.default_rng(0)
    cell_index, known = CellIndex(), {}
    for _ in range(30):
        keys = [
            (str(rng.choice(["nuclei", "cells"])), int(rng.integers(3)), int(rng.choice([1, 7, 1000, 2**40])))
            for _ in range(5)
        ]
        numbers = cell_index.add(keys)
        for key, number in zip(keys, numbers, strict=True):
            assert known.setdefault(key, number) == number
        assert cell_index.keys(numbers).tolist() == keys
    assert len(cell_index) == len(known) == len(set(known.values()))


def test_the_keys_of_a_table_are_those_of_the_register():
    table = CellTable.read(pd.DataFrame({"label": [1000, 3], "frame": [0, 2], "area": [1.0, 2.0]}), layer="cells")
    cell_index = CellIndex()
    numbers = cell_index.add(table.features.index)
    assert cell_index.numbers_of([("cells", 2, 3), ("cells", 0, 3), ("cells", 0, 1000)]).tolist() == [1, -1, 0]
    pd.testing.assert_index_equal(cell_index.keys(numbers), table.features.index, exact=False)


def test_an_empty_register_knows_nobody():
    assert CellIndex().numbers_of([("cells", 0, 1)]).tolist() == [-1]
    assert CellIndex().add([]).tolist() == []


def test_keys_given_again_have_the_numbers_that_they_had():
    cell_index = CellIndex()
    index = pd.MultiIndex.from_tuples([("a", 0, 7), ("a", 0, 3)], names=["layer", "frame", "label"])
    cell_index.add([("a", 0, 3)])
    first = cell_index.add(index)
    first[:] = -5  # the caller's own
    keys = [("a", 0, 9)]
    cell_index.add(keys)
    keys[0] = ("a", 0, 10)
    assert cell_index.add(keys).tolist() == [3]
    assert cell_index.add(index).tolist() == cell_index.add(index).tolist() == [1, 0]


@pytest.mark.parametrize("wrong", [("a", 0, 3.7), ("a", 0.5, 3), ("a", 0, 2**70), ("a", 0, float("nan")), ("a", 3)])
def test_what_is_no_key_is_no_cell_either(wrong):
    with pytest.raises(ValueError, match=r"is not a cell: give a list of cells"):
        as_keys([("a", 0, 1), wrong])


def test_whole_numbers_of_any_type_are_keys():
    assert as_keys([("a", np.float64(1), np.uint8(3))]).tolist() == [("a", 1, 3)]
