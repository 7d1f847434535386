"""Gates and the classes that they give."""

from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest

from latentmap.samples.tissue import tissue
from latentmap.session import Axis, Gate, Session, SessionSnapshot, load, save
from latentmap.session.column_classes import classes_from_column
from latentmap.session.gate import gate_names
from latentmap.session.provenance import provenance
from latentmap.table import read_table, write_table

AREA, DAB = Axis("area"), Axis("dab", "log")
LOW = Gate("rectangle", (AREA,), ((0.0,), (4.0,)), ("low",))
MIDDLE = Gate("rectangle", (AREA,), ((3.0,), (7.0,)), ("middle",))


@pytest.fixture
def calls():
    return SimpleQueue()


@pytest.fixture
def session(calls):
    session = Session(calls.put)
    yield session
    session.close()


@pytest.fixture
def features(session):
    """Ten cells, of which the last has no area; their order is not that of the session's numbers."""
    numbers = session.cell_index.add([("cells", 0, label) for label in range(1, 11)])
    values = {"area": [*np.arange(9.0), np.nan], "dab": np.arange(10.0)}
    return pd.DataFrame(values, session.cell_index.keys(numbers)).iloc[::-1]


def members(session):
    return {one.name: session.classes.members(one.name).tolist() for one in session.classes}


def test_cells_that_leave_a_gate_go_to_another_one_or_to_no_class(session, features):
    session.classes.assign("mine", [8, 9])
    session.gates.add(LOW, features)
    session.gates.add(MIDDLE, features)
    assert members(session) == {"mine": [8, 9], "low": [0, 1, 2], "middle": [3, 4, 5, 6, 7]}
    higher = MIDDLE.with_corners(((5.0,), (8.0,)))
    changes = []
    session.classes.changed.connect(lambda: changes.append(members(session)))
    session.gates.replace(MIDDLE, higher, features)
    assert members(session) == {"mine": [9], "low": [0, 1, 2, 3, 4], "middle": [5, 6, 7, 8]}
    assert len(changes) == 1
    # Those that the user has moved elsewhere meanwhile stay there.
    session.classes.assign("mine", [5])
    session.gates.remove(higher, features)
    assert members(session) == {"mine": [5, 9], "low": [0, 1, 2, 3, 4]}
    assert list(session.gates) == [LOW]


def test_classes_follow_features_that_have_other_values(session, features):
    session.classes.assign("mine", [9])
    session.gates.add(LOW, features)
    session.gates.add(MIDDLE, features)
    assert members(session) == {"mine": [9], "low": [0, 1, 2], "middle": [3, 4, 5, 6, 7]}
    session.classes.assign("mine", [1, 4])
    other = features.assign(area=8.0 - features["area"])  # 0 changes places with 8, 1 with 7 and so on; 4 stays
    assert session.gates.follow(other) == 5
    assert members(session) == {"mine": [1, 4, 9], "low": [6, 7, 8], "middle": [2, 3, 5]}
    assert session.gates.follow(other.copy()) == 0
    # A gate that is moved then takes along those that have come into it meanwhile.
    session.gates.replace(MIDDLE, MIDDLE.with_corners(((5.0,), (5.5,))), other)
    assert members(session) == {"mine": [1, 4, 9], "low": [5, 6, 7, 8], "middle": [3]}


def test_cells_that_are_new_or_have_gone_stay_out_of_the_classes_of_gates(session, features):
    session.gates.add(LOW, features.iloc[:-2])
    before = members(session)
    assert session.gates.follow(features) == 0
    assert session.gates.follow(features.iloc[:3]) == 0
    assert session.gates.follow(features.drop(columns="area")) == 0
    assert members(session) == before


def test_where_gates_overlap_cells_are_in_the_class_of_the_gate_made_last(session, features):
    for gate in (LOW, MIDDLE):
        session.gates.add(gate, features)
    wide = LOW.with_corners(((0.0,), (8.0,)))
    session.gates.replace(LOW, wide, features)
    assert members(session) == {"low": [0, 1, 2, 8], "middle": [3, 4, 5, 6, 7]}
    session.gates.remove(MIDDLE, features)
    assert members(session) == {"low": [0, 1, 2, 3, 4, 5, 6, 7, 8]}


def test_a_class_tells_the_bounds_of_its_gate(session, features):
    axes = (AREA, DAB)
    quadrant = Gate("quadrant", axes, ((4.0, 2.0),), gate_names("quadrant", axes))
    session.gates.add(quadrant, features)
    assert members(session)["area- dab+"] == [2, 3]
    (step,) = session.classes["area- dab+"].story
    assert step.how == "gate, quadrant: area below 4, dab (log) at least 2"
    assert (step.n_chosen, step.n_selected) == (2, 2)


def test_a_gate_follows_the_names_of_its_classes(session, features):
    session.gates.add(LOW, features)
    session.classes.rename("low", "small")
    assert [gate.names for gate in session.gates] == [("small",)]
    session.classes.delete("small")
    assert len(session.gates) == 0
    with pytest.raises(ValueError, match="name"):
        session.gates.add(Gate("rectangle", (AREA,), ((0.0,), (4.0,)), ("",)), features)


def test_gates_are_in_session_files_and_old_files_open_without(session, features, tmp_path):
    gate = Gate("polygon", (AREA, DAB), ((0.0, 1.0), (6.0, 1.0), (3.0, 9.0)), ("T",), {"cells": ((0.0, 1.0),) * 3})
    session.gates.add(gate, features)
    stored = load(save(session, tmp_path / "a.latentmap"))
    assert stored.gates == (gate,)
    other = Session(SimpleQueue().put)
    other.gates.add(LOW, features)
    stored.restore(other)
    assert list(other.gates) == [gate]
    assert members(other) == members(session)
    from_before = {name: value for name, value in vars(stored).items() if name != "gates"}
    assert SessionSnapshot(**from_before).gates == ()


def test_the_table_of_a_map_has_the_gates_in_its_record_and_its_classes_come_back(session, calls, tmp_path):
    cells = tissue().cells
    session.parameters.features, session.parameters.max_iter = ("area", "dab_mean"), 2
    run = session.embed(cells)
    while session.runs.running:
        calls.get(timeout=120)()
    middle = float(cells.features["area"].median())
    gate = Gate("threshold", (Axis("area", "arcsinh", 150.0),), ((middle,),), ("large", "small"))
    session.gates.add(gate, cells.features)
    table = session.map_table(run)
    assert table.provenance["gates"] == [
        {
            "kind": "threshold",
            "axes": [{"feature": "area", "scaling": "arcsinh", "cofactor": 150.0}],
            "corners": [[middle]],
            "names": ["large", "small"],
            "own": {},
        }
    ]
    path = write_table(table, tmp_path / "cells.csv")
    again = Session(SimpleQueue().put)
    read = read_table(path, layer="cells")
    assert classes_from_column(again.classes, again.cell_index, read.features, "class") == 0
    for name in ("large", "small"):
        keys = again.cell_index.keys(again.classes.members(name))
        assert set(keys) == set(session.cell_index.keys(session.classes.members(name)))
    assert provenance(run.result, cells, session.classes, session.cell_index)["gates"] == []


def test_classes_from_a_column_of_words_numbers_or_truth(session, features):
    features["type"] = pd.Categorical(["B", None, " T", "B", "", "T", "T", "T", "B", "B"])
    features["cluster"] = [1.0, 2.0, np.nan, 1, 1, 1, 1, 1, 1, 1]
    features["divides"] = [True] + 9 * [False]
    assert classes_from_column(session.classes, session.cell_index, features, "type") == 2
    assert members(session) == {"B": [0, 1, 6, 9], "T": [2, 3, 4, 7]}
    assert session.classes["T"].story[0].how == 'column "type"'
    assert classes_from_column(session.classes, session.cell_index, features, "cluster") == 1
    assert {name: len(cells) for name, cells in members(session).items()} == {"B": 0, "T": 1, "1": 8, "2": 1}
    classes_from_column(session.classes, session.cell_index, features, "divides")
    assert members(session)["True"] == [9]
    features["lineage"] = pd.Categorical([7, 5, None] + 7 * [5])
    assert classes_from_column(session.classes, session.cell_index, features, "lineage") == 1
    assert (members(session)["7"], len(members(session)["5"])) == ([9], 8)
    features["area"] += 0.5
    for name, message in (("area", "draw a gate"), ("shape", 'no column "shape"')):
        with pytest.raises(ValueError, match=message):
            classes_from_column(session.classes, session.cell_index, features, name)
