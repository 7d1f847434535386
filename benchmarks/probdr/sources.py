"""The rows that are embedded: digits, and the cells that stand in for the paper's."""

from __future__ import annotations

import numpy as np

from benchmarks.paper.data import load_digits
from benchmarks.stored import drawn_rows, load

SOURCES = {
    "digits": "MNIST digits, 50 principal components",
    "species": "human and mouse cells of Macosko et al. (2015), 50 principal components",
    "lines": "293T and Jurkat cells of Zheng et al. (2017), 20 principal components",
    "blood": "blood cells with and without interferon, 50 principal components",
}
UNGROUPED = ("blood",)
"""Of which only the condition is known, under which are cells of all kinds: these are no groups."""


def read(name: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return at most n rows of a data set, drawn with each group in proportion, and their groups from 0."""
    if name == "digits":
        digits = load_digits(n)
        return digits.X, digits.y
    file, column, components = {
        "species": ("sc_macosko_speciesmix", "species", "X_pca50"),
        "lines": ("sc_cell_lines_pca20", "cell_type", "X"),
        "blood": ("sc_pbmc_ifnb2000", "condition", "X_pca50"),
    }[name]
    arrays = load(file)
    X, y = arrays[components].astype(float), np.unique(arrays[column], return_inverse=True)[1]
    chosen = drawn_rows(y, n) if n < len(y) else np.arange(len(y))
    return X[chosen], y[chosen]
