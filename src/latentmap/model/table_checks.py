"""Checks of the columns and values of a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from sklearn.utils import gen_batches

from latentmap.model.data_warnings import listed, warn_user
from latentmap.model.robust_center import robust_center

if TYPE_CHECKING:
    import pandas as pd

# Rows farther from the median than this multiple of the usual distance get a warning. In published tables the farthest
# are at 23.
_FAR = 100


def check_names(X: Any) -> None:
    """Raise if the column names of a table are partly strings, which scikit-learn refuses.

    Parameters
    ----------
    X : object
        Anything; only DataFrames and arrays of dates are checked.

    Raises
    ------
    ValueError
        Naming one column of each kind.
    """
    if not _is_frame(X):
        return
    texts, others = ([name for name in X.columns if isinstance(name, str) == is_text] for is_text in (True, False))
    if texts and others:
        raise ValueError(
            f"Some column names are strings, such as {texts[0]!r}, and others are not, such as {others[0]!r}. Make all "
            "of them strings (table.columns = table.columns.astype(str)), or none."
        )


def check_numeric(X: Any) -> None:
    """Raise if a table has columns that are not numeric.

    Parameters
    ----------
    X : object
        Anything; only DataFrames, and arrays of dates, of text or with a mask are checked.

    Raises
    ------
    ValueError
        Naming the columns.
    """
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in ("m", "M"):
        raise ValueError("X holds dates or times: turn them into numbers first, such as the hours since the first.")
    if kind in ("U", "S"):
        raise ValueError("X holds text: turn it into numbers first, with X.astype(float) if these are numbers.")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        n_hidden = int(np.ma.getmaskarray(X).sum())
        raise ValueError(
            f"A mask hides {n_hidden} values of X. Leave out their rows or columns, or impute them first (for example "
            "with scikit-learn's SimpleImputer, from X.filled(numpy.nan))."
        )
    if not _is_frame(X):
        return
    others = [name for name, column in X.items() if not _is_numeric(column)]
    if others:
        raise ValueError(
            f"Columns that are not numbers: {listed(others)}. Leave them out, or turn them into numbers first "
            "(for example with scikit-learn's OneHotEncoder)."
        )


def _is_frame(X: Any) -> TypeGuard[pd.DataFrame]:
    # The estimator does without pandas: nobody has a DataFrame who has not imported it.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_numeric_dtype, is_object_dtype

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
    # If all values are finite, so is their sum, which needs no second table; if it overflows, the slow way decides.
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
        f"{listed([c if names is None else names[c] for c in columns.tolist()])}. Drop these rows or columns, or "
        "impute the missing values first (for example with scikit-learn's SimpleImputer)."
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
        For the message.

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


def check_not_all_equal(X: np.ndarray) -> None:
    """Raise if all rows are identical.

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


def warn_of_far_rows(X: np.ndarray, names: Sequence[Any] | None = None) -> None:
    """Warn of rows that lie a hundred times farther out than usual, most of which hold a placeholder.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The table.
    names : sequence, optional
        Names of the columns; their numbers otherwise.
    """
    centre, spread = robust_center(X)
    farthest = np.maximum(X.max(axis=0) - centre, centre - X.min(axis=0))
    if spread == 0 or farthest.max() <= _FAR * spread:
        return
    column = int(farthest.argmax())
    row = int(np.abs(X[:, column] - centre[column]).argmax())
    n_far = sum(
        np.count_nonzero(np.abs(X[batch] - centre).max(axis=1) > _FAR * spread) for batch in gen_batches(len(X), 1024)
    )
    name = column if names is None else names[column]
    warn_user(
        f"{n_far} of {len(X)} rows lie more than {_FAR} times farther out than usual. The farthest is row {row}, with "
        f"{X[row, column]:.10g} in column {name!r}, whose median is {centre[column]:.4g}. If this stands for a missing "
        "value, leave the row out; if not, scale the columns, for instance by logarithms or ranks."
    )
