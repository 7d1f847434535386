"""Checks that neighbours fit into memory."""

from __future__ import annotations

from latentmap import memory

# Peak memory per row and neighbour while neighbours are sorted and the graph is built.
_BYTES_OF_A_NEIGHBOR = 80


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
    most = max(1, memory.free_memory() // (_BYTES_OF_A_NEIGHBOR * n))
    memory.check_memory(
        _BYTES_OF_A_NEIGHBOR * n * n_neighbors,
        f"n_neighbors (k) = {n_neighbors} for each of {n} rows",
        f"Lower n_neighbors to {most} or less, or use fewer rows.",
    )
