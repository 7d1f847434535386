"""Inputs that are not rows of numbers, such as words, with a function that returns the distance of two of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances

from latentmap import memory
from latentmap.model.distances import DistanceMatrix
from latentmap.model.inputs import Neighbors


class ObjectInputs(DistanceMatrix):
    """Inputs of any kind: words, sequences, graphs.

    The function is called once for each pair, and all distances are kept.

    Parameters
    ----------
    items : ndarray of shape (n,), object
        The inputs.
    metric : callable
        ``f(a, b) -> distance``, the same in both directions.
    metric_params : dict or None
        Further arguments of the function.
    D : ndarray of shape (n, n), optional
        The distances, if they are known already.

    Raises
    ------
    ValueError
        If their distances do not fit into memory, or some distance is negative, NaN or infinite.
    """

    def __init__(
        self,
        items: np.ndarray,
        metric: Callable[..., float],
        metric_params: dict[str, Any] | None = None,
        D: np.ndarray | None = None,
    ) -> None:
        _check_room(len(items))
        self.items, self._metric, self._metric_params = items, metric, dict(metric_params or {})
        super().__init__(self._measured(items, None) if D is None else D)

    @property
    def table(self) -> np.ndarray:
        """The objects."""
        return self.items

    def subset(self, rows: np.ndarray) -> ObjectInputs:
        """Return some of the rows."""
        return ObjectInputs(self.items[rows], self._metric, self._metric_params, super().subset(rows).D)

    def query(self, items_new: np.ndarray, k: int) -> Neighbors:
        """Return the k nearest of new inputs."""
        return self._nearest(self.distances_to(items_new), k)

    def distances_to(self, items_new: np.ndarray) -> np.ndarray:
        """Return the distances of new inputs to all."""
        return self._measured(items_new, self.items)

    def _measured(self, items: np.ndarray, others: np.ndarray | None) -> np.ndarray:
        D = pairwise_distances(items, others, metric=self._metric, ensure_all_finite=False, **self._metric_params)
        bad = np.argwhere(~(np.isfinite(D) & (D >= 0)))
        if len(bad):
            i, j = bad[0]
            raise ValueError(
                f"The metric gives {D[i, j]} for {items[i]!r} and {(items if others is None else others)[j]!r}; a "
                "distance must be a finite number, 0 or more. Let the function return one for every pair."
            )
        return np.asarray(D, dtype=float)


def read_objects(X: Any) -> np.ndarray | None:
    """Return inputs that are not rows of numbers as an array of objects, or None if they are a table.

    Parameters
    ----------
    X : object
        A list of strings, or an array or Series of strings or objects.

    Raises
    ------
    ValueError
        If some are missing.
    """
    if isinstance(X, list | tuple):
        is_text = len(X) > 0 and any(isinstance(item, str) for item in X)
    else:
        is_text = getattr(X, "ndim", 0) == 1 and getattr(getattr(X, "dtype", None), "kind", "") in "OSU"
    if not is_text:
        return None
    items = np.empty(len(X), dtype=object)
    items[:] = list(X)
    missing = [row for row, item in enumerate(items) if _is_missing(item)]
    if missing:
        raise ValueError(
            f"{len(missing)} of {len(items)} rows are missing, the first is row {missing[0]}. Leave them out."
        )
    return items


def _is_missing(item: Any) -> bool:
    return item is None or (isinstance(item, float) and np.isnan(item)) or type(item).__name__ in ("NAType", "NaTType")


def _check_room(n: int) -> None:
    most = int((memory.free_memory() / 8) ** 0.5)
    memory.check_memory(8 * n * n, f"The distances between {n} rows", f"Choose up to {most} of the rows.")
