"""The page on coverage says what was measured, and each module below the limit has a reason."""

import importlib
import json

import pytest

REPORT = {
    "files": {
        "src/latentmap/model/lvm.py": {
            "summary": {"num_statements": 40, "missing_lines": 5},
            "missing_lines": [3, 4, 5, 9, 11],
        },
        "src/latentmap/model/graph.py": {"summary": {"num_statements": 10, "missing_lines": 1}, "missing_lines": [7]},
        "src/latentmap/model/__init__.py": {"summary": {"num_statements": 0, "missing_lines": 0}, "missing_lines": []},
        "src/latentmap/memory.py": {"summary": {"num_statements": 50, "missing_lines": 0}, "missing_lines": []},
    }
}


@pytest.fixture
def module(pytestconfig, monkeypatch):
    """A function that imports a module of benchmarks.coverage, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.coverage.{name}")


@pytest.fixture
def record(module):
    return module("measured").condensed(REPORT, "all")


def test_a_reason_is_missed_and_one_too_many_is_found(module, record):
    found = module("measured").modules(record)
    amiss = module("reasons").amiss
    assert amiss(found, {}) == ["model/lvm.py needs a reason"]
    assert amiss(found, {"model/lvm.py": "hard to reach"}) == []
    # 90 % is enough, and a module that is gone needs no reason either.
    reasons = {"model/lvm.py": "hard to reach", "model/graph.py": "it was", "model/gone.py": "it was"}
    assert amiss(found, reasons) == [
        "model/gone.py needs no reason any more",
        "model/graph.py needs no reason any more",
    ]


def test_the_page_sums_by_room_and_names_lines_and_reasons(module, record):
    text = module("page").page(record, {"model/lvm.py": "hard to reach"})
    assert "| `model` | 2 | 50 | 6 | 88.0 % |" in text
    assert "| **all** | 3 | 100 | 6 | 94.0 % |" in text
    assert "| `model/lvm.py` | 40 | 87.5 % | 3-5, 9, 11 | hard to reach |" in text
    assert "| outside the rooms | 1 | 50 | 0 | 100.0 % |" in text
    assert "| `memory.py` | 50 | 100.0 % | none |" in text
    assert "__init__" not in text
    assert "no reason given" in module("page").page(record, {})


def test_what_is_just_below_the_limit_is_not_rounded_up_to_it(module, record):
    report = {"files": {"src/latentmap/a.py": {"summary": {"num_statements": 10_000, "missing_lines": 1001}}}}
    report["files"]["src/latentmap/a.py"]["missing_lines"] = [1]
    record = module("measured").condensed(report, "all")
    assert "| `a.py` | 10 000 | 89.9 % | 1 | **no reason given** |" in module("page").page(record, {})


@pytest.fixture
def stored(pytestconfig):
    return json.loads((pytestconfig.rootpath / "docs" / "coverage" / "lines.json").read_text(encoding="utf-8"))


def test_each_module_below_the_limit_has_a_reason_and_no_other_has(module, stored):
    assert module("reasons").amiss(module("measured").modules(stored)) == []


def test_the_page_tells_what_was_measured(pytestconfig, module, stored):
    text = (pytestconfig.rootpath / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert text == module("page").page(stored)


def test_a_module_said_to_be_compiled_is(pytestconfig, module):
    package = pytestconfig.rootpath / "src" / "latentmap"
    for path, reason in module("reasons").REASONS.items():
        if reason.startswith("compiled"):
            assert "@compiled" in (package / path).read_text(encoding="utf-8"), path
