"""Scaling within images and plates, against each group by itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from latentmap.table import CellTable, Preparation, prepare, preview
from latentmap.table.preparing import fit_preparation
from latentmap.table.within_groups import group_columns, groups_of

NAMES = ["DNA", "area"]


def table(layers, seed=0, **columns):
    """Cells of these layers, whose DNA is brighter by a factor from layer to layer."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame({"layer": layers, "label": np.arange(1, len(layers) + 1), **columns})
    rows["DNA"] = rng.gamma(3, 50, len(rows)) * 4.0 ** pd.factorize(rows["layer"])[0]
    rows["area"] = rng.normal(100, 10, len(rows))
    return CellTable.read(rows, layer="a")


@pytest.fixture
def cells():
    return table(np.repeat(["a", "b", "c"], 40), plate=np.tile(["one", "two"], 60), well=np.repeat([1, 2], 60))


def standardised(rows):
    return (rows - rows.mean()) / rows.std(ddof=0)


def test_each_group_has_mean_0_and_variance_1(cells):
    for by, groups in [("layer", cells.features.index.get_level_values("layer")), ("plate", cells.features["plate"])]:
        ready = prepare(cells, NAMES, Preparation(scale_within=by))
        expected = cells.features[NAMES].groupby(np.asarray(groups)).transform(lambda column: standardised(column))
        np.testing.assert_allclose(ready.values, expected, atol=1e-12)
        assert f"Features are scaled within each {by}, of which there are {len(set(groups))}." in ready.cells.notes
    assert "standardised within each plate" in preview(cells, NAMES, Preparation(scale_within="plate")).sentence


def test_transforms_come_before_and_components_after(cells):
    how = Preparation(transform="log1p", scaling="robust", n_pca=1, scale_within="layer")
    logs = np.log1p(cells.features[NAMES])
    by_layer = logs.groupby(level="layer")
    scaled = (logs - by_layer.transform("median")) / (
        by_layer.transform(lambda x: x.quantile(0.75)) - by_layer.transform(lambda x: x.quantile(0.25))
    )
    np.testing.assert_allclose(
        prepare(cells, NAMES, how).values, PCA(1, random_state=0).fit_transform(scaled.to_numpy()), atol=1e-9
    )


def test_new_cells_go_by_their_own_group_or_among_themselves(cells):
    _, pipeline = fit_preparation(cells, NAMES, Preparation(scale_within="layer"))
    known = table(["b", "a", "b", "new", "new", "new"], seed=1).features
    scaled = pd.DataFrame(pipeline.transform(known), known.index, NAMES)
    first = cells.features[NAMES].groupby(level="layer")
    for layer in ("a", "b"):
        rows = known[NAMES].xs(layer, level="layer", drop_level=False)
        expected = (rows - first.mean().loc[layer]) / first.std(ddof=0).loc[layer]
        np.testing.assert_allclose(scaled.loc[rows.index], expected)
    np.testing.assert_allclose(scaled.loc["new"], standardised(known[NAMES].loc["new"]), atol=1e-12)


def test_frames_of_two_layers_are_not_mixed():
    rows = pd.DataFrame({"layer": np.repeat(["a", "b"], 20), "frame": np.tile([0, 1], 20), "label": np.arange(40)})
    rows["label"] += 1
    rows["DNA"] = np.random.default_rng(0).normal(size=40) + 10 * (rows["layer"] == "b") + 3 * rows["frame"]
    values = prepare(CellTable.read(rows, layer="a"), ["DNA"], Preparation(scale_within="frame")).values
    for _, own in rows.groupby(["layer", "frame"]).groups.items():
        assert values[own].mean() == pytest.approx(0, abs=1e-12)


def test_cells_without_a_group_and_cells_alone_are_told(cells):
    plates = cells.features["plate"].copy()
    plates.iloc[:3], plates.iloc[5] = None, "three"
    found = CellTable(cells.features.assign(plate=plates))
    ready = prepare(found, NAMES, Preparation(scale_within="plate"))
    assert len(ready.values) == len(cells.features)
    assert ready.values[5].tolist() == [0, 0]
    assert any("3 cells without a plate" in note for note in ready.cells.notes)
    assert any("alone in a plate" in note for note in ready.cells.notes)


def test_without_scaling_there_are_no_groups(cells):
    ready = prepare(cells, NAMES, Preparation(scaling="none", scale_within="plate"))
    assert (ready.values == cells.features[NAMES].to_numpy()).all()
    assert not ready.cells.notes


def test_what_cannot_be_is_said(cells):
    with pytest.raises(ValueError, match=r'does not say which "batch" a cell belongs to: add that column'):
        prepare(cells, NAMES, Preparation(scale_within="batch"))
    with pytest.raises(ValueError, match=r'Every cell of the same well has the same value of "dose"'):
        prepare(
            CellTable(cells.features.assign(dose=cells.features["well"] * 2.5)),
            ["dose"],
            Preparation(scale_within="well"),
        )
    _, pipeline = fit_preparation(cells, NAMES, Preparation(scale_within="plate"))
    with pytest.raises(ValueError, match='scaled within each "plate"'):
        pipeline.transform(cells.features[NAMES])


def test_what_is_offered(cells):
    features = cells.features.assign(kind=pd.Categorical(["T"] * 119 + ["B"]), barcode=[f"x{i}" for i in range(120)])
    features["outline"] = pd.Series([[1, 2]] * 120, features.index)
    assert group_columns(features) == ["layer", "plate", "well", "kind"]
    assert group_columns(table(["a", "a"]).features) == []


@pytest.mark.parametrize("numbers", [[1, 2, 2], [1.0, 2.0, 2.0], [1, 2, None]])
def test_a_plate_has_the_same_name_whether_or_not_a_row_lacks_its_number(numbers):
    assert groups_of(pd.DataFrame({"plate": numbers}), "plate").tolist()[:2] == ["1", "2"]
    assert groups_of(pd.DataFrame({"plate": [1e20, 1.5e20]}), "plate").tolist() == ["1e+20", "1.5e+20"]


@pytest.mark.parametrize("kind", [object, "category"])
def test_a_plate_has_one_name_however_its_number_is_kept(kind):
    """Tables that were put together have 1 and 1.0 in one column of objects; they were two plates."""
    mixed = pd.Series([1, 1.0, np.float32(1), 2.5, None, "A"], dtype=object)
    plates = mixed if kind is object else pd.Series([1.0, 1.0, 1.0, 2.5, None, 3.0], dtype="category")
    found = groups_of(pd.DataFrame({"plate": plates}), "plate").tolist()
    assert found == ["1", "1", "1", "2.5", "", "A" if kind is object else "3"]


def test_a_day_is_a_group_under_its_date():
    """Maps that were saved before have it so, and a table of text."""
    days = pd.to_datetime(pd.Series(["2024-03-01", None, "2024-03-02"]))
    assert groups_of(pd.DataFrame({"day": days}), "day").tolist() == ["2024-03-01", "", "2024-03-02"]
