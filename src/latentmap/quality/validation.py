"""Checks of the arguments of the measures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import check_array, check_random_state

from latentmap.model.missing_values import is_missing
from latentmap.model.vectors import Metric

# Maximum number of columns that an error message names.
_SHOWN = 5
# Metrics of scikit-learn for rows of any table: no precomputed distances, missing values or geographic coordinates.
_METRICS = set(VALID_METRICS["brute"]) - {"precomputed", "nan_euclidean", "haversine"}


def sampled_rows(n: int, n_samples: int | None, random_state: int | np.random.RandomState) -> np.ndarray:
    """Return all rows, or some drawn without replacement."""
    if n_samples is None:
        return np.arange(n)
    n_samples = whole_number(n_samples, "n_samples", n, f"the table has {n} rows")
    return np.asarray(check_random_state(random_state).choice(n, n_samples, replace=False))


def whole_numbers(values: ArrayLike, name: str, largest: float = np.inf, reason: str = "") -> np.ndarray:
    """Return values as an array, or raise unless all are whole numbers from 1 to ``largest``."""
    numbers = np.asarray(values)
    if not numbers.size or numbers.dtype.kind not in "iu" or numbers.min() < 1 or numbers.max() > largest:
        limit = f" and at most {largest} ({reason})" if reason else ""
        raise ValueError(f"{name} must be a whole number, at least 1{limit}, but is {values!r}.")
    return numbers


def whole_number(value: int, name: str, largest: float = np.inf, reason: str = "") -> int:
    """Return a single value, or raise; see :func:`whole_numbers`."""
    if np.ndim(value):
        raise ValueError(f"{name} must be one whole number, but is {value!r}.")
    return int(whole_numbers(value, name, largest, reason))


def checked_pair(X: ArrayLike, Y: ArrayLike, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """Return a table and its map as arrays, or raise unless they are finite and have the same rows."""
    X, Y = checked_table(X, "X", metric), checked_table(Y, "Y", "euclidean")
    if len(X) != len(Y):
        raise ValueError(f"X has {len(X)} rows and Y has {len(Y)}, but both must have one row per cell.")
    return X, Y


def checked_classes(Y: ArrayLike, y: Any, metric: Metric, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Return a table and its classes as arrays, or raise unless each row has a class."""
    table, classes = checked_table(Y, names[0], metric), np.asarray(y)
    if classes.shape != table.shape[:1]:
        raise ValueError(
            f"{names[1]} must hold one class for each of the {len(table)} rows of {names[0]}, but has the shape "
            f"{classes.shape}."
        )
    missing = np.flatnonzero(is_missing(classes))
    if missing.size:
        raise ValueError(
            f"{names[1]} has no class for {missing.size} of {len(classes)} rows (the first is row {missing[0]}). "
            "Leave these rows out."
        )
    return table, classes


def checked_table(values: Any, name: str, metric: Metric) -> np.ndarray:
    """Return a table as an array, or raise unless it is finite and the metric is known."""
    if not callable(metric) and metric not in _METRICS:
        raise ValueError(f"metric must be a function of two rows or one of {sorted(_METRICS)}, but is {metric!r}.")
    table = check_array(values, dtype=np.float64, ensure_all_finite=False, input_name=name)
    bad = ~np.isfinite(table)
    if bad.any():
        rows, columns = np.flatnonzero(bad.any(axis=1)), np.flatnonzero(bad.any(axis=0))
        headings = getattr(values, "columns", range(table.shape[1]))
        shown = [str(headings[column]) for column in columns[:_SHOWN]] + ["..."] * (len(columns) > _SHOWN)
        raise ValueError(
            f"{name} has missing or infinite values in {len(rows)} of {len(table)} rows (the first is row {rows[0]}), "
            f"in {len(columns)} columns ({', '.join(shown)}). Leave these rows out, or impute the values."
        )
    return np.asarray(table)


def checked_neighbors(neighbors: Any, n: int) -> np.ndarray:
    """Return lists of neighbours of n rows as an array of row numbers, or raise.

    ``neighbors`` is an array of shape (n, k), or the tuple (indices, distances) that a search returns.
    """
    given = neighbors[0] if isinstance(neighbors, tuple) else neighbors
    indices = np.asarray(given)
    if indices.ndim != 2 or not indices.shape[1] or indices.dtype.kind not in "iu":
        raise ValueError(
            "neighbors must hold row numbers, one list of k neighbours for each row, but has the shape "
            f"{indices.shape} and the type {indices.dtype}. LVM().find_neighbors(X) finds them."
        )
    if len(indices) != n:
        raise ValueError(f"neighbors has {len(indices)} lists, but the map has {n} rows. Give one list for each row.")
    if indices.min() < 0 or indices.max() >= n:
        raise ValueError(
            f"neighbors must hold row numbers from 0 to {n - 1}, but has {indices.min()}..{indices.max()}."
        )
    return indices


def checked_fraction(value: float, name: str) -> float:
    """Return a number between 0 and 1, both excluded, or raise."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must be above 0 and below 1, but is {value!r}.")
    return float(value)
