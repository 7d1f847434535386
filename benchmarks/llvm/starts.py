"""Several random starts, and what the authors' programs do otherwise than the paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.model import LocallyLinear, Precisions

ALPHA = 1e-3
"""Where the authors' programs hold alpha."""
_GAMMA = 0.5


def unit_beta(X: np.ndarray) -> float:
    """Return which beta is 1 in the unit of the authors' programs, the largest number of a centred table."""
    centred = X - X.mean(axis=0)
    return float(np.square(centred).sum(axis=1).max() / np.square(centred).max())


def authors_steps(model: LocallyLinear, beta: float, seed: int, max_iter: int) -> tuple[np.ndarray, float]:
    """Return places and bound by the paper's steps without the one for the map's unit, alpha and beta held.

    Gamma starts where it does in the authors' programs. All of it is in our unit, so that bounds can be compared.
    """
    (n, columns), d = model.table.shape, model.d
    drawn = np.random.default_rng(seed).standard_normal((n, d, columns))
    maps = GraphGaussian.known(model.graph, drawn / np.sqrt(beta), 1 / beta)
    theta = Precisions(ALPHA, beta, _GAMMA * beta)
    for _ in range(max_iter):
        places = model.places(maps, theta)
        maps = model.maps(places, theta)
        theta = model.updated(places, maps, theta, ("alpha", "beta"))
    return places.mean[:, :, 0], model.bound(places, maps, theta)


def spread(values: Sequence[float], form: str) -> str:
    """Return the mean of some values, and the least and the greatest if there are several."""
    mean, least, greatest = (format(value, form) for value in (np.mean(values), min(values), max(values)))
    return mean if len(values) == 1 else f"{mean} ({least} to {greatest})"
