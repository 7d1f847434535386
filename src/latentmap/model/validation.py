"""Validation of the user's data, and conversion to the form that the model uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from latentmap.memory import check_memory
from latentmap.model import distance_checks, parameter_checks, table_checks
from latentmap.model.custom_metric import ObjectInputs, read_objects
from latentmap.model.data_warnings import warn_user
from latentmap.model.distances import DistanceGraph, DistanceMatrix
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.vectors import Metric, Vectors

# Metrics that ignore the length of a row.
_ANGLES = ("cosine", "correlation")


def read_table(X: Any, estimator: Any, precomputed: bool) -> Any:
    """Return a table as an array of finite numbers.

    Parameters
    ----------
    X : array-like or sparse of shape (n, D), or Inputs
        The table; n objects, if the estimator's metric is a function of two objects; or inputs from
        :func:`read_inputs`, whose rows have been checked. Sparse rows are made dense, with a warning that says so; a
        sparse graph of distances stays sparse.
    estimator : object
        Named in scikit-learn's own sentences.
    precomputed : bool
        Whether the table holds distances.

    Returns
    -------
    ndarray or csr_array of shape (n, D), or ndarray of objects of shape (n,)
        Not copied if it already has the right type and C order.

    Raises
    ------
    ValueError
        If column names are of mixed types, columns are not numeric, values are missing or infinite, or distances are
        negative.
    """
    if isinstance(X, Inputs):
        if X.read_with is not None and (X.read_with[0] == "precomputed") == precomputed:
            return X.table
        X = X.table
    objects = read_objects(X)
    if objects is not None:
        _check_has_distance_function(estimator)
        return objects
    table_checks.check_names(X)
    table_checks.check_numeric(X)
    table = check_array(
        X,
        accept_sparse=["csr"],
        dtype=[np.float64, np.float32],
        # In another memory order, sums along a row would round differently.
        order="C",
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    if sp.issparse(table) and not precomputed:
        table = _dense(table)
    if sp.issparse(table):
        table = sp.csr_array(table)
        distance_checks.check_finite_graph(table.tocoo())
    else:
        table_checks.check_finite(table, getattr(X, "columns", None))
    if precomputed:
        _check_distances(table.data if sp.issparse(table) else table)
    return table


def _dense(rows: Any) -> np.ndarray:
    """Return sparse rows as an array, or raise if there is no room for it."""
    n, D = rows.shape
    needed = n * D * rows.dtype.itemsize
    advice = "Take principal components first, such as those of scikit-learn's TruncatedSVD"
    check_memory(needed, f"X is sparse. Made dense, its {n} x {D} numbers", f"{advice}, or fewer columns.")
    warn_user(
        f"X is sparse, and was made dense: {n} x {D} numbers, {needed / 2**20:.3g} MiB. {advice}, to save memory."
    )
    return np.ascontiguousarray(rows.toarray())


def read_inputs(table: Any, X: Any, estimator: Any, *, neighbors: Any = "exact", k: int = 0, seed: int = 0) -> Inputs:
    """Return a table as the kind of inputs that the estimator's metric implies.

    Parameters
    ----------
    table : ndarray or csr_array
        What :func:`read_table` has made of X.
    X : array-like of shape (n, D) or Inputs
        What the user gave, whose columns may have names. Inputs of the same metric are not checked again.
    estimator : object
        Its ``metric``, ``metric_params`` and ``n_jobs`` are used, if it has them.
    neighbors : str, Neighbors, (indices, distances) or sparse array
        As in :class:`latentmap.LVM`.
    k : int
        Number of neighbours that those given must have.
    seed : int
        For an approximate search.

    Raises
    ------
    ValueError
        If all rows are the same, the distance matrix is not square, or the given neighbours do not fit.

    Examples
    --------
    >>> from latentmap import LVM
    >>> from sklearn.datasets import load_iris
    >>> inputs = read_inputs(load_iris().data, None, LVM())
    >>> fits = [LVM(max_iter=2, repulsion=repulsion).fit(inputs) for repulsion in (5.0, 22.0)]
    """
    metric, params = getattr(estimator, "metric", "euclidean"), getattr(estimator, "metric_params", None)
    jobs = getattr(estimator, "n_jobs", None)
    if isinstance(X, Inputs) and X.read_with is not None and X.read_with[0] == metric and X.read_with[1] is params:
        return X.again(_read_neighbors(neighbors, len(X), k), jobs, seed) if isinstance(X, Vectors) else X
    inputs: Inputs
    if table.ndim == 1:
        inputs = _read_objects(table, metric, params, neighbors)
    elif metric == "precomputed":
        inputs = _read_distances(table)
    else:
        _check_columns(table, metric, params, getattr(X, "columns", None))
        inputs = Vectors(table, metric, params, _read_neighbors(neighbors, len(table), k), jobs, seed)
    inputs.read_with = metric, params
    return inputs


def _check_columns(table: np.ndarray, metric: Metric, params: dict[str, Any] | None, names: Any) -> None:
    table_checks.check_not_all_equal(table)
    if metric not in _ANGLES:
        table_checks.warn_of_far_rows(table, names)
    if metric == "seuclidean" and "V" not in (params or {}):
        table_checks.check_no_constant_column(table, names, metric)


def _read_distances(table: Any) -> DistanceGraph | DistanceMatrix:
    if table.shape[0] != table.shape[1]:
        raise ValueError(
            'With metric="precomputed", X holds the distances between all rows and must be square; it is '
            f"{table.shape[0]} x {table.shape[1]}."
        )
    _check_any_apart(table.data if sp.issparse(table) else table, table.shape[0])
    return DistanceGraph(table) if sp.issparse(table) else DistanceMatrix(table)


def check_same_kind(table: Any, inputs: Inputs) -> None:
    """Raise if a map of a distance matrix is given a graph of distances, or the reverse."""
    if sp.issparse(table) != isinstance(inputs, DistanceGraph):
        first, second = ("a graph", "a matrix") if isinstance(inputs, DistanceGraph) else ("a matrix", "a graph")
        raise ValueError(
            f"The map was made from {first} of distances, but these rows are given as {second}. Give both in the same "
            "form."
        )


def _check_has_distance_function(estimator: Any) -> None:
    """Raise if the rows are words or other objects and there is no function for their distance."""
    if not callable(getattr(estimator, "metric", None)):
        raise ValueError(
            "X holds words or other objects instead of rows of numbers. Set metric to a function that returns the "
            "distance of two of them (if the method has this parameter), or give the distances themselves, with "
            'metric="precomputed".'
        )


def _read_objects(items: np.ndarray, metric: Any, metric_params: dict[str, Any] | None, neighbors: Any) -> ObjectInputs:
    if isinstance(neighbors, str) and neighbors in ("approximate", "pynndescent"):
        raise ValueError(
            f'neighbors="{neighbors}" needs rows of numbers, but X holds words or other objects. Leave it at "auto": '
            "the metric is called for all pairs."
        )
    objects = ObjectInputs(items, metric, metric_params)
    _check_any_apart(objects.D, len(items))
    return objects


def _check_any_apart(distances: np.ndarray, n: int) -> None:
    if not distances.any():
        raise ValueError(
            f"None of the distances between the {n} rows is above 0: all rows are the same, or the graph has no "
            "edges, so there is nothing to map."
        )


def _check_distances(values: np.ndarray) -> None:
    negative = np.count_nonzero(values < 0)
    if negative:
        raise ValueError(
            f"Negative values in data: {negative} of the distances are negative. Distances must be 0 or more."
        )


def _read_neighbors(neighbors: Any, n: int, k: int) -> str | Neighbors:
    """Return how to search for neighbours, or the neighbours that the user gave."""
    if isinstance(neighbors, str):
        parameter_checks.check_choice(neighbors, "neighbors", ["auto", "exact", "approximate", "pynndescent"])
        return neighbors
    if sp.issparse(neighbors):
        if neighbors.shape != (n, n):
            raise ValueError(f"neighbors is a graph of shape {neighbors.shape}, but X has {n} rows.")
        return DistanceGraph(sp.csr_array(neighbors)).kneighbors(k)
    try:
        indices, distances = (np.asarray(part) for part in neighbors)
    except (TypeError, ValueError):
        raise ValueError(
            f'neighbors is {neighbors!r}; it must be "auto", "exact", "approximate", "pynndescent", a sparse graph of '
            "distances, or the two arrays (indices, distances)."
        ) from None
    if indices.ndim != 2 or indices.shape != distances.shape or len(indices) != n:
        raise ValueError(
            f"neighbors holds arrays of shape {indices.shape} and {distances.shape}; both must have {n} rows, one for "
            "each row of X."
        )
    # The result of find_neighbors needs no further checks, and undefined distances are reported later.
    if isinstance(neighbors, Neighbors) and indices.shape[1] >= k:
        return neighbors
    if indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= n:
        raise ValueError(
            f"The indices of neighbors run from {indices.min()} to {indices.max()}; they must be rows of X, whole "
            f"numbers from 0 to {n - 1}. If -1 marks neighbours that a search missed, search more thoroughly."
        )
    if not np.isfinite(distances).all() or distances.min() < 0:
        raise ValueError("Some distances of neighbors are negative, NaN or infinite.")
    if (np.diff(np.sort(indices, axis=1), axis=1) == 0).any():
        raise ValueError("Some rows of neighbors list the same neighbour twice.")
    others = (indices != np.arange(n)[:, None]).sum(axis=1)
    if others.min() < k:
        raise ValueError(
            f"neighbors lists only {others.min()} rows besides the row itself for some rows, but n_neighbors (k) = "
            f"{k}. Lower n_neighbors, or search for more neighbours."
        )
    return Neighbors(indices.astype(np.int64), distances.astype(float))
