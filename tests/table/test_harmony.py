"""Batch correction by Harmony: by harmonypy where it is installed, else by a small stand-in for it."""

import re
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from latentmap.quality import neighbor_mixing
from latentmap.table import CellTable
from latentmap.table.harmony import HOW_TO_INSTALL, NO_NEW_CELLS, corrected
from latentmap.table.preparing import Preparation, fit_preparation, prepare
from latentmap.table.preview import preview

NAMES = [f"f{number}" for number in range(20)]
BY_PLATE = Preparation(n_pca=10, harmony_by="plate")


def centred(components, names, column, **settings):
    """What stands in for Harmony: each batch is moved to the middle of all."""
    table = pd.DataFrame(components)
    return SimpleNamespace(Z_corr=(table - table.groupby(np.asarray(names[column])).transform("mean")).to_numpy())


def stand_in(monkeypatch, **functions):
    module = ModuleType("harmonypy")
    module.__spec__ = ModuleSpec("harmonypy", None)
    vars(module).update(functions)
    monkeypatch.setitem(sys.modules, "harmonypy", module)


@pytest.fixture
def harmony(monkeypatch):
    if find_spec("harmonypy") is None:
        stand_in(monkeypatch, run_harmony=centred)


@pytest.fixture
def no_harmony(monkeypatch):
    monkeypatch.setattr("latentmap.table.harmony.find_spec", lambda name: None)


@pytest.fixture(scope="module")
def cells():
    """Five kinds of cells on two plates, which differ by about as much as cells of a kind do in each feature."""
    rng = np.random.default_rng(0)
    kind, plate = rng.integers(0, 5, 400), np.arange(400) % 2
    values = rng.normal(size=(400, 20)) + 3 * rng.normal(size=(5, 20))[kind] + plate[:, None] * rng.normal(size=20)
    rows = pd.DataFrame(values, columns=NAMES).assign(label=np.arange(1, 401), plate=np.where(plate, "B", "A"))
    return CellTable.read(rows.assign(kind=kind), layer="cells")


def mixing(values, of):
    return neighbor_mixing(values, np.asarray(of)).ratio


def test_plates_are_mixed_and_kinds_are_not(harmony, cells):
    before = prepare(cells, NAMES, Preparation(n_pca=10)).values
    ready = prepare(cells, NAMES, BY_PLATE)
    plates, kinds = cells.features["plate"], cells.features["kind"]
    assert mixing(before, plates) < 0.4
    assert mixing(ready.values, plates) > 0.85
    assert mixing(ready.values, kinds) < 0.2
    assert ready.cells.notes[-1] == (
        "Harmony corrects for the plate, of which there are 2; new cells cannot be placed."
    )
    np.testing.assert_array_equal(prepare(cells, NAMES, BY_PLATE).values, ready.values)
    assert "corrected by Harmony for the plate" in preview(cells, NAMES, BY_PLATE).sentence


def test_new_cells_cannot_be_corrected(harmony, cells):
    _, pipeline = fit_preparation(cells, NAMES, BY_PLATE)
    with pytest.raises(ValueError, match="Harmony corrects all cells together"):
        pipeline.transform(cells.features)
    assert NO_NEW_CELLS.startswith("New cells cannot be placed on this map")


def test_it_goes_with_scaling_within_groups_and_filled_gaps(harmony, cells):
    gappy = cells.features.copy()
    gappy.iloc[3, 0] = np.nan
    how = Preparation(n_pca=2, harmony_by="plate", scale_within="plate", missing="median", transform="rank")
    assert prepare(CellTable(gappy), NAMES, how).values.shape == (400, 2)


def test_without_principal_components_nothing_is_corrected(no_harmony, cells):
    values = prepare(cells, NAMES, Preparation(harmony_by="plate")).values
    np.testing.assert_array_equal(values, prepare(cells, NAMES).values)


def test_cells_without_a_plate_are_a_batch_of_their_own(harmony, cells):
    rows = cells.features.copy()
    rows.iloc[:5, list(rows).index("plate")] = None
    ready = prepare(CellTable(rows), NAMES, BY_PLATE)
    assert ready.cells.notes[-1] == "5 cells without a plate count as a batch of their own."


def test_whoever_lacks_it_is_told_what_to_install(no_harmony, cells):
    with pytest.raises(ValueError, match="pip install harmonypy"):
        prepare(cells, NAMES, BY_PLATE)


def test_a_single_batch_and_an_unknown_column_are_refused(harmony, cells):
    with pytest.raises(ValueError, match="All cells are of the same layer"):
        prepare(cells, NAMES, Preparation(n_pca=3, harmony_by="layer"))
    with pytest.raises(ValueError, match="condition"):
        prepare(cells, NAMES, Preparation(n_pca=3, harmony_by="condition"))


def test_an_older_harmonypy_that_returns_a_row_for_each_component(monkeypatch):
    stand_in(monkeypatch, run_harmony=lambda *given, **more: SimpleNamespace(Z_corr=centred(*given).Z_corr.T))
    values = np.random.default_rng(0).normal(size=(30, 3))
    assert corrected(values, np.repeat(["a", "b"], 15).astype(object)).shape == (30, 3)


def test_a_broken_harmonypy_is_told_of(monkeypatch):
    stand_in(monkeypatch, run_harmony=lambda *given, **more: SimpleNamespace(Z_corr=np.full((30, 3), np.nan)))
    with pytest.raises(ValueError, match="reinstall harmonypy"):
        corrected(np.zeros((30, 3)), np.repeat(["a", "b"], 15).astype(object))


def test_fitting_alone_corrects_no_new_cells_and_shows_which_rows_are_left_out(harmony, cells):
    gappy = cells.features.copy()
    gappy.iloc[[3, 8], 0] = np.nan
    step = BY_PLATE.pipeline(NAMES, None)["features"]
    assert step.fit(cells.features) is step
    assert step.n_features_in_ == len(NAMES)
    with pytest.raises(ValueError, match="Harmony corrects all cells together"):
        step.transform(cells.features)
    alone = Preparation(n_pca=10).pipeline(NAMES, None)["features"].fit(cells.features)
    for found, expected in zip(step.inspect(gappy), alone.inspect(gappy), strict=True):
        np.testing.assert_array_equal(found, expected)


class TestScanpy:
    """Where harmonypy is not installed but scanpy is."""

    values = np.random.default_rng(0).normal(size=(30, 3))
    batches = np.repeat(["a", "b"], 15).astype(object)

    @pytest.fixture
    def scanpy(self, monkeypatch):
        """Make a scanpy with these preprocessing functions the only package found."""
        pytest.importorskip("anndata")

        def install(**functions):
            module = ModuleType("scanpy")
            module.pp = SimpleNamespace(**functions)
            monkeypatch.setitem(sys.modules, "scanpy", module)
            monkeypatch.setattr(
                "latentmap.table.harmony.find_spec", lambda name: ModuleSpec(name, None) if name == "scanpy" else None
            )

        return install

    def test_its_harmony_is_used(self, scanpy):
        def integrate(adata, key, *, rng):
            adata.obsm["X_pca_harmony"] = centred(adata.obsm["X_pca"], adata.obs, key).Z_corr + rng

        scanpy(harmony_integrate=integrate)
        expected = centred(self.values, {"batch": self.batches}, "batch").Z_corr
        np.testing.assert_allclose(corrected(self.values, self.batches), expected)

    def test_an_older_one_has_no_harmony(self, scanpy):
        scanpy()
        said = f"This version of scanpy has no Harmony of its own. {HOW_TO_INSTALL}"
        with pytest.raises(ValueError, match=re.escape(said)):
            corrected(self.values, self.batches)


def test_an_install_that_cannot_be_loaded_is_named(monkeypatch):
    stand_in(monkeypatch)
    found = find_spec("harmonypy")
    monkeypatch.setitem(sys.modules, "harmonypy", None)
    monkeypatch.setattr("latentmap.table.harmony.find_spec", lambda name: found)
    with pytest.raises(ValueError, match=r"^harmonypy is installed but cannot be loaded \(.+\): reinstall it\.$"):
        corrected(np.zeros((30, 3)), np.repeat(["a", "b"], 15).astype(object))
