"""EM with joint updates, to which the paper prefers alternating ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latentmap.model.objective import Objective
from latentmap.model.state import State


def joint_em(
    objective: Objective,
    embedding: np.ndarray,
    variances: np.ndarray,
    *,
    momentum: float,
    max_iter: int,
) -> Iterator[State]:
    """Update outputs and variances at once, from a single lower bound: what the paper advises against.

    The bound takes the latent variables of all pairs for complete data, those of similar pairs too, so that it is
    highest where each output is the mean of the posterior means of its latent variables, and each variance the mean of
    their squared distances from that output, by dimension. Both follow from the gradient: sum of w (E[h | c] - mu) =
    sigma^2 gradient, by SI (5), and sum of w E[|h - mu|^2 | c] = d sigma^2 W + sigma^4 spread, W the sum of weights.

    Parameters
    ----------
    objective : Objective
        Gaussian: without heavy tails.
    embedding : ndarray of shape (n, d)
    variances : ndarray of shape (n,)
    momentum : float
        beta of Saul (SI 43).
    max_iter : int

    Yields
    ------
    State
        First the start, then one for each iteration.
    """
    weight, d, limits = objective.weight(objective.repulsion), embedding.shape[1], objective.similar.variance_limits
    velocity = np.zeros_like(embedding)
    yield State(0, embedding, variances, objective.log_likelihood)
    for iteration in range(1, max_iter + 1):
        now = objective.expectations(embedding, variances)
        update = (variances / weight)[:, None] * now.gradient
        variances = variances + variances**2 * now.spread / (d * weight) - np.sum(update**2, axis=1) / d
        variances = np.clip(variances, *limits)
        velocity = update + momentum * velocity
        embedding = embedding + velocity
        yield State(iteration, embedding, variances, objective.log_likelihood)
