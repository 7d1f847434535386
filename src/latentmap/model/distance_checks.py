"""Checks of distances between rows."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from latentmap.model.data_warnings import listed, warn_user

# The largest median distance, the inverse of the smallest, and the largest distance of all: products of their squares
# must not overflow.
_LARGEST_USUAL, _LARGEST = 1e32, 1e60


def check_finite_graph(graph: sp.coo_array) -> None:
    """Raise if a graph of distances holds missing or infinite values.

    Parameters
    ----------
    graph : coo_array of shape (n, n)
        The graph.

    Raises
    ------
    ValueError
        Counting the rows and naming the columns.
    """
    bad = ~np.isfinite(graph.data)
    if bad.any():
        n_rows = len(np.unique(graph.row[bad]))
        raise ValueError(
            f"The graph of distances contains NaN or infinity in {n_rows} of {graph.shape[0]} rows, in the columns "
            f"{listed(np.unique(graph.col[bad]).tolist())}. Leave these distances out, or compute them again."
        )


def check_metric_defined(distances: np.ndarray) -> None:
    """Raise if the metric is undefined for some rows.

    Parameters
    ----------
    distances : ndarray of shape (n, m)
        Distances of each row to some others.

    Raises
    ------
    ValueError
        If some are not finite.
    """
    undefined = ~np.isfinite(distances).all(axis=1)
    if undefined.any():
        raise ValueError(
            f"The metric gives NaN or infinity as the distance of {undefined.sum()} of {len(distances)} rows (the "
            f"first is row {int(np.argmax(undefined))}) from another. Some metrics are undefined if a row or a "
            "column is constant, or if numbers are as large as 1e150. Leave these out, or choose another metric."
        )


def check_magnitude(distances: np.ndarray) -> None:
    """Raise if distances are so large or so small that their powers would overflow.

    Parameters
    ----------
    distances : ndarray of shape (n, m)
        Distances of each row to some others.

    Raises
    ------
    ValueError
        Stating the median distance.
    """
    usual, largest = float(np.median(distances)), float(distances.max())
    # With many copies the median is 0.
    unit = usual or largest
    if (unit > 0 and not 1 / _LARGEST_USUAL < unit < _LARGEST_USUAL) or largest > _LARGEST:
        raise ValueError(
            f"The median distance of rows is {usual:.2g} and the largest {largest:.2g}, whose products are out "
            "of range. Look for placeholders of missing values, change the unit of the columns, or standardise them "
            "(for example with scikit-learn's StandardScaler)."
        )


def check_some_apart(distances: np.ndarray) -> None:
    """Raise if rows that differ are all at distance 0 from each other.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The distances of all rows.

    Raises
    ------
    ValueError
        If all are 0.
    """
    if not distances.any():
        raise ValueError(
            f"All {len(distances)} rows are at distance 0 from each other, though they differ: their differences are "
            "so small that the squares vanish, or the metric does not see them. Change the unit of the columns, "
            "standardise them (for example with scikit-learn's StandardScaler), or choose another metric."
        )


def check_neighbors(distances: np.ndarray) -> None:
    """Raise if distances are undefined or out of range, and warn of duplicates.

    Parameters
    ----------
    distances : ndarray of shape (n, k)
        Distances of the neighbours of each row.

    Raises
    ------
    ValueError
        If some are not finite, or their powers would overflow.
    """
    check_metric_defined(distances)
    check_magnitude(distances)
    n_copies = np.count_nonzero(distances[:, 0] == 0)
    if n_copies:
        warn_user(
            f"{n_copies} of {len(distances)} rows are duplicates, at distance 0 from another row. They are kept and "
            "will lie together; drop them first if a cell was entered twice."
        )
