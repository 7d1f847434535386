"""The largest part of the cells alone, as the paper maps it."""

import numpy as np
import pandas as pd
import pytest
from test_run import drive

from latentmap import LVM
from latentmap.display.map_sentences import describe_map
from latentmap.session import Parameters, iter_run
from latentmap.table import CellTable

NAMES = ("area", "DNA", "actin")


@pytest.fixture
def rows():
    """60 cells in one clump, 20 in another, 12 in a third."""
    at = np.repeat([0.0, 500.0, 1000.0], [60, 20, 12])
    features = np.random.default_rng(0).normal(size=(92, 3)) + at[:, None]
    return pd.DataFrame(features, columns=NAMES).assign(label=np.arange(1, 93)).sample(frac=1, random_state=0)


@pytest.fixture
def parameters():
    return Parameters(features=NAMES, n_neighbors=6, max_iter=20, connect="largest", scaling="none")


def test_the_largest_part_alone_is_mapped_and_the_others_are_counted(rows, parameters):
    cells = CellTable.read(rows, layer="nuclei")
    seen, result = drive(iter_run(cells, parameters))
    labels = result.cells.features.index.get_level_values("label")
    assert sorted(labels) == list(range(1, 61))
    assert all(len(step.state.embedding) == len(step.cells.features) for step in seen if step.state is not None)
    assert np.isfinite(result.embedding).all()
    (note,) = [note for note in result.cells.notes if "parts" in note]
    assert note.startswith("32 of 92 cells left out: the graph of neighbours falls into 3 separate parts")
    assert note in describe_map(result)
    # As LVM has it of the cells of the largest part.
    own = rows[rows["label"] <= 60][list(NAMES)].to_numpy()
    lvm = LVM(**Parameters(**result.parameters).model).fit(own)
    np.testing.assert_array_equal(result.embedding, lvm.embedding_)


def test_it_is_the_part_that_the_model_keeps(rows, parameters):
    with pytest.warns(match="falls into 3 parts"):
        lvm = LVM(**parameters.model).fit(rows[list(NAMES)].to_numpy())
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    kept = rows["label"].to_numpy()[np.isfinite(lvm.variances_)]
    assert result.cells.features.index.get_level_values("label").tolist() == kept.tolist()


def test_who_has_gaps_is_told_of_once(rows, parameters):
    rows.loc[rows["label"] == 3, "DNA"] = np.nan
    rows["same"] = 1.0
    parameters.features, parameters.scaling = (*NAMES, "same"), "standard"
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    assert len(result.embedding) == 59
    assert len(result.cells.notes) == len(set(result.cells.notes))
    assert sum("no number in DNA" in note for note in result.cells.notes) == 1
    assert sum("The same for every cell" in note for note in result.cells.notes) == 1


def test_cells_that_hang_together_are_all_mapped(rows, parameters):
    one = rows[rows["label"] <= 60]
    _, result = drive(iter_run(CellTable.read(one, layer="nuclei"), parameters))
    assert len(result.embedding) == 60
    assert result.cells.notes == ()


@pytest.mark.parametrize("preset", ["clusters", "paper"])
def test_tied_variances_tell_nobody_from_another(rows, preset):
    parameters = Parameters(features=NAMES)
    parameters.take(preset)
    parameters.tied_variances, parameters.max_iter = True, 10
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    assert len(np.unique(result.variances)) == 1
    assert result.has_variances
    assert not result.has_distinct_variances
    assert "All cells have the same variance: colour the points by something else." in describe_map(result)
