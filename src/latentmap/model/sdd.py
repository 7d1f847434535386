"""Sparse, symmetric, diagonally dominant linear systems: the M-step of the outputs, Saul (19)-(20)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from latentmap.model.workers import Workers, chunks_of

_ENTRIES_PER_CHUNK = 100_000
_OPTIONS: Any = {"nogil": True, "cache": True, "error_model": "numpy", "fastmath": True}


def solve(
    indptr: np.ndarray,
    indices: np.ndarray,
    pull: np.ndarray,
    diagonal: np.ndarray,
    rhs: np.ndarray,
    guess: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    workers: Workers,
) -> np.ndarray:
    """Solve L x = rhs for all columns at once, by conjugate gradients with Jacobi's preconditioner.

    The guess is rescaled to the length that serves best, so that even a solution cut short is no worse than zero: the
    lower bound that the M-step maximises rises at every step of the iteration.

    Parameters
    ----------
    indptr, indices, pull : ndarray
        W of Saul (18) as a sparse array; L has -W off its diagonal.
    diagonal : ndarray of shape (n,)
        L_ii of Saul (19).
    rhs : ndarray of shape (n, d)
        Right sides.
    guess : ndarray of shape (n, d)
        Where to start.
    tol : float
        Stop when every column's residual is below this part of its right side.
    max_iter : int
        Stop after so many iterations.
    workers : Workers
        The threads to use.

    Returns
    -------
    ndarray of shape (n, d)
    """
    chunks = chunks_of(np.diff(indptr) + rhs.shape[1], _ENTRIES_PER_CHUNK)
    matrix = (indptr, indices, pull, diagonal)
    product = np.empty_like(rhs)

    def sums(parts: list[np.ndarray]) -> np.ndarray:
        return np.sum(parts, axis=0)

    curvature = sums(workers.map(_multiply, chunks, *matrix, guess, product))
    along = np.einsum("ij,ij->j", guess, rhs)
    scale = np.divide(along, curvature, out=np.zeros_like(along), where=curvature > 0)
    x = guess * scale
    residual = rhs - product * scale
    direction = residual / diagonal[:, None]
    energy = np.einsum("ij,ij->j", residual, direction)
    goal = tol**2 * np.einsum("ij,ij->j", rhs, rhs)
    size = np.einsum("ij,ij->j", residual, residual)
    for _ in range(max_iter):
        if np.all(size <= goal):
            break
        curvature = sums(workers.map(_multiply, chunks, *matrix, direction, product))
        length = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
        size, fresh = sums(workers.map(_advance, chunks, x, residual, direction, product, diagonal, length))
        ratio = np.divide(fresh, energy, out=np.zeros_like(energy), where=energy > 0)
        energy = fresh
        workers.map(_turn, chunks, residual, diagonal, ratio, direction)
    return x


@njit(**_OPTIONS)
def _multiply(
    start: int,
    stop: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    pull: np.ndarray,
    diagonal: np.ndarray,
    x: np.ndarray,
    product: np.ndarray,
) -> np.ndarray:
    """Write L x for rows start..stop, and return their part of the scalar products of x and L x."""
    d = x.shape[1]
    along = np.zeros(d)
    for i in range(start, stop):
        for c in range(d):
            product[i, c] = diagonal[i] * x[i, c]
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for c in range(d):
                product[i, c] -= pull[p] * x[j, c]
        for c in range(d):
            along[c] += product[i, c] * x[i, c]
    return along


@njit(**_OPTIONS)
def _advance(
    start: int,
    stop: int,
    x: np.ndarray,
    residual: np.ndarray,
    direction: np.ndarray,
    product: np.ndarray,
    diagonal: np.ndarray,
    length: np.ndarray,
) -> np.ndarray:
    """Go along the direction, and return the residual's squared norm, plain and in the preconditioner's metric."""
    d = x.shape[1]
    sums = np.zeros((2, d))
    for i in range(start, stop):
        for c in range(d):
            x[i, c] += length[c] * direction[i, c]
            r = residual[i, c] - length[c] * product[i, c]
            residual[i, c] = r
            sums[0, c] += r * r
            sums[1, c] += r * r / diagonal[i]
    return sums


@njit(**_OPTIONS)
def _turn(
    start: int, stop: int, residual: np.ndarray, diagonal: np.ndarray, ratio: np.ndarray, direction: np.ndarray
) -> None:
    """Choose the next direction."""
    for i in range(start, stop):
        for c in range(direction.shape[1]):
            direction[i, c] = residual[i, c] / diagonal[i] + ratio[c] * direction[i, c]
