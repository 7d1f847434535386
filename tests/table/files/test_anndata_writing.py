import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from latentmap.table import (
    CellTable,
    MapTable,
    read_provenance,
    read_table,
    to_anndata,
    write_into,
    write_into_h5ad,
    write_table,
)
from latentmap.table.files.numbered_rows import NUMBERED

anndata = pytest.importorskip("anndata")


@pytest.fixture
def map_table():
    rows = pd.DataFrame({"layer": ["a", "a", "b"], "frame": [0, 1, 0], "label": [3, 3, 3], "area": [1.0, 2.0, 3.0]})
    rows = rows.assign(
        map_1=[0.1, 0.2, 0.3], map_2=[1.0, 2.0, 3.0], variance=[4.0, 5.0, 6.0], **{"class": ["T", "", "B"]}
    )
    return MapTable(rows, ("area",), ("map_1", "map_2"), ("variance", "class"), {"seed": 0})


def table(**obs):
    n = len(next(iter(obs.values())))
    return anndata.AnnData(np.arange(float(n))[:, None], obs=pd.DataFrame(obs, index=[f"cell {i}" for i in range(n)]))


def test_each_row_gets_what_belongs_to_its_cell(map_table):
    adata = table(layer=["b", "c", "a", "a", "a"], frame=[0, 0, 1, 0, 0], label=[3, 3, 3, 0, 8], kind=list("vwxyz"))
    before = adata.copy()
    notes = write_into(adata, map_table, layer="unused")
    np.testing.assert_array_equal(
        adata.obsm["X_latentmap"], [[0.3, 3], [np.nan] * 2, [0.2, 2], [np.nan] * 2, [np.nan] * 2]
    )
    np.testing.assert_array_equal(adata.obs["latentmap_variance"], [6, np.nan, 5, np.nan, np.nan])
    assert adata.obs["latentmap_class"].tolist() == ["B", "", "", "", ""]
    assert json.loads(adata.uns["latentmap"]) == {"seed": 0}
    assert notes == (
        "3 of 5 rows of the AnnData without a cell on the map.",
        "1 of 3 cells on the map without a row in the AnnData.",
    )
    pd.testing.assert_frame_equal(adata.obs[list(before.obs)], before.obs)
    np.testing.assert_array_equal(adata.X, before.X)


def test_it_is_said_where_the_classes_are(map_table):
    rows = map_table.rows.rename(columns={"class": "class_1"})
    adata = table(layer=["a", "a", "b"], frame=[0, 1, 0], label=[3, 3, 3])
    adata.obs["class"] = "own"
    made = replace(map_table, rows=rows, added=("variance", "class_1"), provenance={"classes_from": "class_1"})
    said = """The classes are in obs["latentmap_class_1"]: "class" is a column of the cells' own."""
    assert write_into(adata, made, layer="unused") == (said,)
    assert adata.obs["latentmap_class_1"].tolist() == ["T", "", "B"]
    assert adata.obs["class"].tolist() == ["own"] * 3


def test_rows_that_name_no_layer_are_of_the_layer_given(map_table):
    adata = table(CellID=[3])
    write_into(adata, map_table, layer="b", columns={"label": "CellID"})
    assert adata.obs["latentmap_class"].tolist() == ["B"]


def test_rows_can_be_named_by_their_cells(map_table):
    adata = to_anndata(map_table)[[2, 0]].copy()
    adata.obs = adata.obs[[]]
    del adata.obsm["X_latentmap"]
    assert write_into(adata, map_table, layer="unused") == ("1 of 3 cells on the map without a row in the AnnData.",)
    assert adata.obsm["X_latentmap"].tolist() == [[0.3, 3.0], [0.1, 1.0]]


@pytest.mark.filterwarnings("ignore:Observation names are not unique")
def test_rows_that_share_a_name_get_no_map(map_table):
    adata = anndata.concat([to_anndata(map_table)[:, []]] * 2)
    adata.obs = adata.obs[[]]
    del adata.obsm["X_latentmap"]
    with pytest.raises(ValueError, match=r'6 rows of the AnnData share names such as "a/0/3".*Nothing is written'):
        write_into(adata, map_table, layer="unused")
    assert not adata.obsm


def numbered(features):
    """The map of an AnnData whose rows were numbered, as they had no names and labels."""
    rows = pd.DataFrame(
        {"layer": "cells", "frame": 0, "label": np.arange(1, 5), "0": features, "cell_name": list("0123")}
    )
    return MapTable(rows.assign(map_1=np.arange(4.0)), ("0",), ("map_1",), (), {"notes": [NUMBERED]})


def test_rows_that_were_numbered_are_not_found_by_labels_that_come_later():
    adata = table(label=[4, 3, 2, 1])
    adata.obs_names = list("0123")
    write_into(adata, numbered(np.arange(4.0)), layer="cells")
    assert adata.obsm["X_latentmap"].ravel().tolist() == [0, 1, 2, 3]


def test_rows_that_were_numbered_must_have_the_features_of_the_map():
    adata = anndata.AnnData(np.arange(1.0, 4.0)[:, None])
    with pytest.raises(ValueError, match=r"were numbered, and now they are others.*Nothing is written"):
        write_into(adata, numbered(np.arange(4.0)), layer="cells")
    assert not adata.obsm


def test_it_is_said_if_named_rows_have_other_features(map_table):
    adata = to_anndata(map_table)
    adata.X[1] = 9
    assert write_into(adata, map_table, layer="unused") == (
        "In 1 of 3 rows, features have other values than those that the map was made of: check that they are the same "
        "cells.",
    )


def test_a_later_map_takes_the_place_of_an_earlier_one(map_table):
    adata = table(label=[3])
    write_into(adata, map_table, layer="a")
    rows = map_table.rows.drop(columns=["map_2", "class"])
    write_into(adata, MapTable(rows, map_table.features, ("map_1",), ("variance",)), layer="a")
    assert adata.obsm["X_latentmap"].shape == (1, 1)
    assert "latentmap_class" not in adata.obs


@pytest.mark.parametrize(
    ("obs", "sentence"),
    [
        ({"label": [8, 9]}, "No row of the AnnData belongs to a cell on the map"),
        ({"label": [3, 3]}, "1 cell has more than one row"),
        ({"number": [3, 8]}, 'add a column "label".*whole numbers: "number"'),
    ],
)
def test_an_anndata_of_other_cells_is_left_as_it_is(map_table, obs, sentence):
    adata = table(**obs)
    with pytest.raises(ValueError, match=sentence):
        write_into(adata, map_table, layer="a")
    assert list(adata.obs) == list(obs)
    assert not adata.obsm
    assert not adata.uns


def test_a_file_is_completed_whole(tmp_path, map_table):
    path = tmp_path / "cells.h5ad"
    adata = table(label=[3, 8], kind=["x", "y"])
    adata.uns["mine"] = "kept"
    adata.layers["raw"] = np.ones((2, 1))
    adata.write_h5ad(path)
    assert write_into_h5ad(path, map_table, layer="a") == (
        "1 of 2 rows of the AnnData without a cell on the map.",
        "2 of 3 cells on the map without a row in the AnnData.",
    )
    found = anndata.read_h5ad(path)
    assert found.obs["latentmap_class"].tolist() == ["T", ""]
    assert found.obs["kind"].tolist() == ["x", "y"]
    assert found.uns["mine"] == "kept"
    assert found.layers["raw"].tolist() == [[1.0], [1.0]]
    assert read_provenance(path) == {"seed": 0}
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_other_cells_is_not_touched(tmp_path, map_table):
    path = tmp_path / "cells.h5ad"
    table(label=[8, 9]).write_h5ad(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="Nothing is written"):
        write_into_h5ad(path, map_table, layer="a")
    assert path.read_bytes() == before


@pytest.mark.slow
def test_what_was_written_can_be_completed_by_the_next_map(tmp_path, map_table):
    map_table.rows["CD3/CD28"] = 1.0
    path = write_table(map_table, tmp_path / "map.h5ad")
    assert write_into_h5ad(path, map_table, layer="unused") == ()
    assert anndata.read_h5ad(path).obs["latentmap_variance"].tolist() == [4.0, 5.0, 6.0]
    assert "CD3/CD28" in read_table(path, layer="unused").features


def test_numbers_of_rows_in_an_index_of_several_levels_stay(tmp_path):
    """They became the names of the rows, which reading takes for a mere count if they are 0, 1, 2."""
    index = pd.MultiIndex.from_tuples([("a", 0), ("a", 1), ("b", 2)])
    cells = CellTable.read(pd.DataFrame({"label": [3, 7, 9], "area": [1.0, 2.0, 3.0]}, index), layer="nuclei")
    path = write_table(MapTable(cells.features.reset_index(), ("area",)), tmp_path / "map.h5ad")
    again = read_table(path, layer="nuclei").features
    assert again["cell_name_"].tolist() == cells.features["cell_name_"].tolist() == ["0", "1", "2"]
