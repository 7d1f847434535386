"""The real tables on which trust is measured."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.data_sets import DATA_SETS, read

NAMES = (
    "digits",
    "mnist-3k",
    "usps",
    "cell-lines",
    "cytof",
    "pbmc",
    "species-mix",
    "pancreas",
    "nuclei",
    "nuclei-in-images",
    "cube",
    "gaussian",
    "sheet",
)


def rows_of(name: str, n: int) -> np.ndarray:
    """Return at most so many rows of a table, drawn with each class in proportion."""
    return read(name, min(n, DATA_SETS[name].rows)).X.astype(float)


def names(quick: bool) -> tuple[str, ...]:
    """Return the tables to measure: to try the code, only the one that comes with scikit-learn."""
    return NAMES[:1] if quick else NAMES
