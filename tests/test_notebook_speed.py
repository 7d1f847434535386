"""The benchmark of the notebook measures what it says, and its page says what was measured and nothing else."""

import importlib
import json

import pytest

pytest.importorskip("anywidget", reason="the notebook's libraries are not installed")
pytest.importorskip("playwright", reason="playwright is not installed")


@pytest.fixture
def front(pytestconfig, monkeypatch):
    """A function that imports a module of benchmarks.notebook_front, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.notebook_front.{name}")


@pytest.fixture
def chromium(pytestconfig, monkeypatch):
    monkeypatch.syspath_prepend(pytestconfig.rootpath / "tests" / "jupyter")
    if importlib.import_module("chromium").find_chromium() is None:
        pytest.skip("no Chromium or Chrome here; LATENTMAP_CHROMIUM may name one")


def test_the_documented_page_is_that_of_the_documented_numbers(front, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    assert (docs / "notebook-speed.md").read_text() == front("page").page(docs)


def test_the_page_says_nothing_of_what_was_not_measured(front, tmp_path):
    page = front("page").page(tmp_path)
    assert "Nothing was measured yet" in page
    assert "##" not in page


def test_a_miss_is_said(front):
    page = front("page")
    assert page._kept([0.01, 0.04], page.REPLIED) == ["100, 50", "aim"]
    assert page._kept([0.01, 0.06], page.REPLIED) == ["100, 50", "bar"]
    assert page._kept([0.01, 0.16], page.REPLIED) == ["100, 50", "**no**"]


def test_a_busy_machine_is_said(front):
    provisional = front("page")._provisional
    assert provisional([{"load_before": 0.4}, {"load_before": 1.9}], cores=2) == []
    assert "load was up to 7 before" in provisional([{"load_before": 0.4}, {"load_before": 7.1}], cores=2)[0]


def test_a_reply_belongs_to_the_stage_in_which_it_came(front):
    reply, by_stage = front("replies").Reply, front("runs")._by_stage
    replies = [reply(at, seconds) for at, seconds in [(0.5, 0.1), (1.5, 0.2), (2.5, 1.4), (2.6, 0.3)]]
    stages = [(1.0, "neighbours"), (2.0, "graph"), (3.0, "start")]
    assert by_stage(replies, stages) == {"neighbours": [0.2], "graph": [1.4, 0.3]}


@pytest.mark.slow
def test_a_run_leaves_numbers_and_a_page_made_of_them(front, chromium, tmp_path):
    few = ["--quick", "--cells", "600", "--repeats", "1", "--only", "runs,labels,5000", "steps,labels,100000"]
    front("__main__").main(["run", *few, "--out", str(tmp_path)])
    found = json.loads((tmp_path / "benchmarks" / "notebook.json").read_text())
    page = (tmp_path / "notebook-speed.md").read_text()
    (loop,) = found["steps"]["labels, 600"]["loops"]["on the map"]
    assert 40 < loop["cells"] < 80
    assert 0 < loop["python"] < loop["image"]
    done = found["steps"]["labels, 600"]["done"]
    assert len(done) == 6
    assert all(seconds > 0 and f"| {name} |" in page for name, (seconds,) in done.items())
    (run,) = found["runs"]["labels, 600"]["runs"]
    assert {"pressing Embed", "embedding", "the finished map"} <= set(run["watched"]["gaps"]["stages"])
    assert all(seconds > 0 for stage in run["watched"]["replies"].values() for seconds in stage)
    assert found["runs"]["labels, 600"]["slides"][0]["started"] > 1
    assert "| all |" in page
    assert "600 cells in a labels image" in page
