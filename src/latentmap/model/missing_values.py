"""Which of some words or numbers are missing."""

from typing import Any

import numpy as np


def is_missing(values: np.ndarray) -> np.ndarray:
    """Return where values are None, NaN, not a time, or pandas' NA.

    Examples
    --------
    >>> is_missing(np.array(["T", None, float("nan"), ""], object)).tolist()
    [False, True, True, False]
    """
    if values.dtype.kind == "O":
        return np.fromiter(map(_is_missing, values.flat), bool, values.size).reshape(values.shape)
    # Only NaN and NaT differ from themselves.
    return np.asarray(values != values)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:
        # pandas' NA is neither equal to itself nor not.
        return True
