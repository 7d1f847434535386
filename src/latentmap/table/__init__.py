"""Cells as rows of a table: keys and features, read from files, prepared, and written to files."""

from latentmap.extras import require

require("latentmap.table", "table", "pandas", "skimage")

from latentmap.table.cells import KEY, CellTable, Key
from latentmap.table.files.anndata_io import from_anndata, to_anndata
from latentmap.table.files.anndata_writing import write_into, write_into_h5ad
from latentmap.table.files.atomic_write import atomic_file
from latentmap.table.files.reading import read_provenance, read_table, reading_errors
from latentmap.table.files.spatialdata_io import from_spatialdata
from latentmap.table.files.spatialdata_writing import write_into_spatialdata
from latentmap.table.files.writing import write_csv, write_table
from latentmap.table.image_keys import keep_rows_in_image, keys_in_image
from latentmap.table.map_table import MapTable
from latentmap.table.preparing import Preparation, Prepared, prepare
from latentmap.table.preview import Preview, preview

__all__ = [
    "KEY",
    "CellTable",
    "Key",
    "MapTable",
    "Preparation",
    "Prepared",
    "Preview",
    "atomic_file",
    "from_anndata",
    "from_spatialdata",
    "keep_rows_in_image",
    "keys_in_image",
    "prepare",
    "preview",
    "read_provenance",
    "read_table",
    "reading_errors",
    "to_anndata",
    "write_csv",
    "write_into",
    "write_into_h5ad",
    "write_into_spatialdata",
    "write_table",
]
