"""From an outline of landmarks into groups of cells, and the way back."""

import json

import numpy as np
import pandas as pd
import pytest

from latentmap.cli.main import main
from latentmap.display.counts import mixing_sentence
from latentmap.session import cell_sizes, load, save
from latentmap.session.batch_mixing import batch_mixing
from latentmap.session.hierarchy import group, n_stood_for, path
from latentmap.session.landmarks import REPRESENTED, represented
from latentmap.session.script import script_text
from latentmap.table import CellTable, write_table

FEATURES = ("area", "DNA", "actin")
N = 400


def table_of(n, n_broken=0):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 3)) + 6 * rng.integers(0, 3, (n, 1))
    features = pd.DataFrame(rows, columns=FEATURES)
    features.loc[: n_broken - 1, "DNA"] = np.nan
    return CellTable.read(features.assign(label=np.arange(1, n + 1)), layer="cells")


@pytest.fixture(scope="module")
def table():
    return table_of(N, n_broken=7)


@pytest.fixture
def session(session):
    session.parameters.features = FEATURES
    session.parameters.n_neighbors, session.parameters.max_iter = 9, 12
    return session


@pytest.fixture
def outline(session, table, settle):
    run = session.outline(table)
    settle()
    return run


@pytest.fixture
def whole(session, table, settle):
    run = session.embed(table)
    settle()
    return run


@pytest.fixture
def opened(session, settle):
    def opened():
        run = session.open_group()
        settle()
        assert run.error is None
        return run

    return opened


def test_an_outline_has_the_landmarks_alone_and_each_cell_has_one(outline, table):
    result = outline.result
    assert len(result.embedding) == round(((N - 7) ** 2 / 2) ** (1 / 3))
    assert result.members.shape == (N,)
    assert (result.members[:7] == -1).all()  # they lack a feature
    counts = np.bincount(result.members[7:])
    assert counts.min() >= 1
    assert counts.sum() == n_stood_for(outline) == N - 7
    np.testing.assert_array_equal(counts, represented(result.cells, outline.level))
    np.testing.assert_array_equal(counts, result.features[REPRESENTED])
    sizes = cell_sizes(result.variances, False, counts)
    np.testing.assert_array_equal(np.argsort(sizes, kind="stable"), np.argsort(counts, kind="stable"))
    assert (sizes.min(), sizes.max()) == (0, 1)
    assert cell_sizes(result.variances, False, np.full(3, 7)) is None
    # A landmark is its own.
    rows = table.features.index.get_indexer(result.cells.features.index)
    np.testing.assert_array_equal(result.members[rows], np.arange(len(rows)))
    assert f"{len(rows)} landmarks of {N - 7} cells" in " ".join(result.cells.notes)
    assert "landmarks" in outline.name


def test_a_landmark_stands_for_its_cells_without_the_dropped_ones(session, outline, table):
    chosen = outline.numbers[[1, 4]]
    everyone = session.cell_index.numbers_of(table.features.index)
    its_own = np.sort(everyone[np.isin(outline.result.members, [1, 4])])
    assert len(its_own) > 2
    np.testing.assert_array_equal(session.stood_for(outline, chosen), its_own)
    session.dropped.drop(its_own[-1:])
    np.testing.assert_array_equal(session.stood_for(outline, chosen), its_own[:-1])


def test_points_of_a_map_of_all_cells_stand_for_themselves(session, whole):
    np.testing.assert_array_equal(session.stood_for(whole, whole.numbers[3:5]), whole.numbers[3:5])


def test_a_group_of_landmarks_is_made_of_exactly_the_cells_they_stand_for(session, outline, table, opened):
    which = list(range(0, 40, 2))
    session.selection.select(outline.numbers[which])
    meant = table.features.index[np.isin(outline.result.members, which)]
    run = opened()
    assert run.result.cells.features.index.equals(meant)
    assert run.parent is outline
    assert path(run) == (outline, run)
    assert session.runs.current is run
    # Cells without a place begin amid their neighbours; the landmarks where they lie.
    start = run.result.start
    assert (start.map, start.n_cells) == (outline.name, N - 7)
    own = meant.get_indexer(outline.result.cells.features.index[which])
    np.testing.assert_array_equal(start.positions[own, :2], outline.result.embedding[which])
    others = np.delete(start.positions, own, axis=0)
    assert len(np.unique(others, axis=0)) > 0.8 * len(others)


def test_a_group_begins_where_its_cells_lie_and_keeps_the_layout(session, whole, opened):
    chosen = np.flatnonzero(whole.result.embedding[:, 0] > np.median(whole.result.embedding[:, 0]))
    session.selection.select(whole.numbers[chosen])
    run = opened()
    np.testing.assert_array_equal(run.numbers, whole.numbers[chosen])
    np.testing.assert_array_equal(run.result.start.positions[:, :2], whole.result.embedding[chosen])
    np.testing.assert_array_equal(run.result.start.positions[:, 2], whole.result.variances[chosen])
    assert run.origin == run.opened_from == whole.name
    assert f'Only {len(chosen)} of {N} cells: opened from the map "{whole.name}".' in run.result.cells.notes
    assert np.abs(np.corrcoef(run.result.drawn.T, whole.result.drawn[chosen].T)[[0, 1], [2, 3]]).min() > 0.5


def test_back_shows_the_same_bits_and_keeps_the_selection(session, outline, opened):
    before, bits = outline.result, outline.result.embedding.tobytes()
    session.selection.select(outline.numbers[:6], how="lasso on the map")
    run = opened()
    selected = session.selection.numbers
    assert session.back() is outline is session.runs.current
    assert outline.result is before
    assert outline.result.embedding.tobytes() == bits
    np.testing.assert_array_equal(session.selection.numbers, selected)
    session.runs.show(run)
    session.selection.select(run.numbers[:20])
    deeper = opened()
    assert path(deeper) == (outline, run, deeper)
    # Without the map between, the way leads to the one before it.
    session.runs.delete(run)
    session.runs.show(deeper)
    assert path(deeper) == (outline, deeper)
    session.runs.delete(outline)
    with pytest.raises(ValueError, match=rf'The map "{run.name}", .* was deleted'):
        session.back()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_outline_and_group_have_the_same_bits_for_any_number_of_threads(session, outline, opened, n_jobs, settle):
    session.selection.select(outline.numbers[:9])
    first = opened()
    session.parameters.n_jobs = n_jobs
    again = session.outline(outline.table)
    settle()
    second = opened()
    assert second.parent is again
    for one, other in ((outline, again), (first, second)):
        assert one.result.embedding.tobytes() == other.result.embedding.tobytes()
        assert one.result.variances.tobytes() == other.result.variances.tobytes()


def test_what_cannot_be_opened_is_said(session, table, settle, opened):
    with pytest.raises(ValueError, match="There is no map to open a group of"):
        session.open_group()
    with pytest.raises(ValueError, match="not opened from another"):
        session.back()
    run = session.embed(table)
    settle()
    with pytest.raises(ValueError, match="None of the selected cells is on this map"):
        session.open_group()
    session.selection.select(run.numbers[:9])
    with pytest.raises(ValueError, match="9 cells would make no map: select at least 10"):
        session.open_group()
    session.selection.select(run.numbers)
    with pytest.raises(ValueError, match="All cells of this map are selected"):
        session.open_group()
    session.parameters.method = "isomap"
    with pytest.raises(ValueError, match=r"Isomap has no landmarks .* choose the method Latent variable model"):
        session.outline(table)
    session.parameters.method = "lvm"
    with pytest.raises(ValueError, match="40 cells would have only 9 landmarks"):
        session.outline(table_of(40))
    assert len(session.runs) == 1


def test_a_method_that_cannot_go_on_begins_a_group_afresh(session, whole, opened):
    session.selection.select(whole.numbers[:60])
    session.parameters.method = "isomap"
    run = opened()
    assert run.result.start is None
    assert run.origin is None
    assert session.back() is whole


def test_dropped_cells_are_in_no_group(session, outline, opened):
    session.selection.select(outline.numbers[:8])
    _, numbers = session.check_group()
    others = np.setdiff1d(numbers, outline.numbers)
    session.dropped.drop(others[:3])
    run = opened()
    assert set(run.numbers) == set(numbers) - set(others[:3])


def test_live_tuning_goes_on_with_the_group_and_with_the_landmarks(session, outline, table, opened, settle):
    session.live.table = lambda: table
    session.selection.select(outline.numbers[:9])
    run = opened()
    session.live.on = True
    session.parameters.n_neighbors = 7
    settle()
    live = session.runs.current
    assert live is not run
    assert live.result.cells.features.index.equals(run.result.cells.features.index)
    assert (live.parent, live.opened_from) == (outline, outline.name)
    assert live.result.start is None
    session.runs.show(outline)
    session.parameters.n_neighbors = 8
    settle()
    assert session.runs.current.level == 1
    assert len(session.runs.current.result.embedding) == len(outline.result.embedding)
    assert outline in session.runs


def test_a_change_during_the_run_begins_the_group_anew_from_its_map(session, outline, loop, opened, settle):
    session.live.restarts_on_change = True
    session.selection.select(outline.numbers[:9])
    session.open_group()
    session.parameters.n_neighbors = 7
    settle()
    run = session.runs.current
    assert run.parameters["n_neighbors"] == 7
    assert run.result.start.map == outline.name
    assert len(session.runs) == 2


def test_a_live_map_is_kept_once_a_group_was_opened_from_it(session, whole, opened, settle):
    session.live.on = True
    session.parameters.n_neighbors = 8
    settle()
    live = session.runs.current
    session.selection.select(live.numbers[:50])
    opened()
    session.parameters.n_neighbors = 7
    settle()
    assert live in session.runs
    assert session.back() is live


def test_an_outline_is_not_taken_for_the_map_of_all_its_cells(session, outline, table):
    assert session.same_run(table) is None
    assert session.runs.same(outline.table, session.parameters, level=1) is outline


@pytest.mark.parametrize("deletes", [False, True])
def test_a_saved_session_keeps_the_way_in_and_out(session, outline, opened, loop, tmp_path, deletes, new):
    session.selection.select(outline.numbers[:9])
    run = opened()
    if deletes:
        session.runs.delete(outline)
    file = save(session, tmp_path / "one.latentmap")
    other = new()
    load(file).restore(other)
    restored = other.runs.current
    assert restored.opened_from == outline.name
    start, before = restored.result.start, run.result.start
    assert (start.map, start.n_cells) == (before.map, before.n_cells)
    np.testing.assert_array_equal(start.positions, before.positions)
    if deletes:
        assert restored.parent is None
    else:
        parent = other.back()
        assert parent.level == 1
        np.testing.assert_array_equal(parent.result.members, outline.result.members)
        numbers = group(parent, other.selection.numbers, other.cell_index)
        assert set(other.cell_index.keys(numbers)) == set(run.result.cells.features.index)
    assert main(["replay", str(file)]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["map.csv", "map.parquet", "map.h5ad"])
def test_a_saved_table_is_made_again_bit_for_bit(session, outline, opened, tmp_path, name, capsys):
    session.selection.select(outline.numbers[:9])
    run = opened()
    for made, file in ((outline, f"outline_{name}"), (run, name)):
        write_table(session.map_table(made), tmp_path / file)
        assert main(["replay", str(tmp_path / file)]) == 0, capsys.readouterr().out
    record = session.map_table(run).provenance
    assert record["opened_from"]["map"] == outline.name
    assert record["opened_from"]["n_cells"] == N - 7
    assert session.map_table(outline).provenance["landmarks_of"] == N - 7


def test_a_record_alone_does_not_say_where_a_group_began(session, outline, opened, table, tmp_path, capsys):
    session.selection.select(outline.numbers[:9])
    run = opened()
    record = tmp_path / "record.json"
    record.write_text(json.dumps(session.map_table(run).provenance))
    table.features.reset_index().to_csv(tmp_path / "cells.csv", index=False)
    assert main(["replay", str(record), "--input", str(tmp_path / "cells.csv")]) != 0
    assert "replay the table that was saved with it" in capsys.readouterr().err
    with pytest.raises(ValueError, match=r'began where its cells lie on the map .* "latentmap replay"'):
        script_text(run)


def test_the_mixing_on_an_outline_is_said_to_be_that_of_its_landmarks(session, table, outline, settle):
    said = mixing_sentence(batch_mixing(outline.result, np.arange(len(outline.numbers)) % 2), "plates")
    assert "of each landmark's 15 nearest" in said
    assert "each landmark counts once" in said
    run = session.embed(table)
    settle()
    assert "landmark" not in mixing_sentence(batch_mixing(run.result, np.arange(len(run.numbers)) % 2), "plates")
