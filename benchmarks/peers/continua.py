"""Points without groups: whoever finds some on a map of them finds what is not there."""

from __future__ import annotations

import numpy as np

from benchmarks.manifolds import roll

ROWS, DIMENSIONS = 3000, 10


def cube() -> np.ndarray:
    """Return points evenly spread in a cube, of shape (3000, 3)."""
    return np.random.default_rng(0).uniform(size=(ROWS, 3))


def gaussian() -> np.ndarray:
    """Return normally distributed points, of shape (3000, 10)."""
    return np.random.default_rng(0).normal(size=(ROWS, DIMENSIONS))


def sheet() -> np.ndarray:
    """Return points evenly spread on a rolled sheet, of shape (3000, 3)."""
    return roll(ROWS)[0]
