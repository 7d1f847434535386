"""Checks of rows and of the distances between them: what is wrong, in which column or row, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from pandas.api.types import is_numeric_dtype, is_object_dtype
from sklearn.utils import gen_batches

from latentmap.model.memory import check_room
from latentmap.model.middle import middle
from latentmap.model.sentences import listed, warn

# New rows may hold numbers so many times as large as those of a map.
_FARTHEST = 1e9
# The largest usual distance, the inverse of the smallest, and the largest of all: products of their squares must stay
# numbers.
_LARGEST_USUAL, _LARGEST = 1e32, 1e60
# Beyond so many times the usual way from the median, a row is told of. In published tables the farthest are at 23.
_FAR = 100


def check_names(X: Any) -> None:
    """Raise if some columns of a table are named by text and others by something else, which scikit-learn refuses.

    Parameters
    ----------
    X : object
        Anything; only a DataFrame is looked at.

    Raises
    ------
    ValueError
        Naming one of each.
    """
    if not isinstance(X, pd.DataFrame):
        return
    texts, others = ([name for name in X.columns if isinstance(name, str) == is_text] for is_text in (True, False))
    if texts and others:
        raise ValueError(
            f"Some columns are named by text, such as {texts[0]!r}, and some are not, such as {others[0]!r}: name all "
            "by text (table.columns = table.columns.astype(str)), or none."
        )


def check_numeric(X: Any) -> None:
    """Raise if a table has columns that are not numbers.

    Parameters
    ----------
    X : object
        Anything; only a DataFrame is looked at.

    Raises
    ------
    ValueError
        Naming the columns.
    """
    if not isinstance(X, pd.DataFrame):
        return
    others = [name for name, column in X.items() if not _is_numeric(column)]
    if others:
        raise ValueError(
            f"Columns that are not numbers: {listed(others)}. Leave them out, or turn them into numbers first "
            "(for example with scikit-learn's OneHotEncoder)."
        )


def _is_numeric(column: pd.Series) -> bool:
    if is_numeric_dtype(column):
        return True
    if not is_object_dtype(column):
        return False
    try:
        np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return False
    return True


def check_finite(X: np.ndarray, names: Sequence[Any] | None = None) -> None:
    """Raise if there are missing or infinite values.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The table.
    names : sequence, optional
        Names of the columns; their numbers otherwise.

    Raises
    ------
    ValueError
        Naming the columns and counting the rows.
    """
    # A sum is finite if all is, and needs no second table; where it overflows, the slow way decides.
    with np.errstate(all="ignore"):
        if np.isfinite(np.sum(X, dtype=float)):
            return
    finite = np.isfinite(X)
    if finite.all():
        return
    columns = np.flatnonzero(~finite.all(axis=0))
    n_rows = int((~finite.all(axis=1)).sum())
    kinds = [kind for kind, found in (("NaN", np.isnan(X).any()), ("infinity", np.isinf(X).any())) if found]
    raise ValueError(
        f"Input contains {' and '.join(kinds)} in {n_rows} of {len(X)} rows, in the columns "
        f"{listed([c if names is None else names[c] for c in columns.tolist()])}. Drop these rows or columns, or fill "
        "the gaps first (for example with scikit-learn's SimpleImputer)."
    )


def check_finite_graph(graph: sp.coo_array) -> None:
    """Raise if a graph of distances holds missing or infinite values.

    Parameters
    ----------
    graph : coo_array of shape (n, n)
        The graph.

    Raises
    ------
    ValueError
        Counting the rows, and naming the columns.
    """
    bad = ~np.isfinite(graph.data)
    if bad.any():
        n_rows = len(np.unique(graph.row[bad]))
        raise ValueError(
            f"The graph of distances contains NaN or infinity in {n_rows} of {graph.shape[0]} rows, in the columns "
            f"{listed(np.unique(graph.col[bad]).tolist())}. Leave these distances out, or compute them anew."
        )


def check_no_constant_column(X: np.ndarray, names: Sequence[Any] | None, metric: str) -> None:
    """Raise if a column that the metric divides by is constant.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The table.
    names : sequence or None
        Names of the columns; their numbers otherwise.
    metric : str
        For the sentence.

    Raises
    ------
    ValueError
        Naming the columns.
    """
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0).tolist()
    if constant:
        raise ValueError(
            f"The metric {metric!r} divides by the spread of each column, but these are constant: "
            f"{listed([c if names is None else names[c] for c in constant])}. Leave them out."
        )


def check_places(X: Any, d: int) -> np.ndarray:
    """Return places on a map, or raise if they are none.

    Parameters
    ----------
    X : array-like of shape (m, d)
        The places.
    d : int
        Dimensions of the map.

    Returns
    -------
    ndarray of float64, shape (m, d)

    Raises
    ------
    ValueError
        If they have another shape, or are not all finite.
    """
    places = np.asarray(X, dtype=float)
    if places.ndim != 2 or places.shape[1] != d or not np.isfinite(places).all():
        raise ValueError(f"Places on this map are finite numbers in {d} columns, but X has the shape {places.shape}.")
    return places


def check_placed(embedding: np.ndarray, method: str, iteration: int) -> None:
    """Raise if a method has lost the place of some rows.

    Parameters
    ----------
    embedding : ndarray of shape (n, d)
        The map so far.
    method : str
        What makes it, for the sentence.
    iteration : int
        Iterations done.

    Raises
    ------
    ValueError
        Counting the rows.
    """
    lost = int((~np.isfinite(embedding)).any(axis=1).sum())
    if lost:
        raise ValueError(
            f"{method}: {lost} of {len(embedding)} rows have no finite place after iteration {iteration}, so there is "
            "no map. The numbers in the table or in the parameters are too large, too small or too far apart. Look for "
            "placeholders of missing values such as 65535 or -9999, scale the columns, or leave the parameters at "
            "their defaults."
        )


def check_near(table: Any, largest: float) -> None:
    """Raise if new rows are so far from those of a map that they have no place there.

    Parameters
    ----------
    table : ndarray or sparse array of shape (m, D)
        The new rows.
    largest : float
        The largest number in the rows of the map, without its sign.

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
        f"Row {row} of the new rows holds {beyond[row]:.3g}, but the rows that the map was made from hold numbers up "
        f"to {largest:.3g} only: it lies too far away to be placed among them. Look for another unit, or for a number "
        "that stands for a missing one."
    )


def check_size(n: int, n_components: int) -> None:
    """Raise if there are too few rows for a map of so many dimensions.

    Parameters
    ----------
    n : int
        Rows.
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
    """Return how many neighbours each row gets, and warn where these are fewer than wanted.

    Parameters
    ----------
    n : int
        Rows.
    n_neighbors : int
        The k wanted.
    most : int
        How many the method can use of so few rows.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If so many do not fit into memory.

    Examples
    --------
    >>> fitting_neighbors(100, 22, 50)
    22
    """
    check_room(n, n_neighbors)
    if n_neighbors > most:
        warn(f"With {n} rows, n_neighbors (k) is {most} instead of {n_neighbors}.")
    return min(n_neighbors, most)


def check_varied(X: np.ndarray) -> None:
    """Raise if all rows are the same.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The table.

    Raises
    ------
    ValueError
        If no column varies.
    """
    if not any(np.any(X[start : start + 1024] != X[0]) for start in range(0, len(X), 1024)):
        raise ValueError(
            f"All {len(X)} rows are the same: every column is constant, so there is nothing to map. "
            "Choose columns that differ from row to row."
        )


def check_defined(distances: np.ndarray) -> None:
    """Raise if the metric has no value somewhere.

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
            f"first is row {int(np.argmax(undefined))}) from another. Some metrics have no value where a row or a "
            "column is constant, or where numbers are as large as 1e150: leave those out, or take another metric."
        )


def check_usual(distances: np.ndarray) -> None:
    """Raise if distances are so large or so small that their powers are not numbers.

    Parameters
    ----------
    distances : ndarray of shape (n, m)
        Distances of each row to some others.

    Raises
    ------
    ValueError
        Naming the usual distance.
    """
    usual = float(np.median(distances))
    if (usual > 0 and not 1 / _LARGEST_USUAL < usual < _LARGEST_USUAL) or distances.max() > _LARGEST:
        raise ValueError(
            f"Rows are {usual:.2g} apart, as the median, and {distances.max():.2g} at most: such numbers cannot be "
            "multiplied with each other. Look for placeholders of missing values, give the columns in another unit, or "
            "standardise them (for example with scikit-learn's StandardScaler)."
        )


def check_neighbors(distances: np.ndarray) -> None:
    """Raise if the metric has no value somewhere or no usual one, and warn of duplicates.

    Parameters
    ----------
    distances : ndarray of shape (n, k)
        Distances of the neighbours of each row.

    Raises
    ------
    ValueError
        If some are not finite, or their powers are not numbers.
    """
    check_defined(distances)
    check_usual(distances)
    n_copies = np.count_nonzero(distances[:, 0] == 0)
    if n_copies:
        warn(
            f"{n_copies} of {len(distances)} rows are duplicates: they are at distance 0 from another row. They stay, "
            "and will lie together; drop them first if a cell was entered twice."
        )


def warn_of_far_rows(X: np.ndarray, names: Sequence[Any] | None = None) -> None:
    """Warn of rows that lie a hundred times farther out than is usual, which mostly hold a placeholder.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The table.
    names : sequence, optional
        Names of the columns; their numbers otherwise.
    """
    centre, spread = middle(X)
    farthest = np.maximum(X.max(axis=0) - centre, centre - X.min(axis=0))
    if spread == 0 or farthest.max() <= _FAR * spread:
        return
    column = int(farthest.argmax())
    row = int(np.abs(X[:, column] - centre[column]).argmax())
    n_far = sum(
        np.count_nonzero(np.abs(X[batch] - centre).max(axis=1) > _FAR * spread) for batch in gen_batches(len(X), 1024)
    )
    name = column if names is None else names[column]
    warn(
        f"{n_far} of {len(X)} rows lie more than {_FAR} times farther out than is usual. The farthest is row {row}, by "
        f"{X[row, column]:.10g} in column {name!r}, whose median is {centre[column]:.4g}. If that stands for a missing "
        "value, leave the row out; if not, bring the columns to a common scale, by logarithms or ranks for instance."
    )


def warn_of_lost_rows(n: int, n_kept: int, n_components: int) -> None:
    """Warn that only the largest component is embedded."""
    warn(
        f'The graph of neighbours falls into {n_components} parts. connect="largest" embeds the largest one; the '
        f'{n - n_kept} rows of the others get NaN. connect="bridge" would keep all {n}; a larger n_neighbors (k) may '
        "join the parts."
    )
