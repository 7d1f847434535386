"""The comparison with the peers measures what it says, and its page says what was measured and nothing else."""

import importlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from latentmap import LVM
from latentmap.model.workers import Workers
from latentmap.quality import centroid_order, frame_fill, groups_found, knn_error, neighbor_recall

pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")

PEERS = ["umap-learn", "pacmap", "opentsne"]
# Where the tests themselves keep what is compiled: in this folder, or beside each source.
COMPILED = os.environ.get("NUMBA_CACHE_DIR", "")
QUALITY = {"error_1": 0.1, "error_9": 0.2, "recall": 0.3, "trustworthiness": 0.9, "triplets": 0.6}
FIT = {"rows": 100, "seed": 0, "seconds": 2.0, "memory": 2**20, "stages": {}, "quality": QUALITY}


@pytest.fixture
def peers(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """A function that imports a module of benchmarks.peers, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.peers.{name}")


@pytest.fixture
def small(peers) -> Any:
    return peers("data_sets").read("digits", 300)


@pytest.fixture
def compiled(peers, monkeypatch) -> None:
    """Let other processes find what is compiled for the tests themselves."""
    task = peers("tasks").Task
    monkeypatch.setattr(task, "_compiled", COMPILED)
    monkeypatch.setattr(task, "_prepare_compiled", lambda task, path: None)


def measured(seconds: float = 2.0, **facts: Any) -> dict[str, Any]:
    """A record as a task leaves it."""
    record = {
        "kind": "fresh and warm",
        "data": "digits",
        "rows": 100,
        "method": "latentmap",
        "seed": 0,
        "n_warm": 1,
        "version": "0",
        "versions": {},
        "code": "",
        "columns": 64,
        "load": 0.0,
        "took": 6.0,
    }
    return record | {"fits": [FIT | {"seconds": 2 * seconds}, FIT | {"seconds": seconds}]} | facts


@pytest.fixture
def ours(peers) -> dict[str, str]:
    """What a record says of the settings of our method as it is now."""
    method = peers("methods").METHODS["latentmap"]
    return {"call": method.call, "parameters": method.parameters}


def stored(peers, folder: Path, *records: dict[str, Any]) -> Any:
    path = folder / "benchmarks" / "maps.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": peers("records").describe(), "records": records}))
    return peers("records").Records(path)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_run_leaves_the_quality_of_those_very_maps_and_is_not_repeated(peers, small, tmp_path):
    main, order = peers("__main__").main, ["run", "--data", "digits", "--rows", "300", "--methods", "latentmap"]
    order += ["--seeds", "2", "--out", str(tmp_path)]
    main(order)
    path = tmp_path / "benchmarks" / "maps.json"
    (record,) = json.loads(path.read_text())["records"]
    assert [(fit["rows"], fit["seed"]) for fit in record["fits"]] == [(300, 0), (300, 0), (300, 1)]
    assert record["fits"][0]["memory"] > 0
    lvm = LVM(random_state=1)
    stages = [progress.stage for progress in lvm.iter_fit(small.X)]
    assert list(record["fits"][-1]["stages"]) == ["checks", *dict.fromkeys(stages), "end"]
    found = record["fits"][-1]["quality"]
    assert found["recall"] == neighbor_recall(small.X, lvm.embedding_, 10)
    errors = knn_error(lvm.embedding_, small.y, n_neighbors=[1, 9]).tolist()
    assert [found["error_1"], found["error_9"]] == errors
    assert found["fill"] == frame_fill(lvm.embedding_)
    assert found["order"] == centroid_order(small.X, lvm.embedding_, small.y)
    page, before = (tmp_path / "benchmarks.md").read_text(), path.stat().st_mtime_ns
    assert f"{record['fits'][0]['seconds']:.2f}" in page
    main(order)
    assert path.stat().st_mtime_ns == before


def test_small_tables_get_more_runs(peers):
    planned = peers("tasks").maps(["mnist", "usps", "pancreas", "mnist-1k"], ["latentmap"], None, None)
    runs = {task.data: task.n_warm for task in planned}
    assert runs == {"mnist": 1, "usps": 3, "pancreas": 10, "mnist-1k": 1}
    asked = peers("tasks").maps(["usps", "pancreas"], ["latentmap"], 2, None)
    assert [task.n_warm for task in asked] == [2, 2]
    assert len([task for task in planned if task.data == "mnist"]) == 1 + 3  # the first use, and three processes


@pytest.mark.slow
def test_a_first_use_finds_nothing_compiled_and_what_follows_does(peers, tmp_path, monkeypatch):
    tasks, run_alone, found = peers("tasks"), peers("process").run_alone, []

    def compiled() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}

    def run(*arguments: Any, **others: Any) -> Any:
        found.append(compiled())
        return run_alone(*arguments, **others) if len(found) < 3 else ([], [])

    monkeypatch.setattr(tasks, "CACHE", tmp_path)
    monkeypatch.setattr(tasks, "run_alone", run)
    monkeypatch.setenv("NUMBA_OPT", "0")  # which compiles sooner what is run but once
    tasks.Task(tasks.FIRST_USE, "digits", 100, "latentmap").perform()
    first = compiled()
    assert first
    tasks.Task(tasks.FRESH_AND_WARM, "digits", 100, "latentmap", n_warm=0).perform()
    assert compiled() == first
    tasks.Task(tasks.FIRST_USE, "digits", 100, "latentmap").perform()
    assert found == [{}, first, {}]


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_growth_and_kernels_end_up_on_the_page(peers, tmp_path, monkeypatch):
    monkeypatch.setattr(peers("peaks"), "SECONDS", 0.02)
    main, out = peers("__main__").main, ["--out", str(tmp_path)]
    main(["scaling", "--rows", "400", "--growing", "curved-clusters", "--methods", "latentmap", *out])
    main(["kernels", "--data", "digits", "--rows", "300", *out])
    (grown,) = json.loads((tmp_path / "benchmarks" / "scaling.json").read_text())["records"]
    assert [fit["rows"] for fit in grown["fits"]] == [400, 400]
    assert (tmp_path / "images" / "benchmarks-scaling.png").is_file()
    found = json.loads((tmp_path / "benchmarks" / "kernels.json").read_text())
    page = (tmp_path / "benchmarks.md").read_text()
    assert [kernel["kernel"] for kernel in found["kernels"]] == list(peers("kernels").KERNELS)
    assert all(f"{kernel['kernel']} |" in page and f"{kernel['ns']:.2f}" in page for kernel in found["kernels"])
    assert all(value > 0 for value in [*found["peaks"].values(), *found["iteration"].values()])


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_a_peer_makes_a_map_in_a_process_of_its_own(name, peers, small):
    if obstacle := peers("methods").METHODS[name].obstacle:
        pytest.skip(obstacle)
    asked = [{"rows": 300, "seed": 0}]
    fits, (embedding,) = peers("process").run_alone(name, small.path, asked, COMPILED, keeps=True)
    assert embedding.shape == (300, 2)
    assert fits[0]["stages"] == {}
    assert knn_error(embedding, small.y, n_neighbors=9) < 0.3


@pytest.mark.slow
def test_what_fails_says_why_and_leaves_no_record(peers, small, tmp_path):
    np.save(tmp_path / "bad.npy", np.where(np.arange(300)[:, None] == 7, np.nan, small.X))
    with pytest.raises(peers("process").RunFailed, match="NaN in 1 of 300 rows"):
        peers("process").run_alone("latentmap", tmp_path / "bad.npy", [{"rows": 300, "seed": 0}], tmp_path)


def test_documented_tables_are_those_of_documented_numbers(peers, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    assert (docs / "benchmarks.md").read_text() == peers("page").page(docs)
    wanted = set(re.findall(r"images/(benchmarks-[\w-]+\.png)", (docs / "benchmarks.md").read_text()))
    assert {path.name for path in (docs / "images").glob("benchmarks-*.png")} == wanted


def test_the_page_says_nothing_of_what_was_not_measured(peers, tmp_path):
    page = peers("page").page(tmp_path)
    assert "Nothing was measured yet" in page
    assert "##" not in page
    assert "images/" not in page


def test_methods_take_turns_after_each_has_been_used_once(peers):
    planned = peers("tasks").maps(["mnist"], ["latentmap", "pacmap"], 2, 300)
    assert [(task.method, task.kind, task.seed) for task in planned] == [
        ("latentmap", "first use", 0), ("pacmap", "first use", 0), ("latentmap", "fresh and warm", 0),
        ("pacmap", "fresh and warm", 0), ("pacmap", "fresh and warm", 1), ("latentmap", "fresh and warm", 1),
    ]  # fmt: skip
    assert {task.rows for task in planned} == {300}
    tables = peers("tasks").maps(["usps", "pbmc", "cytof"], ["latentmap", "pacmap"], 1, 300)
    assert [task.method for task in tables] == ["latentmap", "pacmap", "pacmap", "latentmap", "latentmap", "pacmap"]


def test_what_matters_less_is_run_less_often(peers):
    methods, planned = peers("methods").METHODS, peers("tasks").maps(["mnist", "usps", "mnist-1k"], None, 3, None)
    warm = [task for task in planned if task.kind == "fresh and warm"]
    runs = {(name, data): sum(task.n_warm for task in warm if (task.method, task.data) == (name, data))
            for name in methods for data in ("mnist", "usps", "mnist-1k")}  # fmt: skip
    assert runs == {
        (name, data): 0 if methods[name].only_asked else int(data == "mnist") if methods[name].once else number
        for name in methods
        for data, number in (("mnist", 3), ("usps", 3), ("mnist-1k", 1))
    }
    assert methods["latentmap-em"].once
    assert methods["latentmap-paper"].only_asked
    asked = peers("tasks").maps(["usps"], ["latentmap-em"], 3, None)
    assert [(task.seed, task.n_warm) for task in asked] == [(0, 3)]


def test_growth_is_timed_after_a_small_map(peers):
    (task,) = peers("tasks").growth(["curved-clusters"], [5000], ["latentmap"])
    assert [fit["rows"] for fit in task.fits] == [2000, 5000]


def test_failures_and_missing_packages_do_not_stop_the_others(peers, tmp_path, monkeypatch, capsys):
    methods, tasks, process = peers("methods"), peers("tasks"), peers("process")
    monkeypatch.setitem(methods.METHODS, "absent", methods.Method("no-such", "no_such_module", "X"))
    monkeypatch.setitem(methods.METHODS, "newer", methods.Method("latentmap", "latentmap", "LVM", {"no_such": 1}))
    performed = []

    def perform(task: Any) -> dict[str, Any]:
        performed.append(task)
        if task.seed == 0:
            raise process.RunFailed("out of luck")
        return {"fits": [FIT], "code": "older", "took": 1.0}

    monkeypatch.setattr(tasks.Task, "perform", perform)
    names = ["latentmap", "absent", "newer"]
    planned = [tasks.Task("growth", "digits", 100, name, seed) for seed in (0, 1) for name in names]
    records = peers("records").Records(tmp_path / "maps.json")
    work_through = peers("agenda").work_through
    (failure,) = work_through(planned, records)
    assert "out of luck" in failure
    said = capsys.readouterr().err
    assert "absent is left out: no-such is not installed" in said
    assert "newer is left out: this version of LVM has no parameter no_such." in said
    assert [record["seed"] for record in records.all] == [1]
    assert [task.seed for task in performed] == [0, 1]
    work_through(planned, peers("records").Records(tmp_path / "maps.json"))
    assert [task.seed for task in performed] == [0, 1, 0]
    assert "1 runs are kept that were made with other code" in capsys.readouterr().err
    work_through(planned, records, again=True)
    assert [task.seed for task in performed] == [0, 1, 0, 0, 1]
    assert len(records.all) == 1


def test_other_settings_make_another_run(peers, monkeypatch):
    methods, task = peers("methods"), peers("tasks").Task("growth", "digits", 100, "latentmap")
    before = task.identity
    monkeypatch.setitem(methods.METHODS, "latentmap", methods.Method("latentmap", "latentmap", "LVM", {"dof": 2}))
    assert before["call"] != task.identity["call"] == "LVM(dof=2)"
    assert before["seed"] == task.place["seed"]


def test_another_default_makes_another_run(peers, monkeypatch):
    task = peers("tasks").Task("growth", "digits", 100, "latentmap")
    before = task.identity
    monkeypatch.setattr(LVM.__init__, "__kwdefaults__", LVM.__init__.__kwdefaults__ | {"repulsion": 77.0})
    assert before["call"] == task.identity["call"]
    assert "repulsion=77.0" in task.identity["parameters"]
    assert before != task.identity


@pytest.mark.parametrize(("vote_power", "is_told"), [(1.0, False), (2.0, True)])
def test_a_parameter_younger_than_the_records_is_told_where_it_changes_something(vote_power, is_told, peers):
    method = peers("methods").Method("latentmap", "latentmap", "LVM", {"vote_power": vote_power})
    assert ("vote_power=2.0" in method.parameters) == is_told
    assert ("vote_power" in method.parameters) == is_told


@pytest.mark.parametrize("old", [{"call": "LVM(dof=9)"}, {"parameters": "dof=9"}])
def test_runs_with_old_settings_are_replaced_and_not_shown(old, peers, ours, tmp_path):
    records = stored(peers, tmp_path, measured(1.25, **(ours | old)), measured(4.75, seed=1, **ours))
    page = peers("page").page(tmp_path)
    assert "1.25" not in page
    assert "**4.75**" in page
    task = peers("tasks").Task("fresh and warm", "digits", 100, "latentmap", n_warm=3)
    records.add(task.place, measured(7.25, **ours))
    assert [record["seed"] for record in records.all] == [1, 0]
    assert all(ours.items() <= record.items() for record in records.all)


def test_runs_with_old_settings_alone_are_shown_and_said_to_be_old(peers, ours, tmp_path):
    stored(peers, tmp_path, measured(1.25, **(ours | {"parameters": "dof=9"})))
    page = peers("page").page(tmp_path)
    assert "1.25" in page
    assert "to be measured again: `latentmap`.**" in page
    stored(peers, tmp_path, measured(1.25, **ours))
    assert "to be measured again" not in peers("page").page(tmp_path)


def test_records_of_another_machine_are_not_mixed(peers, tmp_path, monkeypatch):
    records = stored(peers, tmp_path, measured())
    records.check_machine()
    monkeypatch.setattr(peers("records"), "describe", lambda: {"processor": "another"})
    with pytest.raises(SystemExit, match="Give another --out"):
        records.add({"method": "latentmap"}, measured())


def test_time_left_is_taken_from_what_is_most_alike(peers):
    agenda, Task = peers("agenda"), peers("tasks").Task
    todo = [Task("fresh and warm", "digits", 1000, "pacmap")]
    assert "no run yet" in agenda.time_left(todo, [])
    # 6 s for twice 100 rows are 60 s for twice 1000.
    assert agenda.time_left(todo, [measured()]).endswith("0:01:00")
    alike = measured(method="pacmap", data="mnist", took=12.0)
    assert agenda.time_left(todo, [measured(), alike]).endswith("0:02:00")
    # A start of 10 s and 1 s for 100 rows.
    longer = measured(method="pacmap", data="mnist", took=40.0, fits=[FIT | {"rows": 1500}] * 2)
    assert agenda.time_left(todo, [measured(), alike, longer]).endswith("0:00:30")
    todo = [Task("fresh and warm", "digits", 1000, "pacmap", n_warm=2)]
    assert agenda.time_left(todo, [measured(), alike, longer]).endswith("0:00:40")
    todo = [Task("fresh and warm", "digits", 1000, "pacmap")]
    same = measured(method="pacmap", rows=1000, fits=[FIT | {"rows": 1000}] * 2, took=30.0)
    assert agenda.time_left(todo, [measured(), alike, same]).endswith("0:00:30")


def test_the_best_is_bold_whoever_it_is(peers):
    worse = FIT | {"quality": QUALITY | {"error_1": 0.3, "recall": 0.4}}
    own = [measured(seconds, seed=seed) for seed, seconds in enumerate([1.0, 3.0])]
    fits = [worse | {"seconds": 2.0}, *(worse | {"seconds": seconds} for seconds in (0.5, 1.5))]
    records = [*own, measured(method="pacmap", fits=fits)]
    table = peers("tables").comparison(records)
    own, theirs = (next(line for line in table if f"`{name}`" in line) for name in ("latentmap", "pacmap"))
    assert own.split(" | ")[1:3] == ["2.00 ± 1.41", "4.00 ± 2.83"]
    assert theirs.split(" | ")[1:3] == ["**1.00 ± 0.71**", "**2.00**"]
    assert "**10.00 ± 0.00**" in own
    assert "**0.400 ± 0.000**" in theirs
    assert "first use" not in table[0]
    assert own.endswith("| 2.00 | 2.00 |")
    assert theirs.endswith("| 1.00 | 1.00 |")
    summary = "\n".join(peers("tables").summary({"digits": records}, "latentmap"))
    assert "2.00 against **1.00**" in summary
    assert "**10.00** against 30.00" in summary


def test_the_page_changes_with_the_numbers(peers, ours, tmp_path):
    stored(peers, tmp_path, measured(1.25, **ours))
    assert "**1.25**" in peers("page").page(tmp_path)
    seeds = [measured(4.75, seed=seed, code=code, **ours) for seed, code in enumerate(["", "a", "b"])]
    stored(peers, tmp_path, *seeds)
    changed = peers("page").page(tmp_path)
    assert "1.25" not in changed
    assert "**4.75 ± 0.00**" in changed
    assert "2 different states of the code" in changed


def test_recall_with_remembered_neighbours_is_that_of_the_package(peers):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 4)), 3, axis=0).astype(np.float32)
    embedding = X[:, :2] + rng.normal(0, 0.1, (180, 2))
    assert peers("measures").recall(X, embedding) == neighbor_recall(X, embedding, 10)


def test_maps_of_which_less_was_measured_are_made_again_and_shown_until_then(peers, ours, tmp_path):
    task = peers("tasks").Task("fresh and warm", "digits", 100, "latentmap")
    records = stored(peers, tmp_path, measured(1.25, **ours | {"version": task.identity["version"]}))
    assert not records.where(**task.identity)
    assert "**1.25**" in peers("page").page(tmp_path)
    records.add(task.place, task.identity | {"fits": [FIT] * 2})
    assert len(records.where(**task.identity)) == len(records.all) == 1


@pytest.mark.parametrize(
    ("name", "file", "n_columns", "n_classes"),
    [
        ("pbmc-groups", "sc_pbmc_ifnb2000", 50, 12), ("pancreas", "micro_imc_pancreas_5ch", 5, 3),
        ("cube", None, 3, None), ("gaussian", None, 10, None), ("sheet", None, 3, None),
        ("nuclei", "micro_timelapse_masks", 8, None), ("nuclei-in-images", "micro_bbbc007_2d", 11, None),
    ],
)  # fmt: skip
def test_tables_have_the_rows_and_classes_that_are_told(name, file, n_columns, n_classes, peers, load_data):
    if file:
        load_data(file)
    source = peers("data_sets").DATA_SETS[name]
    X, y = source.read()
    assert X.shape == (source.rows, n_columns)
    assert np.isfinite(X).all()
    if n_classes is None:
        assert y is None
        assert "continuum" in source.title
    else:
        assert y.shape == (source.rows,)
        # Louvain's method may find one more or one less with another networkx.
        assert abs(len(np.unique(y)) - n_classes) <= 2 * (name == "pbmc-groups")
    part = peers("data_sets").read(name, 300)
    assert part.X.shape == (300, n_columns)
    assert len(np.unique(part.X, axis=0)) > 250
    assert (part.y is None) == (y is None)


def test_communities_part_what_is_far_apart(peers):
    X = np.random.default_rng(0).normal(size=(90, 2))
    X[:60] += 100
    found = peers("communities").communities(X)
    assert not set(found[:60]) & set(found[60:])
    assert (np.diff(np.bincount(found)) <= 0).all()


def test_nuclei_are_measured_in_each_image_by_itself(peers):
    labels = np.zeros((2, 12, 12), int)
    # The same number in two images is not the same nucleus.
    labels[0, 1:4, 1:4], labels[0, 6:8, 2:10], labels[1, 1:6, 1:6] = 1, 2, 1
    images = np.where(labels == 1, 7.0, 3.0)
    found = peers("nuclei").measured.func(list(labels), list(images))
    assert found[:, 0].tolist() == [9, 16, 25]
    assert found[:, len(peers("nuclei").SHAPE)].tolist() == [7, 3, 7]


def test_a_continuum_has_groups_and_no_errors(peers, tmp_path):
    DataSet, quality = peers("data_sets").DataSet, peers("measures").quality
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)).astype(np.float32)
    X[:40] += 50
    embedding, of_any = X[:, :2], {"recall", "trustworthiness", "triplets", "fill"}
    y = np.repeat([0, 1, 2], 40)
    found = [quality(DataSet(X, classes, None, tmp_path), embedding) for classes in (None, np.minimum(y, 1), y)]
    errors = {"error_1", "error_9"}
    assert [set(one) - of_any for one in found] == [{"groups", "strays"}, errors, errors | {"order"}]
    assert (found[0]["groups"], found[0]["strays"]) == groups_found(embedding)
    assert found[2]["order"] == centroid_order(X, embedding, y)
    assert found[0]["fill"] == frame_fill(embedding)


def test_tables_show_what_was_measured_and_no_empty_column(peers):
    old = measured(method="pacmap")
    new = measured(fits=[FIT | {"quality": QUALITY | {"fill": 0.5}}] * 2)
    head, _, ours, theirs, _ = peers("tables").comparison([new, old])
    assert "frame filled, %" in head
    assert "groups found" not in head
    assert "**50.0**" in ours
    assert "50.0" not in theirs
    free = {"groups": 2.0, "strays": 0.25, "recall": 0.3}
    head, _, ours, _ = peers("tables").comparison([measured(fits=[FIT | {"quality": free}] * 2)])
    assert "error" not in head
    assert "**2.0** | **25.0**" in ours
    whole = free | {"groups": 0.0, "strays": 1.0}
    head, _, ours, _ = peers("tables").comparison([measured(fits=[FIT | {"quality": whole}] * 2)])
    assert "groups found" in head
    assert "strays" not in head


def reaching(peers, **changes: dict[str, float]) -> dict[str, str]:
    """What the table of the goals says of maps that reach all of them, but for some changes of a method's quality."""
    good = QUALITY | {"groups": 1.0}
    worse = good | {"recall": 0.2, "groups": 2.0}
    quality = {"latentmap": good, "latentmap-detail": good, "umap-learn": worse, "pacmap": worse, "opentsne": worse}
    records = [
        measured(method=name, fits=[FIT | {"quality": of | changes.get(name.replace("-", "_"), {})}] * 2)
        for name, of in quality.items()
    ]
    _, _, *lines, _ = peers("goals").counts({"digits": records})
    return {line.split(" | ")[0]: line.split(" | ", 1)[1] for line in lines}


@pytest.mark.parametrize(
    ("method", "changes", "words"),
    [
        ("latentmap", {"error_9": 0.2101}, "9-NN error"), ("latentmap", {"triplets": 0.589}, "triplets"),
        ("latentmap", {"recall": 0.2}, "above that of `umap-learn`"), ("pacmap", {"recall": 0.3}, "that of `pacmap`"),
        ("latentmap", {"groups": 3.0}, "groups"), ("opentsne", {"recall": 0.31}, "`latentmap-detail`"),
    ],
)  # fmt: skip
def test_a_goal_that_is_missed_names_the_data(method, changes, words, peers):
    reached = reaching(peers)
    assert len(reached) == 6
    assert all(told.startswith("1 of 1") and "digits" not in told for told in reached.values())
    (missed,) = (told for goal, told in reaching(peers, **{method: changes}).items() if words in goal)
    assert missed.startswith("0 of 1 | [digits](#digits) (")


def test_goals_leave_room_and_take_nothing_for_granted(peers):
    # Within 1.05 times, within .05 %, and within .01.
    assert reaching(peers, latentmap={"error_9": 0.2099, "triplets": 0.5901}) == reaching(peers)
    tiny = {name: {"error_9": 0.0004} for name in ("umap_learn", "pacmap", "opentsne")}
    assert any("0 of 1" in told for told in reaching(peers, **tiny, latentmap={"error_9": 0.001}).values())
    assert not any("0 of 1" in told for told in reaching(peers, **tiny, latentmap={"error_9": 0.0008}).values())
    # The best peer is not known where one was not measured.
    assert not peers("goals").counts({"digits": [measured()]})
    lines = peers("goals").counts({"digits": [measured(), measured(method="umap-learn")]})
    assert len(lines) == 4


def test_more_rows_of_curved_clusters_begin_with_the_fewer(peers, tmp_path):
    write = peers("manifold").write_curved_clusters
    write(tmp_path / "few.npy", 500)
    write(tmp_path / "more.npy", 10_700)
    few, more = np.load(tmp_path / "few.npy"), np.load(tmp_path / "more.npy")
    assert (more.shape, more.dtype) == ((10_700, 50), np.float32)
    # The product of few rows may round otherwise than that of many.
    np.testing.assert_allclose(few, more[:500], rtol=0, atol=0.01)
    assert len(np.unique(more, axis=0)) == len(more)
    # Curved: far more directions carry variance than the manifold has dimensions.
    shares = np.linalg.svd(more - more.mean(axis=0), compute_uv=False) ** 2
    assert shares[:5].sum() < 0.6 * shares.sum()


@pytest.mark.slow
def test_shifted_digits_are_real_rows_each_once(peers, tmp_path):
    write = peers("shifted").write_shifted_digits
    try:
        write(tmp_path / "few.npy", 500)
    except SystemExit as absent:
        pytest.skip(str(absent))
    write(tmp_path / "more.npy", 10_700)
    few, more = np.load(tmp_path / "few.npy"), np.load(tmp_path / "more.npy")
    assert (more.shape, more.dtype) == ((10_700, 50), np.float32)
    # The product of few rows may round otherwise than that of many.
    np.testing.assert_allclose(few, more[:500], rtol=0, atol=0.01)
    assert len(np.unique(more, axis=0)) == len(more)
    # A 25th of them were not moved at all, and lie where the digits themselves do.
    own = peers("data_sets").read("mnist", 70_000).X
    distances = NearestNeighbors(n_neighbors=1).fit(own).kneighbors(more[:1000])[0]
    assert 0.02 < (distances < 1).mean() < 0.07
    with pytest.raises(ValueError, match="1750000"):
        write(tmp_path / "most.npy", 2_000_000)


def test_growth_is_shown_side_by_side(peers):
    def run(method: str, rows: int, seconds: float) -> dict[str, Any]:
        fit = {"rows": rows, "seconds": seconds, "memory": 2**30, "stages": {}}
        return {"data": "curved-clusters", "rows": rows, "method": method, "fits": [fit]}

    records = [run("latentmap", 1000, 2.0), run("latentmap", 10_000, 30.0), run("pacmap", 1000, 4.0)]
    lines = peers("page")._scaling(SimpleNamespace(all=records))
    assert "| 1 000 | 2.0 | 4.0 | 0.50 |" in lines
    assert "| 10 000 | 30.0 |  |  |" in lines
    assert "### curved-clusters: 100 Gaussian clusters on a curved manifold of 5 dimensions in 50" in lines


def test_the_exponent_of_a_power_is_its_exponent(peers):
    rows = np.array([1e4, 1e5, 1e6])
    assert peers("figures").exponent(rows, 3e-6 * rows**1.17) == pytest.approx(1.17)


def test_a_stopped_em_knows_its_pairs_and_its_last_steps(peers, small):
    with Workers(1) as workers:
        stopped = peers("kernels").stopped_em(small.X[:80], 0, 2.0, workers)
    assert stopped.n_pairs == 80 * 79
    assert [state.iteration for state in stopped.states] == [28, 29, 30]


def test_a_stopped_ascent_goes_on_uphill(peers, small):
    with Workers(1) as workers:
        likelihood, state = peers("kernels").stopped_ascent(small.X, workers)
        gradient, _ = likelihood.slopes(state.embedding, state.variances, likelihood.repulsion, 0)
        # Far shorter, single precision would not tell the two apart.
        short = 0.03 * likelihood.similar.unit / np.abs(gradient).max()
        before, after = (
            likelihood.log_likelihood(state.embedding + step * gradient, state.variances) for step in (0, short)
        )
    assert state.iteration == 30
    assert after > before


def test_peaks_are_measured_on_work_that_is_done(peers):
    peaks = peers("peaks")
    # A factor of 1 and a term of 2^-10 add up to what a shortcut would miss.
    table = np.zeros((1, peaks._NUMBERS))
    peaks._multiply_add(0, 1, table, 1.0, 2.0**-10)
    np.testing.assert_array_equal(table, peaks._ROUNDS * peaks._OPERATIONS * 2.0**-10)
    table += 3
    before = table.copy()
    peaks._divide(0, 1, table, 1.0, 2.0)
    np.testing.assert_allclose(table, before)
