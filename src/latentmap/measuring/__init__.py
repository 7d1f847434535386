"""Cells measured by the pixels of their labels and images."""

from latentmap.extras import require

require("latentmap.measuring", "table", "pandas", "skimage")

from latentmap.measuring.frame_measuring import MeasureProgress
from latentmap.measuring.in_blocks import iter_measure_blocks, measure_blocks
from latentmap.measuring.in_memory import iter_measure, measure
from latentmap.measuring.measured_parts import MeasuredParts, iter_measure_into, measure_into

__all__ = [
    "MeasureProgress",
    "MeasuredParts",
    "iter_measure",
    "iter_measure_blocks",
    "iter_measure_into",
    "measure",
    "measure_blocks",
    "measure_into",
]
