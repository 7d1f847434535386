"""What is found out about a map, and kept with it."""

from dataclasses import replace
from queue import SimpleQueue
from threading import active_count

import numpy as np
import pandas as pd
import pytest

from latentmap.methods import ProbDR
from latentmap.quality import changed_neighbors, lost_neighbors
from latentmap.session import LOST, STABILITY, Parameters, Session, SessionSnapshot, cell_colours, iter_run, load, save
from latentmap.session.given_map import GivenMap
from latentmap.session.map_comparison import iter_comparison
from latentmap.session.true_neighbors import measured_rows, with_neighbors
from latentmap.session.trust import iter_check, iter_contacts, iter_stability, keep, why_not_tested
from latentmap.table import CellTable

N, NAMES = 160, tuple(f"f{column}" for column in range(12))


def ended(steps):
    """What steps return."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


@pytest.fixture(scope="module")
def cells():
    """Four groups far apart in twelve columns."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 12)) + 8 * rng.normal(size=(4, 12))[np.arange(N) % 4]
    rows = pd.DataFrame(values, columns=NAMES).assign(label=np.arange(1, N + 1))
    return CellTable.read(rows, layer="cells")


@pytest.fixture(scope="module")
def result(cells):
    return ended(iter_run(cells, Parameters(features=NAMES, max_iter=80)))


@pytest.fixture(scope="module")
def checked(result):
    return ended(iter_check(result))


@pytest.fixture
def session(cells):
    calls = SimpleQueue()
    session = Session(calls.put)
    session.parameters.features, session.parameters.max_iter = NAMES, 20
    session.embed(cells)
    while session.runs.running:
        calls.get(timeout=120)()
    session.calls = calls
    yield session
    session.close()


def test_a_map_knows_the_neighbours_that_it_has_lost(result):
    rows, values = measured_rows(result)
    assert rows.tolist() == list(range(N))
    distances = np.linalg.norm(values[:, None] - values[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :15]
    assert (np.sort(result.neighbors) == np.sort(near)).all()
    assert (result.lost_neighbors == lost_neighbors(near, result.embedding)).all()
    assert (result.columns["lost_neighbors"] == result.lost_neighbors).all()


@pytest.mark.parametrize("method", ["lvm", "classical-mds"])
def test_what_a_file_lacks_is_found_again(cells, method):
    result = ended(iter_run(cells, Parameters(method=method, features=NAMES, max_iter=5)))
    again = with_neighbors(replace(result, neighbors=None, lost_neighbors=None, estimator=None))
    assert (again.lost_neighbors == result.lost_neighbors).all()
    assert with_neighbors(result) is result


def test_of_fewer_neighbours_than_fifteen_only_those_of_the_map_are_asked(cells):
    result = ended(iter_run(cells, Parameters(features=NAMES, n_neighbors=6, max_iter=3)))
    assert result.neighbors.shape == (N, 6)
    again = with_neighbors(replace(result, neighbors=None, lost_neighbors=None, estimator=None))
    assert (again.neighbors == result.neighbors).all()


def test_too_few_cells_and_stopped_runs_have_none(cells):
    few = ended(iter_run(cells.select(np.arange(N) < 44, ""), Parameters(features=NAMES, max_iter=3)))
    assert few.lost_neighbors is None
    with pytest.raises(ValueError, match="A map of 44 cells has too few"):
        with_neighbors(few)
    assert "lost_neighbors" not in few.columns
    steps = iter_run(cells, Parameters(features=NAMES, max_iter=50))
    while next(steps).state is None:
        pass
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    assert end.value.value.lost_neighbors is None


def test_cells_that_lie_right_are_sure(checked):
    assert checked.check.is_sure.mean() > 0.9
    assert checked.check.agreement > 0.8 > checked.check.null
    assert checked.columns["is_sure"].dtype == bool


def test_on_noise_hardly_any_cell_is_sure():
    rows = pd.DataFrame(np.random.default_rng(1).normal(size=(N, 12)), columns=NAMES).assign(label=np.arange(1, N + 1))
    result = ended(iter_run(CellTable.read(rows, layer="noise"), Parameters(features=NAMES, max_iter=40)))
    assert ended(iter_check(result)).check.is_sure.mean() < 0.05


def test_a_check_tells_its_iterations_and_ends_when_it_is_closed(result):
    before, steps = active_count(), iter_check(result)
    told = [next(steps) for _ in range(4)]
    assert told[0].what == "Looking for the true neighbours"
    assert 0 < told[-1].share < 1
    steps.close()
    assert active_count() == before


def test_methods_without_a_null_say_so(session, cells, result):
    positions = pd.DataFrame(result.embedding, index=cells.features.index)
    run = session.add_map(cells, GivenMap("UMAP", "the table", positions))
    while session.runs.running:
        session.calls.get(timeout=120)()
    assert "made elsewhere" in why_not_tested(run.result)
    with pytest.raises(ValueError, match="made elsewhere"):
        next(iter_check(run.result))
    for steps in (iter_stability(run.result), iter_comparison(run.result, result, with_seeds=True)):
        with pytest.raises(ValueError, match="no map like it can be made here with another seed"):
            ended(steps)
    # Its neighbours are known all the same.
    assert (run.result.lost_neighbors == result.lost_neighbors).all()
    taught = replace(result, parameters={**result.parameters, "method": "siamese"})
    assert "learned from classes" in why_not_tested(taught)
    assert why_not_tested(result) == ""


def test_too_few_cells_to_count_which_neighbours_stay_are_told(cells):
    few = ended(iter_run(CellTable(cells.features[:25]), Parameters(features=NAMES, max_iter=2)))
    with pytest.raises(ValueError, match="A map of 25 cells has too few to count the 15 nearest of each while a fifth"):
        ended(iter_stability(few, leaves_out=True))
    few = replace(few, cells=CellTable(few.cells.features[:15]), embedding=few.embedding[:15])
    with pytest.raises(ValueError, match=r"A map of 15 cells has too few to count the 15 nearest of each[.]$"):
        ended(iter_stability(few))


def test_cells_that_lack_a_feature_are_asked_for_nothing(session, cells, result):
    features = cells.features.copy()
    features.iloc[3, 0] = np.nan
    lacking = CellTable(features)
    positions = pd.DataFrame(result.embedding, index=features.index)
    run = session.add_map(lacking, GivenMap("UMAP", "the table", positions))
    while session.runs.running:
        session.calls.get(timeout=120)()
    found = run.result
    assert np.flatnonzero(np.isnan(found.lost_neighbors)).tolist() == [3]
    assert (found.neighbors[3] == -1).all()
    assert 3 not in found.neighbors
    groups = np.array(["a", "b", "c", "d"], dtype=object)[np.arange(N) % 4]
    _, contacts = ended(iter_contacts(found, groups))
    assert (contacts.pairs["verdict"] == "").all()


def test_groups_joined_by_hand_are_found_and_cells_without_a_group_are_in_no_pair(result):
    groups = np.array(["a", "b", "c", ""], dtype=object)[np.arange(N) % 4]
    embedding = result.embedding.copy()
    embedding[groups == "b"] = embedding[groups == "a"] + 1e-3
    _, found = ended(iter_contacts(replace(result, embedding=embedding, neighbors=None, lost_neighbors=None), groups))
    assert set(found.pairs["a"]) | set(found.pairs["b"]) <= {"a", "b", "c"}
    joined = found.pairs.index[found.pairs["verdict"] == "joined"]
    assert found.pairs.loc[joined, ["a", "b"]].to_numpy().tolist() == [["a", "b"]]
    assert set(groups[found.cells[joined[0]]]) == {"a", "b"}
    with pytest.raises(ValueError, match="No cell is in a group"):
        ended(iter_contacts(result, np.full(N, "", dtype=object)))
    with pytest.raises(ValueError, match="No clusters are found on this map"):
        ended(iter_contacts(result, None, np.ones(N, dtype=bool)))


def test_dropped_cells_touch_nobody(result):
    groups = np.array(["a", "b"], dtype=object)[np.arange(N) % 4 // 2]
    strays = np.flatnonzero(groups == "b")[:10]
    groups[strays] = "a"
    _, found = ended(iter_contacts(result, groups))
    assert found.pairs.loc[0, ["a", "b"]].tolist() == ["a", "b"]
    assert found.pairs.loc[0, "in_data"] > 10
    _, found = ended(iter_contacts(result, groups, np.isin(np.arange(N), strays)))
    assert found.pairs.loc[0, "in_data"] == 0


def test_what_was_found_is_kept_with_its_map_and_no_other(session, checked):
    run = session.runs.current
    before, told = run.result, []
    session.runs.checked.connect(told.append)
    found = replace(before, check=checked.check)
    assert keep(session.runs, run, before, found)
    assert told == [run]
    assert run.result.check is checked.check
    session.add_features(pd.DataFrame({"more": np.arange(N)}, index=run.result.cells.features.index))
    assert run.result.check is checked.check
    assert "is_sure" in session.map_table(run).added
    assert session.map_table(run).provenance["check"]["n_sure"] == int(checked.check.is_sure.sum())
    run.result = replace(run.result, embedding=run.result.embedding + 0.0, check=None)
    assert not keep(session.runs, run, before, found)
    assert run.result.check is None


def test_a_session_file_keeps_what_was_found(session, checked, tmp_path):
    run = session.runs.current
    keep(session.runs, run, run.result, replace(run.result, check=checked.check))
    session.display_settings.hollow_doubtful = session.display_settings.neighbor_lines = True
    other = Session(SimpleQueue().put)
    load(save(session, tmp_path / "a.latentmap")).restore(other)
    again = other.runs.current.result
    assert (again.check.is_sure == checked.check.is_sure).all()
    assert (again.check.p_values == checked.check.p_values).all()
    assert (again.lost_neighbors == run.result.lost_neighbors).all()
    assert again.neighbors is None  # large, and soon found again
    assert other.display_settings.hollow_doubtful
    assert other.display_settings.neighbor_lines
    snapshot = SessionSnapshot.of(session)
    with pytest.raises(ValueError, match="checked for other cells"):
        replace(snapshot.runs[0].map, lost_neighbors=np.zeros(N - 1))
    other.close()


def test_how_stable_neighbourhoods_are_is_kept_in_tables_and_files(session, tmp_path):
    run = session.runs.current
    found = ended(iter_stability(run.result, leaves_out=True))
    keep(session.runs, run, run.result, found)
    keep(session.runs, run, run.result, replace(run.result, stability=None))  # what was known stays
    kept = run.result.stability.kept
    assert kept.shape == (N,)
    assert 0 < kept.mean() < 1
    table = session.map_table(run)
    assert "neighbor_stability" in table.added
    assert (table.rows["neighbor_stability"] == kept).all()
    assert table.provenance["stability"] == {"n_maps": 5, "cells_left_out": True, "mean": kept.mean()}
    other = Session(SimpleQueue().put)
    session.display_settings.colour_by = STABILITY
    load(save(session, tmp_path / "a.latentmap")).restore(other)
    again = other.runs.current.result.stability
    assert (again.kept == kept).all()
    assert (again.n_maps, again.leaves_out) == (5, True)
    assert other.display_settings.colour_by == STABILITY
    with pytest.raises(ValueError, match="checked for other cells"):
        replace(SessionSnapshot.of(session).runs[0].map, stability=replace(again, kept=kept[1:]))
    other.close()


def test_a_map_is_coloured_by_lost_neighbours_from_0_to_1(session):
    run = session.runs.current
    features, numbers = run.result.cells.features, run.numbers
    found = cell_colours(LOST, features, run.result.variances, session.classes, numbers, lost=run.result.lost_neighbors)
    assert (found.low, found.high) == (0, 1)
    assert (found.shares == run.result.lost_neighbors).all()
    assert cell_colours(LOST, features, run.result.variances, session.classes, numbers).title == "variance (σ²)"


@pytest.mark.parametrize(("seed", "others"), [(0, (1, 2, 3)), (2, (1, 3, 4))])
def test_a_map_is_compared_with_one_of_some_of_its_cells(cells, seed, others):
    parameters = Parameters(features=NAMES, method="probdr", random_state=seed)
    parameters.set_of_method("max_iter", 3)  # too few to forget the seed
    whole = ended(iter_run(cells, parameters))
    some = ended(iter_run(CellTable(cells.features[::2]), parameters))
    found = ended(iter_comparison(whole, some, with_seeds=True))
    rows, values = np.arange(0, N, 2), measured_rows(whole)[1]
    maps = [ProbDR(max_iter=3, random_state=other).fit_transform(values) for other in others]
    assert found.rows.tolist() == rows.tolist()
    assert found.by_seed == pytest.approx(np.mean([changed_neighbors(whole.embedding[rows], Y[rows]) for Y in maps]))
    assert found.by_seed > 0.1
    assert len(found.is_changed) == len(rows)
