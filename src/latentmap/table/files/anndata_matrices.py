"""The matrices of an AnnData, wherever and however it keeps them: sparse, on the disk, in chunks, under a mask."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

if TYPE_CHECKING:
    from anndata import AnnData


def matrix_of(adata: "AnnData") -> Any:
    """Return ``X`` in memory, sparse if it is; None if there is none."""
    try:
        return in_memory(adata.X)
    # A file without X that is read in backed mode.
    except KeyError:
        return None


def in_memory(stored: Any) -> Any:
    """Return a matrix in memory, of one that may be on the disk (backed) or in chunks (dask).

    Examples
    --------
    >>> in_memory(np.ones((1, 2))).tolist()
    [[1.0, 1.0]]
    """
    if hasattr(stored, "to_memory"):
        return stored.to_memory()
    if hasattr(stored, "compute"):
        return stored.compute()
    return stored[:] if hasattr(stored, "file") else stored


def dense(stored: Any) -> np.ndarray:
    """Return a matrix as an ordinary array; what a mask hides is NaN.

    Examples
    --------
    >>> dense(np.ma.masked_array([[1, 7]], mask=[[False, True]])).tolist()
    [[1.0, nan]]
    """
    stored = in_memory(stored)
    if isinstance(stored, np.ma.MaskedArray):
        return np.ma.filled(stored.astype(float), np.nan)
    return np.asarray(stored.toarray() if issparse(stored) else stored)
