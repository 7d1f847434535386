"""Sparse, symmetric, diagonally dominant linear systems: the M-step of the outputs, Saul (19)-(20)."""

from __future__ import annotations

import numpy as np

from latentmap.model.compiling import compiled
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

    The guess is rescaled to its best length, so that even an unfinished solution is no worse than zero: the lower bound
    that the M-step maximises rises at every iteration.

    Parameters
    ----------
    indptr, indices, pull : ndarray
        W of Saul (18) as a csr_array; -W is the off-diagonal part of L.
    diagonal : ndarray of shape (n,)
        L_ii of Saul (19).
    rhs : ndarray of shape (n, d)
        Right sides.
    guess : ndarray of shape (n, d)
        Initial solution.
    tol : float
        Stop when the residual of every column is below this fraction of its right side.
    max_iter : int
        Maximum number of iterations.
    workers : Workers
        The threads to use.
    """
    chunks = chunks_of(np.diff(indptr) + rhs.shape[1], _ENTRIES_PER_CHUNK)
    matrix = (indptr, indices, pull, diagonal)
    # Columns contiguous: loops over a few columns would cost more than their bodies.
    rhs, guess = np.ascontiguousarray(rhs.T), np.ascontiguousarray(guess.T)
    product = np.empty_like(rhs)

    def sums(parts: list[np.ndarray]) -> np.ndarray:
        return np.asarray(np.sum(parts, axis=0))

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
        workers.map(_redirect, chunks, residual, diagonal, ratio, direction)
    return np.ascontiguousarray(x.T)


@compiled
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
    """Write L x for rows start..stop, and return their share of the scalar products of x and L x."""
    along = np.zeros(len(x))
    for c in range(len(x)):
        total = 0.0
        for i in range(start, stop):
            value = diagonal[i] * x[c, i]
            # Unsigned, because numba checks whether a signed index is negative.
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                value -= pull[p] * x[c, np.uint64(indices[p])]
            product[c, i] = value
            total += value * x[c, i]
        along[c] = total
    return along


@compiled
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
    """Step along the direction, and return the squared norms of the residual, plain and preconditioned."""
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


@compiled
def _redirect(
    start: int, stop: int, residual: np.ndarray, diagonal: np.ndarray, ratio: np.ndarray, direction: np.ndarray
) -> None:
    """Update the search direction."""
    for c in range(len(direction)):
        for i in range(start, stop):
            direction[c, i] = residual[c, i] / diagonal[i] + ratio[c] * direction[c, i]
