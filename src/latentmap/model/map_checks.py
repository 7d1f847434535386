"""Checks of maps, of positions on them and of new rows for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from latentmap.model.data_warnings import warn_user

# New rows may hold numbers up to this multiple of those of the map's rows.
_FARTHEST = 1e9


def check_positions(X: Any, d: int) -> np.ndarray:
    """Return positions on a map as an array, or raise if they are not valid.

    Parameters
    ----------
    X : array-like of shape (m, d)
        The positions.
    d : int
        Dimensions of the map.

    Raises
    ------
    ValueError
        If they have another shape, or are not all finite.
    """
    positions = np.asarray(X, dtype=float)
    if positions.ndim != 2 or positions.shape[1] != d or not np.isfinite(positions).all():
        raise ValueError(
            f"X has the shape {positions.shape}; positions on this map must be finite numbers in {d} columns."
        )
    return positions


def check_placed(embedding: np.ndarray, method: str, iteration: int) -> None:
    """Raise if the positions of some rows are not finite.

    Parameters
    ----------
    embedding : ndarray of shape (n, d)
        The map so far.
    method : str
        The name of the method, for the message.
    iteration : int
        Iterations done.

    Raises
    ------
    ValueError
        Counting the rows.
    """
    # Rows are counted only where one is lost: to look at each row would take 7 % of a step.
    if not np.isfinite(embedding).all():
        lost = int((~np.isfinite(embedding)).any(axis=1).sum())
        raise ValueError(
            f"{method}: {lost} of {len(embedding)} rows have no finite position after iteration {iteration}, so there "
            "is no map. The numbers in the table or in the parameters are too large, too small or too far apart. Look "
            "for placeholders of missing values such as 65535 or -9999, scale the columns, or leave the parameters at "
            "their defaults."
        )


def check_not_too_far(table: Any, largest: float) -> None:
    """Raise if new rows are too far from those of a map to be placed on it.

    Parameters
    ----------
    table : ndarray or sparse array of shape (m, D)
        The new rows.
    largest : float
        The largest absolute value in the rows of the map.

    Raises
    ------
    ValueError
        Naming the first row.
    """
    numbers = table.tocsr() if sp.issparse(table) else table
    if not numbers.shape[0] or abs(numbers).max() <= _FARTHEST * largest:
        return
    beyond = abs(numbers).max(axis=1)
    beyond = beyond.toarray().ravel() if sp.issparse(beyond) else beyond
    row = int(np.argmax(beyond > _FARTHEST * largest))
    raise ValueError(
        f"Row {row} of the new rows contains {beyond[row]:.3g}, but the rows of the map contain only numbers up to "
        f"{largest:.3g}, so it lies too far away to be placed among them. Check the unit, and look for placeholders of "
        "missing values."
    )


def warn_of_lost_rows(n: int, n_kept: int, n_components: int) -> None:
    """Warn that only the largest component is embedded."""
    warn_user(
        f'The graph of neighbours falls into {n_components} parts. connect="largest" embeds the largest one; the '
        f'{n - n_kept} rows of the others get NaN. connect="bridge" would keep all {n}; a larger n_neighbors (k) may '
        "join the parts."
    )
