"""Matrices of AnnData that lie on the disk, in chunks or under a mask, and numbers in a foreign byte order."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from latentmap.table import CellTable, from_anndata
from latentmap.table.files.numbered_rows import numbered_cells

anndata = pytest.importorskip("anndata", reason='anndata is not installed: pip install "latentmap[files]"')

X = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 5.0]])
OBS = pd.DataFrame({"label": [3, 7, 9]}, index=["a", "b", "c"])
VAR = pd.DataFrame(index=["CD3", "CD8"])


@pytest.fixture
def backed(tmp_path):
    """Returns a function: a matrix as an AnnData that stays on the disk."""
    opened = []

    def back(matrix):
        anndata.AnnData(matrix, obs=OBS, var=VAR).write_h5ad(tmp_path / "cells.h5ad")
        opened.append(anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r"))
        return opened[0]

    yield back
    opened[0].file.close()


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, np.asarray])
def test_a_matrix_on_the_disk_is_read(backed, form):
    """The name of its type stood in each cell of the table, as a word."""
    adata = backed(form(X))
    for cells in (from_anndata(adata, layer="nuclei"), numbered_cells(adata, layer="nuclei")):
        assert cells.features[["CD3", "CD8"]].to_numpy().tolist() == X.tolist()
        assert ("X is sparse" in " ".join(cells.notes)) == (form is not np.asarray)


def test_an_anndata_on_the_disk_may_lack_x(backed):
    cells = from_anndata(backed(None), layer="nuclei")
    assert list(cells.features) == ["cell_name"]


def test_what_a_mask_hides_is_missing():
    hidden = np.ma.masked_array(X, mask=X == 5)
    adata = anndata.AnnData(hidden, obs=OBS, var=VAR, layers={"raw": hidden}, obsm={"X_umap": hidden})
    cells = from_anndata(adata, layer="nuclei").features
    for name in ("CD8", "CD8 [layer raw]", "X_umap_2"):
        np.testing.assert_array_equal(cells[name], [2, 0, np.nan])


def test_sparse_chunks_of_dask_are_read():
    array = pytest.importorskip("dask.array")
    chunks = array.from_array(X, chunks=(2, 2)).map_blocks(sp.csr_matrix)
    adata = anndata.AnnData(chunks, obs=OBS, var=VAR, layers={"counts": chunks})
    cells = from_anndata(adata, layer="nuclei").features
    assert cells["CD8"].tolist() == cells["CD8 [layer counts]"].tolist() == [2, 0, 5]


def test_numbers_in_a_foreign_byte_order_are_read():
    """As in FITS tables, of which pandas cannot select rows."""
    rows = pd.DataFrame({"label": np.array([0, 3, 7], ">i4"), "area": np.array([1, 4, 9], ">f8")})
    cells = CellTable.read(rows, layer="nuclei")
    assert cells.features["area"].tolist() == [4, 9]
    assert cells.features["area"].dtype == float
    adata = anndata.AnnData(X.astype(">f8"), obs=OBS, var=VAR)
    assert from_anndata(adata, layer="nuclei").features["CD8"].tolist() == [2, 0, 5]
