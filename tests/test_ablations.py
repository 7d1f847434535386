"""The ablations measure what they say, and their page says what was measured and nothing else."""

import importlib
import json
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits

from latentmap import LVM, PAPER

pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")


@pytest.fixture
def ascent(pytestconfig, monkeypatch):
    """A function that imports a module of benchmarks.ascent, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.ascent.{name}")


def test_the_steps_lead_from_the_paper_to_the_default(ascent):
    first, *_, last = ascent("settings").steps().values()
    assert first.items() >= PAPER.items()
    assert LVM(**last).get_params() == LVM().get_params()


def test_each_step_changes_something(ascent):
    made = [LVM(**settings).get_params() for settings in ascent("settings").steps().values()]
    assert all(one != next_ for one, next_ in pairwise(made))


def test_each_variation_differs_from_the_default_in_one_parameter(ascent):
    settings = ascent("settings")
    default, variations = LVM().get_params(), settings.variations()
    for changes in variations.values():
        ((name, value),) = changes.items()
        assert default[name] != value
    # A value that has become the default is none to vary.
    assert len(variations) == sum(len(values) for values in settings._VALUES.values())


@pytest.mark.slow
def test_maps_of_another_default_are_left_out(ascent, tmp_path):
    settings = ascent("settings")
    record = {"data": "pbmc", "rows": 100, "seed": 0, "seconds": 1.25, "settings": "", "quality": {"recall": 0.321}}
    path = tmp_path / "benchmarks" / "ablations.json"
    path.parent.mkdir()
    for parameters, is_shown in ((None, False), ("k=22", False), (settings.parameters({}), True)):
        known = record | ({} if parameters is None else {"parameters": parameters})
        path.write_text(json.dumps({"machine": {"processor": "one", "cores": 2}, "records": [known]}))
        assert ("0.321" in ascent("page").page(tmp_path)) == is_shown


def test_means_over_tables_are_of_those_that_tell_a_measure(ascent):
    found = ascent("page")._over_tables(
        [
            {"a": [{"recall": 0.1}, {"recall": 0.2}], "b": [{"recall": 0.5}]},
            {"a": [{"recall": 0.35, "groups": 3.0}]},
        ]
    )
    assert found == {"a": [{"recall": pytest.approx(0.25), "groups": 3.0}]}


@pytest.mark.slow
def test_a_run_leaves_numbers_and_a_page_made_of_them(ascent, tmp_path, monkeypatch):
    main, settings = ascent("__main__"), ascent("settings")
    monkeypatch.setattr(settings, "_VALUES", {"repulsion": [1.0]})
    monkeypatch.setattr(settings, "_STEPS", settings._STEPS[:2])
    order = [
        "run",
        "--data",
        "digits",
        "cube",
        "--rows",
        "300",
        "--seeds",
        "2",
        "--iterations",
        "30",
        "--out",
        str(tmp_path),
    ]
    (tmp_path / "images").mkdir()
    main.main(order)
    records = json.loads((tmp_path / "benchmarks" / "ablations.json").read_text())["records"]
    assert len(records) == 2 * 4 * 2
    page = (tmp_path / "ablations.md").read_text()
    for_one = [r["quality"]["recall"] for r in records if (r["data"], r["settings"]) == ("digits", "repulsion=1.0")]
    assert f"{np.mean(for_one):.3f} ± {np.std(for_one, ddof=1):.3f}" in page
    assert all(f"### {name}" in page for name in ("digits", "cube", "Means over the tables"))
    found = json.loads((tmp_path / "benchmarks" / "curves.json").read_text())["curves"]
    for by_solver in found.values():
        starts = [curve["log_likelihood"][0] for curve in by_solver.values()]
        assert len(by_solver) == 4
        assert all(curve["log_likelihood"][-1] > min(starts) for curve in by_solver.values())
        assert (np.diff(by_solver["EM, momentum 0"]["log_likelihood"]) >= 0).all()
    before = (tmp_path / "benchmarks" / "ablations.json").read_text()
    main.main(order)
    assert (tmp_path / "benchmarks" / "ablations.json").read_text() == before


def test_the_documented_page_is_that_of_documented_numbers(ascent, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    assert (docs / "ablations.md").read_text() == ascent("page").page(docs)


@pytest.mark.slow
def test_a_short_run_keeps_the_layout_better_than_a_whole_one(ascent):
    X = load_digits().data[:500].astype(np.float32)
    lines = ascent("going_on").lines(X)
    assert [len(line) for line in lines] == [3] * len(lines)
    assert lines[0][0] == "none"
    kept = np.array([[float(told.split(", ")[2]) for told in line[1:]] for line in lines])
    assert kept[:, 1].min() > 0.9
    assert (kept[:, 1] >= kept[:, 0]).all()
