"""Cells as rows: their identity, their features, where they come from and how they are written down."""

from latentmap.table.cells import KEY, CellTable, Key
from latentmap.table.measure import Measuring, measure, measuring
from latentmap.table.preparing import Preparation, Prepared, prepare
from latentmap.table.preview import Preview, preview
from latentmap.table.writing import write_csv

__all__ = [
    "KEY",
    "CellTable",
    "Key",
    "Measuring",
    "Preparation",
    "Prepared",
    "Preview",
    "measure",
    "measuring",
    "prepare",
    "preview",
    "write_csv",
]
