"""Gradient ascent of the likelihood: fewer and cheaper steps than EM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from latentmap.model.adam import Adam
from latentmap.model.similar import SimilarPairs
from latentmap.model.state import State
from latentmap.model.variances import updated_variances

# The shortest ramp, as a fraction of all steps.
_TINY = 1e-12
# The steps shrink linearly to this fraction of the first.
_LAST_STEP = 0.01
# No output moves farther out than this, in median length scales, so that the kernels' products of three squared
# distances stay within single precision.
_FARTHEST = 1e5


class Likelihood(Protocol):
    """What an ascent needs of a likelihood, such as HeavyTailedLikelihood or Objective."""

    repulsion: float
    rate: float
    precision: DTypeLike
    similar: SimilarPairs

    def weight(self, repulsion: float) -> np.ndarray:
        """Return the number of experiments that each output takes part in."""

    def slopes(
        self, embedding: np.ndarray, variances: np.ndarray, repulsion: float, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient with respect to the outputs, and twice that with respect to the variances."""

    def log_likelihood(self, embedding: np.ndarray, variances: np.ndarray) -> float:
        """Return the log-likelihood."""


def ascent(
    likelihood: Likelihood,
    embedding: np.ndarray,
    variances: np.ndarray,
    *,
    ramp: tuple[float, float] = (0.1, 0.9),
    learning_rate: float = 0.5,
    momentum: float = 0.9,
    tied_variances: bool = False,
    max_iter: int = 250,
) -> Iterator[State]:
    """Update the outputs by Adam, and the variances by Saul (21).

    Parameters
    ----------
    likelihood : Likelihood
        To be maximised.
    embedding : ndarray of shape (n, d)
        Outputs to start from.
    variances : ndarray of shape (n,)
        Variances to start from.
    ramp : (float, float)
        When the ratio of sum D to sum S begins to change from 1, its value in the paper, and when it reaches that of
        the likelihood, as fractions of all steps.
    learning_rate : float
        Length of the first steps, in units of the median length scale.
    momentum : float
        Decay of the mean gradient.
    tied_variances : bool
        Whether all outputs share one variance (Saul, Fig. S4).
    max_iter : int
        Steps.

    Yields
    ------
    State
        The start, then one for each step.
    """
    d, unit, limits = embedding.shape[1], likelihood.similar.unit, likelihood.similar.variance_limits
    farthest = _FARTHEST * unit
    embedding = np.ascontiguousarray(np.clip(embedding, -farthest, farthest), likelihood.precision)
    variances = variances.astype(likelihood.precision)
    if tied_variances:
        variances = np.full_like(variances, variances.mean())
    variances = np.clip(variances, *limits)
    yield State(0, embedding, variances, likelihood.log_likelihood)
    if likelihood.rate == 0:
        return
    adam = Adam(embedding.shape, likelihood.precision, momentum, unit)
    for iteration in range(1, max_iter + 1):
        done = (iteration - 1) / max_iter
        repulsion = float(likelihood.repulsion ** np.clip((done - ramp[0]) / max(ramp[1] - ramp[0], _TINY), 0, 1))
        gradient, spread = likelihood.slopes(embedding, variances, repulsion, iteration - 1)
        embedding = adam.moved(embedding, gradient, learning_rate * unit * max(1 - done, _LAST_STEP))
        np.clip(embedding, -farthest, farthest, out=embedding)
        weight = likelihood.weight(repulsion).astype(likelihood.precision)
        variances = updated_variances(variances, spread, weight, d, limits, tied_variances)
        yield State(iteration, embedding, variances, likelihood.log_likelihood)
