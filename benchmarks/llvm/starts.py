"""Several random starts, and EM as in the programs of the paper's authors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.model import LocallyLinear, Precisions
from latentmap.methods.lllvm.neighborhood import Neighborhood

ALPHA = 1e-3
"""Where the authors' programs hold alpha."""
_EPSILON = 1e-3


def unit_beta(X: np.ndarray) -> float:
    """Return which beta is 1 in the unit of the authors' programs, the largest number of a centred table."""
    centred = X - X.mean(axis=0)
    return float(np.square(centred).sum(axis=1).max() / np.square(centred).max())


class _Program(LocallyLinear):
    """The model with the prior on C of the authors' programs, in which epsilon holds the mean of all C alone."""

    def maps(self, places: GraphGaussian, theta: Precisions) -> GraphGaussian:
        precision = self._precision(self.likelihood.of_maps(places), theta.gamma, 0.0, theta.beta)
        for a in range(self.d):
            precision[:, a, :, a] += _EPSILON * theta.beta
        return GraphGaussian.solved(self.graph, precision, theta.gamma * self._products(places), keeps_whole=True)


def authors_steps(
    table: np.ndarray, graph: Neighborhood, beta: float, seed: int, max_iter: int
) -> tuple[np.ndarray, float]:
    """Return places and bound by EM as in the authors' programs, in our unit, so that bounds can be compared.

    The likelihood is the normalised one; maps C start at random with the covariance I, alpha and gamma between 0 and 1;
    alpha is 0.001 from the first M-step on, and beta 1; there is no step for the map's unit.

    Parameters
    ----------
    table : ndarray of shape (n, D)
        Centred, the farthest row at the distance 1.
    graph : Neighborhood
        Of its rows.
    beta : float
        Of :func:`unit_beta`.
    seed, max_iter : int

    Returns
    -------
    places : ndarray of shape (n, 2)
    bound : float
        By the prior on C that the paper prints.
    """
    (n, columns), rng = table.shape, np.random.default_rng(seed)
    model = _Program(table, graph, 2, "normalised")
    drawn = rng.standard_normal((n, 2, columns))
    maps = GraphGaussian.known(graph, drawn / np.sqrt(beta), 1 / beta, keeps_whole=True)
    alpha, gamma = rng.uniform(size=2)
    theta = Precisions(alpha, beta, gamma * beta)
    for _ in range(max_iter):
        places = model.positions(maps, theta)
        maps = model.maps(places, theta)
        theta = model.updated(places, maps, theta, ("alpha", "beta"))._replace(alpha=ALPHA)
    return places.mean[:, :, 0], model.bound(places, maps, theta)


def spread(values: Sequence[float], form: str) -> str:
    """Return the mean of some values, and the least and the greatest if there are several."""
    mean, least, greatest = (format(value, form) for value in (np.mean(values), min(values), max(values)))
    return mean if len(values) == 1 else f"{mean} ({least} to {greatest})"
