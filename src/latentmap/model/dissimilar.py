"""The dissimilar pairs of a coarse-grained model, laid out for the kernels."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from latentmap.model import kernels
from latentmap.model.coarse import Coarse
from latentmap.model.workers import Workers, chunks_of

# Pairs that are worth handing to a thread.
PAIRS_PER_CHUNK = 200_000


class DissimilarPairs:
    """All blocks one after another; each node is a member of one finest block, and of others if it is a landmark.

    Parameters
    ----------
    coarse : Coarse
        The blocks.
    edges : csr_array of shape (n, n)
        Neighbours: such a pair is left out of its finest block, in its own direction.

    Attributes
    ----------
    node : ndarray of shape (n_members,)
        The node of each member.
    place : ndarray of shape (n,)
        The member by which each node is in its finest block.
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
        self.place = np.empty(n, int)
        self.place[self.node[finest]] = np.flatnonzero(finest)
        rows = np.repeat(np.arange(n), np.diff(edges.indptr))
        self._out = self._left_out(rows, edges.indices)
        self._in = self._left_out(edges.indices, rows)
        self._chunks = chunks_of(sizes[self.block], PAIRS_PER_CHUNK)
        represented = self._static[2]
        # A member is left out of its own pairs, and so counted among those left out.
        others = 2 * np.bincount(self.block, represented)[self.block] - 2 * represented + 2
        self.weight = np.bincount(self.node, represented * (others - np.diff(self._out[0]) - np.diff(self._in[0])), n)

    def _left_out(self, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return for each member, as the rows of a sparse array, itself and its neighbours in the same finest block."""
        i, j = self.place[i], self.place[j]
        together = self.block[i] == self.block[j]
        own = np.arange(len(self.node))
        return grouped(np.concatenate([own, i[together]]), np.concatenate([own, j[together]]), len(own))

    def columns(self, outputs: np.ndarray, variances: np.ndarray) -> np.ndarray:
        """Describe the members as :mod:`~latentmap.model.kernels` wants them.

        Returns
        -------
        ndarray of shape (4 + d, n_members)
        """
        return np.concatenate([variances[None, self.node], self._static, outputs.T[:, self.node]])

    def repulsion(self, outputs: np.ndarray, variances: np.ndarray, dof: float, workers: Workers) -> np.ndarray:
        """Add up, for each node, what :func:`~latentmap.model.kernels.repel` computes.

        Returns
        -------
        ndarray of shape (n, d + 2)
        """
        n, d = outputs.shape
        columns = self.columns(outputs, variances)
        by_member = np.empty((len(self.node), d + 2))
        workers.map(
            kernels.repel,
            self._chunks,
            columns,
            self.block,
            columns,
            self.block_start,
            *self._out,
            *self._in,
            dof,
            by_member,
        )
        return np.stack([np.bincount(self.node, column, n) for column in by_member.T], axis=1)

    def log_likelihood(self, outputs: np.ndarray, variances: np.ndarray, dof: float, workers: Workers) -> float:
        """Return sum_ij D_ij log P(c_Delta = 0) of Saul (6), before D is rescaled."""
        by_member = np.empty(len(self.node))
        workers.map(
            kernels.dissimilar_log_likelihood,
            self._chunks,
            self.columns(outputs, variances),
            self.block,
            self.block_start,
            *self._out,
            dof,
            by_member,
        )
        return float(by_member.sum())


def grouped(rows: np.ndarray, values: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the values of each of n rows start, and the values sorted by row, then by value."""
    order = np.lexsort((values, rows))
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]), values[order]
