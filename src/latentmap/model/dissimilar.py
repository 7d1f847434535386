"""The dissimilar pairs of a coarse-grained model, arranged for the kernels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from latentmap.model import kernels
from latentmap.model.coarse import Coarse
from latentmap.model.workers import Workers, chunks_of

# Enough pairs to make handing them to a thread worthwhile.
PAIRS_PER_CHUNK = 200_000
# Each strip keeps sums of all members after it, so a large block gets fewer strips than chunks.
_STRIPS_PER_BLOCK = 32
# Pairs that one call of a kernel visits, or slightly more: a fifth of a second, during which it cannot be interrupted.
_PAIRS_PER_CALL = 10_000_000


class DissimilarPairs:
    """All blocks in a row; each node is a member of one finest block, and of others if it is a landmark.

    Parameters
    ----------
    coarse : Coarse
        The blocks.
    edges : csr_array of shape (n, n)
        Neighbours: these pairs are left out of their finest block, each in its own direction.

    Attributes
    ----------
    node : ndarray of shape (n_members,)
        The node of each member.
    index : ndarray of shape (n,)
        The number of each node's member in its finest block.
    block : ndarray of shape (n_members,)
        The block of each member.
    weight : ndarray of shape (n,)
        sum_j (D_ij + D_ji) of each node, before D is rescaled.
    """

    def __init__(self, coarse: Coarse, edges: sp.csr_array) -> None:
        n = edges.shape[0]
        sizes = np.array([len(block.nodes) for block in coarse.blocks])
        self.node = np.concatenate([block.nodes for block in coarse.blocks])
        self.block = np.repeat(np.arange(len(sizes)), sizes)
        self.block_start = np.concatenate([[0], np.cumsum(sizes)])
        self._static = np.stack(
            [
                np.concatenate([getattr(block, name) for block in coarse.blocks])
                for name in ("outer", "inner", "represented")
            ]
        )
        finest = np.repeat([block.is_finest for block in coarse.blocks], sizes)
        self.index = np.empty(n, int)
        self.index[self.node[finest]] = np.flatnonzero(finest)
        # Neighbours in the same finest block; each pair is left out at the member that comes first.
        near = np.stack([np.repeat(np.arange(n), np.diff(edges.indptr)), edges.indices])
        near = near[:, self.block[self.index[near[0]]] == self.block[self.index[near[1]]]]
        i, j = self.index[near]
        self._out = grouped(i[i < j], j[i < j], len(self.node))
        self._in = grouped(j[j < i], i[j < i], len(self.node))
        self._set_strips(sizes)
        represented = self._static[2]
        others = 2 * np.bincount(self.block, represented)[self.block] - 2 * represented
        self.weight = np.bincount(self.node, represented * others, n) - np.bincount(near.ravel(), minlength=n)

    def _set_strips(self, sizes: np.ndarray) -> None:
        """Cut the blocks into strips for the kernels, and note to which node each of their sums belongs."""
        strips = []
        for first, size in zip(self.block_start[:-1], sizes, strict=True):
            target = max(PAIRS_PER_CHUNK, size**2 / (2 * _STRIPS_PER_BLOCK))
            strips += [(first + i, first + j, first + size) for i, j in chunks_of(np.arange(size)[::-1], target)]
        begin, end, block_end = np.array(strips).T
        lengths = block_end - begin
        slots = np.concatenate([[0], np.cumsum(lengths)])
        rows = end - begin
        runs = chunks_of(rows * (lengths - (rows + 1) / 2), PAIRS_PER_CHUNK)
        self._set_pieces(np.stack([begin, end, block_end, slots[:-1]], axis=1), runs)
        member = np.arange(slots[-1]) + np.repeat(begin - slots[:-1], lengths)
        one = np.ones(slots[-1])
        self._sum_by_node = sp.csr_array((one, (self.node[member], np.arange(slots[-1]))), (len(self.index), slots[-1]))

    def _set_pieces(self, strips: np.ndarray, runs: list[tuple[int, int]]) -> None:
        """Cut the strips into pieces for the kernels, and group those that one thread takes in turn."""
        pieces: list[tuple[int, ...]] = []
        self._runs = []
        for number, (start, stop) in enumerate(runs):
            calls, n_pairs = [len(pieces)], 0
            for begin, end, block_end, slot in strips[start:stop].tolist():
                width = max(1, _PAIRS_PER_CALL // ((end - begin) * kernels.TILE)) * kernels.TILE
                for first in range(begin, block_end, width):
                    if n_pairs >= _PAIRS_PER_CALL:
                        calls.append(len(pieces))
                        n_pairs = 0
                    last = min(first + width, block_end)
                    pieces.append((begin, end, first, last, block_end, slot, number))
                    n_pairs += (end - begin) * (last - first)
            self._runs.append(list(pairwise([*calls, len(pieces)])))
        self._pieces = np.array(pieces)

    def columns(self, outputs: np.ndarray, variances: np.ndarray) -> np.ndarray:
        """Return the array that describes the members to :mod:`~latentmap.model.kernels`, (4 + d, n_members)."""
        # `take` is four times as fast as indexing.
        return np.concatenate([[variances.take(self.node)], self._static, outputs.take(self.node, axis=0).T])

    def repulsion(self, outputs: np.ndarray, variances: np.ndarray, dof: float, workers: Workers) -> np.ndarray:
        """Sum for each node what :func:`~latentmap.model.kernels.repel_pairs` computes, of shape (n, d + 2)."""
        by_strip = np.empty((self._sum_by_node.shape[1], outputs.shape[1] + 2))
        columns = self.columns(outputs, variances)
        workers.map_runs(kernels.repel_pairs, self._runs, self._pieces, columns, *self._out, *self._in, dof, by_strip)
        return np.asarray(self._sum_by_node @ by_strip)

    def log_likelihood(self, outputs: np.ndarray, variances: np.ndarray, dof: float, workers: Workers) -> float:
        """Return sum_ij D_ij log P(c_Delta = 0) of Saul (6), before D is rescaled."""
        columns, totals = self.columns(outputs, variances), np.zeros(len(self._runs))
        kernel = kernels.dissimilar_log_likelihood
        workers.map_runs(kernel, self._runs, self._pieces, columns, *self._out, *self._in, dof, totals)
        return float(sum(totals.tolist()))


def grouped(rows: np.ndarray, values: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the values of each of n rows start, and the values sorted by row, then by value."""
    order = np.lexsort((values, rows))
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]), values[order]
