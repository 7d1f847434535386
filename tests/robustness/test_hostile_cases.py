"""Some hundred hostile cases, and the worst that were ever found; `benchmarks.robustness fuzz` runs more."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

from latentmap.table.files import damaged_hdf5

for library in ("pyarrow", "anndata", "openpyxl"):
    pytest.importorskip(library)

KINDS = ("array", "text", "written", "file", "session", "command", "workbook", "anndata", "image")
CORPUS = json.loads(Path(__file__).with_name("corpus.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def module(pytestconfig):
    """A function that imports a module of benchmarks.robustness, which is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pytestconfig.rootpath)
        yield lambda name: importlib.import_module(f"benchmarks.robustness.{name}")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_hostile_case_ends_in_a_fault(module, monkeypatch, kind):
    # HDF5 runs in circles in one of these files, and is given a minute.
    monkeypatch.setattr(damaged_hdf5, "_PATIENCE", 4.0)
    fuzzing = module("fuzzing")
    outcomes = set()
    for number in range(20 if kind in ("command", "image") else 50):
        rng = np.random.default_rng([99, number])
        case = {"kind": kind, "seed": number, **fuzzing.KINDS[kind].draw(rng)}
        found = fuzzing.performed(case)
        assert not fuzzing.is_fault(found), (case, found)
        outcomes.add(found.outcome)
    assert "refused" in outcomes or kind == "written"
    # Few of the drawn commands are understood.
    assert outcomes & {"done", "done, with words"} or kind == "command"


@pytest.mark.parametrize("case", CORPUS, ids=[one["about"] for one in CORPUS])
def test_what_was_once_a_fault_is_none_now(module, case):
    fuzzing = module("fuzzing")
    found = fuzzing.performed(case)
    assert found.outcome == case["ends"], found


def test_a_case_is_the_same_for_the_same_seed_and_number(module):
    drawn = module("fuzzing").drawn
    assert drawn(3, 5) == drawn(3, 5) != drawn(3, 6)
    assert json.loads(json.dumps(drawn(3, 5))) == drawn(3, 5)


def test_what_is_wrong_is_called_by_its_name(module):
    """A fault that the judge let through would be no fault."""
    outcomes = module("outcomes")

    def fail(error):
        def work():
            raise error

        return outcomes.judged(work).outcome

    assert fail(KeyError("area")) == "foreign exception"
    assert fail(ValueError("a sentence that another library says.")) == "foreign exception"
    assert fail(outcomes.Lost("two cells")) == "silent loss"
    assert outcomes.judged(lambda: []).outcome == "done"


def test_a_table_that_comes_back_changed_is_a_loss(module, monkeypatch, tmp_path):
    texts = module("texts")
    case = {"n": 5, "columns": [["area", "floats"]], "labels": "plain", "layers": ["nuclei"], "ending": ".csv"}
    assert texts.perform_written(case, np.random.default_rng(0), tmp_path) == []
    read = texts.read_table

    def rounded(path, *, layer):
        cells = read(path, layer=layer)
        cells.features["area"] = cells.features["area"].round(3)
        return cells

    monkeypatch.setattr(texts, "read_table", rounded)
    with pytest.raises(module("outcomes").Lost, match='column "area"'):
        texts.perform_written(case, np.random.default_rng(0), tmp_path)


def test_cells_that_are_swapped_in_silence_are_a_loss(module, monkeypatch):
    """A truth that followed what was read would let it through."""
    fuzzing = module("fuzzing")
    cases = {one["about"]: one for one in CORPUS}

    def swapped(read):
        def of_other_cells(*words, **settings):
            cells = read(*words, **settings)
            cells.features.iloc[:] = cells.features.iloc[::-1].to_numpy()
            return cells

        return of_other_cells

    monkeypatch.setattr(module("workbooks"), "read_table", swapped(module("workbooks").read_table))
    monkeypatch.setattr(module("annotated"), "from_anndata", swapped(module("annotated").from_anndata))
    pictures = module("pictures")
    read = pictures._read
    monkeypatch.setattr(pictures, "_read", lambda path: read(path).assign(label=read(path)["label"].to_numpy()[::-1]))
    for about in ("a row that is hidden", "sparse chunks", "labels as floats"):
        found = fuzzing.performed(cases[about])
        assert found.outcome == "silent loss", (about, found)


@pytest.mark.slow
def test_a_process_that_dies_is_told_and_replaced(module):
    fuzzing = module("fuzzing")
    whole, *_ = [case for number in range(50) if (case := fuzzing.drawn(0, number))["kind"] == "written"]
    # Without a number to draw from, the process ends before it can judge.
    found = fuzzing.in_processes([{"kind": "written", "seed": "none"}, whole], 1)
    assert found[0].outcome == "crash"
    assert not fuzzing.is_fault(found[1])


def test_the_page_counts_what_was_found(module, tmp_path):
    page = module("page").page
    counts = {"array": {"done": 7, "refused": 2}, "file": {"hang": 1}}
    record = {"seed": 4, "first": 0, "cases": 10, "seconds": 5, "versions": {"numpy": "2"}, "counts": counts}
    (tmp_path / "fuzz.json").write_text(json.dumps(record))
    formats = {"session": {"kills": 9, "midway": 4, "old": 6, "new": 3, "lost": 0}}
    (tmp_path / "kills.json").write_text(json.dumps({"seed": 0, "seconds": 1, "formats": formats}))
    text = page(tmp_path)
    assert "| **all** | 7 | 0 | 2 | 0 | 0 | 0 | 1 |" in text
    assert "10 cases from 0 on, seed 4, 5 s: 1 fault." in text
    assert "| session | 9 | 4 | 6 | 3 | 0 |" in text
