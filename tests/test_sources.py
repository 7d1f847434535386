"""The page about the five sources misses no experiment, no figure and no claim."""

import importlib
from collections.abc import Callable
from types import ModuleType

import pytest

pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")


@pytest.fixture
def sources(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """A function that imports a module of benchmarks.sources, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.sources.{name}")


@pytest.fixture
def all_of_them(sources):
    return sources("shown").SOURCES


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("70 000 digits (Figs. 2, S1, S2, S3)", ["Fig. 2", "Fig. S1", "Fig. S2", "Fig. S3"]),
        ("Swiss roll (Figs. 1 right, 3, 4)", ["Fig. 1", "Fig. 3", "Fig. 4"]),
        ("Four models (Figs. 1 and 2)", ["Fig. 1", "Fig. 2"]),
        ("a bowl (Fig. 3 F)", ["Fig. 3"]),
        ("Levels (Figs. S6 to S8), others (Figs S9-S10)", ["Fig. S6", "Fig. S7", "Fig. S8", "Fig. S9", "Fig. S10"]),
        ("Words (Fig. 4, Tables 1 and S2)", ["Fig. 4", "Table 1", "Table S2"]),
        ("very little overlap (Fig. 2). Our bar: 6.8 %", ["Fig. 2"]),
        ("8 to 10 times (Fig. 4; 207 147 words)", ["Fig. 4"]),
        ("short-circuits (Fig. 7, k = 50)", ["Fig. 7"]),
        ("Nearest words before and after (Table 1), and again (Table 1)", ["Table 1"]),
        ("From (4) to (5), a figure of 3 tables 2 wide", []),
    ],
)
def test_references_are_read_from_words(sources, words, expected):
    assert sources("references").references(words) == expected


def test_the_page_is_made_of_the_documented_numbers(sources, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    assert (docs / "sources.md").read_text() == sources("__main__").page(docs)


def test_every_experiment_of_every_page_about_a_source_has_a_line(sources, all_of_them, pytestconfig):
    root = pytestconfig.rootpath
    page = (root / "docs" / "sources.md").read_text()
    for source in all_of_them:
        for name in source.papers:
            for experiment in importlib.import_module(f"benchmarks.{name}.__main__").PAPER.experiments:
                linked = f"]({name}.md#{experiment.name})"
                unmeasured = f"`python -m benchmarks.{name} {experiment.name}`"
                assert linked in page or unmeasured in page


def test_every_package_of_a_paper_belongs_to_a_source(all_of_them, pytestconfig):
    folders = (pytestconfig.rootpath / "benchmarks").glob("*/__main__.py")
    packages = {path.parent.name for path in folders if "PAPER = Paper(" in path.read_text()}
    # No source has all methods on the same tables, the choice of k by rows held out, places of new rows, tests of what
    # a map shows, or slides larger than the memory.
    assert packages - {"side_by_side", "choosing", "placing", "trust", "large"} == {
        name for source in all_of_them for name in source.papers
    }


def test_no_claim_is_lost_and_none_is_made_up(sources, all_of_them, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    for source in all_of_them:
        told = [
            (row.made.name, claim) for row in sources("rows").rows(source, docs) if row.made for claim in row.claims
        ]
        there = [(made.name, claim) for made in sources("rows").all_made(source, docs) for claim in made.claims]
        assert [one for one in told if one not in there] == []
        assert [one for one in there if one not in told] == []


def test_experiments_name_only_figures_that_the_source_has(sources, all_of_them, pytestconfig):
    read = sources("references").references
    for source in all_of_them:
        there = {shown.name for shown in source.shown}
        for made in sources("rows").all_made(source, pytestconfig.rootpath / "docs"):
            for words in (made.experiment.title, *(claim.paper for claim in made.claims)):
                assert set(read(words)) <= there, words


def test_what_is_not_made_has_a_cause_and_what_is_named_is_there(sources, all_of_them, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    for source in all_of_them:
        names = {made.name for made in sources("rows").all_made(source, docs)}
        assert {name for shown in source.shown for name in shown.experiments} <= names
        assert [row.what for row in sources("rows").rows(source, docs) if row.made is None and not row.why] == []


def test_a_claim_that_turns_is_told(sources):
    report, rows, shown = (
        importlib.import_module("benchmarks.report"), sources("rows"), sources("shown").Shown("Fig. 2", "A map")
    )  # fmt: skip
    experiment = report.Experiment("map", "A map (Figs. 2, 3)", 9, 9, dict, lambda numbers: [], {})
    paper = report.Paper("elastic", "", (experiment,), 1, 1)
    claims = [report.Claim(f"It is {word}", "", word != "red") for word in ("red", "round", "wide (Fig. 3)")]
    made = rows.Made(paper, experiment, {"n": 9, "seconds": 1.0, "numbers": {}}, claims)
    assert made.about(shown) == claims[:2]
    cells = sources("__main__")._cells(rows.Row("Fig. 2", "A map", made, made.about(shown)))
    assert cells[2:5] == ("[1 of 2](elastic.md#map)", "It is red", "`python -m benchmarks.elastic map --n 9`")


def test_without_records_every_experiment_is_said_to_be_unmeasured(sources, all_of_them, tmp_path):
    page = sources("__main__").page(tmp_path)
    assert "yes" not in page
    assert page.count("not measured yet") >= sum(
        len(importlib.import_module(f"benchmarks.{name}.__main__").PAPER.experiments)
        for source in all_of_them
        for name in source.papers
    )
