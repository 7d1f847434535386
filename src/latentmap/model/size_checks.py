"""Checks of the number of rows against the dimensions and neighbours."""

from __future__ import annotations

from latentmap.model.data_warnings import warn_user
from latentmap.model.memory import check_room


def check_size(n: int, n_components: int) -> None:
    """Raise if there are too few rows for a map with n_components dimensions.

    Parameters
    ----------
    n : int
        Number of rows.
    n_components : int
        d.

    Raises
    ------
    ValueError
        Naming the parameter to lower.
    """
    if n < 2:
        raise ValueError(f"Found {n} row{'s' * (n != 1)} (n_samples = {n}), but a map needs at least 2. Add rows.")
    if n_components >= n:
        raise ValueError(
            f"n_components (d) = {n_components}, but there are only {n} rows: a map of n rows has at most n - 1 = "
            f"{n - 1} dimensions. Lower n_components."
        )


def fitting_neighbors(n: int, n_neighbors: int, most: int) -> int:
    """Return the number of neighbours of each row, and warn if it is lower than requested.

    Parameters
    ----------
    n : int
        Number of rows.
    n_neighbors : int
        The requested k.
    most : int
        The largest k that the method allows for n rows.

    Raises
    ------
    ValueError
        If they would not fit into memory.

    Examples
    --------
    >>> fitting_neighbors(100, 22, 50)
    22
    """
    check_room(n, n_neighbors)
    if n_neighbors > most:
        warn_user(f"With {n} rows, n_neighbors (k) is {most} instead of {n_neighbors}.")
    return min(n_neighbors, most)
