"""A map made with the paper's settings, and how long each stage of it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.stages import seconds_by_stage
from latentmap import LVM, PAPER

# All iterations, none of them interrupted to look at the likelihood.
PAPER_SETTINGS = {**PAPER, "momentum": 0.9, "tol": 0, "likelihood_every": 0}


@dataclass(frozen=True, eq=False)
class Fit:
    """A map, without the estimator, so that many can be held at once.

    Attributes
    ----------
    embedding : ndarray of shape (n, d)
    variances : ndarray of shape (n,)
    log_likelihood : float
        At the end.
    seconds : dict of str to float
        Of each stage.
    """

    embedding: np.ndarray
    variances: np.ndarray
    log_likelihood: float
    seconds: dict[str, float] = field(default_factory=dict)


def fit(X: np.ndarray, max_iter: int, **settings: Any) -> Fit:
    """Make a map, timing each stage.

    Parameters
    ----------
    X : ndarray of shape (n, D)
    max_iter : int
    **settings
        Of the estimator, where they differ from the paper's.

    Returns
    -------
    Fit
    """
    lvm = LVM(**(PAPER_SETTINGS | settings | {"max_iter": max_iter}))
    seconds = seconds_by_stage(lvm, X)
    return Fit(lvm.embedding_, lvm.variances_, float(lvm.log_likelihood_[-1]), seconds)


def compile_kernels() -> None:
    """Make a map of a few points, so that no experiment is charged for compiling."""
    fit(np.random.default_rng(0).normal(size=(200, 3)), 2, n_levels=1)
