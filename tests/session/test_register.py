import numpy as np
import pandas as pd

from latentmap.session import Register
from latentmap.table import CellTable


def test_numbers_stay_while_cells_come_and_whatever_their_order():
    rng = np.random.default_rng(0)
    register, known = Register(), {}
    for _ in range(30):
        keys = [
            (str(rng.choice(["nuclei", "cells"])), int(rng.integers(3)), int(rng.choice([1, 7, 1000, 2**40])))
            for _ in range(5)
        ]
        numbers = register.enter(keys)
        for key, number in zip(keys, numbers, strict=True):
            assert known.setdefault(key, number) == number
        assert register.keys(numbers).tolist() == keys
    assert len(register) == len(known) == len(set(known.values()))


def test_the_keys_of_a_table_are_those_of_the_register():
    table = CellTable.read(pd.DataFrame({"label": [1000, 3], "frame": [0, 2], "area": [1.0, 2.0]}), layer="cells")
    register = Register()
    numbers = register.enter(table.features.index)
    assert register.find([("cells", 2, 3), ("cells", 0, 3), ("cells", 0, 1000)]).tolist() == [1, -1, 0]
    pd.testing.assert_index_equal(register.keys(numbers), table.features.index, exact=False)


def test_an_empty_register_knows_nobody():
    assert Register().find([("cells", 0, 1)]).tolist() == [-1]
    assert Register().enter([]).tolist() == []
