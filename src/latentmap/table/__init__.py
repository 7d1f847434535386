"""Cells as rows of a table: keys and features, measured, read from files and written to them."""

from latentmap.table.annotated import from_anndata, to_anndata
from latentmap.table.cells import KEY, CellTable, Key
from latentmap.table.completing import write_into, write_into_h5ad
from latentmap.table.measure import Measuring, measure, measuring
from latentmap.table.preparing import Preparation, Prepared, prepare
from latentmap.table.present import join, present_keys
from latentmap.table.preview import Preview, preview
from latentmap.table.reading import read_provenance, read_table, readable
from latentmap.table.sheet import Sheet
from latentmap.table.whole import whole_file
from latentmap.table.writing import write_csv, write_table

__all__ = [
    "KEY",
    "CellTable",
    "Key",
    "Measuring",
    "Preparation",
    "Prepared",
    "Preview",
    "Sheet",
    "from_anndata",
    "join",
    "measure",
    "measuring",
    "prepare",
    "present_keys",
    "preview",
    "read_provenance",
    "read_table",
    "readable",
    "to_anndata",
    "whole_file",
    "write_csv",
    "write_into",
    "write_into_h5ad",
    "write_table",
]
