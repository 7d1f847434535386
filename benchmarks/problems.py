"""The problem that an estimator makes of a table, as its fit does."""

from __future__ import annotations

import numpy as np

from latentmap import LVM
from latentmap.model.problem import Problem, make_problem
from latentmap.model.settings import Settings
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers


def posed(lvm: LVM, X: np.ndarray, workers: Workers) -> Problem:
    """Return what the estimator would climb.

    Parameters
    ----------
    lvm : LVM
        ``n_neighbors`` must not be more than there are other rows.
    X : ndarray of shape (n, D)
    workers : Workers

    Returns
    -------
    Problem
    """
    steps = make_problem(Settings.of(lvm), Vectors(X, n_jobs=-1), np.random.default_rng(0), 0, workers)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
