"""Bad input, said in a sentence: what is wrong, where, and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

# Names that one sentence lists.
_MOST_NAMES = 5


class DataWarning(UserWarning):
    """Something about the data that the user should know, though the map can be made."""


def warn(sentence: str) -> None:
    """Warn the caller of the package."""
    warnings.warn(sentence, DataWarning, stacklevel=4)


def listed(names: Sequence[Any]) -> str:
    """Return names as a list for a sentence, cut short where there are many.

    Parameters
    ----------
    names : sequence
        What to list.

    Returns
    -------
    str

    Examples
    --------
    >>> listed(["area", "mean"])
    "'area', 'mean'"
    >>> listed(range(8))
    '0, 1, 2, 3, 4 and 3 more'
    """
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def check_integer(value: Any, name: str, symbol: str, smallest: int, meaning: str) -> None:
    """Raise unless a parameter is a whole number and not too small.

    Parameters
    ----------
    value : object
        The parameter.
    name, symbol : str
        What it is called in the code and in the paper.
    smallest : int
        The smallest value allowed.
    meaning : str
        What it is, for the sentence.

    Raises
    ------
    ValueError
        Naming the parameter and what it may be.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < smallest:
        raise ValueError(
            f"{name} ({symbol}), {meaning}, is {value!r}; it must be a whole number of {smallest} or more."
        )


def check_real(value: Any, name: str, meaning: str, low: float, high: float = np.inf, open_low: bool = False) -> None:
    """Raise unless a parameter is a number within bounds; see :func:`check_integer`."""
    bad = not isinstance(value, Real) or isinstance(value, bool) or not low <= float(value) <= high
    if bad or (open_low and value == low):
        bound = f"above {low:g}" if open_low else f"from {low:g}"
        bound += "" if np.isinf(high) else f" to {high:g}"
        raise ValueError(f"{name}, {meaning}, is {value!r}; it must be a number {bound}.")


def check_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Raise unless a parameter is one of some words."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name} is {value!r}; it must be one of {listed(choices)}.")


def check_numeric(X: Any) -> None:
    """Raise if a table has columns that are not numbers.

    Parameters
    ----------
    X : object
        Anything; only what has ``dtypes`` and ``columns``, as a DataFrame, is looked at.

    Raises
    ------
    ValueError
        Naming the columns.
    """
    if not (hasattr(X, "select_dtypes") and hasattr(X, "columns")):
        return
    others = list(X.select_dtypes(exclude=["number", "bool", "object"]).columns)
    others += [name for name in X.select_dtypes(include="object").columns if not _is_numeric(X[name])]
    if others:
        raise ValueError(
            f"Columns that are not numbers: {listed(others)}. Leave them out, or turn them into numbers first "
            "(for example with scikit-learn's OneHotEncoder)."
        )


def _is_numeric(column: Any) -> bool:
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


def check_size(n: int, n_neighbors: int, n_components: int) -> None:
    """Raise if there are too few rows for these parameters.

    Parameters
    ----------
    n : int
        Rows.
    n_neighbors, n_components : int
        k and d.

    Raises
    ------
    ValueError
        Naming the parameter to lower.
    """
    if n <= n_neighbors:
        raise ValueError(
            f"Found {n} row{'s' * (n != 1)} (n_samples = {n}), but n_neighbors (k) = {n_neighbors} needs at least "
            f"{n_neighbors + 1}: each row and its neighbours. Lower n_neighbors, or add rows."
        )
    if n_components >= n:
        raise ValueError(
            f"n_components (d) = {n_components}, but there are only {n} rows: a map of n rows has at most n - 1 = "
            f"{n - 1} dimensions. Lower n_components."
        )


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
