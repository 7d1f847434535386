"""How well batches are mixed among the cells of a map, whether it was made here or comes from a file."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from latentmap.session import Parameters, iter_run
from latentmap.session.batch_mixing import batch_mixing, prepared_values
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
    steps = iter_run(CellTable.read(rows, layer="cells"), parameters)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def clumps():
    return np.repeat([0, 1], N // 2)


def test_a_map_from_a_file_is_measured_against_the_same_numbers(result):
    from_file = replace(result, estimator=None)
    parameters = Parameters(**result.parameters)
    expected = prepare(result.cells, FEATURES, parameters.preparation).values
    np.testing.assert_allclose(prepared_values(from_file), expected)
    np.testing.assert_allclose(prepared_values(result), expected)
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
