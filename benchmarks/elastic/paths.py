"""The map at each lambda of a homotopy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.base import clone

from latentmap.methods import ElasticEmbedding
from latentmap.methods.elastic.energy import Energy
from latentmap.model.workers import Workers

# A long descent, and how far it first shakes the points, where repulsion reaches 1.
_LONG = {"n_strengths": 1, "splitting": "laplacian", "max_iter": 300, "tol": 1e-7}
_SHAKEN = 0.03


def path(method: ElasticEmbedding, X: np.ndarray) -> dict[float, np.ndarray]:
    """Make a map, and return what it was at the end of each lambda.

    Parameters
    ----------
    method : ElasticEmbedding
        Fitted here.
    X : ndarray of shape (n, D)

    Returns
    -------
    dict of float to ndarray of shape (n, d)
        In the order of lambda.
    """
    places = [progress.state.embedding for progress in method.iter_fit(X) if progress.state is not None]
    # The last state at each lambda stays.
    return dict(zip(method.strengths_.tolist(), places, strict=True))


def excess(
    method: ElasticEmbedding, X: np.ndarray, maps: dict[float, np.ndarray], strengths: Iterable[float]
) -> dict[str, float]:
    """Return what part of the cost at the end of some lambdas a long descent from there takes away.

    Parameters
    ----------
    method : ElasticEmbedding
        Fitted.
    X : ndarray of shape (n, D)
        What it was fitted to.
    maps : dict of float to ndarray of shape (n, d)
        As :func:`path` returns them.
    strengths : iterable of float
        Some of their lambdas.

    Returns
    -------
    dict of str to float
        By lambda; 0 where nothing is left to gain.
    """
    rng, found = np.random.default_rng(0), {}
    for strength in strengths:
        cost = method.costs_[method.strengths_ == strength][-1]
        init = maps[strength] + _SHAKEN * rng.standard_normal(maps[strength].shape)
        longer = clone(method).set_params(lam=strength, init=init, **_LONG).fit(X)
        found[str(strength)] = float(1 - longer.cost_ / cost)
    return found


def bounds_of(method: ElasticEmbedding) -> tuple[float, float, float]:
    """Return the bounds (11) and (12) of the lambda at which the points of a fitted map part, and that lambda."""
    weights = method.weights_
    with Workers(-1) as workers:
        energy = Energy(weights.attractive, weights.repulsive, workers)
        return *energy.bounds(), energy.critical()[0]
