"""Maps in an AnnData: beside what scanpy writes, made by hand here, and with scanpy itself where it is installed."""

import json
import logging

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from latentmap import LVM, DataWarning, methods, tl
from latentmap.cli.main import main
from latentmap.methods import METHODS, Isomap, LaplacianEigenmaps

anndata = pytest.importorskip("anndata")

N, K = 120, 15
QUICK = {"max_iter": 15}


def scanpy_neighbors(adata, values, n_neighbors=K, keep_self=False, **params):
    """What sc.pp.neighbors leaves: of n_neighbors, which count the cell itself, the distances of the others."""
    found = NearestNeighbors(n_neighbors=n_neighbors).fit(values)
    distances, indices = found.kneighbors(values)
    # As in scanpy, the first is the cell itself, or with duplicates is put there.
    for row in range(len(values)):
        at = np.flatnonzero(indices[row] == row)
        order = [*at, *(place for place in range(n_neighbors) if place not in at)]
        indices[row], distances[row] = indices[row][order], distances[row][order]
    first = 0 if keep_self else 1
    indices, distances = indices[:, first:], distances[:, first:]
    n, k = indices.shape
    graph = sp.csr_matrix((distances.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), (n, n))
    adata.obsp["distances"], adata.obsp["connectivities"] = graph, (graph > 0).astype(float)
    adata.uns["neighbors"] = {
        "connectivities_key": "connectivities",
        "distances_key": "distances",
        "params": {"n_neighbors": n_neighbors, "method": "umap", "random_state": 0, "metric": "euclidean", **params},
    }


@pytest.fixture
def adata():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 8)) + 4 * rng.integers(3, size=(N, 1))
    obs = pd.DataFrame(
        {"leiden": pd.Categorical(rng.integers(3, size=N).astype(str))}, index=[f"AAAC-{i}" for i in range(N)]
    )
    made = anndata.AnnData(sp.csr_matrix(rng.poisson(1, size=(N, 60)).astype("float32")), obs=obs)
    made.obsm["X_pca"] = values
    made.uns["leiden_colors"] = np.array(["#ff0000", "#00ff00", "#0000ff"])
    return made


def params(adata, key="lvm"):
    return adata.uns[key]["params"]


def notes(adata, key="lvm"):
    return " ".join(json.loads(adata.uns[key]["record"])["notes"])


@pytest.mark.slow
def test_the_map_is_where_scanpy_looks_for_it_and_all_else_is_untouched(adata, tmp_path):
    before = adata.copy()
    assert tl.lvm(adata, **QUICK) is None
    expected = LVM(**QUICK).fit(before.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obsm["X_lvm"], expected.embedding_)
    np.testing.assert_array_equal(adata.obs["lvm_variance"], expected.variances_)
    assert params(adata)["use_rep"] == "X_pca"
    assert {*adata.obsm} == {"X_pca", "X_lvm"}
    assert adata.uns["leiden_colors"].tolist() == before.uns["leiden_colors"].tolist()
    pd.testing.assert_series_equal(adata.obs["leiden"], before.obs["leiden"])
    assert (adata.X != before.X).nnz == 0
    assert sp.issparse(adata.X)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert params(again) == params(adata)
    assert tl.replay(again).agrees
    assert main(["replay", str(tmp_path / "cells.h5ad")]) == 0


def test_every_method_has_a_function():
    functions = {name.replace("-", "_") for name in METHODS}
    assert functions == {*tl.__all__} - {"replay"}
    for name, method in METHODS.items():
        function = getattr(tl, name.replace("-", "_"))
        assert method.about in function.__doc__
        assert function.__signature__.parameters["key_added"].default == name.replace("-", "_")


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("ll-lvm", "comparisons")])
def test_each_method_makes_the_map_of_its_estimator(adata, name):
    method, key = METHODS[name], name.replace("-", "_")
    quick = {"max_iter": 10} if "max_iter" in method.defaults else {}
    classes = {"classes": "leiden"} if method.learns_from == "classes" else {}
    getattr(tl, key)(adata, **quick, **classes)
    told = (adata.obs["leiden"].to_numpy(str),) if classes else ()
    expected = method.kind(**quick).fit(adata.obsm["X_pca"], *told).embedding_
    np.testing.assert_array_equal(adata.obsm[f"X_{key}"], expected)
    assert tl.replay(adata, key).agrees


def test_comparisons_are_of_cells_by_name(adata):
    names = adata.obs_names
    said = [[names[3], names[5], names[8]], [names[1], names[2], names[60]]]
    tl.comparisons(adata, comparisons=said, max_iter=5)
    expected = methods.ComparisonEmbedding(max_iter=5).fit(adata.obsm["X_pca"], np.array([[3, 5, 8], [1, 2, 60]]))
    np.testing.assert_array_equal(adata.obsm["X_comparisons"], expected.embedding_)
    assert tl.replay(adata, "comparisons").agrees
    with pytest.raises(ValueError, match='No cell of the map is called "nobody"'):
        tl.comparisons(adata, comparisons=[[names[0], names[1], "nobody"]])


def test_a_comparison_of_cells_with_one_name_is_refused(adata):
    adata.obs_names = ["twice", "twice", *adata.obs_names[2:]]
    with pytest.raises(ValueError, match='2 cells of the map are called "twice"'):
        tl.comparisons(adata, comparisons=[["twice", *adata.obs_names[4:6]]])


@pytest.mark.parametrize("keep_self", [False, True])
def test_neighbours_of_scanpy_are_taken_up_without_the_cell_itself(adata, monkeypatch, keep_self):
    adata.obsm["X_pca"][7] = adata.obsm["X_pca"][8]  # duplicates are at distance 0, which is stored
    scanpy_neighbors(adata, adata.obsm["X_pca"], keep_self=keep_self)
    others = sp.csr_array(adata.obsp["distances"])
    expected = LVM(n_neighbors=K - 1, neighbors=others, **QUICK).fit(adata.obsm["X_pca"])
    exact = LVM(n_neighbors=K - 1, **QUICK).find_neighbors(adata.obsm["X_pca"])
    from latentmap.model.vectors import Vectors

    def searched(*_):
        raise AssertionError("the neighbours were searched again")

    monkeypatch.setattr(Vectors, "_searched", searched)
    with pytest.warns(DataWarning, match="2 of 120 rows are duplicates"):
        tl.lvm(adata, **QUICK)
    np.testing.assert_array_equal(adata.obsm["X_lvm"], expected.embedding_)
    taken = tl.neighbors.stored_neighbors(adata, "neighbors").first(K - 1)
    np.testing.assert_array_equal(taken.indices, exact.indices)
    np.testing.assert_allclose(taken.distances, exact.distances, atol=1e-6)
    assert params(adata)["n_neighbors"] == K - 1
    assert params(adata)["neighbors_key"] == "neighbors"
    assert f"{K - 1} neighbours of each cell taken up" in notes(adata)


def test_other_methods_take_up_as_many_as_they_need(adata):
    scanpy_neighbors(adata, adata.obsm["X_pca"][:, :5], n_pcs=5)
    tl.isomap(adata)
    expected = Isomap(n_neighbors=7).fit_transform(adata.obsm["X_pca"][:, :5])
    np.testing.assert_allclose(adata.obsm["X_isomap"], expected, atol=1e-9)
    tl.laplacian_eigenmaps(adata, n_neighbors=9)
    expected = LaplacianEigenmaps(n_neighbors=9).fit_transform(adata.obsm["X_pca"][:, :5])
    np.testing.assert_allclose(adata.obsm["X_laplacian_eigenmaps"], expected, atol=1e-9)
    assert params(adata, "isomap")["n_pcs"] == 5


def test_neighbours_that_do_not_do_are_searched_again_and_it_says_so(adata):
    scanpy_neighbors(adata, adata.obsm["X_pca"], n_neighbors=10)
    tl.lvm(adata, n_neighbors=20, **QUICK)
    assert "searched again: there are 9 others for each cell, and n_neighbors is 20" in notes(adata)
    expected = LVM(n_neighbors=20, **QUICK).fit_transform(adata.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obsm["X_lvm"], expected)
    with pytest.raises(ValueError, match="cannot be taken up: there are 9 others"):
        tl.lvm(adata, neighbors_key="neighbors", n_neighbors=20)
    tl.lvm(adata, metric="cosine", **QUICK)
    assert "found by the metric euclidean, and the map is made by cosine" in notes(adata)
    # Older versions of scanpy lose distances of 0.
    adata.obsm["X_pca"][:30] = adata.obsm["X_pca"][0]
    scanpy_neighbors(adata, adata.obsm["X_pca"])
    adata.obsp["distances"].eliminate_zeros()
    with pytest.warns(DataWarning, match="duplicates"):
        tl.lvm(adata, **QUICK)
    assert "searched again: some cells have" in notes(adata)


def test_neighbours_of_two_anndata_that_were_put_together_are_no_longer_the_nearest(adata):
    other = adata.copy()
    other.obsm["X_pca"] = other.obsm["X_pca"] + 0.1
    other.obs_names = [f"B-{name}" for name in other.obs_names]
    for one in (adata, other):
        scanpy_neighbors(one, one.obsm["X_pca"])
    both = anndata.concat([adata, other], uns_merge="same")
    with pytest.raises(ValueError, match=r'uns has "neighbors", but obsp no "distances", as after anndata\.concat'):
        tl.lvm(both, **QUICK)
    both = anndata.concat([adata, other], uns_merge="same", pairwise=True)
    with pytest.warns(DataWarning, match=r"only [4-6]\d% are among the nearest as the cells are now"):
        tl.lvm(both, **QUICK)
    assert "are among the nearest as the cells are now" in notes(both)
    tl.lvm(both[:N].copy(), **QUICK)


def test_a_representation_that_has_changed_is_refused(adata):
    scanpy_neighbors(adata, adata.obsm["X_pca"])
    adata.obsm["X_pca"] = adata.obsm["X_pca"][::-1].copy()
    with pytest.raises(ValueError, match="has changed since"):
        tl.lvm(adata)
    assert "X_lvm" not in adata.obsm
    tl.lvm(adata, neighbors_key=False, **QUICK)


def test_a_graph_alone_makes_a_map(adata):
    scanpy_neighbors(adata, adata.obsm["X_pca"])
    tl.lvm(adata, obsp="distances", connect="largest", key_added="graph", **QUICK)
    model = LVM(n_neighbors=K - 1, metric="precomputed", connect="largest", **QUICK)
    expected = model.fit(sp.csr_array(adata.obsp["distances"])).embedding_
    np.testing.assert_array_equal(adata.obsm["X_graph"], expected)
    assert tl.replay(adata, "graph").agrees
    with pytest.raises(ValueError, match="holds similarities"):
        tl.lvm(adata, obsp="connectivities")
    with pytest.raises(ValueError, match="needs more than distances"):
        tl.lle(adata, obsp="distances")


def test_the_representation_is_chosen_as_scanpy_does(adata):
    few = adata[:, :10].copy()
    with pytest.warns(DataWarning, match="X is sparse and was made dense"):
        tl.classical_mds(few)
    expected = methods.ClassicalMDS().fit_transform(few.X.toarray().astype(float))
    np.testing.assert_array_equal(few.obsm["X_classical_mds"], expected)
    adata.layers["scaled"] = adata.X.toarray() / 2
    tl.classical_mds(adata, layer="scaled")
    expected = methods.ClassicalMDS().fit_transform(adata.layers["scaled"].astype(float))
    np.testing.assert_array_equal(adata.obsm["X_classical_mds"], expected)
    del adata.obsm["X_pca"]
    with pytest.raises(ValueError, match=r"call scanpy\.pp\.pca"):
        tl.lvm(adata)
    with pytest.raises(ValueError, match='obsm has no "X_scVI"'):
        tl.lvm(adata, use_rep="X_scVI")
    with pytest.raises(TypeError, match="n_neighbours"):
        tl.lvm(adata, n_neighbours=5)


@pytest.mark.parametrize("of", [{"layer": "counts"}, {"use_rep": "X"}])
def test_components_are_asked_of_an_array_alone(adata, of):
    adata.layers["counts"] = adata.X.toarray()
    with pytest.raises(ValueError, match="n_pcs is 2, but the map is made of"):
        tl.lvm(adata, n_pcs=2, **of, **QUICK)
    assert "X_lvm" not in adata.obsm


def test_cells_that_lack_a_number_are_refused_or_counted(adata):
    adata.obsm["X_pca"][[2, 9], 3] = np.nan
    with pytest.raises(ValueError, match="2 of 120 cells lack a number"):
        tl.lvm(adata)
    with pytest.warns(DataWarning, match="2 of 120 cells left out"):
        tl.lvm(adata, missing="leave out", **QUICK)
    left_out = np.isnan(adata.obsm["X_lvm"]).all(axis=1)
    assert np.flatnonzero(left_out).tolist() == [2, 9]
    assert adata.obs["lvm_variance"].isna().to_numpy().tolist() == left_out.tolist()
    expected = LVM(**QUICK).fit_transform(adata.obsm["X_pca"][~left_out])
    np.testing.assert_array_equal(adata.obsm["X_lvm"][~left_out], expected)
    assert tl.replay(adata).agrees


def test_copies_views_and_backed_files(adata, tmp_path):
    copied = tl.lvm(adata, copy=True, **QUICK)
    assert "X_lvm" not in adata.obsm
    assert copied.obsm["X_lvm"].shape == (N, 2)
    view = adata[::2]
    tl.lvm(view, **QUICK)
    assert "X_lvm" not in adata.obsm
    assert not view.is_view
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    tl.lvm(backed, **QUICK)
    np.testing.assert_array_equal(backed.obsm["X_lvm"], copied.obsm["X_lvm"])
    with pytest.warns(DataWarning, match="made dense"):
        tl.classical_mds(backed, use_rep="X")
    with pytest.raises(ValueError, match="to_memory"):
        tl.lvm(backed, copy=True)
    backed.file.close()


def test_replay_names_what_differs(adata, caplog):
    with caplog.at_level(logging.INFO, "latentmap"):
        tl.lvm(adata, dof=np.inf, **QUICK)
    assert 'The map is made of obsm["X_pca"], 8 columns.' in caplog.text
    assert tl.replay(adata).agrees
    record = json.loads(adata.uns["lvm"]["record"])
    record["versions"]["numba"] = "0.1"
    adata.uns["lvm"]["record"] = json.dumps(record)
    adata.obsm["X_pca"][0, 0] += 0.5
    found = tl.replay(adata)
    assert not found.agrees
    assert "The numbers that the map was made of have changed." in found.sentences
    assert any(sentence.startswith("numba is ") for sentence in found.sentences)
    adata.obsm["X_pca"][0, 0] -= 0.5
    adata.obsm["X_lvm"] = adata.obsm["X_lvm"] + 1
    assert 'obsm["X_lvm"] was changed after the map was made.' in tl.replay(adata).sentences
    with pytest.raises(ValueError, match='no map "other"'):
        tl.replay(adata, "other")


@pytest.mark.slow
def test_the_steps_of_the_tutorial_in_scanpy_itself():
    sc = pytest.importorskip("scanpy", reason="scanpy is not installed; it is not in uv.lock")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")  # matplotlib would open a Qt window where there is a screen
    rng = np.random.default_rng(0)
    kinds = rng.integers(4, size=400)
    counts = rng.poisson(rng.gamma(0.3, 3, size=(4, 200))[kinds])
    adata = anndata.AnnData(sp.csr_matrix(counts.astype("float32")))
    adata.obs_names = [f"AAAC-{i}" for i in range(400)]
    sc.pp.normalize_total(adata)
    sc.pp.log1p(adata)
    sc.pp.pca(adata, n_comps=30)
    sc.pp.neighbors(adata)
    sc.tl.leiden(adata, flavor="igraph", n_iterations=2)
    tl.lvm(adata)
    assert params(adata)["n_neighbors"] == 14
    assert params(adata)["neighbors_key"] == "neighbors"
    sc.pl.embedding(adata, "lvm", color=["leiden", "lvm_variance"], show=False)
    plt.close("all")
    # Cells of one kind lie together: half of all pairs of nearest neighbours would be of other kinds by chance.
    nearest = NearestNeighbors(n_neighbors=2).fit(adata.obsm["X_lvm"]).kneighbors(return_distance=False)[:, 0]
    assert (kinds[nearest] == kinds).mean() > 0.9
    assert tl.replay(adata).agrees
