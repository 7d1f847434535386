import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable


@pytest.fixture
def table():
    features = np.random.default_rng(0).normal(size=(60, 2))
    return CellTable.read(pd.DataFrame(features, columns=["area", "DNA"]).assign(label=np.arange(1, 61)), layer="cells")


@pytest.fixture
def session(session, table):
    session.parameters.features = ("area", "DNA")
    session.parameters.n_neighbors, session.parameters.max_iter = 6, 3
    session.cell_index.add(table.features.index)
    return session


@pytest.fixture
def embed(session, loop, table):
    def embed(only=None):
        run = session.embed(table, only)
        loop.turn(lambda: not session.runs.running, seconds=60)
        return run

    return embed


def test_dropped_cells_leave_the_selection_for_good(session):
    session.selection.select([1, 2, 3])
    session.dropped.drop([2], session.selection.story)
    assert session.selection.numbers.tolist() == [1, 3]
    session.dropped.restore()
    assert session.selection.numbers.tolist() == [1, 3]
    session.selection.undo()
    session.selection.redo()
    assert session.selection.numbers.tolist() == [1, 3]


def test_dropped_cells_are_not_selected_whatever_a_view_asks_for(session):
    session.dropped.drop([2, 3])
    session.selection.select([1, 2], how="click in the image")
    assert session.selection.numbers.tolist() == [1]
    assert session.selection.story[-1].n_chosen == 1
    session.selection.select([3, 4], "add")
    session.selection.invert(range(6))
    assert session.selection.numbers.tolist() == [0, 5]
    session.dropped.restore()
    session.selection.select([2])
    assert session.selection.numbers.tolist() == [2]


def test_dropped_cells_are_on_no_later_map(session, embed):
    session.dropped.drop([0, 1])
    run = embed()
    assert run.name == "1: k 6, s 2"
    assert run.numbers.tolist() == list(range(2, 60))
    assert run.result.cells.notes == ("2 cells dropped by hand left out.",)
    session.dropped.restore()
    assert len(embed().numbers) == 60


def test_the_selection_alone_is_embedded(session, embed):
    session.selection.select(range(10, 30))
    run = embed(session.selection.numbers)
    assert run.name == "1: k 6, s 2, 20 cells"
    assert run.numbers.tolist() == list(range(10, 30))
    assert run.result.cells.notes == ("Only 20 of 60 cells: the selection.",)


def test_of_the_selection_only_what_is_in_the_table_is_embedded_and_the_rest_counted(session, embed):
    elsewhere = session.cell_index.add([("other", 0, 1)])
    session.dropped.drop([0])
    run = embed([*range(30), *elsewhere, 5, -1])
    assert run.numbers.tolist() == list(range(1, 30))
    assert run.table.notes == (
        "1 cell dropped by hand left out.",
        "Only 29 of 59 cells: the selection. 2 cells more are selected, but not in this table or dropped.",
    )


def test_a_selection_of_other_cells_cannot_be_embedded(session, table):
    elsewhere = session.cell_index.add([("other", 0, 1)])
    with pytest.raises(ValueError, match="None of the selected cells"):
        session.embed(table, elsewhere)
    assert not session.runs.running


def test_an_export_leaves_out_what_was_dropped_since_and_has_the_classes(session, embed):
    run = embed()
    session.dropped.drop([0, 3])
    session.classes.assign("B", [1, 3])
    saved = session.map_table(run)
    of_map = ["map_1", "map_2", "variance", "lost_neighbors"]
    assert list(saved.rows) == ["layer", "frame", "label", "area", "DNA", *of_map, "class"]
    assert saved.rows["label"].tolist() == [2, 3, *range(5, 61)]
    assert saved.rows["class"].tolist()[:3] == ["B", "", ""]
    np.testing.assert_array_equal(saved.rows["map_1"], np.delete(run.result.embedding[:, 0], [0, 3]))
    assert saved.provenance["notes"] == ["2 cells dropped by hand left out."]
    assert saved.provenance["n_cells"] == 58
    assert len(run.result.rows()) == 60


def test_what_is_no_map_yet_cannot_be_exported(session, table):
    with pytest.raises(ValueError, match="has no map yet"):
        session.map_table(session.embed(table))


def test_a_closed_session_tells_nothing(session):
    heard = []
    session.dropped.changed.connect(lambda out, back: heard.append(out))
    session.close()
    session.dropped.drop([0])
    assert not heard
