"""HDF5 files of other programs, which hold neither an AnnData nor counts of 10x Genomics as they are read here."""

from pathlib import Path

from latentmap.table.libraries import import_optional

# What such files have at their root, together; what they are, and what to do.
_FOUND = (
    (
        {"matrix", "row_attrs", "col_attrs"},
        "a loom file",
        'Name it "{stem}.loom", and write it as AnnData: scanpy.read_loom("{stem}.loom").write_h5ad("{stem}.h5ad").',
    ),
    ({"mod", "obs"}, "a MuData file (.h5mu)", "In Python, write one of its modalities as AnnData, with write_h5ad."),
    (
        {"assays", "cell.names"},
        "a Seurat object (.h5Seurat)",
        "Read it in R, and write the table of cells with write.csv.",
    ),
    (
        {"barcode_idx", "umi"},
        "Cell Ranger's list of molecules",
        "Open filtered_feature_bc_matrix.h5 of the same run.",
    ),
)
_OTHER = (
    "is no matrix of 10x Genomics and no AnnData. If it is from ilastik, export its table of objects as CSV; if from "
    "CellProfiler, let its module ExportToSpreadsheet write CSV files of the same cells."
)


def other_hdf5(path: Path) -> str:
    """Say what a file in HDF5 is that could not be read as AnnData, and what to do.

    Parameters
    ----------
    path : pathlib.Path
        A file that HDF5 can read to its end.

    Returns
    -------
    str
        "" if it may be a damaged AnnData, or is no HDF5.

    Examples
    --------
    >>> other_hdf5(Path("missing.h5ad"))
    ''
    """
    h5py = import_optional("h5py", f"Reading {path.name}")
    try:
        with h5py.File(path, "r") as file:
            there = {*file}
    except (OSError, RuntimeError):
        return ""
    for those, what, advice in _FOUND:
        if those <= there:
            return f'"{path.name}" is {what}. {advice.replace("{stem}", path.stem)}'
    return "" if {"X", "obs", "var"} & there else f'"{path.name}" {_OTHER}'
