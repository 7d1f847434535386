"""Matrices of 10x Genomics in HDF5 are read as AnnData."""

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_matrix

from latentmap.table import MapTable, read_table
from latentmap.table.files.anndata_writing import write_into_h5ad
from latentmap.table.files.numbered_rows import numbered_cells
from latentmap.table.files.reading import read_anndata
from latentmap.table.usual_features import measurements

COUNTS = np.array([[5, 0, 1], [0, 7, 0]])
BARCODES = ["AAACCTGAGAAACCAT-1", "AAACCTGAGAAACCGC-1"]
GENES = ["CD3E", "MS4A1", "NegControlProbe_00042"]


def write(path, *, group="matrix"):
    """Cells are columns, as Cell Ranger writes them; before version 3, the group is called like the genome."""
    matrix = csc_matrix(COUNTS.T)
    with h5py.File(path, "w") as file:
        own = file.create_group(group)
        own["barcodes"] = np.array(BARCODES, dtype="S")
        for part in ("data", "indices", "indptr"):
            own[part] = getattr(matrix, part)
        own["shape"] = np.array(matrix.shape, dtype="int32")
        if group == "matrix":
            own["features/name"] = np.array(GENES, dtype="S")
            own["features/id"] = np.array(["ENSG1", "ENSG2", "NegControlProbe_00042"], dtype="S")
            own["features/feature_type"] = np.array(["Gene Expression"] * 2 + ["Negative Control Probe"], dtype="S")
        else:
            own["gene_names"], own["genes"] = np.array(GENES, dtype="S"), np.array(["ENSG1", "ENSG2", "X"], dtype="S")
    return path


@pytest.mark.parametrize("name", ["filtered_feature_bc_matrix.h5", "renamed.h5ad"])
@pytest.mark.parametrize("group", ["matrix", "GRCh38"])
def test_cells_are_rows_and_genes_columns(tmp_path, name, group):
    adata = read_anndata(write(tmp_path / name, group=group))
    assert adata.X.toarray().tolist() == COUNTS.tolist()
    assert adata.obs_names.tolist() == BARCODES
    assert adata.var_names.tolist() == GENES
    assert adata.var["gene_ids"].tolist()[0] == "ENSG1"
    features = numbered_cells(adata, layer="cells").features
    assert features["MS4A1"].tolist() == [0, 7]
    assert features["cell_name"].tolist() == BARCODES
    assert measurements(list(features))[:2] == ("CD3E", "MS4A1")
    assert GENES[2] not in measurements(list(features))


def test_an_anndata_that_ends_in_h5_is_read(tmp_path):
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "cells.h5"
    anndata.AnnData(np.eye(2), obs=pd.DataFrame({"label": [3, 7]}, index=["a", "b"])).write_h5ad(path)
    assert read_table(path, layer="cells").features.index.get_level_values("label").tolist() == [3, 7]


def test_other_hdf5_says_what_to_do(tmp_path):
    path = tmp_path / "probabilities.h5"
    with h5py.File(path, "w") as file:
        file["exported_data"] = np.zeros((2, 2))
    with pytest.raises(ValueError, match=r'"probabilities\.h5" .* no matrix of 10x .* ilastik, export .* CSV'):
        read_table(path, layer="cells")
    path.write_bytes(b"\x89HDF\r\n\x1a\n and no more")
    with pytest.raises(ValueError, match="is damaged"):
        read_table(path, layer="cells")


def test_a_map_is_not_written_over_a_matrix(tmp_path):
    path = write(tmp_path / "matrix.h5")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"write the map into an AnnData file"):
        write_into_h5ad(path, MapTable(numbered_cells(read_anndata(path), layer="cells").features), layer="cells")
    assert path.read_bytes() == before
