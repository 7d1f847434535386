"""A synthetic table of any length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.utils import gen_batches

COLUMNS, CLUSTERS, DIMENSIONS = 50, 100, 5
_BATCH = 10_000
_CURVATURE, _SPREAD, _NOISE = 1.5, 0.15, 0.05


def write_curved_clusters(path: Path, rows: int) -> None:
    """Write Gaussian clusters on a curved manifold of 5 dimensions in 50, as float32.

    A cluster is drawn for each row among 100, whose centres are uniform in a cube; the row lies about its centre as a
    Gaussian. Each column is a wave cos(w z + b) in a direction w of its own, and noise. Any table begins with the rows
    of a shorter one, so that more rows are a denser sample of the same distribution.

    Parameters
    ----------
    path : Path
        A .npy file, written in batches: its length is not limited by memory.
    rows : int
    """
    rng = np.random.default_rng(0)
    centers = rng.uniform(-1, 1, (CLUSTERS, DIMENSIONS))
    directions = _CURVATURE * rng.normal(size=(DIMENSIONS, COLUMNS))
    phases = rng.uniform(0, 2 * np.pi, COLUMNS)
    part = path.with_suffix(".part")
    table = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=(rows, COLUMNS))
    for number, batch in enumerate(gen_batches(rows, _BATCH)):
        own = np.random.default_rng([1, number])
        z = centers[own.integers(CLUSTERS, size=_BATCH)] + _SPREAD * own.normal(size=(_BATCH, DIMENSIONS))
        X = np.cos(z @ directions + phases) + _NOISE * own.normal(size=(_BATCH, COLUMNS))
        table[batch] = X[: batch.stop - batch.start]
    table.flush()
    # A file that was cut short must not be taken for a whole one.
    part.replace(path)
