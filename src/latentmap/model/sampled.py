"""All pairs of points, estimated from a sample that adapts to the map and is redrawn at each step."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from latentmap.model import sampled_kernels as kernels
from latentmap.model.heavy_tailed import CHUNKS_PER_THREAD
from latentmap.model.kd_tree import Tree, leaf_bounds, leaves
from latentmap.model.light_tails import kernels_of
from latentmap.model.workers import Workers

# Maximum number of points in a leaf, all of whose pairs are counted, and in a block that samples the others.
_LEAF = 128
_BLOCK = 128
# Steps that a tree serves: the map moves little in between, and any tree is valid.
_STEPS_PER_TREE = 10
# Chunks of a sum, whose number must not depend on that of threads.
_CHUNKS = 16


class _Level(NamedTuple):
    """Pairs of points in the same node of the tree but in different groups of it."""

    depth: int
    height: int
    pieces: int

    @property
    def fan(self) -> int:
        """Groups of each node."""
        return int(2**self.height)


class SampledPairs:
    """All pairs of points, estimated from a sample that adapts to the map.

    A k-d tree divides the map into leaves of close points. All pairs within a leaf are counted. Pairs between leaves
    are sampled, node by node up the tree: the points in each group of a node are shuffled and dealt to blocks, and the
    pairs within a block that join different groups represent all such pairs of the node. With b blocks, each of these
    pairs is drawn with probability 1/b and then has the weight b. So the gradient is unbiased, its cost is linear in n,
    and it is most exact where forces are strongest. It needs neither a triangle inequality nor landmarks.

    Parameters
    ----------
    n : int
        Points. Up to 1024 of them nothing is sampled.
    workers : Workers
        The threads to use.
    seed : int
        Chooses the pairs.
    dof : float, default=None
        The degrees of freedom, if they are not as many as dimensions: one of
        `~latentmap.model.light_tails.LIGHT_TAILS`, in the plane.

    Attributes
    ----------
    n_pairs_per_step : int
        Unordered pairs that one step visits, on average.
    """

    def __init__(self, n: int, workers: Workers, seed: int, dof: float | None = None) -> None:
        self._workers = workers
        self._seed = seed
        self._kernels = kernels_of(dof)
        self._n_chunks = CHUNKS_PER_THREAD * workers.n_threads
        self._depth = 0 if n <= kernels.LARGEST_BLOCK else int(np.ceil(np.log2(n / _LEAF)))
        self._levels = _levels(n, self._depth)
        self.n_pairs_per_step = round(sum(_n_pairs(n, level) / level.pieces for level in self._levels))
        self._tree: Tree | None = None

    def repel(self, points: np.ndarray, rate: float, step: int, slopes: np.ndarray) -> None:
        """Add an estimate of the repulsion of all pairs to their slopes.

        Parameters
        ----------
        points : ndarray of shape (n, 2 + d)
            As :mod:`~latentmap.model.sampled_kernels` describes them.
        rate : float
            What each pair's repulsion is multiplied by.
        step : int
            Number of the step; each draws its own pairs.
        slopes : ndarray of shape (n, 1 + d)
            Changed in place.
        """
        if self._tree is None or step % _STEPS_PER_TREE == 0:
            self._tree = self._grown(points, step)
        for number, level in enumerate(self._levels):
            weight = rate * level.pieces
            self._map_blocks(self._kernels.repel, self._n_chunks, self._tree, number, step, points, weight, slopes)

    def log_likelihood(self, points: np.ndarray) -> float:
        """Estimate the sum of log P(c_Delta = 0) over all pairs, in both directions, from pairs drawn once for all.

        Parameters
        ----------
        points : ndarray of shape (n, 2 + d)
            As :mod:`~latentmap.model.sampled_kernels` describes them.
        """
        tree = self._grown(points, 0)
        total = 0.0
        for number, level in enumerate(self._levels):
            of_blocks = self._map_blocks(self._kernels.dissimilar_log_likelihood, _CHUNKS, tree, number, 0, points)
            total += level.pieces * sum(of_blocks)
        return total

    def _grown(self, points: np.ndarray, step: int) -> Tree:
        outputs = points[:, kernels.OUTPUT :].T
        rng = np.random.default_rng([self._seed, step])
        rotation = np.linalg.qr(rng.standard_normal((len(outputs), len(outputs))))[0]
        return leaves(outputs, self._depth, rotation, self._workers)

    def _map_blocks(
        self, kernel: Any, n_chunks: int, tree: Tree, number: int, step: int, points: np.ndarray, *args: Any
    ) -> list[Any]:
        """Run a kernel over the blocks of one level of the tree."""
        order, bounds = tree
        level = self._levels[number]
        n_groups = 2 ** (level.depth + level.height)
        bounds = bounds[:: 2**self._depth // n_groups].copy()
        first_piece = np.zeros(n_groups, np.int64)
        if level.fan > 1:
            shuffled = np.empty_like(order)
            rng = np.random.default_rng([self._seed, step, number])
            seed = rng.integers(2**62)
            self._workers.map(kernels.shuffle, _chunks(n_groups, self._n_chunks), bounds, order, seed, shuffled)
            order = shuffled
            # A group's pieces differ in size by one point; a random first piece spreads larger ones over all blocks.
            first_piece = rng.integers(level.pieces, size=n_groups)
        blocks = _chunks(2**level.depth * level.pieces, n_chunks)
        return self._workers.map(kernel, blocks, level.fan, level.pieces, bounds, first_piece, order, points, *args)


def _levels(n: int, depth: int) -> list[_Level]:
    """Plan the levels, from the leaves up to the root."""
    levels = [_Level(depth, 0, 1)]
    n_upper = max(1, depth // 4)
    while levels[-1].depth > 0:
        below = levels[-1].depth
        remaining = n_upper - len(levels) + 1
        height = below if remaining <= 1 else below // remaining
        fan = 2**height
        pieces = max(1, round(n / 2**below * fan / max(_BLOCK, 2 * fan)))
        levels.append(_Level(below - height, height, pieces))
    return levels


def _n_pairs(n: int, level: _Level) -> int:
    """Return how many unordered pairs of points a level represents."""
    sizes = np.diff(leaf_bounds(n, level.depth + level.height)).reshape(-1, level.fan)
    if level.fan == 1:
        return int((sizes * (sizes - 1)).sum() // 2)
    return int((sizes.sum(axis=1) ** 2 - (sizes**2).sum(axis=1)).sum() // 2)


@cache
def _chunks(n: int, n_chunks: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, n, min(n, n_chunks) + 1).astype(int).tolist()
    return list(pairwise(edges))
