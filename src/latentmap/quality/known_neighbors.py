"""Neighbours of the rows of a table that a fit has found already, or that are searched as a fit does."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from latentmap.model.lvm import LVM
from latentmap.model.vectors import Metric, Vectors, best_search
from latentmap.quality.progress import Progress
from latentmap.quality.ranked_rows import RankedRows


def iter_neighbors(
    X: np.ndarray, k: int, metric: Metric, estimator: Any, n_jobs: int | None, progress: Progress
) -> Generator[Progress, None, np.ndarray]:
    """Return the k nearest neighbours of each row: those of the fit, if the estimator is fitted to this table."""
    yield progress
    if isinstance(estimator, LVM) and estimator.metric == metric and estimator.is_map_of(X):
        found = estimator.neighbors_.indices
        if found.shape[1] >= k:
            return found[:, :k]
    if best_search(len(X), metric) == "exact":
        return RankedRows(X, metric, n_jobs).neighbors_of(np.arange(len(X)), k)
    return Vectors(X, metric, n_jobs=n_jobs).kneighbors(k).indices
