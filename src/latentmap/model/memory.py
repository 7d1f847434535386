"""The size of the memory, and a check that neighbours fit into it."""

from __future__ import annotations

import os

# Peak memory per row and neighbour while neighbours are sorted and the graph is built.
_BYTES_OF_A_NEIGHBOR = 80


def physical_memory() -> int:
    """Return the bytes of memory of this machine, or 128 GiB if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 37


def check_room(n: int, n_neighbors: int) -> None:
    """Raise if the neighbours of all rows would not fit into memory.

    Parameters
    ----------
    n : int
        Rows.
    n_neighbors : int
        k.

    Raises
    ------
    ValueError
        Stating how many would fit.

    Examples
    --------
    >>> check_room(10_000, 22)
    """
    needed, memory = _BYTES_OF_A_NEIGHBOR * n * n_neighbors, physical_memory()
    if needed > memory:
        raise ValueError(
            f"n_neighbors (k) = {n_neighbors} for each of {n} rows would take about {needed / 2**30:.0f} GiB, but this "
            f"machine has {memory / 2**30:.0f} GiB of memory. Lower n_neighbors to "
            f"{max(1, memory // (_BYTES_OF_A_NEIGHBOR * n))} or less, or use fewer rows."
        )
