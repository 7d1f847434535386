"""How well batches are mixed among the cells of a map, whether it was made here or comes from a file."""

import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from latentmap.display.counts import mixing_sentence
from latentmap.generators import result_of
from latentmap.session import Parameters, iter_run
from latentmap.session.batch_mixing import batch_mixing
from latentmap.session.true_neighbors import measured_rows
from latentmap.table import CellTable, prepare

N = 80
FEATURES = ("area", "DNA", "actin")


@pytest.fixture(scope="module")
def result():
    """A map of two clumps of cells, of features that are scaled and turned into principal components."""
    values = np.random.default_rng(0).normal(size=(N, 3)) * [1, 50, 0.1]
    values += np.repeat([0, 1], N // 2)[:, None] * [30, 1500, 3]
    rows = pd.DataFrame(values, columns=FEATURES).assign(label=np.arange(1, N + 1))
    parameters = Parameters(method="classical-mds", features=FEATURES, n_pca=2, scaling="robust")
    return result_of(iter_run(CellTable.read(rows, layer="cells"), parameters))


@pytest.fixture
def corrected(monkeypatch):
    """A map of two plates that lie apart, and that Harmony, here a centring of each, has brought together."""

    def run_harmony(components, names, column, **_):
        groups = names[column].to_numpy()
        means = np.array([components[groups == group].mean(axis=0) for group in groups])
        return SimpleNamespace(Z_corr=components - means)

    module = ModuleType("harmonypy")
    module.__spec__, module.run_harmony = ModuleSpec("harmonypy", None), run_harmony
    monkeypatch.setitem(sys.modules, "harmonypy", module)
    values = np.random.default_rng(0).normal(size=(N, 3)) + np.repeat([0, 9], N // 2)[:, None]
    rows = pd.DataFrame(values, columns=FEATURES).assign(label=np.arange(1, N + 1), plate=np.repeat(["a", "b"], N // 2))
    parameters = Parameters(method="classical-mds", features=FEATURES, n_pca=2, harmony_by="plate")
    return result_of(iter_run(CellTable.read(rows, layer="cells"), parameters))


def test_a_map_corrected_by_harmony_is_measured_against_the_corrected_numbers(corrected):
    mixing = batch_mixing(corrected, clumps())
    assert mixing.in_features.ratio > 0.8
    assert mixing.on_map.ratio > 0.8
    rows, values = measured_rows(corrected)
    assert len(rows) == N
    # The map is a turn of them.
    np.testing.assert_allclose(pdist(values), pdist(corrected.embedding), atol=1e-8)


def clumps():
    return np.repeat([0, 1], N // 2)


def test_a_map_from_a_file_is_measured_against_the_same_numbers(result):
    from_file = replace(result, estimator=None)
    parameters = Parameters(**result.parameters)
    expected = prepare(result.cells, FEATURES, parameters.preparation).values
    np.testing.assert_allclose(measured_rows(from_file)[1], expected)
    np.testing.assert_allclose(measured_rows(result)[1], expected)
    assert batch_mixing(from_file, clumps()) == batch_mixing(result, clumps())


def test_batches_that_lie_apart_are_told_from_those_that_are_mixed(result):
    apart, mixed = batch_mixing(result, clumps()), batch_mixing(result, np.arange(N) % 2)
    assert apart.n_neighbors == mixed.n_neighbors == 15
    assert apart.on_map.ratio < 0.05 < 0.8 < mixed.on_map.ratio
    assert apart.in_features.ratio < 0.05 < 0.8 < mixed.in_features.ratio


def test_cells_without_a_batch_do_not_count(result):
    batches = np.where(np.arange(N) % 4 == 3, -1, np.arange(N) % 2)
    batches[5:75] = -1
    found = batch_mixing(result, batches)
    assert found.n_neighbors == (batches >= 0).sum() - 1
    # All of the few others are neighbours.
    assert found.on_map.ratio == pytest.approx(1)


@pytest.mark.parametrize("batches", [np.zeros(N, int), np.full(N, -1), np.where(np.arange(N) < 9, 3, -1)])
def test_one_batch_cannot_be_mixed(result, batches):
    with pytest.raises(ValueError, match=r"^All cells are of one kind: there is nothing to mix\.$"):
        batch_mixing(result, batches)


def test_a_method_without_a_metric_is_not_measured_by_that_of_another_method(result):
    cells = CellTable(result.cells.features)
    maps = [
        result_of(iter_run(cells, Parameters(method="lle", features=FEATURES, metric=metric)))
        for metric in ("euclidean", "cosine")
    ]
    np.testing.assert_array_equal(maps[0].embedding, maps[1].embedding)
    three = np.arange(N) % 3
    assert batch_mixing(maps[0], three) == batch_mixing(maps[1], three)


@pytest.mark.parametrize("n", [2000, 2001])
def test_it_is_said_if_cells_were_drawn(n):
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(n, 3)), columns=FEATURES).assign(label=1 + np.arange(n))
    parameters = Parameters(method="classical-mds", features=FEATURES)
    mixing = batch_mixing(result_of(iter_run(CellTable.read(rows, layer="cells"), parameters)), np.arange(n) % 2)
    assert mixing.n_drawn == (2000 if n > 2000 else None)
    assert mixing_sentence(mixing, "images").endswith("Measured on 2000 cells drawn at random.") == (n > 2000)
