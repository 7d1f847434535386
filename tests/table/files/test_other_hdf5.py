"""HDF5 files of other programs: what they are, whatever they are called, and what to do."""

import h5py
import numpy as np
import pytest

from latentmap.table import read_table

LOOM = ["matrix", "row_attrs/Gene", "col_attrs/CellID"]


@pytest.mark.parametrize("ending", [".h5ad", ".h5"])
@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (LOOM, r'is a loom file\. .*read_loom\("cells\.loom"\)\.write_h5ad\("cells\.h5ad"\)'),
        (["mod/rna/X", "obs/a", "var/a"], r"is a MuData file .*write one of its modalities"),
        (["assays/RNA", "cell.names", "meta.data"], r"is a Seurat object .*write\.csv"),
        (["barcodes", "barcode_idx", "umi"], r"list of molecules\. Open filtered_feature_bc_matrix\.h5"),
        (["exported_data"], "is no matrix of 10x Genomics and no AnnData"),
    ],
)
def test_what_it_is_and_what_to_do(tmp_path, ending, parts, sentence):
    path = tmp_path / f"cells{ending}"
    with h5py.File(path, "w") as file:
        for part in parts:
            file[part] = np.ones((2, 2))
    with pytest.raises(ValueError, match=rf'"cells\{ending}" .*{sentence}'):
        read_table(path, layer="cells")


@pytest.mark.parametrize("ending", [".h5ad", ".h5"])
def test_an_anndata_that_lacks_a_part_is_called_damaged(tmp_path, ending):
    path = tmp_path / f"cells{ending}"
    with h5py.File(path, "w") as file:
        file["X"], file["obs"] = np.ones((2, 2)), np.ones(2)
    with pytest.raises(ValueError, match=r"is damaged, or not an AnnData file\."):
        read_table(path, layer="cells")
