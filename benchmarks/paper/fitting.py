"""A map made with the paper's settings, and how long each stage of it took."""

from __future__ import annotations

import resource
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latentmap import LVM

# Gaussian latent variables, and all iterations, none of them interrupted to look at the likelihood.
PAPER = {"dof": np.inf, "momentum": 0.9, "tol": 0, "likelihood_every": 0}


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
    widening : float, optional
        How many times as wide the map is at the end as at the start of EM: the ratio of the root mean square distances
        from the centre.
    """

    embedding: np.ndarray
    variances: np.ndarray
    log_likelihood: float
    seconds: dict[str, float] = field(default_factory=dict)
    widening: float | None = None


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
    lvm = LVM(max_iter=max_iter, **(PAPER | settings))
    seconds: dict[str, float] = defaultdict(float)
    stage, width, last = "checks", np.nan, time.perf_counter()
    for progress in lvm.iter_fit(X):
        now = time.perf_counter()
        seconds[stage] += now - last
        stage, last = progress.stage, now
        if progress.state is not None and progress.iteration == 0:
            width = _width(progress.state.embedding)
    seconds["end"] = time.perf_counter() - last
    widening = _width(lvm.embedding_) / width
    return Fit(lvm.embedding_, lvm.variances_, float(lvm.log_likelihood_[-1]), dict(seconds), widening)


def _width(embedding: np.ndarray) -> float:
    return float(np.sqrt(embedding.var(axis=0).sum()))


def compile_kernels() -> None:
    """Make a map of a few points, so that no experiment is charged for compiling."""
    fit(np.random.default_rng(0).normal(size=(200, 3)), 2, n_levels=1)


def peak_memory() -> float:
    """Return the most memory that this process has held so far, in GiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**30 if sys.platform == "darwin" else 2**20)
