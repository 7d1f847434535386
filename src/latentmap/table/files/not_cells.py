"""Tables of microscopes and sequencers with many rows for each cell: single molecules, and corners of outlines."""

from collections.abc import Iterable

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


def check_cells(file: str, names: Iterable[str]) -> None:
    """Refuse a table whose rows are parts of cells, which would all be taken for cells.

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
    own = {name.lower() for name in names}
    what = "a corner of a cell's outline" if any(some <= own for some in _OF_CORNERS) else ""
    what = "a single molecule (transcript)" if any(some <= own for some in _OF_MOLECULES) else what
    if what:
        raise Unreadable(
            f'"{file}" is no table of cells: each row is {what}. Open the table of the same run that has one row for '
            "each cell: cells.parquet or cell_feature_matrix.h5 of Xenium, cell_by_gene.csv of MERSCOPE, "
            "exprMat_file.csv of CosMx, or the cell bins of Stereo-seq as .h5ad."
        )
