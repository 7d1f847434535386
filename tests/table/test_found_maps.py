import anndata
import numpy as np
import pandas as pd
import pytest

from latentmap.session import Parameters
from latentmap.table import Preparation, from_anndata, preview
from latentmap.table.found_maps import FoundMap, found_maps


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (("UMAP1", "UMAP2"), "UMAP"),
        (("umap_0", "umap_1", "umap_2"), "UMAP"),
        (("tSNE-1", "tSNE-2"), "t-SNE"),
        (("t-SNE 1", "t-SNE 2"), "t-SNE"),
        (("umap_x", "umap_y"), "UMAP"),
        (("X_own_1", "X_own_2"), "own"),
        (("wnnUMAP_1", "wnnUMAP_2"), "wnnUMAP"),
        (("ref.umap_1", "ref.umap_2"), "ref.umap"),
        (("umap_harmony_0", "umap_harmony_1"), "umap_harmony"),
        (("PC1", "PC2"), "PCA"),
        (("map_1", "map_2"), "earlier map"),
    ],
)
def test_maps_are_found_by_the_names_of_their_columns(columns, name):
    table = pd.DataFrame(1.0, index=[0], columns=["area", *reversed(columns), "DNA 1", "DNA 2"])
    assert found_maps(table) == [FoundMap(name, columns)]


@pytest.mark.parametrize(
    "columns", [("UMAP1",), ("UMAP1", "UMAP3"), ("umap_2", "umap_3"), ("MAP1", "MAP2"), ("map1", "map2"), ("x", "y")]
)
def test_half_a_map_and_proteins_are_no_maps(columns):
    assert found_maps(pd.DataFrame(1.0, index=[0], columns=list(columns))) == []
    assert found_maps(pd.DataFrame("word", index=[0], columns=["UMAP1", "UMAP2"])) == []


def test_the_maps_of_an_anndata_come_along_unticked():
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"label": np.arange(1, 31)}, index=[f"cell {n}" for n in range(30)])
    umap, own = rng.normal(size=(30, 2)), rng.normal(size=(30, 3))
    obsm = {"X_umap": umap, "X_own": own, "spatial": umap, "protein_expression": own, "X_wide": np.ones((30, 201))}
    adata = anndata.AnnData(rng.normal(size=(30, 2)), obs=obs, var=pd.DataFrame(index=["area", "DNA"]), obsm=obsm)
    cells = from_anndata(adata, layer="nuclei")
    assert [one.name for one in found_maps(cells.features)] == ["UMAP", "own"]
    np.testing.assert_array_equal(cells.features[["X_umap_1", "X_umap_2"]], umap)
    parameters = Parameters()
    parameters.choose_among(cells.mappable)
    assert parameters.features == ("area", "DNA")
    said = preview(cells, parameters.features, Preparation()).sentence
    assert "because they are coordinates on a map made elsewhere: X_umap_1, X_umap_2." in said
