"""The precision of the rows, which their positions get too."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from latentmap.model.inputs import Inputs

Placing = Callable[..., np.ndarray]


def keeps_precision(place: Placing) -> Placing:
    """Have a method of an estimator return float32 for rows in float32, as scikit-learn's transformers do.

    The model computes in double precision in any case, and so are ``embedding_`` and the other attributes.

    Parameters
    ----------
    place : callable
        ``place(self, X, ...)``

    Returns
    -------
    callable
    """

    @wraps(place)
    def placed(self: Any, X: Any, *args: Any, **kwargs: Any) -> np.ndarray:
        found = place(self, X, *args, **kwargs)
        return found.astype(np.float32, copy=False) if _is_single(X) else found

    return placed


def _is_single(X: Any) -> bool:
    """Whether all numbers of a table are in single precision."""
    X = X.table if isinstance(X, Inputs) else X
    kinds = list(X.dtypes) if hasattr(X, "dtypes") and hasattr(X, "columns") else [getattr(X, "dtype", None)]
    return bool(kinds) and all(kind == np.float32 for kind in kinds if kind is not None) and kinds[0] is not None
