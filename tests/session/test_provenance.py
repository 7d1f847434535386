import json
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from latentmap.cli.saved_maps import map_in
from latentmap.generators import result_of as final
from latentmap.session import CellIndex, Classes, Dropped, Parameters, SelectionStep, iter_run, map_table, provenance
from latentmap.session.replay import compare, iter_again, parameters_of, result_of
from latentmap.table import CellTable, read_provenance, read_table, write_table

N = 60


def made(**settings):
    """A map of cells of two layers and two frames, two of which lack a number."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(N, 3)), columns=["area", "DNA", "actin"])
    rows = rows.assign(label=range(1, N + 1), layer=["a"] * 20 + ["b"] * 40, frame=[0, 1] * 30)
    rows.loc[[0, 30], "DNA"] = np.nan
    parameters = Parameters(features=("area", "DNA"), n_neighbors=6, max_iter=5, **settings)
    steps = iter_run(CellTable.read(rows, layer="unused"), parameters)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.fixture(scope="module")
def result():
    return made(transform="rank")


@pytest.fixture
def cell_index(result):
    cell_index = CellIndex()
    cell_index.add([("elsewhere", 0, 1)])
    cell_index.add(result.cells.features.index)
    return cell_index


@pytest.fixture
def classes(cell_index):
    classes = Classes(cell_index)
    classes.assign("T cells", [0, 1, 2], (SelectionStep("replace", "lasso on the map", 3, 3),))
    classes.assign("empty", [])
    return classes


def test_the_record_says_what_made_the_map(result, classes, cell_index):
    record = provenance(result, result.cells, classes, cell_index)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["n_cells"] == 58
    assert record["layers"] == {"a": 19, "b": 39}
    assert record["n_frames"] == 2
    assert record["features"] == ["area", "DNA"]
    assert record["preparation"] == {
        "transform": "rank",
        "cofactor": 5.0,
        "scaling": "standard",
        "missing": "leave out",
        "n_pca": 0,
        "scale_within": "",
        "harmony_by": "",
    }
    assert record["notes"] == ["2 of 60 cells left out of the map: no number in DNA (2)."]
    made_by = result.estimator["map"].get_params()
    del made_by["verbose"]
    assert record["model"] == {**made_by, "ramp": list(made_by["ramp"])}
    assert (record["seed"], record["n_iter"]) == (0, 5)
    assert record["quality"] == dict(result.quality)
    assert {"latentmap", "numpy", "scikit-learn", "python"} <= record["versions"].keys()
    assert pd.Timestamp(record["date"]).tzinfo is not None
    assert record["classes"][0] == {
        "name": "T cells",
        "colour": classes["T cells"].colour,
        "n_cells": 2,  # the third one is not on this map
        "story": [{"mode": "replace", "how": "lasso on the map", "n_chosen": 3, "n_selected": 3}],
    }
    assert record["classes"][1]["n_cells"] == 0


def test_numbers_that_json_cannot_hold_are_text(classes, cell_index):
    record = provenance(extreme := made(dof=np.inf, repulsion=1.0), extreme.cells, classes, cell_index)
    assert record["model"]["dof"] == "inf"


def test_the_sheet_has_the_map_and_the_classes(result, classes, cell_index):
    saved = map_table(result, classes, cell_index, Dropped(cell_index))
    assert saved.features == ("area", "DNA")
    assert saved.coordinates == ("map_1", "map_2")
    assert saved.added == ("variance", "lost_neighbors", "class")
    assert saved.rows["class"].tolist() == ["T cells", "T cells"] + [""] * 56
    assert "class" not in map_table(result, Classes(cell_index), cell_index, Dropped(cell_index)).rows


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".h5ad"])
def test_a_column_class_of_the_table_is_not_overwritten(tmp_path, result, classes, cell_index, suffix):
    own = result.cells.features.assign(**{"class": ["tumour", "stroma"] * 29})
    named = replace(result, cells=CellTable(own, result.cells.notes))
    saved = map_table(named, classes, cell_index, Dropped(cell_index))
    assert saved.rows["class"].tolist() == ["tumour", "stroma"] * 29
    assert saved.rows["class_1"].tolist() == ["T cells", "T cells"] + [""] * 56
    assert saved.provenance["classes_from"] == "class_1"
    assert saved.notes == ('The classes are in the column "class_1": "class" is a column of the cells\' own.',)
    read = read_table(write_table(saved, tmp_path / f"map{suffix}"), layer="unused").features
    assert read["class"].tolist() == ["tumour", "stroma"] * 29
    assert read["class_1"].astype(object).fillna("").tolist() == saved.rows["class_1"].tolist()
    # Classes read from a saved table are saved under the same name again.
    again = map_table(
        replace(result, cells=CellTable(result.cells.features.assign(**{"class": saved.rows["class_1"].to_numpy()}))),
        classes,
        cell_index,
        Dropped(cell_index),
    )
    assert again.added[-1] == "class"
    # And if they have changed since.
    classes.assign("T cells", [5])
    kept = CellTable(result.cells.features.assign(**{"class": saved.rows["class_1"].to_numpy()}))
    changed = map_table(replace(result, cells=kept), classes, cell_index, Dropped(cell_index))
    assert changed.added[-1] == "class"
    assert (changed.rows["class"] == "T cells").sum() == 3
    assert "classes_from" not in again.provenance


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".h5ad"])
def test_a_column_variance_of_the_table_is_not_overwritten(tmp_path, result, classes, cell_index, suffix):
    own = result.cells.features.rename(columns={"DNA": "variance"}).assign(is_sure="perhaps")
    parameters = {**result.parameters, "features": ("area", "variance")}
    named = replace(result, cells=CellTable(own, result.cells.notes), parameters=MappingProxyType(parameters))
    saved = map_table(named, classes, cell_index, Dropped(cell_index))
    assert saved.features == ("area", "variance_1")
    assert saved.notes == ('The column "variance" is called "variance_1": the map adds a "variance".',)
    assert saved.notes[0] in saved.provenance["notes"]
    assert saved.rows["is_sure"].tolist() == ["perhaps"] * 58  # the map does not add one
    record, cells = map_in(write_table(saved, tmp_path / f"map{suffix}"))
    then = result_of(cells, record)
    np.testing.assert_array_equal(then.cells.features["variance_1"], result.cells.features["DNA"])
    np.testing.assert_array_equal(then.variances, result.variances)
    again = final(iter_again(then.cells, parameters_of(record)))
    assert compare(then, again, record).sentences[0] == "The map of 58 cells is the same, bit for bit."
    # Those of an earlier map are replaced.
    earlier = replace(result, cells=CellTable(result.cells.features.assign(map_1=0.0, variance=7.0)))
    rows = map_table(earlier, classes, cell_index, Dropped(cell_index)).rows
    np.testing.assert_array_equal(rows["variance"], result.variances)
    assert "variance_1" not in rows


@pytest.mark.parametrize("kind", ["int64", "uint64", "Int64"])
def test_long_whole_numbers_are_numbers_again(tmp_path, result, classes, cell_index, kind):
    # Read as text, they are identifiers.
    long = pd.array(np.arange(58) + 2**60, dtype=kind)
    cells = CellTable(result.cells.features.assign(DNA=long), result.cells.notes)
    saved = map_table(replace(result, cells=cells), classes, cell_index, Dropped(cell_index))
    record, read = map_in(write_table(saved, tmp_path / "map.csv"))
    column = result_of(read, record).cells.features["DNA"]
    assert (str(column.dtype), column.tolist()) == (kind, list(long))


def test_nothing_of_an_earlier_map_is_saved_with_a_new_one(result, classes, cell_index):
    left = result.cells.features.assign(map_1=0.0, map_3=1.0, variance=2.0, is_sure=True)
    without = replace(result, cells=CellTable(left), variances=np.full(len(left), np.nan))
    rows = map_table(without, classes, cell_index, Dropped(cell_index)).rows
    assert not {"map_3", "variance", "is_sure"} & {*rows}
    np.testing.assert_array_equal(rows["map_1"], result.embedding[:, 0])


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".h5ad"])
def test_a_saved_map_can_be_read_again(tmp_path, result, classes, cell_index, suffix):
    saved = map_table(result, classes, cell_index, Dropped(cell_index))
    path = write_table(saved, tmp_path / f"map{suffix}")
    cells = read_table(path, layer="unused")
    assert cells.keys == result.cells.keys
    np.testing.assert_array_equal(cells.features[["map_1", "map_2"]], result.embedding)
    np.testing.assert_array_equal(cells.features["DNA"], result.cells.features["DNA"])
    assert cells.features["class"].tolist() == saved.rows["class"].tolist()
    assert read_provenance(path) == saved.provenance
