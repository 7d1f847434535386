"""New points on a map that stays as it is: each finds its own place, by the same EM, alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentmap.model import kernels
from latentmap.model.coarse import Coarse
from latentmap.model.dissimilar import DissimilarPairs, grouped
from latentmap.model.graph import NeighborGraph
from latentmap.model.neighbors import Neighbors
from latentmap.model.objective import calibration, kernel_dof
from latentmap.model.workers import Workers, chunks_of

_PAIRS_PER_CHUNK = 200_000
_MAX_ITER = 200
# A point whose step falls below this part of its uncertainty has arrived.
_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class FrozenMap:
    """A finished map, with what is needed to place new points on it.

    Attributes
    ----------
    embedding : ndarray of shape (n, d)
    variances : ndarray of shape (n,)
    graph : NeighborGraph
    dissimilar : DissimilarPairs
    landmarks, landmark_distances : ndarray of shape (n, n_levels)
        The landmarks that each point is attached to, level by level, and how far away they are.
    radius : ndarray of shape (n,)
        The distance of each point's k-th neighbour.
    scale : ndarray of shape (n,)
        Delta_i of each point.
    repulsion, attachment, smallest_variance : float
        As in :class:`Objective`.
    dof : float
        Degrees of freedom.
    """

    embedding: np.ndarray
    variances: np.ndarray
    graph: NeighborGraph
    dissimilar: DissimilarPairs
    landmarks: np.ndarray
    landmark_distances: np.ndarray
    radius: np.ndarray
    repulsion: float
    attachment: float
    smallest_variance: float
    dof: float
    tied: bool


def landmark_chain(coarse: Coarse, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the landmark of each input at each level, as one of a cell of inputs, and its distance.

    Parameters
    ----------
    coarse : Coarse
        What the levels did.
    n : int
        Inputs.

    Returns
    -------
    landmarks : ndarray of shape (n, n_levels)
        -1 where a cell was too small to be split.
    distances : ndarray of shape (n, n_levels)
    """
    landmarks = np.full((n, coarse.n_levels), -1)
    distances = np.zeros((n, coarse.n_levels))
    for level, splits in enumerate(coarse.splits):
        for split in splits:
            if split.is_finest:
                landmarks[split.members, level] = split.assignment
                distances[split.members, level] = split.distances
    return landmarks, distances


def place(frozen: FrozenMap, neighbors: Neighbors, n_steps: int, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """Place new points.

    A new point is regarded as near those of its k nearest neighbours that would count it among theirs in turn, or reach
    it through another of them in fewer than s steps, and always its nearest. It shares the cell and the landmarks of
    its nearest neighbour; its distance from a landmark is taken by way of that neighbour. A point that coincides with
    one of the map takes over its place. Nothing depends on the other new points.

    Parameters
    ----------
    frozen : FrozenMap
        The map.
    neighbors : Neighbors
        The k nearest points of the map to each new point.
    n_steps : int
        Steps (s).
    workers : Workers
        The threads to use.

    Returns
    -------
    embedding : ndarray of shape (m, d)
    variances : ndarray of shape (m,)
    """
    nearest = neighbors.indices[:, 0]
    outputs, variances = frozen.embedding[nearest], frozen.variances[nearest]
    new = np.flatnonzero(neighbors.distances[:, 0] > 0)
    if len(new):
        problem = _Newcomers(frozen, Neighbors(neighbors.indices[new], neighbors.distances[new]), n_steps)
        outputs[new], variances[new] = problem.settled(workers)
    return outputs, variances


class _Newcomers:
    """The terms of the log-likelihood that new points add, each alone."""

    def __init__(self, frozen: FrozenMap, neighbors: Neighbors, n_steps: int) -> None:
        self._frozen = frozen
        mutual = self._mutual(neighbors, n_steps)
        near = mutual.copy()
        near[:, 0] = True
        self._set_similar(neighbors, near, mutual)
        self._set_dissimilar(neighbors, near, mutual)
        reach = np.max(np.where(near, neighbors.distances, 0), axis=1)
        d = frozen.embedding.shape[1]
        self._outer = reach / np.sqrt(calibration(frozen.dof))
        self._first_variances = reach**2 / (2 * d)

    def _mutual(self, neighbors: Neighbors, n_steps: int) -> np.ndarray:
        """Return which neighbours would reach the new point within s steps, Saul (23)-(24)."""
        reaching = neighbors.distances <= self._frozen.radius[neighbors.indices]
        edges = self._frozen.graph.edges
        for _ in range(n_steps - 1):
            m, k = neighbors.indices.shape
            between = edges[np.repeat(neighbors.indices, k, axis=1).ravel(), np.tile(neighbors.indices, k).ravel()]
            known = np.asarray(between).reshape(m, k, k) > 0
            reaching = reaching | (known & reaching[:, None, :]).any(axis=2)
        return reaching

    def _set_similar(self, neighbors: Neighbors, near: np.ndarray, mutual: np.ndarray) -> None:
        frozen = self._frozen
        nearest = neighbors.indices[:, :1]
        landmarks = frozen.landmarks[nearest[:, 0]]
        way = neighbors.distances[:, :1] + frozen.landmark_distances[nearest[:, 0]]
        attached = landmarks >= 0
        targets = np.concatenate([neighbors.indices, landmarks], axis=1)
        distances = np.concatenate([neighbors.distances, way], axis=1)
        weights = np.concatenate([near + mutual.astype(float), attached * frozen.attachment], axis=1)
        kept = weights > 0
        self._indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        self._indices = targets[kept]
        self._similarity = weights[kept]
        shortest = frozen.graph.smallest_distance
        self._delta2 = np.maximum(distances[kept], shortest) ** 2 / calibration(frozen.dof)
        self._similar_weight = weights.sum(axis=1)

    def _set_dissimilar(self, neighbors: Neighbors, near: np.ndarray, mutual: np.ndarray) -> None:
        pairs = self._frozen.dissimilar
        m = len(near)
        self._block = pairs.block[pairs.place[neighbors.indices[:, 0]]]
        members = pairs.place[neighbors.indices]
        together = pairs.block[members] == self._block[:, None]
        rows = np.broadcast_to(np.arange(m)[:, None], members.shape)
        self._out = grouped(rows[near & together], members[near & together], m)
        self._in = grouped(rows[mutual & together], members[mutual & together], m)
        sizes = np.diff(pairs.block_start)[self._block]
        self._dissimilar_weight = 2 * sizes - np.diff(self._out[0]) - np.diff(self._in[0])
        self._chunks = chunks_of(sizes, _PAIRS_PER_CHUNK)

    def settled(self, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
        """Run EM until each point has arrived."""
        frozen = self._frozen
        d = frozen.embedding.shape[1]
        columns = frozen.dissimilar.columns(frozen.embedding, frozen.variances)
        outputs = self._centre_of_neighbors()
        variances = np.full(len(outputs), frozen.variances[0]) if frozen.tied else self._first_variances
        weight = self._similar_weight + frozen.repulsion * self._dissimilar_weight
        moving = np.ones(len(outputs), bool)
        for _ in range(_MAX_ITER):
            pull, push = self._sums(outputs, variances, columns, workers)
            certain = frozen.repulsion * (self._dissimilar_weight + push[:, d + 1])
            step = (pull[:, :d] + frozen.repulsion * push[:, :d]) / (pull[:, d + 1] + certain / variances)[:, None]
            outputs = np.where(moving[:, None], outputs + step, outputs)  # Saul (20), one unknown at a time
            if not frozen.tied:
                pull, push = self._sums(outputs, variances, columns, workers)
                spread = pull[:, d] - frozen.repulsion * push[:, d]
                updated = np.maximum(variances + variances**2 * spread / (d * weight), frozen.smallest_variance)
                variances = np.where(moving, updated, variances)  # Saul (21)
            moving &= np.sum(step**2, axis=1) > _TOLERANCE**2 * variances
            if not moving.any():
                break
        return outputs, variances

    def _centre_of_neighbors(self) -> np.ndarray:
        starts = self._indptr[:-1]
        pulls = self._similarity / self._delta2
        weighted = self._frozen.embedding[self._indices] * pulls[:, None]
        return np.add.reduceat(weighted, starts, axis=0) / np.add.reduceat(pulls, starts)[:, None]

    def _sums(
        self, outputs: np.ndarray, variances: np.ndarray, columns: np.ndarray, workers: Workers
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of the kernels ``attract`` and ``repel`` for each new point."""
        frozen = self._frozen
        m, d = outputs.shape
        dof = kernel_dof(frozen.dof)
        pull, push = np.empty((2, m, d + 2))
        edges = self._indptr, self._indices, self._similarity, self._delta2
        kernels.attract(
            0,
            m,
            outputs,
            variances,
            *edges,
            frozen.embedding,
            frozen.variances,
            dof,
            np.empty(len(self._delta2)),
            pull,
        )
        rows = np.concatenate([np.stack([variances, self._outer, np.zeros(m), np.ones(m)]), outputs.T])
        workers.map(
            kernels.repel,
            self._chunks,
            rows,
            self._block,
            columns,
            frozen.dissimilar.block_start,
            *self._out,
            *self._in,
            dof,
            push,
        )
        return pull, push
