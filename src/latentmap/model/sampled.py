"""The likelihood with no coarse-graining (l = 0), from a sample of its pairs that is drawn anew for each step."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from latentmap.model import sampled_kernels as kernels
from latentmap.model.similar import SimilarPairs
from latentmap.model.tree import Tree, leaf_bounds, leaves
from latentmap.model.workers import Workers, chunks_of

# Points of a leaf at most, all pairs of which are counted, and of a block that samples the others.
_LEAF = 128
_BLOCK = 128
# Steps that a tree serves: the map moves little meanwhile, and any tree will do.
_STEPS_PER_TREE = 5
# Chunks that the work of a level is cut into, and edges worth handing to a thread.
_CHUNKS = 16
_EDGES_PER_CHUNK = 100_000
# In squared units of the median length scale: single precision could not hold products of much larger ones.
_LARGEST_SCALE2 = 1e8


class _Level(NamedTuple):
    """Pairs of points that are in the same node of the tree, but in different groups of it."""

    depth: int
    height: int
    pieces: int

    @property
    def fan(self) -> int:
        """Groups of each node."""
        return int(2**self.height)


class SampledLikelihood:
    """The log-likelihood, Saul (6), at l = 0, estimated from pairs that follow the map.

    A k-d tree cuts the map into leaves of close points. All pairs within a leaf are counted. Those of different leaves
    are sampled, node by node up the tree: the points of each of a node's parts are shuffled and dealt out to blocks,
    and all pairs within a block that are of different parts stand for all such pairs of the node. Each pair of points
    is thus counted, or has one chance in some pieces to be counted that often: the gradient is unbiased, its cost is
    linear in n, and it is most exact where forces are strongest. It needs no triangle inequality and no landmark.

    Parameters
    ----------
    similar : SimilarPairs
        The similar pairs; without landmarks.
    reach2 : ndarray of shape (n,)
        Delta_i^2.
    d : int
        Output dimensions, and degrees of freedom.
    repulsion : float
        sum D / sum S.
    workers : Workers
        The threads to use.
    seed : int
        Chooses the pairs.

    Attributes
    ----------
    repulsion : float
    similar : SimilarPairs
    rate : float
        What D is multiplied by, so that sum D = repulsion sum S; 0 where no pair is dissimilar.
    precision : type
        Of the numbers that the gradient is made of.
    n_pairs : int
        Unordered pairs that one step looks at.
    """

    def __init__(
        self, similar: SimilarPairs, reach2: np.ndarray, d: int, repulsion: float, workers: Workers, seed: int
    ) -> None:
        n, edges, unit2 = len(reach2), similar.edges, similar.unit**2
        self.precision = np.float32
        self._workers = workers
        self._seed = seed
        self.repulsion = repulsion
        self.similar = similar
        self._reach2 = np.minimum(reach2 / unit2, _LARGEST_SCALE2)
        self._edges = (
            edges.indptr.astype(np.int32),
            edges.indices.astype(np.int32),
            edges.data.astype(np.float32),
            np.minimum(similar.delta2 / unit2, _LARGEST_SCALE2).astype(np.float32),
            similar.directions,
        )
        self._edge_chunks = chunks_of(np.diff(edges.indptr), _EDGES_PER_CHUNK)
        self._similar_weight = edges.sum(axis=1)
        self._dissimilar_weight = 2 * (n - 1) - self._similar_weight
        total = self._dissimilar_weight.sum()
        self.rate = float(repulsion * self._similar_weight.sum() / total) if total > 0.5 else 0.0
        self._depth = 0 if n <= kernels.LARGEST_BLOCK else int(np.ceil(np.log2(n / _LEAF)))
        self._levels = _levels(n, self._depth)
        pairs = [_pairs(n, level) for level in self._levels]
        self._weights = [of_nodes / of_blocks for of_nodes, of_blocks in pairs]
        self.n_pairs = sum(of_blocks for _, of_blocks in pairs)
        self._tree: Tree | None = None

    def weight(self, repulsion: float) -> np.ndarray:
        """Return sum_j (S_ij + S_ji + D_ij + D_ji) of each point, at this ratio of sum D to sum S.

        Parameters
        ----------
        repulsion : float

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._similar_weight + self.rate * (repulsion / self.repulsion) * self._dissimilar_weight

    def slopes(
        self, embedding: np.ndarray, variances: np.ndarray, repulsion: float, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient of the log-likelihood.

        Parameters
        ----------
        embedding : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.
        repulsion : float
            sum D / sum S.
        step : int
            Number of the step: it draws pairs of its own.

        Returns
        -------
        gradient : ndarray of shape (n, d)
            By the outputs.
        spread : ndarray of shape (n,)
            Twice that by the variances.
        """
        points = self._points(embedding, variances)
        d, rate = embedding.shape[1], self.rate * repulsion / self.repulsion
        if self._tree is None or step % _STEPS_PER_TREE == 0:
            self._tree = self._grown(points, step)
        slopes = np.empty((len(embedding), 1 + d), np.float32)
        self._workers.map(kernels.attract, self._edge_chunks, *self._edges, points, rate, slopes)
        for number, weight in enumerate(self._weights):
            self._map_blocks(kernels.repel, self._tree, number, step, points, rate * weight, slopes)
        unit = np.float32(self.similar.unit)
        return slopes[:, 1:] / unit, slopes[:, 0] * (d / unit**2)

    def log_likelihood(self, embedding: np.ndarray, variances: np.ndarray) -> float:
        """Return an estimate of the log-likelihood, Saul (6), from pairs drawn once for all.

        Parameters
        ----------
        embedding : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.

        Returns
        -------
        float
            Exact up to 1024 points.
        """
        points = self._points(embedding, variances)
        tree = self._grown(points, 0)
        total = 0.0
        for number, weight in enumerate(self._weights):
            of_blocks = self._map_blocks(kernels.dissimilar_log_likelihood, tree, number, 0, points)
            total += self.rate * weight * sum(of_blocks)
        of_edges = self._workers.map(
            kernels.neighbor_log_likelihood, self._edge_chunks, *self._edges, points, self.rate
        )
        return float(total + sum(of_edges))

    def _points(self, embedding: np.ndarray, variances: np.ndarray) -> np.ndarray:
        """Describe the points as the kernels want them; anew, for the likelihood may be asked for amid a step."""
        points = np.empty((len(embedding), kernels.OUTPUT + embedding.shape[1]), np.float32)
        points[:, kernels.VARIANCE] = variances / self.similar.unit**2
        points[:, kernels.REACH] = self._reach2
        points[:, kernels.OUTPUT :] = embedding / self.similar.unit
        return points

    def _grown(self, points: np.ndarray, step: int) -> Tree:
        outputs = points[:, kernels.OUTPUT :].T
        rng = np.random.default_rng([self._seed, step])
        rotation = np.linalg.qr(rng.standard_normal((len(outputs), len(outputs))))[0]
        return leaves(outputs, self._depth, rotation, self._workers)

    def _map_blocks(self, kernel: Any, tree: Tree, number: int, step: int, points: np.ndarray, *args: Any) -> list[Any]:
        """Run a kernel over the blocks of one level of the tree."""
        order, bounds = tree
        level = self._levels[number]
        n_groups = 2 ** (level.depth + level.height)
        bounds = bounds[:: 2**self._depth // n_groups].copy()
        if level.fan > 1:
            shuffled = np.empty_like(order)
            seed = np.random.default_rng([self._seed, step, number]).integers(2**62)
            self._workers.map(kernels.shuffle, _chunks(n_groups), bounds, order, seed, shuffled)
            order = shuffled
        blocks = _chunks(2**level.depth * level.pieces)
        return self._workers.map(kernel, blocks, level.fan, level.pieces, bounds, order, points, *args)


def _levels(n: int, depth: int) -> list[_Level]:
    """Plan the levels: first the leaves themselves, then their nodes, up to the root."""
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


def _pairs(n: int, level: _Level) -> tuple[int, int]:
    """Return how many unordered pairs a level stands for, and how many of them it looks at."""
    sizes = np.diff(leaf_bounds(n, level.depth + level.height)).reshape(-1, level.fan)
    if level.fan == 1:
        pairs = int((sizes * (sizes - 1)).sum() // 2)
        return pairs, pairs
    ends = np.arange(level.pieces + 1) * sizes[:, :, None] // level.pieces
    of_nodes, of_blocks = (
        (parts.sum(axis=1) ** 2 - (parts**2).sum(axis=1)).sum() // 2 for parts in (sizes, np.diff(ends))
    )
    return int(of_nodes), int(of_blocks)


def _chunks(n: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, n, min(n, _CHUNKS) + 1).astype(int).tolist()
    return list(pairwise(edges))
