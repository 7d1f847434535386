"""Sparse, symmetric, diagonally dominant linear systems: the M-step of the outputs, Saul (19)-(20)."""

from __future__ import annotations

import numpy as np
from numba import njit

from latentmap.model.compiling import OPTIONS
from latentmap.model.workers import Workers, chunks_of

_ENTRIES_PER_CHUNK = 100_000


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
    # A column's values side by side: loops over a few columns would take longer than what they do.
    rhs, guess = np.ascontiguousarray(rhs.T), np.ascontiguousarray(guess.T)
    product = np.empty_like(rhs)

    def sums(parts: list[np.ndarray]) -> np.ndarray:
        return np.sum(parts, axis=0)

    curvature = sums(workers.map(_multiply, chunks, *matrix, guess, product))
    along = np.einsum("ji,ji->j", guess, rhs)
    scale = np.divide(along, curvature, out=np.zeros_like(along), where=curvature > 0)[:, None]
    x = guess * scale
    residual = rhs - product * scale
    direction = residual / diagonal
    energy = np.einsum("ji,ji->j", residual, direction)
    goal = tol**2 * np.einsum("ji,ji->j", rhs, rhs)
    size = np.einsum("ji,ji->j", residual, residual)
    for _ in range(max_iter):
        if np.all(size <= goal):
            break
        curvature = sums(workers.map(_multiply, chunks, *matrix, direction, product))
        length = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
        size, fresh = sums(workers.map(_advance, chunks, x, residual, direction, product, diagonal, length))
        ratio = np.divide(fresh, energy, out=np.zeros_like(energy), where=energy > 0)
        energy = fresh
        workers.map(_turn, chunks, residual, diagonal, ratio, direction)
    return np.ascontiguousarray(x.T)


@njit(**OPTIONS)
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
    along = np.zeros(len(x))
    for c in range(len(x)):
        total = 0.0
        for i in range(start, stop):
            value = diagonal[i] * x[c, i]
            # Unsigned, because numba asks of any other index whether it counts from the end.
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                value -= pull[p] * x[c, np.uint64(indices[p])]
            product[c, i] = value
            total += value * x[c, i]
        along[c] = total
    return along


@njit(**OPTIONS)
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
    sums = np.zeros((2, len(x)))
    for c in range(len(x)):
        plain = 0.0
        weighted = 0.0
        for i in range(start, stop):
            x[c, i] += length[c] * direction[c, i]
            r = residual[c, i] - length[c] * product[c, i]
            residual[c, i] = r
            plain += r * r
            weighted += r * r / diagonal[i]
        sums[0, c] = plain
        sums[1, c] = weighted
    return sums


@njit(**OPTIONS)
def _turn(
    start: int, stop: int, residual: np.ndarray, diagonal: np.ndarray, ratio: np.ndarray, direction: np.ndarray
) -> None:
    """Choose the next direction."""
    for c in range(len(direction)):
        for i in range(start, stop):
            direction[c, i] = residual[c, i] / diagonal[i] + ratio[c] * direction[c, i]
