"""The distances between all rows, for methods that count every pair."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from latentmap.methods.known_rows import as_on_map
from latentmap.model import row_checks
from latentmap.model.inputs import CHUNK, Inputs, Neighbors
from latentmap.model.intake import read_inputs, read_table
from latentmap.model.state import Progress

EVERY_PAIR = "counts every pair of rows and holds them all in memory"
# Rows whose distances to all are computed at once, or some more: between them a run can be stopped. BLAS takes rows by
# 4 to 32 or by 6 to 48, and adds up in another order where fewer are left over; 768 is a multiple of all of these.
_BATCH = 768


def read_all(X: Any, estimator: Any, most: int, why: str = EVERY_PAIR) -> Inputs:
    """Return the rows of a table, of which all distances can be asked.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The table; distances if the estimator's metric is "precomputed".
    estimator : object
        Its ``n_components`` and, where it has them, ``metric``, ``metric_params`` and ``n_jobs`` count.
    most : int
        Rows that the method takes at most.
    why : str
        Why it takes no more, for the sentence.

    Returns
    -------
    Inputs

    Raises
    ------
    ValueError
        If the table cannot be used, has more rows than that, or is a graph of some distances only.
    """
    metric = getattr(estimator, "metric", "euclidean")
    table = read_table(X, estimator, metric == "precomputed")
    n, name = table.shape[0], type(estimator).__name__
    row_checks.check_size(n, estimator.n_components)
    if n > most:
        raise ValueError(
            f"{estimator.title} ({name}) {why}: it takes up to {most} rows, and there are {n}. Choose some of them, or "
            "take the latent variable model (LVM)."
        )
    if sp.issparse(table):
        raise ValueError(
            f"{name} needs the distances between all rows, but X is a sparse graph of some of them. Give all "
            "distances, or the table itself."
        )
    return read_inputs(
        table,
        metric,
        getattr(estimator, "metric_params", None),
        "exact",
        0,
        names=getattr(X, "columns", None),
        n_jobs=getattr(estimator, "n_jobs", None),
        seed=0,
    )


def all_squared(inputs: Inputs, now: Progress) -> Generator[Progress, None, np.ndarray]:
    """Find the squared distances between all rows; it can be stopped between batches of them.

    Parameters
    ----------
    inputs : Inputs
        Of n rows.
    now : Progress
        How far the fit has come.

    Yields
    ------
    Progress
        The same, before each batch.

    Returns
    -------
    ndarray of float64, shape (n, n)
        Symmetric, with zeros on the diagonal.

    Raises
    ------
    ValueError
        If the metric has no value somewhere, or powers of the distances are not numbers.
    """
    n = len(inputs)
    squared = np.empty((n, n))
    for batch in gen_batches(n, _BATCH, min_batch_size=_BATCH):
        yield now
        squared[batch] = inputs.distances_from(np.arange(n)[batch])
    # The diagonal is not read: some metrics have no value there.
    np.fill_diagonal(squared, 0.0)
    row_checks.check_defined(squared)
    row_checks.check_usual(squared)
    np.square(squared, out=squared)
    squared = (squared + squared.T) / 2
    return squared


def squared_to(inputs: Inputs, table: Any) -> np.ndarray:
    """Return the squared distances from new rows to all.

    Parameters
    ----------
    inputs : Inputs
        Of n rows.
    table : ndarray of shape (m, D)
        New rows, in the form in which the inputs came.

    Returns
    -------
    ndarray of float64, shape (m, n)
    """
    return np.square(inputs.distances_to(table))


def placed_by_squares(
    inputs: Inputs, table: Any, embedding: np.ndarray, place: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Place new rows by their squared distances to all, so many at a time as memory can hold.

    Parameters
    ----------
    inputs : Inputs
        Of n rows.
    table : ndarray of shape (m, D)
        New rows, in the form in which the inputs came.
    embedding : ndarray of shape (n, d)
        The map. A row equal to one of its rows takes over that one's place.
    place : callable
        From squared distances of shape (b, n) to places of shape (b, d), each row by itself.

    Returns
    -------
    ndarray of shape (m, d)
    """
    placed = np.empty((len(table), embedding.shape[1]))
    for batch in gen_batches(len(table), max(1, CHUNK // len(inputs))):
        squared = squared_to(inputs, table[batch])
        nearest = squared.argmin(axis=1)[:, None]
        found = Neighbors(nearest, np.take_along_axis(squared, nearest, 1))
        placed[batch] = as_on_map(place(squared), found, embedding)
    return placed
