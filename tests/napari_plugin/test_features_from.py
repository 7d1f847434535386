"""What of an AnnData the map is made of, in a real window."""

import anndata
import numpy as np
import pandas as pd
import pytest

from latentmap.session import script_text

GENES = [f"gene {number}" for number in range(501)]


@pytest.fixture
def opened(qtbot, viewer, panel, labels, tmp_path):
    """A gene table with components, loaded into a labels layer; returns the table."""
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"label": np.unique(labels)[1:]}, index=[f"cell {number}" for number in range(60)])
    obs["leiden"] = pd.Categorical(np.arange(60) % 2 + 5).rename_categories(["a", "b"])
    counts = rng.poisson(2, size=(60, 501)).astype(float)
    adata = anndata.AnnData(
        np.log1p(counts),
        obs=obs,
        var=pd.DataFrame(index=GENES),
        obsm={"X_pca": rng.normal(size=(60, 10)), "X_umap": rng.normal(size=(60, 2))},
        layers={"counts": counts},
        uns={"leiden_colors": np.array(["#d62728", "#2ca02c"])},
    )
    adata.write_h5ad(tmp_path / "cells.h5ad")
    viewer.add_labels(labels, name="cells")
    panel.cells.load_table(tmp_path / "cells.h5ad")
    qtbot.wait_until(lambda: not panel.cells.running and panel.cells.cells is not None, timeout=60_000)
    return adata


def test_a_gene_table_is_mapped_by_its_components_until_another_is_chosen(qtbot, panel, opened, finish):
    form, parameters = panel.form, panel.session.parameters
    qtbot.wait_until(form.source.native.isVisible)
    combo = form.source.native
    offered = [combo.itemText(row) for row in range(combo.count())]
    assert offered == ["table columns (503)", "X_pca (10)", 'layer "counts" (501)', "all of these (1014)"]
    assert combo.currentText() == "X_pca (10)"
    assert form.features.choices == tuple(f"X_pca_{axis}" for axis in range(1, 11))
    qtbot.wait_until(lambda: "10 of 10 features of X_pca, not scaled" in panel.about.value)
    parameters.max_iter = 3
    panel.embed_button.native.click()
    finish()
    run = panel.session.runs.current
    np.testing.assert_array_equal(run.result.estimator[:-1].transform(run.result.cells.features), opened.obsm["X_pca"])
    assert "scaling='none'" in script_text(run)
    assert panel.session.display_settings.group_colours["leiden"] == {"a": "#d62728", "b": "#2ca02c"}
    combo.setCurrentIndex(2)
    assert parameters.features == tuple(f"{gene} [layer counts]" for gene in GENES)
    assert parameters.scaling == "standard"
    form.features.search.setText("gene 500")
    assert form.features.found == ["gene 500 [layer counts]"]
    combo.setCurrentIndex(0)
    assert parameters.features == tuple(GENES)
