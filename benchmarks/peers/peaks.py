"""What the machine can do at most, with the threads that a fit has: the measure of its kernels."""

from __future__ import annotations

import math
import time
import timeit
from typing import Any

import numpy as np
from numba import njit

from latentmap.model.workers import Workers

# Numbers that a thread holds in its nearest cache.
_NUMBERS = 2048
_OPERATIONS = 16
_ROUNDS = 2000
_CHUNKS_PER_THREAD = 4
SECONDS = 3.0
"""How long each kernel is called again and again."""
# "contract" lets a product and a sum become one instruction; more would let the compiler leave out work.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


def machine_peaks(workers: Workers) -> dict[str, float]:
    """Measure fused multiply-adds and divisions.

    Parameters
    ----------
    workers : Workers
        The threads to use.

    Returns
    -------
    dict of str to float
        Nanoseconds for each operation, all threads together: the inverse of their throughput.
    """
    operations = {"multiply-add": _multiply_add, "division": _divide}
    return {
        f"{np.dtype(kind).name} {name}": _nanoseconds(kernel, kind, workers)
        for name, kernel in operations.items()
        for kind in (np.float64, np.float32)
    }


def best_seconds(function: Any) -> float:
    """Return the least time of a call, after one that compiles: what disturbs a call only makes it longer.

    The calls go on for some seconds, because what disturbs them on a shared machine lasts for some tenths of one.
    """
    function()
    end, best = time.perf_counter() + SECONDS, math.inf
    while time.perf_counter() < end:
        best = min(best, timeit.timeit(function, number=1))
    return best


def _nanoseconds(kernel: Any, kind: Any, workers: Workers) -> float:
    n_chunks = _CHUNKS_PER_THREAD * workers.n_threads
    tables = np.full((n_chunks, _NUMBERS), 1.5, kind)
    chunks = [(i, i + 1) for i in range(n_chunks)]
    seconds = best_seconds(lambda: workers.map(kernel, chunks, tables, kind(0.5), kind(0.75)))
    return 1e9 * seconds / (n_chunks * _NUMBERS * _OPERATIONS * _ROUNDS)


@njit(**_OPTIONS)
def _multiply_add(start: int, stop: int, tables: np.ndarray, factor: float, term: float) -> None:
    """Make 16 dependent multiply-adds of each number; those of different numbers overlap."""
    for i in range(start, stop):
        for _ in range(_ROUNDS):
            for j in range(_NUMBERS):
                x = tables[i, j]
                for _ in range(_OPERATIONS):
                    x = x * factor + term
                tables[i, j] = x


@njit(**_OPTIONS)
def _divide(start: int, stop: int, tables: np.ndarray, factor: float, term: float) -> None:
    """Make 16 dependent divisions of each number."""
    for i in range(start, stop):
        for _ in range(_ROUNDS):
            for j in range(_NUMBERS):
                x = tables[i, j]
                for _ in range(_OPERATIONS):
                    x = term / x
                tables[i, j] = x
