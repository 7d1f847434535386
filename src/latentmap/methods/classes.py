"""Classes of cells from which methods learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from latentmap.model.data_warnings import listed
from latentmap.model.missing_values import is_missing

NO_CLASS = -1


def read_classes(y: Any, n: int) -> np.ndarray:
    """Return the class of each row as a number from 0, or -1 if it has none.

    Parameters
    ----------
    y : array-like of shape (n,), or None
        Whole numbers or names. -1, None, NaN and "" mean no class.
    n : int
        Number of rows.

    Raises
    ------
    ValueError
        If their number differs from that of the rows, there is only one class, or no class has two rows.

    Examples
    --------
    >>> read_classes(["B", "T", "", "T", None], 5).tolist()
    [0, 1, -1, 1, -1]
    """
    if y is None:
        return np.full(n, NO_CLASS)
    # As objects: among words, NumPy would turn NaN into the word "nan".
    given = np.asarray(y, dtype=object).ravel()
    if len(given) != n:
        raise ValueError(
            f"y holds {len(given)} classes, but X has {n} rows. Give one class for each row, with -1, None or an empty "
            "name for cells without a class."
        )
    missing = is_missing(given)
    names: dict[Any, int] = {}
    codes = np.full(n, NO_CLASS)
    for row in np.flatnonzero(~missing):
        if given[row] != NO_CLASS and given[row] != "":
            codes[row] = names.setdefault(given[row], len(names))
    if not names:
        return codes
    if len(names) < 2 or np.bincount(codes[codes >= 0]).max() < 2:
        raise ValueError(
            f"y names {len(names)} class{'es' * (len(names) != 1)} ({listed(list(names))}), but pairs need at "
            "least two classes, one of them with two or more rows. Give more cells a class."
        )
    return codes
