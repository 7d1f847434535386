"""The papers' experiments run, and say what they measured and nothing else."""

import importlib
import json
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")

DIGITS = ("mnist", "mnist-levels", "mnist-7k", "grid", "tied", "dimensions")
NEEDED = {
    "paper": dict.fromkeys(DIGITS, "mnist70k") | {"words": "word2vec_google1000", "swiss-roll": None},
    "side_by_side": {
        "roll": None,
        "digits": "usps9298",
        "blood": "sc_pbmc_ifnb2000",
        "marrow": "cytof_levine6000",
        "nuclei": "micro_bbbc007_2d",
        "limits": None,
    },
    "lecture": {"cities": "us_cities10", "roll": None, "landmarks": "mnist70k", "mapping": "mnist70k"},
    "elastic": {"pair": None, "spiral": None, "roll": None, "coil": "coil20_32", "splittings": "coil20_32"},
    "compare": {
        "cities": "us_cities10",
        "digits": "usps9298",
        "siamese": "usps9298",
        "crops": "micro_imc_pancreas_5ch",
    },
    "llvm": {"simulated": None, "shortcut": None, "digits": "usps9298", "rain": "ushcn_prcp_2005_2014"},
    "probdr": dict.fromkeys(("maps", "large", "derivation", "balance", "estimates"), "mnist70k"),
}
Load = Callable[[str], dict[str, np.ndarray]]


@pytest.fixture
def benchmark(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """A function that imports a module of benchmarks, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.{name}")


@pytest.mark.parametrize("paper", NEEDED)
def test_every_experiment_is_tried_here(paper, benchmark):
    assert {experiment.name for experiment in benchmark(f"{paper}.__main__").PAPER.experiments} == set(NEEDED[paper])


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "name"), [(paper, name) for paper, names in NEEDED.items() for name in names])
def test_an_experiment_leaves_figures_numbers_and_its_part_of_the_page(paper, name, benchmark, load_data, tmp_path):
    if NEEDED[paper][name]:
        load_data(NEEDED[paper][name])
    described = benchmark(f"{paper}.__main__").PAPER
    benchmark("report").main(described, [name, "--quick", "--folder", str(tmp_path)])
    (experiment,) = (one for one in described.experiments if one.name == name)
    record = json.loads((tmp_path / paper / f"{name}.json").read_text())
    assert (record["experiment"], record["n"]) == (name, experiment.quick_n)
    drawn = {path.name for path in (tmp_path / "images").iterdir()}
    assert drawn == {f"{paper}-{image}.png" for image in experiment.images}
    page = (tmp_path / f"{paper}.md").read_text()
    for claim in experiment.claims(record["numbers"]):
        assert claim.ours in page
    others = [one.name for one in described.experiments if one.name != name]
    assert page.rstrip().endswith(", ".join(f"`{other}`" for other in others))


@pytest.mark.parametrize("paper", NEEDED)
def test_the_page_says_nothing_of_what_was_not_measured(paper, benchmark, tmp_path):
    benchmark("report").main(benchmark(f"{paper}.__main__").PAPER, ["page", "--folder", str(tmp_path)])
    page = (tmp_path / f"{paper}.md").read_text()
    assert "agrees" not in page
    assert "images/" not in page
    assert all(f"`{name}`" in page for name in NEEDED[paper])


@pytest.mark.parametrize("paper", NEEDED)
def test_documented_figures_are_those_of_documented_numbers(paper, benchmark, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    measured = {path.stem for path in (docs / paper).glob("*.json")}
    described = benchmark(f"{paper}.__main__").PAPER
    wanted = {f"{paper}-{image}.png" for one in described.experiments if one.name in measured for image in one.images}
    assert {path.name for path in (docs / "images").glob(f"{paper}-*.png")} == wanted
    assert (docs / f"{paper}.md").read_text() == benchmark("report").page(described, docs)
