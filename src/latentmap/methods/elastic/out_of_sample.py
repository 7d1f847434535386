"""Positions of new rows on an elastic embedding, and rows for new positions: Carreira-Perpinan (13)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics import euclidean_distances
from sklearn.utils import gen_batches

from latentmap.methods.descent import descend_each
from latentmap.model.data_warnings import warn_user
from latentmap.model.inputs import CHUNK

_MAX_ITER = 500
_TOL = 1e-9

Kernel = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From squared distances to weights and to the squared widths of their Gaussians."""


def place_points(
    embedding: np.ndarray, attractive: np.ndarray, repulsive: np.ndarray, nearest: np.ndarray
) -> np.ndarray:
    """Place each new row where its cost is lowest, F(y) of Carreira-Perpinan (13).

    Parameters
    ----------
    embedding : ndarray of shape (n, d)
        The map; it does not move.
    attractive, repulsive : ndarray of shape (m, n)
        w+ of each new row to those on the map, and lambda w-.
    nearest : ndarray of int, shape (m,)
        The row of the map at which each starts.
    """
    placed = embedding[nearest].copy()
    degrees = attractive.sum(axis=1)
    alone = degrees == 0
    if alone.any():
        warn_user(
            f"{alone.sum()} of {len(alone)} rows are so unlike all rows of the map that nothing attracts them. Each is "
            'placed on the row nearest to it. A larger width, or attraction="perplexity", would attract them.'
        )
    rows = np.flatnonzero(~alone)
    for batch in gen_batches(len(rows), max(1, CHUNK // len(embedding))):
        some = rows[batch]
        own = _PlacingCost(embedding, attractive[some], repulsive[some], degrees[some])
        placed[some] = descend_each(own.cost, placed[some], max_iter=_MAX_ITER, tol=_TOL)
    return np.asarray(placed)


class _PlacingCost:
    """E'(x, y) as a cost of x."""

    def __init__(
        self, embedding: np.ndarray, attractive: np.ndarray, repulsive: np.ndarray, degrees: np.ndarray
    ) -> None:
        self._embedding, self._attractive, self._repulsive = embedding, attractive, repulsive
        self._degrees = degrees

    def cost(self, positions: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        away = positions[:, None] - self._embedding
        squared = np.square(away).sum(axis=2)
        attractive, repelled = self._attractive[rows], self._repulsive[rows] * np.exp(-squared)
        values = 2 * ((attractive * squared).sum(axis=1) + repelled.sum(axis=1))
        gradients = 4 * ((attractive - repelled)[:, :, None] * away).sum(axis=1)
        return values, gradients, 4 * self._degrees[rows]


def reconstruct(
    positions: np.ndarray, embedding: np.ndarray, table: np.ndarray, kernel: Kernel, strength: float
) -> np.ndarray:
    """Return the row that would lie at each of some positions, f(x) of Carreira-Perpinan (13).

    Parameters
    ----------
    positions : ndarray of shape (m, d)
        The positions.
    embedding : ndarray of shape (n, d)
        The map.
    table : ndarray of shape (n, D)
        Its rows.
    kernel : callable
        From squared distances, of shape (m, n), to w+ and to the squared widths of its Gaussians.
    strength : float
        lambda, for w- as the squared distance.
    """
    table = table.astype(float, copy=False)
    made = np.empty((len(positions), table.shape[1]))
    for batch in gen_batches(len(positions), max(1, CHUNK // max(table.shape))):
        squared = euclidean_distances(positions[batch], embedding, squared=True)
        repulsive = strength * np.exp(-squared)
        made[batch] = table[squared.argmin(axis=1)]
        near = repulsive.sum(axis=1) > 0
        if not near.all():
            warn_user(
                f"{(~near).sum()} of {len(near)} positions are so far off the map that nothing is known about them. "
                "Each gets the row whose position is nearest."
            )
        if near.any():
            own = _RowCost(table, squared[near], repulsive[near], kernel)
            some = np.flatnonzero(near) + batch.start
            made[some] = descend_each(own.cost, made[some], max_iter=_MAX_ITER, tol=_TOL)
    return made


class _RowCost:
    """E'(x, y) as a cost of y."""

    def __init__(self, table: np.ndarray, far: np.ndarray, repulsive: np.ndarray, kernel: Kernel) -> None:
        self._table, self._far, self._repulsive, self._kernel = table, far, repulsive, kernel

    def cost(self, made: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        squared = euclidean_distances(made, self._table, squared=True)
        weights, widths = self._kernel(squared)
        pulled, repulsive = weights * self._far[rows], self._repulsive[rows]
        values = 2 * (pulled + repulsive * squared).sum(axis=1)
        shares = 4 * repulsive - 2 * pulled / widths
        gradients = shares.sum(axis=1)[:, None] * made - shares @ self._table
        return values, gradients, 4 * repulsive.sum(axis=1)
