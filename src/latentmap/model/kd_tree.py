"""A k-d tree of the map: cells of close points (leaves) within larger cells (nodes)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from latentmap.model.compiling import compiled
from latentmap.model.workers import Workers

# Levels of the tree after which its nodes are distributed anew among the threads.
_SHARED_LEVELS = (1, 4)
# The points leaf by leaf, and the start of each leaf.
Tree = tuple[np.ndarray, np.ndarray]


def leaves(points: np.ndarray, depth: int, rotation: np.ndarray, workers: Workers) -> Tree:
    """Halve the points ``depth`` times, each time across the widest side.

    Parameters
    ----------
    points : ndarray of shape (d, n)
        float32.
    depth : int
        There are 2^depth leaves, whose sizes differ by at most 1.
    rotation : ndarray of shape (d, d)
        Applied to the points before their sides are measured.
    workers : Workers
        The threads to use.

    Returns
    -------
    order : ndarray of shape (n,)
        The points, leaf by leaf.
    bounds : ndarray of shape (2^depth + 1,)
        The start of each leaf in ``order``. The nodes g levels above the leaves start at every 2^g-th.
    """
    coordinates = np.ascontiguousarray(rotation.astype(np.float32) @ points)
    # NaN has no order, and the selection would run past the points.
    np.nan_to_num(coordinates, copy=False)
    n = points.shape[1]
    order, bounds = np.arange(n), np.array([0, n])
    for above, below in pairwise(min(depth, level) for level in (0, *_SHARED_LEVELS, depth)):
        starts = np.empty(2**below + 1, np.int64)
        nodes = [(node, node + 1) for node in range(2**above)]
        workers.map(_split, nodes, bounds, below - above, coordinates, order, starts)
        bounds = starts
    return order, bounds


def leaf_bounds(n: int, depth: int) -> np.ndarray:
    """Return the start of each leaf, of shape (2^depth + 1,), which depends only on the number of points."""
    bounds = np.array([0, n])
    for _ in range(depth):
        bounds = np.insert(bounds, np.arange(1, len(bounds)), (bounds[:-1] + bounds[1:]) // 2)
    return bounds


@compiled
def _split(
    first: int,
    last: int,
    bounds: np.ndarray,
    levels: int,
    coordinates: np.ndarray,
    order: np.ndarray,
    result: np.ndarray,
) -> None:
    """Halve the nodes first..last ``levels`` times, and write the starts of their leaves."""
    n_leaves = 2**levels
    for node in range(first, last):
        base = node * n_leaves
        result[base] = bounds[node]
        result[base + n_leaves] = bounds[node + 1]
        width = n_leaves
        while width > 1:
            for left in range(base, base + n_leaves, width):
                start = result[left]
                stop = result[left + width]
                middle = (start + stop) // 2
                _select(start, stop, middle, _widest(start, stop, coordinates), coordinates, order)
                result[left + width // 2] = middle
            width //= 2


@compiled
def _widest(start: int, stop: int, coordinates: np.ndarray) -> int:
    widest = 0
    extent = np.float32(-1)
    for c in range(coordinates.shape[0]):
        side = coordinates[c, start:stop]
        if len(side) and side.max() - side.min() > extent:
            extent = side.max() - side.min()
            widest = c
    return widest


@compiled
def _select(start: int, stop: int, middle: int, side: int, coordinates: np.ndarray, order: np.ndarray) -> None:
    """Reorder the points start..stop so that none before ``middle`` exceeds one after it (Hoare's selection)."""
    key = coordinates[side]
    low = start
    high = stop - 1
    while low < high:
        a = key[low]
        b = key[(low + high) // 2]
        c = key[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i = low
        j = high
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                for f in range(coordinates.shape[0]):
                    coordinates[f, i], coordinates[f, j] = coordinates[f, j], coordinates[f, i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return
