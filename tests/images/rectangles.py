"""Labels of cells that are easy to check."""

import numpy as np


def rectangles(n_cells=40, shape=(90, 120), seed=0, largest=10**9):
    """Rectangles, some of which cover parts of others, under sparse numbers."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(shape, dtype=np.int64)
    for number in rng.choice(largest, n_cells, replace=False) + 1:
        corner = [rng.integers(0, length - 2) for length in shape]
        labels[tuple(slice(start, start + rng.integers(1, 12)) for start in corner)] = number
    return labels
