"""Which numbers of an AnnData a map is made of, and which are refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from latentmap import DataWarning
from latentmap.tl.representation import representation

anndata = pytest.importorskip("anndata")

N = 12


@pytest.fixture
def adata():
    rng = np.random.default_rng(0)
    made = anndata.AnnData(rng.normal(size=(N, 60)).astype("float32"))
    made.obsm["X_pca"] = rng.normal(size=(N, 5))
    return made


def test_an_array_and_a_layer_are_not_taken_together(adata):
    with pytest.raises(ValueError, match=r'^use_rep="X_pca" and layer="counts" both say .* give one of them\.$'):
        representation(adata, use_rep="X_pca", layer="counts")


def test_an_anndata_without_x(adata):
    empty = anndata.AnnData(obs=adata.obs)
    with pytest.raises(ValueError, match=r"^The AnnData has no X: give use_rep, a key of its obsm\.$"):
        representation(empty)
    empty.obsm["X_pca"] = adata.obsm["X_pca"]
    np.testing.assert_array_equal(representation(empty, "X_pca").values, adata.obsm["X_pca"])


def test_the_first_columns_of_an_array_and_no_more_than_it_has(adata):
    found = representation(adata, n_pcs=2)
    np.testing.assert_array_equal(found.values, adata.obsm["X_pca"][:, :2])
    assert (found.use_rep, found.n_pcs) == ("X_pca", 2)
    assert found.sentence == 'The map is made of obsm["X_pca"], 2 columns.'
    with pytest.raises(ValueError, match=r'^n_pcs is 6, but obsm\["X_pca"\] has 5 columns: lower it\.$'):
        representation(adata, n_pcs=6)
    assert representation(adata, n_pcs=0).values.shape == (N, 60)


def test_a_sparse_matrix_that_does_not_fit_when_dense(adata, monkeypatch):
    adata.X = sp.csr_matrix(adata.X)
    monkeypatch.setattr("latentmap.tl.representation.free_memory", lambda: 2 * N * 60 * 8 - 2)
    with pytest.raises(ValueError, match=r"^X is sparse, .* too much for this machine\. Make the map of principal"):
        representation(adata, use_rep="X")
    monkeypatch.setattr("latentmap.tl.representation.free_memory", lambda: 2 * N * 60 * 8)
    with pytest.warns(DataWarning, match="X is sparse and was made dense for the map"):
        assert representation(adata, use_rep="X").values.shape == (N, 60)
    assert sp.issparse(adata.X)


def test_words_are_no_numbers(adata):
    adata.layers["kinds"] = np.full((N, 60), "T", dtype=object)
    with pytest.raises(ValueError, match=r'^layers\["kinds"\] does not hold numbers\.$'):
        representation(adata, layer="kinds")


def test_a_table_has_two_axes(adata):
    adata.obsm["crops"] = np.zeros((N, 4, 4))
    with pytest.raises(ValueError, match=r'^obsm\["crops"\] has 3 axes: a table of cells has two\.$'):
        representation(adata, use_rep="crops")
