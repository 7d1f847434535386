"""The ablations measure what they say, and their page says what was measured and nothing else."""

import importlib
import json

import numpy as np
import pytest

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
    default = LVM().get_params()
    of_em_alone = {"tol"}
    assert all(value == default[name] for name, value in last.items() if name not in of_em_alone)


def test_each_variation_differs_from_the_default_in_one_parameter(ascent):
    default = LVM().get_params()
    for settings in ascent("settings").variations().values():
        ((name, value),) = settings.items()
        assert default[name] != value


@pytest.mark.slow
def test_a_run_leaves_numbers_and_a_page_made_of_them(ascent, tmp_path, monkeypatch):
    main, settings = ascent("__main__"), ascent("settings")
    monkeypatch.setattr(settings, "_VALUES", {"repulsion": [1.0]})
    monkeypatch.setattr(settings, "_STEPS", settings._STEPS[:2])
    order = ["run", "--data", "digits", "--rows", "300", "--seeds", "2", "--iterations", "30", "--out", str(tmp_path)]
    (tmp_path / "images").mkdir()
    main.main(order)
    records = json.loads((tmp_path / "benchmarks" / "ablations.json").read_text())["records"]
    assert len(records) == 2 * 4
    page = (tmp_path / "ablations.md").read_text()
    for_one = [r["quality"]["recall"] for r in records if r["settings"] == "repulsion=1.0"]
    assert f"{np.mean(for_one):.3f} ± {np.std(for_one, ddof=1):.3f}" in page
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
