"""The map at each lambda of a homotopy."""

from __future__ import annotations

import numpy as np

from latentmap.methods import ElasticEmbedding
from latentmap.methods.elastic.energy import Energy
from latentmap.model.workers import Workers


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


def bounds_of(method: ElasticEmbedding) -> tuple[float, float, float]:
    """Return the bounds (11) and (12) of the lambda at which the points of a fitted map part, and that lambda."""
    weights = method.weights_
    with Workers(-1) as workers:
        energy = Energy(weights.attractive, weights.repulsive, workers)
        return *energy.bounds(), energy.critical()[0]
