"""Matrices of counts as the programs of 10x Genomics write them: Cell Ranger, Space Ranger and Xenium."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy.sparse import csr_matrix

from latentmap.table.libraries import import_optional

if TYPE_CHECKING:
    from anndata import AnnData

_MATRIX = {"barcodes", "data", "indices", "indptr", "shape"}
# What is said of genes, in the files of today and in those of Cell Ranger before version 3.
_OF_GENES = {"id": "gene_ids", "feature_type": "feature_types", "genome": "genome"}
_OF_OLD_GENES = {"genes": "gene_ids"}


def is_tenx_matrix(path: Path) -> bool:
    """Return whether a file is a matrix of 10x Genomics in HDF5, whatever it is called.

    Examples
    --------
    >>> is_tenx_matrix(Path("missing.h5"))
    False
    """
    h5py = import_optional("h5py", f"Reading {path.name}")
    try:
        with h5py.File(path, "r") as file:
            return _group(file) is not None
    except (OSError, RuntimeError):
        return False


def read_tenx_matrix(path: Path) -> "AnnData":
    """Read a matrix of 10x Genomics as AnnData: cells by their barcodes, genes by their symbols.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    anndata.AnnData
        ``X`` is sparse. Counts of antibodies, and of probes that fit no gene, stand beside those of the genes;
        ``var["feature_types"]`` tells them apart.
    """
    anndata, h5py = (import_optional(name, f"Reading {path.name}") for name in ("anndata", "h5py"))
    with h5py.File(path, "r") as file:
        group = _group(file)
        n_genes, n_cells = map(int, group["shape"][:])
        # The file has a column for each cell: read as rows, these are the cells'.
        counts = csr_matrix((group["data"][:], group["indices"][:], group["indptr"][:]), shape=(n_cells, n_genes))
        about, parts = (group["features"], _OF_GENES) if "features" in group else (group, _OF_OLD_GENES)
        var = pd.DataFrame({new: _texts(about[old]) for old, new in parts.items() if old in about})
        names = _texts(about["name"] if "name" in about else about["gene_names"])
        barcodes = _texts(group["barcodes"])
    found: AnnData = anndata.AnnData(
        X=counts.astype("float32"),
        obs=pd.DataFrame(index=pd.Index(barcodes, dtype=object)),
        var=var.set_index(pd.Index(names, dtype=object)),
    )
    return found


def _group(file: Any) -> Any:
    """The group of the matrix: before version 3 of Cell Ranger, it is called like the genome."""
    groups = [file["matrix"]] if "matrix" in file else list(file.values())
    found = [one for one in groups if hasattr(one, "keys") and {*one.keys()} >= _MATRIX]
    return found[0] if len(found) == 1 else None


def _texts(stored: Any) -> list[str]:
    return [text.decode() if isinstance(text, bytes) else str(text) for text in stored[:]]
