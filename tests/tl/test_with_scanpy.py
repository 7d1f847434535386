"""The steps of a scanpy tutorial on real counts, then a map of ours, in scanpy's plots and in both front ends."""

import asyncio
import json
import os
import warnings
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors

from latentmap import LVM, tl
from latentmap.session import Parameters, script_text
from latentmap.table import from_anndata

pytestmark = [
    pytest.mark.slow,  # scanpy compiles
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning"),
]
DATA = Path(os.environ.get("LATENTMAP_DATA", Path(__file__).parents[3] / "shared" / "data"))
QUICK = {"max_iter": 20}


@pytest.fixture(scope="module")
def blood():
    """Peripheral blood cells by genes, as counted."""
    path = DATA / "sc_pbmc_ifnb2000.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there; LATENTMAP_DATA names its folder")
    with np.load(path, allow_pickle=False) as stored:
        counts = sp.csr_matrix(
            (stored["data"].astype("float32"), stored["indices"], stored["indptr"]), tuple(stored["shape"])
        )
        var = pd.DataFrame(index=stored["genes"].astype(str))
    adata = anndata.AnnData(counts, obs=pd.DataFrame(index=[f"AAAC-{i}" for i in range(counts.shape[0])]), var=var)
    adata.var_names_make_unique()
    return adata


def with_labels(adata):
    labelled = adata.copy()
    labelled.obs["label"] = np.arange(1, adata.n_obs + 1)
    return labelled


def digits():
    """Counts that come with scikit-learn: grey values from 0 to 16, 64 for each of 1797 pictures."""
    return sp.csr_matrix(load_digits().data[:600].astype("float32"))


@pytest.fixture(scope="module")
def sc():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("scanpy")


@pytest.fixture(scope="module")
def worked(sc):
    """An AnnData after the steps of the tutorial."""
    counts = digits()
    adata = anndata.AnnData(counts, obs=pd.DataFrame(index=[f"AAAC-{i}" for i in range(counts.shape[0])]))
    adata.var_names = [f"gene {i}" for i in range(adata.n_vars)]
    adata.layers["counts"] = adata.X.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sc.pp.normalize_total(adata, target_sum=1e4)
        sc.pp.log1p(adata)
        sc.pp.pca(adata, n_comps=30)
        sc.pp.neighbors(adata, n_neighbors=15)
        sc.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False)
        sc.tl.umap(adata)
    return adata


def test_a_tutorial_leads_to_a_map_and_its_picture(sc, worked, tmp_path):
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")  # matplotlib would open a Qt window where there is a screen
    adata = worked.copy()
    tl.lvm(adata, **QUICK)
    said = json.loads(adata.uns["lvm"]["record"])
    assert "14 neighbours of each cell taken up from obsp" in " ".join(said["notes"])
    others = sp.csr_array(adata.obsp["distances"])
    expected = LVM(n_neighbors=14, neighbors=others, **QUICK).fit(adata.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obsm["X_lvm"], expected.embedding_)
    assert sp.issparse(adata.X)
    axes = sc.pl.embedding(adata, "lvm", color=["leiden", "lvm_variance"], show=False)
    picture = tmp_path / "lvm.png"
    axes[0].figure.savefig(picture)
    drawn = axes[0].collections[0].get_offsets()
    assert len(drawn) == adata.n_obs
    assert {*map(tuple, np.asarray(drawn).round(5))} == {*map(tuple, adata.obsm["X_lvm"][:, :2].round(5))}
    assert picture.stat().st_size > 5000


@pytest.mark.parametrize("ending", ["h5ad", "zarr"])
def test_the_map_is_made_again_from_the_file(worked, tmp_path, ending):
    adata = worked.copy()
    tl.lvm(adata, **QUICK)
    path = tmp_path / f"cells.{ending}"
    getattr(adata, f"write_{ending}")(path)
    again = getattr(anndata, f"read_{ending}")(path)
    np.testing.assert_array_equal(again.obsm["X_lvm"], adata.obsm["X_lvm"])
    assert again.uns["lvm"]["record"] == adata.uns["lvm"]["record"]
    assert tl.replay(again).agrees


def test_arguments_mean_what_they_mean_in_scanpy(worked):
    adata = worked.copy()
    copied = tl.lvm(adata, key_added="own", use_rep="X_pca", n_pcs=10, copy=True, **QUICK)
    assert "X_own" not in adata.obsm
    assert copied.uns["own"]["params"]["n_pcs"] == 10
    tl.lvm(adata, obsp="distances", use_rep="X_pca", **QUICK)
    by_key = adata.obsm["X_lvm"].copy()
    tl.lvm(adata, neighbors_key="neighbors", **QUICK)
    np.testing.assert_array_equal(adata.obsm["X_lvm"], by_key)
    with pytest.warns(UserWarning, match="layers.*sparse and was made dense"):
        tl.lvm(adata, layer="counts", key_added="of_counts", **QUICK)
    assert adata.uns["of_counts"]["params"]["layer"] == "counts"
    assert sp.issparse(adata.layers["counts"])


def test_real_counts_of_blood_cells_keep_their_clusters_together(sc, blood):
    adata = blood.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sc.pp.normalize_total(adata, target_sum=1e4)
        sc.pp.log1p(adata)
        sc.pp.highly_variable_genes(adata, n_top_genes=1500)
        adata = adata[:, adata.var["highly_variable"]].copy()
        sc.pp.pca(adata, n_comps=30)
        sc.pp.neighbors(adata)
        sc.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False)
    assert adata.obs["leiden"].nunique() >= 4
    tl.lvm(adata, max_iter=60)
    clusters = adata.obs["leiden"].cat.codes.to_numpy()
    nearest = NearestNeighbors(n_neighbors=11).fit(adata.obsm["X_lvm"]).kneighbors(return_distance=False)
    assert (clusters[nearest] == clusters[:, None]).mean() > 0.8  # chance is about 0.2
    # More than 500 genes: the explorer takes the components by itself.
    parameters = Parameters()
    parameters.choose_among(from_anndata(with_labels(adata), layer="cells").mappable, n_cells=adata.n_obs)
    assert parameters.features == tuple(f"X_pca_{axis}" for axis in range(1, 31))
    assert parameters.scaling == "none"


def test_the_explorer_takes_what_scanpy_has_left(worked, tmp_path):
    from latentmap.jupyter import explore

    adata = worked.copy()
    adata.uns["leiden_colors"] = np.array(["#123456", *["#aabbcc"] * (adata.obs["leiden"].nunique() - 1)])
    tl.lvm(adata, neighbors_key=False, use_rep="X_pca", **QUICK)
    adata.write_h5ad(tmp_path / "cells.h5ad")

    async def made(data, **how):
        shown = explore(data, **how)
        try:
            shown.session.parameters.max_iter = QUICK["max_iter"]
            shown.embed()
            run = await shown.finished()
            sources = dict(shown.form.source.options)
            colours = shown.session.display_settings.group_colours["leiden"]["0"]
            there = shown.add_map("X_umap")
            await shown.finished()
            script = script_text(run)
            return run.result, sources, shown.form.source.value, colours, there.result.embedding, script
        finally:
            shown.close()

    for data in (adata, tmp_path / "cells.h5ad"):
        result, sources, chosen, colour, umap, script = asyncio.run(made(data, use_rep="X_pca"))
        np.testing.assert_array_equal(result.embedding, adata.obsm["X_lvm"])
        assert [*sources][:3] == ["table columns (68)", "X_pca (30)", 'layer "counts" (64)']
        assert chosen == 1
        assert colour == "#123456"
        np.testing.assert_array_equal(umap, adata.obsm["X_umap"])
        assert "X is sparse, and dense in the table" in " ".join(result.cells.notes)
        assert "scaling='none'" in script
        assert "'X_pca_30'" in script
    result = asyncio.run(made(tmp_path / "cells.h5ad", layer="counts"))[0]
    assert result.parameters["features"][0] == "gene 0 [layer counts]"


def test_the_explorer_says_what_there_is():
    from latentmap.jupyter import explore

    adata = anndata.AnnData(np.random.default_rng(0).normal(size=(40, 3)), obsm={"X_pca": np.ones((40, 3))})
    with pytest.raises(ValueError, match=r'no "X_scVI" in obsm or layers. A map can be made of "X", "X_pca"'):
        asyncio.run(_explored(explore, adata, "X_scVI"))


async def _explored(explore, adata, use_rep):
    explore(adata, use_rep=use_rep).close()
