"""Several random starts, and EM as in the programs of the paper's authors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.model import LocallyLinear, Precisions

ALPHA = 1e-3
"""Where the authors' programs hold alpha."""


def unit_beta(X: np.ndarray) -> float:
    """Return which beta is 1 in the unit of the authors' programs, the largest number of a centred table."""
    centred = X - X.mean(axis=0)
    return float(np.square(centred).sum(axis=1).max() / np.square(centred).max())


def authors_steps(model: LocallyLinear, beta: float, seed: int, max_iter: int) -> tuple[np.ndarray, float]:
    """Return places and bound by EM as in the authors' programs, in our unit, so that bounds can be compared.

    The likelihood is the normalised one; maps C start at random with the covariance I, alpha and gamma between 0 and 1;
    alpha is 0.001 from the first M-step on, and beta 1; there is no step for the map's unit. Their epsilon is 0.001 and
    holds the mean of all C alone, which hardly matters: here it is that of the paper, at 0.0001.

    Parameters
    ----------
    model : LocallyLinear
        With the normalised likelihood.
    beta : float
        Of :func:`unit_beta`.
    seed, max_iter : int

    Returns
    -------
    places : ndarray of shape (n, d)
    bound : float
    """
    if not model.likelihood.is_whole:
        raise ValueError("The authors' programs have the normalised likelihood.")
    (n, columns), d, rng = model.table.shape, model.d, np.random.default_rng(seed)
    drawn = rng.standard_normal((n, d, columns))
    maps = GraphGaussian.known(model.graph, drawn / np.sqrt(beta), 1 / beta, keeps_whole=True)
    alpha, gamma = rng.uniform(size=2)
    theta = Precisions(alpha, beta, gamma * beta)
    for _ in range(max_iter):
        places = model.places(maps, theta)
        maps = model.maps(places, theta)
        theta = model.updated(places, maps, theta, ("alpha", "beta"))._replace(alpha=ALPHA)
    return places.mean[:, :, 0], model.bound(places, maps, theta)


def spread(values: Sequence[float], form: str) -> str:
    """Return the mean of some values, and the least and the greatest if there are several."""
    mean, least, greatest = (format(value, form) for value in (np.mean(values), min(values), max(values)))
    return mean if len(values) == 1 else f"{mean} ({least} to {greatest})"
