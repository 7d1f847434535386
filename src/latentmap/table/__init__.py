"""Cells as rows of a table: keys and features, measured, read from files and written to them."""

from latentmap.extras import require

require("latentmap.table", "table", "pandas", "skimage")

from latentmap.table.anndata_io import from_anndata, to_anndata
from latentmap.table.anndata_writing import write_into, write_into_h5ad
from latentmap.table.atomic_write import atomic_file
from latentmap.table.cells import KEY, CellTable, Key
from latentmap.table.frame_measuring import MeasureProgress
from latentmap.table.image_keys import keep_rows_in_image, keys_in_image
from latentmap.table.map_table import MapTable
from latentmap.table.measure import iter_measure, measure
from latentmap.table.measure_blocks import iter_measure_blocks, measure_blocks
from latentmap.table.measured_parts import MeasuredParts, iter_measure_into, measure_into
from latentmap.table.preparing import Preparation, Prepared, prepare
from latentmap.table.preview import Preview, preview
from latentmap.table.reading import read_provenance, read_table, reading_errors
from latentmap.table.spatialdata_io import from_spatialdata
from latentmap.table.spatialdata_writing import write_into_spatialdata
from latentmap.table.writing import write_csv, write_table

__all__ = [
    "KEY",
    "CellTable",
    "Key",
    "MapTable",
    "MeasureProgress",
    "MeasuredParts",
    "Preparation",
    "Prepared",
    "Preview",
    "atomic_file",
    "from_anndata",
    "from_spatialdata",
    "iter_measure",
    "iter_measure_blocks",
    "iter_measure_into",
    "keep_rows_in_image",
    "keys_in_image",
    "measure",
    "measure_blocks",
    "measure_into",
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
