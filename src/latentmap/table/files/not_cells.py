"""Tables beside those of cells: single molecules, corners of outlines, genes, and places or clusters without more."""

import re
from collections.abc import Iterable

from latentmap.table.files.text_layout import is_number
from latentmap.table.text_numbers import Unreadable

# Columns that such tables have together, in small letters: of Xenium, MERSCOPE, CosMx, and Stereo-seq twice.
_OF_MOLECULES = (
    {"transcript_id", "feature_name"},
    {"barcode_id", "global_x", "gene"},
    {"target", "x_local_px"},
    {"geneid", "midcount"},
    {"geneid", "midcounts"},
)
# Of Xenium and CosMx.
_OF_CORNERS = ({"vertex_x", "vertex_y"}, {"cellid", "x_local_px", "y_local_px"})
# All columns of tables that only say where Visium's spots lie, or in which cluster a cell is.
_OF_PLACES = {"array_row", "array_col", "pxl_row_in_fullres", "pxl_col_in_fullres"}
_BESIDE_PLACES = {"barcode", "in_tissue"}
_OF_CLUSTERS = {"barcode", "cluster"}
# Older files of places have no line of names: a first spot of theirs is this, and five numbers.
_BARCODE = re.compile(r"[ACGT]{16}-\d+")
_N_OLD = 6


def check_cells(file: str, names: Iterable[str]) -> None:
    """Refuse a table whose rows are no cells, but would all be taken for cells, or in which nothing was measured.

    Parameters
    ----------
    file : str
        The name of the file.
    names : iterable of str
        Those of its columns.

    Raises
    ------
    Unreadable
        Saying what a row is, and which file to open.

    Examples
    --------
    >>> check_cells("cells.parquet", ["cell_id", "x_centroid", "y_centroid", "transcript_counts"])
    >>> check_cells("cell_boundaries.csv", ["cell_id", "vertex_x", "vertex_y"])
    Traceback (most recent call last):
    latentmap.table.text_numbers.Unreadable: "cell_boundaries.csv" is no table of cells: each row is a corner of ...
    """
    names = list(names)
    own = {name.lower() for name in names if not name.startswith("Unnamed: ")}
    what = "a corner of a cell's outline" if any(some <= own for some in _OF_CORNERS) else ""
    what = "a single molecule (transcript)" if any(some <= own for some in _OF_MOLECULES) else what
    if what:
        raise Unreadable(
            f'"{file}" is no table of cells: each row is {what}. Open the table of the same run that has one row for '
            "each cell: cells.parquet or cell_feature_matrix.h5 of Xenium, cell_by_gene.csv of MERSCOPE, "
            "exprMat_file.csv of CosMx, or the cell bins of Stereo-seq as .h5ad."
        )
    if said := _without_measurements(names, own):
        raise Unreadable(
            f'"{file}" {said}. Open the counts of the same run: filtered_feature_bc_matrix.h5 of Cell Ranger and Space '
            "Ranger, cell_feature_matrix.h5 of Xenium."
        )


def _without_measurements(names: list[str], own: set[str]) -> str:
    """What a table of 10x Genomics holds in which nothing of a cell was measured; "" for any other."""
    is_old = len(names) == _N_OLD and _BARCODE.fullmatch(names[0]) is not None and all(map(is_number, names[1:]))
    if is_old or _OF_PLACES <= own <= _OF_PLACES | _BESIDE_PLACES:
        return "holds no measurements: each row only says where a spot lies"
    if own == _OF_CLUSTERS:
        return "holds no measurements: each row only says in which cluster a cell or spot is"
    if {"feature id", "feature name"} <= own and any(name.endswith("log2 fold change") for name in own):
        return "is no table of cells: each row is a gene"
    return ""
