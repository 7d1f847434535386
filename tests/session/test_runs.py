import numpy as np
import pandas as pd
import pytest

from latentmap.model.vectors import Vectors
from latentmap.session import CellIndex, Parameters
from latentmap.session.runs import Runs
from latentmap.session.script import script_text
from latentmap.table import CellTable


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.normal(size=(60, 3)), columns=["area", "DNA", "actin"])
    return CellTable.read(features.assign(label=np.arange(1, 61)), layer="cells")


@pytest.fixture
def parameters():
    return Parameters(features=("area", "DNA", "actin"), n_neighbors=6, max_iter=20)


@pytest.fixture
def heard():
    return []


@pytest.fixture
def runs(loop, heard):
    runs = Runs(CellIndex(), loop.calls.put)
    for name in ("started", "progressed", "ended"):
        getattr(runs, name).connect(lambda run, name=name: heard.append((name, run)))
    runs.changed.connect(lambda: heard.append(("changed", runs.current)))
    yield runs
    runs.drop()


@pytest.fixture
def finish(runs, loop):
    return lambda: loop.turn(lambda: not runs.running, seconds=60)


def test_a_run_from_start_to_end(runs, table, parameters, finish, heard):
    begun = runs.start(table, parameters)
    assert (begun.status, begun.result) == ("running", None)
    finish()
    assert begun.status == "done"
    assert list(runs) == [begun]
    assert runs.current is begun
    assert begun.result.n_iter == begun.progress.iteration == 20
    assert set(begun.result.quality) == {"recall", "trustworthiness"}
    assert begun.numbers.tolist() == list(range(60))
    names = [name for name, _ in heard]
    assert names[0] == "started"
    assert set(names[1:-2]) == {"progressed"}
    assert names[-2:] == ["ended", "changed"]


def test_few_cells_of_many_genes_are_mapped_by_fewer_components(runs, finish):
    genes = [f"gene {number}" for number in range(501)]
    values = np.random.default_rng(0).poisson(3.0, (120, 501)).astype(float)
    table = CellTable.read(pd.DataFrame(values, columns=genes).assign(label=np.arange(1, 121)), layer="cells")
    parameters = Parameters(max_iter=3)
    parameters.choose_among(genes, n_cells=120)
    some = table.select(np.arange(120) < 40, "Only 40 of 120 cells: the selection.")
    begun = runs.start(some, parameters)
    finish()
    assert (parameters.n_pca, begun.parameters["n_pca"], begun.result.parameters["n_pca"]) == (50, 50, 39)
    assert "40 cells: 39 principal components, not 50." in begun.result.cells.notes
    assert "n_pca=39" in script_text(begun)


def test_parameters_changed_meanwhile_do_not_touch_it(runs, table, parameters, finish):
    begun = runs.start(table, parameters)
    parameters.n_neighbors = 9
    parameters.features = ("area",)
    finish()
    assert begun.result.estimator["map"].n_neighbors == begun.parameters["n_neighbors"] == 6
    assert begun.result.parameters == begun.parameters


def test_stopping_keeps_the_map(runs, table, parameters, finish, loop):
    parameters.max_iter = 100_000
    begun = runs.start(table, parameters)
    loop.turn(lambda: begun.progress is not None and begun.progress.iteration >= 1)
    runs.stop()
    finish()
    assert begun.status == "stopped"
    assert 1 <= begun.result.n_iter < 100_000
    assert begun.result.quality == {}
    assert begun.result.stopped
    assert begun.name == "1: k 6, s 2, stopped"
    assert list(runs) == [begun]


def test_stopping_a_run_that_pauses(runs, table, parameters, finish, loop):
    parameters.max_iter = 100_000
    begun = runs.start(table, parameters)
    loop.turn(lambda: begun.progress is not None and begun.progress.state is not None)
    runs.pause()
    assert runs.paused
    runs.stop()
    finish()
    assert begun.result is not None


def test_another_start_drops_the_run_under_way(runs, table, parameters, finish, loop, heard):
    parameters.max_iter = 100_000
    first = runs.start(table, parameters)
    loop.turn(lambda: first.progress is not None)
    parameters.max_iter = 5
    second = runs.start(table, parameters)
    finish()
    assert (first.status, first.result) == ("stopped", None)
    assert list(runs) == [second]
    later = [run for name, run in heard[[run for _, run in heard].index(second) :] if name != "changed"]
    assert set(later) == {second}
    assert [name for name, run in heard if run is first][-1] == "ended"


def test_what_fails_says_why_and_is_not_kept(runs, table, parameters, finish):
    parameters.n_components = 100
    begun = runs.start(table, parameters)
    finish()
    assert begun.status == "failed"
    assert "Lower n_components" in str(begun.error)
    assert len(runs) == 0
    assert runs.current is None


def test_runs_are_kept_side_by_side_shown_renamed_and_deleted(runs, table, parameters, finish, heard):
    kept = []
    for k in (6, 9, 12):
        parameters.n_neighbors = k
        kept.append(runs.start(table, parameters))
        finish()
    assert list(runs) == kept
    assert [run.name for run in runs] == ["1: k 6, s 2", "2: k 9, s 2", "3: k 12, s 2"]
    runs.show(kept[0])
    assert heard[-1] == ("changed", kept[0])
    runs.rename(kept[0], " the first ")
    assert kept[0].name == "the first"
    with pytest.raises(ValueError, match="needs a name"):
        runs.rename(kept[0], " ")
    runs.delete(kept[0])
    assert runs.current is kept[2]
    runs.delete(kept[1])
    runs.delete(kept[2])
    assert runs.current is None
    assert len(runs) == 0


def test_cells_of_several_runs_are_the_same_cells(runs, table, parameters, finish):
    first = runs.start(table, parameters)
    finish()
    fewer = CellTable(table.features.iloc[::-2])
    second = runs.start(fewer, parameters)
    finish()
    assert second.numbers.tolist() == first.numbers[::-2].tolist()


def test_a_run_goes_on_from_the_map_of_another(runs, table, parameters, finish):
    first = runs.start(table, parameters)
    finish()
    parameters.n_neighbors = 9
    second = runs.start(table, parameters, start=first)
    assert second.has_warm_start
    finish()
    assert second.has_warm_start
    assert (second.origin, first.origin) == (first.name, None)
    assert list(runs) == [first, second]
    assert second.start is None


def test_a_run_goes_on_from_one_under_way(runs, table, parameters, finish, loop):
    parameters.max_iter = 100_000
    first = runs.start(table, parameters)
    loop.turn(lambda: first.progress is not None and first.progress.iteration > 50)
    second = runs.start(table, parameters, start=first)
    finish()
    assert first.result is None
    assert (second.status, second.has_warm_start, second.origin) == ("done", True, first.name)


def test_from_one_that_has_not_begun_it_goes_on_from_what_that_was_to(runs, table, parameters, finish):
    first = runs.start(table, parameters)
    finish()
    second = runs.start(table, parameters, start=first)
    third = runs.start(table, parameters, start=second)
    finish()
    assert third.origin == first.name


def test_without_a_map_to_go_on_from_a_run_begins_afresh(runs, table, parameters, finish):
    parameters.n_components = 100
    failed = runs.start(table, parameters)
    finish()
    parameters.n_components = 2
    second = runs.start(table, parameters, start=failed)
    finish()
    assert (second.has_warm_start, second.origin) == (False, None)
    assert second.result.estimator["map"].n_iter_ == 20


def test_live_runs_take_each_others_place_until_one_is_kept(runs, table, parameters, finish):
    def live():
        started = runs.start(table, parameters, start=runs.current, is_live=True)
        finish()
        return started

    first = runs.start(table, parameters)
    finish()
    second = live()
    third = live()
    assert list(runs) == [first, third]
    assert runs.current is third
    assert (second.number, third.number, third.name) == (2, 2, "2: k 6, s 2")
    runs.keep(third)
    fourth = live()
    assert list(runs) == [first, third, fourth]
    assert fourth.number == 3
    runs.rename(fourth, "good")
    fifth = live()
    assert list(runs) == [first, third, fourth, fifth]
    runs.keep_live_run()
    sixth = live()
    assert list(runs) == [first, third, fourth, fifth, sixth]
    runs.delete(sixth)
    assert list(runs) == [first, third, fourth, fifth]


@pytest.mark.parametrize("kept", ["kept by the user", "settled"])
def test_a_live_run_that_is_kept_while_the_next_is_under_way(runs, table, parameters, finish, kept):
    first = runs.start(table, parameters, is_live=True)
    finish()
    second = runs.start(table, parameters, start=first, is_live=True)
    if kept == "settled":
        runs.keep_live_run()
    else:
        runs.keep(first)
    finish()
    assert list(runs) == ([second] if kept == "settled" else [first, second])
    third = runs.start(table, parameters, start=first, is_live=True)
    finish()
    assert list(runs)[-2:] == ([second, third] if kept == "settled" else [first, third])


def test_neighbors_are_searched_once_for_the_same_cells_and_metric(runs, table, parameters, finish, monkeypatch):
    searched, search = [], Vectors._searched

    def counted(self, k):
        searched.append(k)
        return search(self, k)

    monkeypatch.setattr(Vectors, "_searched", counted)
    for change in ({"n_neighbors": 9}, {"n_neighbors": 6}, {"repulsion": 5.0}, {"metric": "cosine"}):
        for name, value in change.items():
            setattr(parameters, name, value)
        runs.start(table, parameters)
        finish()
    assert searched == [9, 6]
    assert len(runs) == 4
