"""Positions of new rows on the map of a locally linear latent variable model, and rows for new positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.likelihood import EPSILON
from latentmap.methods.lllvm.model import Precisions
from latentmap.model.inputs import CHUNK

_MAX_ITER = 1000
# Relative to the largest coordinate.
_TOL = 1e-10


class Placed(NamedTuple):
    """The posterior of new rows.

    Attributes
    ----------
    positions : ndarray of shape (m, d)
        The mean of q(x*).
    covariances : ndarray of shape (m, d, d)
        Its covariance.
    maps : ndarray of shape (m, d, D)
        The transposed mean of q(C*).
    """

    positions: np.ndarray
    covariances: np.ndarray
    maps: np.ndarray


def place_points(
    rows: np.ndarray,
    nearest: np.ndarray,
    table: np.ndarray,
    positions: GraphGaussian,
    maps: GraphGaussian,
    theta: Precisions,
) -> Placed:
    """Find q(x*) and q(C*) of each new row with all else fixed, Park, section 3.

    Each row is linked to its neighbours as they are to each other; its two posteriors are computed in turn until its
    position converges.

    Parameters
    ----------
    rows : ndarray of shape (m, D)
        y*, centred and scaled as the table.
    nearest : ndarray of int, shape (m, k)
        The neighbours of each in the table.
    table : ndarray of shape (n, D)
        The rows of the map.
    positions, maps : GraphGaussian
        q(x), without the uncertainty that all rows share, and q(C).
    theta : Precisions
        The parameters of the map.
    """
    squares = maps.squares()
    size = max(1, CHUNK // (nearest.shape[1] * maps.mean[0].size))
    parts = [
        _settled(_Linked(rows[batch], nearest[batch], table, positions, maps, squares, theta))
        for batch in gen_batches(len(rows), size)
    ]
    return Placed(*(np.concatenate(part) for part in zip(*parts, strict=True)))


class _Linked:
    """The terms that couple new rows and their neighbours."""

    def __init__(
        self,
        rows: np.ndarray,
        nearest: np.ndarray,
        table: np.ndarray,
        positions: GraphGaussian,
        maps: GraphGaussian,
        squares: np.ndarray,
        theta: Precisions,
    ) -> None:
        self.theta, self.k = theta, nearest.shape[1]
        self.squares = squares[nearest].mean(axis=1)
        self.maps = maps.mean[nearest].sum(axis=1)
        self.away = table[nearest] - rows[:, None]
        self.around = positions.mean[nearest, :, 0]
        self.spread = positions.at_rows[nearest].sum(axis=1)
        pulled = np.einsum("mkab,mkb->ma", squares[nearest], self.around)
        self.pull = pulled - np.einsum("mkay,mky->ma", maps.mean[nearest], self.away)

    def placed(self, maps: np.ndarray, squares: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and covariance of q(x*) given q(C*), as in Park (50)-(54)."""
        alpha, _, gamma = self.theta
        total = self.k * (self.squares[some] + squares)
        covariances = np.linalg.inv(gamma * total + (alpha + 2 * self.k) * np.eye(squares.shape[1]))
        around = self.around[some].sum(axis=1)
        own = np.einsum("mab,mb->ma", squares, around) - np.einsum("may,my->ma", maps, self.away[some].sum(axis=1))
        return np.einsum("mab,mb->ma", covariances, gamma * (own + self.pull[some]) + 2 * around), covariances

    def mapped(self, positions: np.ndarray, covariances: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the transposed mean of q(C*), and the expected C*' C*, given q(x*), as in Park (65)-(70)."""
        _, beta, gamma = self.theta
        steps = self.around[some] - positions[:, None]
        spread = np.einsum("mka,mkb->mab", steps, steps) + self.spread[some] + self.k * covariances
        stiffness = beta * (EPSILON + 2 * self.k)
        inverse = np.linalg.inv(gamma * spread + stiffness * np.eye(steps.shape[2]))
        pull = gamma * np.einsum("mka,mky->may", steps, self.away[some]) + 2 * beta * self.maps[some]
        maps = inverse @ pull
        return maps, pull.shape[2] * inverse + maps @ np.swapaxes(maps, 1, 2)


def _settled(linked: _Linked) -> Placed:
    m = len(linked.pull)
    maps, squares = linked.maps / linked.k, linked.squares.copy()
    open_ = np.arange(m)
    positions, covariances = linked.placed(maps, squares, open_)
    for _ in range(_MAX_ITER):
        maps[open_], squares[open_] = linked.mapped(positions[open_], covariances[open_], open_)
        moved, covariances[open_] = linked.placed(maps[open_], squares[open_], open_)
        away = np.abs(moved - positions[open_]).max(axis=1)
        positions[open_] = moved
        open_ = open_[away > _TOL * np.abs(linked.around[open_]).max(axis=(1, 2))]
        if not len(open_):
            break
    return Placed(positions, covariances, maps)


def reconstruct(
    positions: np.ndarray, nearest: np.ndarray, table: np.ndarray, embedding: np.ndarray, maps: np.ndarray
) -> np.ndarray:
    """Return the row that would lie at each of some positions, y* of Park, section 4.2.

    Parameters
    ----------
    positions : ndarray of shape (m, d)
        x*.
    nearest : ndarray of int, shape (m, k)
        The rows whose positions are nearest to each.
    table : ndarray of shape (n, D)
        The rows of the map.
    embedding : ndarray of shape (n, d)
        Their positions.
    maps : ndarray of shape (n, d, D)
        The transposed means of C_i.
    """
    made = np.empty((len(positions), table.shape[1]))
    for batch in gen_batches(len(positions), max(1, CHUNK // (nearest.shape[1] * maps[0].size))):
        near = nearest[batch]
        steps = positions[batch, None] - embedding[near]
        made[batch] = (table[near] + np.einsum("mka,mkay->mky", steps, maps[near])).mean(axis=1)
    return made
