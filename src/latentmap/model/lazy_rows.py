"""Rows of a dask array, which are placed chunk by chunk when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

Placing = Callable[..., Any]


def takes_lazy_rows(place: Placing) -> Placing:
    """Have ``transform`` of an estimator give a dask array for a dask array.

    Each row is placed on its own, so chunks of rows give the same as all rows at once. As in dask-ml's
    ``ParallelPostFit``, the fitted estimator is sent to the workers once. A chunk holds all columns of its rows.

    Parameters
    ----------
    place : callable
        ``place(self, X)``

    Returns
    -------
    callable
    """

    @wraps(place)
    def placed(self: Any, X: Any) -> Any:
        return _by_chunks(self, X) if _is_lazy(X) else place(self, X)

    return placed


def _is_lazy(X: Any) -> bool:
    """Whether rows are a dask array, without importing dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "map_blocks") and getattr(X, "ndim", 0) == 2


def _by_chunks(estimator: Any, X: Any) -> Any:
    from dask.delayed import delayed

    check_is_fitted(estimator)
    X = X.rechunk({1: -1})
    d = estimator.embedding_.shape[1]
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return X.map_blocks(
        _transform,
        delayed(estimator, traverse=False),
        chunks=(X.chunks[0], (d,)),
        dtype=dtype,
        meta=np.empty((0, d), dtype),
    )


def _transform(rows: np.ndarray, estimator: Any) -> Any:
    return np.asarray(estimator.transform(rows))
