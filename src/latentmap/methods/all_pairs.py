"""The distances between all rows, for methods that count every pair."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from latentmap.memory import check_memory
from latentmap.methods.training_rows import keep_training_positions
from latentmap.model import distance_checks, size_checks
from latentmap.model.inputs import CHUNK, Inputs, Neighbors
from latentmap.model.state import FitProgress
from latentmap.model.validation import read_inputs, read_table

EVERY_PAIR_REASON = "counts every pair of rows and holds them all in memory"
# The fewest rows whose distances to all are computed at once; a run can be stopped between batches. BLAS processes 4 to
# 32 or 6 to 48 rows at a time and sums in another order if fewer remain; 768 is a multiple of all of these.
_BATCH = 768


def read_all_distances(
    X: Any, estimator: Any, most: int, why: str = EVERY_PAIR_REASON, *, arrays: float = 1.0, columns: int = 0
) -> Inputs:
    """Read a table into inputs all of whose distances are known.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The table; distances if the estimator's metric is "precomputed".
    estimator : object
        Its ``n_components`` is used, and its ``metric``, ``metric_params`` and ``n_jobs`` if it has them.
    most : int
        Maximum number of rows that the method accepts.
    why : str
        The reason for this limit, for the message.
    arrays : float
        How many numbers it holds at its peak for each pair of rows, as measured.
    columns : int
        Of these arrays; 0 if there is one for each row.

    Raises
    ------
    ValueError
        If the table is invalid, has too many rows, does not fit into memory, or is a sparse graph of distances.
    """
    table = read_table(X, estimator, getattr(estimator, "metric", "euclidean") == "precomputed")
    n, name = table.shape[0], type(estimator).__name__
    size_checks.check_size(n, estimator.n_components)
    if n > most:
        raise ValueError(
            f"{estimator.title} ({name}) {why}: it takes up to {most} rows, and there are {n}. Choose some of them, or "
            "use the latent variable model (LVM)."
        )
    check_memory(
        8 * arrays * n * (columns or n),
        f"{estimator.title} ({name}) of {n} rows",
        "Choose some of the rows, or use the latent variable model (LVM).",
    )
    if sp.issparse(table):
        raise ValueError(
            f"{name} needs the distances between all rows, but X is a sparse graph of some of them. Give all "
            "distances, or the table itself."
        )
    return read_inputs(table, X, estimator)


def all_squared(inputs: Inputs, now: FitProgress) -> Generator[FitProgress, None, np.ndarray]:
    """Compute the squared distances between all rows, batch by batch so that a run can be stopped.

    Parameters
    ----------
    inputs : Inputs
        Of n rows.
    now : FitProgress
        The progress of the fit.

    Yields
    ------
    FitProgress
        The same, before each batch.

    Returns
    -------
    ndarray of float64, shape (n, n)
        Symmetric, with zeros on the diagonal.

    Raises
    ------
    ValueError
        If distances are undefined or all 0, or their powers would overflow.
    """
    n = len(inputs)
    squared = np.empty((n, n))
    for batch in gen_batches(n, _BATCH, min_batch_size=_BATCH):
        yield now
        squared[batch] = inputs.distances_from(np.arange(n)[batch])
    # Some metrics are undefined on the diagonal.
    np.fill_diagonal(squared, 0.0)
    distance_checks.check_metric_defined(squared)
    distance_checks.check_magnitude(squared)
    distance_checks.check_some_apart(squared)
    np.square(squared, out=squared)
    squared = (squared + squared.T) / 2
    return squared


def squared_to(inputs: Inputs, table: Any) -> np.ndarray:
    """Return the squared distances from m new rows to all n inputs, of shape (m, n)."""
    return np.asarray(np.square(inputs.distances_to(table)))


def place_by_squared_distances(
    inputs: Inputs, table: Any, embedding: np.ndarray, place_points: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Place new rows by their squared distances to all, in batches that fit into memory.

    Parameters
    ----------
    inputs : Inputs
        Of n rows.
    table : ndarray of shape (m, D)
        New rows, in the form of the inputs.
    embedding : ndarray of shape (n, d)
        The map. A row equal to one of its rows gets the same position.
    place_points : callable
        From squared distances of shape (b, n) to positions of shape (b, d), each row independently.
    """
    placed = np.empty((len(table), embedding.shape[1]))
    for batch in gen_batches(len(table), max(1, CHUNK // len(inputs))):
        squared = squared_to(inputs, table[batch])
        nearest = squared.argmin(axis=1)[:, None]
        found = Neighbors(nearest, np.take_along_axis(squared, nearest, 1))
        placed[batch] = keep_training_positions(place_points(squared), found, embedding)
    return placed
