"""The cells in a random order: its beginning stands for all of them."""

from functools import lru_cache

import numpy as np

# So many cells say how all are distributed; to order a million would block a window at each step of a run.
_ENOUGH = 100_000


def enough_of(values: np.ndarray) -> np.ndarray:
    """Return values as they are, or so many columns of them at random as say how all are distributed."""
    n_cells = values.shape[-1]
    return values if n_cells <= 2 * _ENOUGH else values[..., random_order(n_cells)[:_ENOUGH]]


@lru_cache(maxsize=2)
def random_order(n_cells: int) -> np.ndarray:
    """Return the numbers from 0 to `n_cells` - 1 in a random order that is always the same."""
    order = np.random.default_rng(0).permutation(n_cells)
    order.flags.writeable = False
    return order
