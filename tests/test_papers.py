"""The papers' experiments run, and say what they measured and nothing else."""

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from reference.lllvm import Programs

from latentmap.methods.lllvm.likelihood import EPSILON
from latentmap.methods.lllvm.neighborhood import Neighborhood
from latentmap.model.vectors import Vectors

pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")

DIGITS = ("mnist", "mnist-levels", "mnist-7k", "grid", "tied", "dimensions", "pairs", "updates")
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
    "choosing": {
        "cytof": "cytof_levine6000",
        "cell-lines": "sc_cell_lines_pca20",
        "species-mix": "sc_macosko_speciesmix",
        "pbmc": "sc_pbmc_ifnb2000",
        "pbmc-groups": "sc_pbmc_ifnb2000",
        "usps": "usps9298",
        "mnist": "mnist70k",
    },
    "placing": {
        "species-mix": "sc_macosko_speciesmix",
        "pbmc": "sc_pbmc_ifnb2000",
        "pbmc-groups": "sc_pbmc_ifnb2000",
        "pancreas": "micro_imc_pancreas_5ch",
        "cell-lines": "sc_cell_lines_pca20",
        "cytof": "cytof_levine6000",
        "usps": "usps9298",
        "digits": None,
        "mnist": "mnist70k",
    },
    "large": dict.fromkeys(("slide", "on-paper", "outline", "placed")),
    "probdr": dict.fromkeys(("maps", "large", "landmarks", "derivation", "balance", "estimates"), "mnist70k"),
}
Load = Callable[[str], Mapping[str, np.ndarray]]


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


def test_an_experiment_made_with_other_settings_is_said_to_be_old(benchmark, tmp_path):
    described, report = benchmark("paper.__main__").PAPER, benchmark("report")
    (words,) = (one for one in described.experiments if one.name == "words")
    for settings in (described.settings, "others"):
        quick = report.Run(60, 3, described.name, tmp_path / "images", quick=True)
        experiment = replace(words, measure=lambda run: {}, claims=lambda numbers: [], table=lambda numbers: [])
        report.perform(experiment, quick, tmp_path / described.name, settings)
        page = report.page(replace(described, experiments=[experiment]), tmp_path)
        assert ("to be measured again" in page) == (settings == "others")


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


def test_the_roll_of_the_locally_linear_model_has_the_sizes_of_its_programs(benchmark):
    X, plane, t = benchmark("manifolds").short_roll(2000)
    np.testing.assert_allclose(np.ptp(plane, axis=0), [21.8, 10], atol=0.1)
    assert np.ptp(t) == pytest.approx(2 * np.pi * 1.25, rel=1e-2)
    # Steps along the roll are as long in space as on its plane.
    near = np.argsort(np.linalg.norm(plane - plane[0], axis=1))[1:6]
    away = [np.linalg.norm(points[near] - points[0], axis=1) for points in (X, plane)]
    np.testing.assert_allclose(*away, rtol=1e-2)


def test_the_steps_of_the_locally_linear_models_authors_are_those_of_the_dense_reference(benchmark):
    n, columns, beta = 8, 3, 1.7
    Y = np.random.default_rng(1).normal(size=(n, columns))
    Y -= Y.mean(axis=0)
    graph = Neighborhood.nearest(Vectors(Y), 3)
    places, _ = benchmark("llvm.starts").authors_steps(Y, graph, beta, 0, 3)
    reference = Programs(Y, graph.adjacency.toarray(), 2, EPSILON)
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((n, 2, columns))
    alpha, gamma = rng.uniform(size=2)
    mu_c, sigma_c, gamma = drawn.reshape(2 * n, columns).T / np.sqrt(beta), np.eye(2 * n) / beta, gamma * beta
    for _ in range(3):
        mu_x, sigma_x = reference.q_x(mu_c, sigma_c, alpha, gamma)
        form, H = reference.gamma_and_h(mu_x, sigma_x, gamma)
        mu_c, sigma_c, _ = reference.q_c(mu_x, sigma_x, beta, gamma)
        quadratic = np.trace(form @ (columns * sigma_c + mu_c.T @ mu_c)) / gamma
        gamma = columns * (n - 1) / (2 * np.trace(Y.T @ reference.L @ Y) - 2 * np.sum(mu_c * H) + quadratic)
        alpha = 1e-3
    np.testing.assert_allclose(places.ravel(), mu_x, rtol=1e-6, atol=1e-9)
