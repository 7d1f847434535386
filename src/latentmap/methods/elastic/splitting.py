"""The divisors of the gradient that give a step of the elastic embedding."""

import numpy as np

from latentmap.methods.descent import Direction
from latentmap.methods.elastic.energy import Energy

SPLITTINGS = ("degree", "laplacian", "both degrees", "gradient")
"""Divisors of the gradient that give a step."""

# Added to the diagonal of the Laplacian, relative to the mean degree, to make it invertible.
_RIDGE = 1e-10
# The longest step of any point: farther apart, unconnected parts no longer repel each other.
_FARTHEST = 10.0
# The smallest degree by which a step is divided, relative to the mean.
_LEAST = 1e-3


def direction_of(splitting: str, energy: Energy, strength: float) -> Direction:
    """Return the descent direction -G A^-1, where A approximates the Hessian.

    Parameters
    ----------
    splitting : {"laplacian", "degree", "both degrees", "gradient"}
        Which A; see :class:`~latentmap.methods.elastic.elastic_embedding.ElasticEmbedding`.
    energy : Energy
        The cost of the map.
    strength : float
        lambda.

    Returns
    -------
    callable
        From the points and their gradient, both of shape (n, n_components), to the step of each point.
    """
    # A row with almost no attraction must not shorten the steps of all others.
    degrees = np.maximum(energy.degrees, _LEAST * energy.degrees.mean())[:, None]
    if splitting == "degree":
        return lambda points, gradient: -gradient / (4 * degrees)
    if splitting == "both degrees":
        return lambda points, gradient: -gradient / (4 * (degrees + strength * energy.repelled(points)[:, None]))
    if splitting == "gradient":
        return lambda points, gradient: -gradient / (4 * degrees.max())
    solve = energy.solver(_RIDGE * degrees.mean())

    def direction(points: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        step = -solve(gradient / 4)
        return np.asarray(
            step * min(1.0, _FARTHEST / np.sqrt(np.square(step).sum(axis=1).max() + np.finfo(float).tiny))
        )

    return direction
