import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable, read_table
from latentmap.table.key_columns import KeyMissing, key_columns


@pytest.mark.parametrize(
    "name", ["Label", "LABEL", "CellID", "Cell ID", "cell-id", "ObjectNumber", "object_id", "label_id", "InstanceID"]
)
def test_names_that_mean_nothing_else_are_the_label_s(tmp_path, name):
    path = tmp_path / "cells.csv"
    path.write_text(f"{name},area\n3,4.5\n1000,9\n")
    cells = read_table(path, layer="nuclei")
    assert [label for _, _, label in cells.keys] == [3, 1000]
    assert list(cells.features) == ["area"]
    assert cells.notes == (f'The numbers in column "{name}" say which cell a row is.',)


def test_the_best_name_is_taken_that_holds_numbers():
    rows = pd.DataFrame({"Label": ["a.tif", "b.tif"], "cell_id": ["AAC", "GGT"], "CellID": [3, 7], "object_id": [1, 1]})
    assert key_columns(rows, {}) == {"label": "CellID"}
    assert key_columns(rows, {"label": "object_id"}) == {"label": "object_id"}
    assert key_columns(rows[["Label"]], {}) == {}
    assert key_columns(rows[["cell_id"]], {}) == {"label": "cell_id"}


def test_a_table_without_a_key_names_what_could_be_it(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("site,Nucleus,area,phase\n1,3,1.5,G1\n1,4,2.5,S\n")
    with pytest.raises(KeyMissing) as caught:
        read_table(path, layer="nuclei")
    assert caught.value.candidates == ("Nucleus", "site")
    cells = read_table(path, layer="nuclei", columns={"label": caught.value.candidates[0]})
    assert cells.keys == [("nuclei", 0, 3), ("nuclei", 0, 4)]


def test_so_does_one_whose_key_is_words():
    rows = pd.DataFrame({"label": ["a", "b"], "number": [3, 7], "area": [0.5, 1.5]})
    with pytest.raises(KeyMissing, match='2 rows without a number in column "label"') as caught:
        CellTable.read(rows, layer="nuclei")
    assert caught.value.candidates == ("number",)


@pytest.mark.parametrize("name", ["Cell Number", "cell_number", "Cell Count"])
def test_a_number_of_cells_is_no_key(tmp_path, name):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"site": range(1, 61), name: rng.poisson(3, 60), "area": rng.normal(size=60)})
    rows["plate"] = ["P1", "P2"] * 30
    rows.to_csv(tmp_path / "cells.csv", index=False)
    with pytest.raises(KeyMissing) as caught:
        read_table(tmp_path / "cells.csv", layer="nuclei")
    assert caught.value.candidates[0] == "site"
    cells = read_table(tmp_path / "cells.csv", layer="nuclei", columns={"label": "site"})
    assert cells.features[name].tolist() == rows[name].tolist()
    assert name in cells.numeric
    assert key_columns(pd.DataFrame({name: [1, 0, 1, 1, 2, 0], "area": 1.5}), {}) == {}
    # Another column says which cell it is.
    assert key_columns(rows.assign(object=range(60)), {}) == {"label": "object"}


@pytest.mark.parametrize(
    ("numbers", "columns"),
    [
        ([3, 1, 2, 9, 4, 8], {}),
        ([1, 2, 3, 1, 2, 3], {}),
        ([3, 1, 2, 1, 3, 2], {"image": ["a", "a", "a", "b", "b", "b"]}),
        ([3, 1, 2, 1, 3, 2], {"frame": [0, 0, 0, 1, 1, 1]}),
    ],
)
def test_the_number_of_a_cell_within_its_image_is_the_key(numbers, columns):
    rows = pd.DataFrame({"Cell Number": numbers, **columns, "area": np.arange(6) / 4})
    assert key_columns(rows, {}) == {"label": "Cell Number"}
