"""Placement of new points on a finished map: each on its own, by the same EM."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latentmap.model import kernels
from latentmap.model.coarse import Coarse
from latentmap.model.dissimilar import PAIRS_PER_CHUNK, grouped
from latentmap.model.graph import NeighborGraph, row_widths
from latentmap.model.inputs import Neighbors
from latentmap.model.objective import EDGES_PER_CHUNK, Objective, calibration, kernel_dof
from latentmap.model.state import State
from latentmap.model.workers import Workers, chunks_of

# On a map with a guide, new rows take so many iterations of the map's own after those of the guide.
_AFTER_GUIDE = 50
# Rows of the map that are placed anew to compare variances.
_COMPARED = 100


@dataclass(frozen=True, eq=False)
class FrozenMap:
    """A finished map, with all that is needed to place new points on it.

    Attributes
    ----------
    state : State
        The last one.
    graph, coarse, objective
        The likelihood that was climbed.
    radius : ndarray of shape (n,)
        The distance of each point's k-th neighbour.
    n_neighbors, n_steps, min_neighbors, local_scaling, tied_variances, momentum
        As in :class:`latentmap.LVM`.
    guide : FrozenMap or None
        The same map with fewer dissimilar pairs, on which new points find their positions first.
    variance_unit : float
        By which the variances of new points are multiplied.
    """

    state: State
    graph: NeighborGraph
    coarse: Coarse
    objective: Objective
    radius: np.ndarray
    n_neighbors: int
    n_steps: int
    min_neighbors: int
    local_scaling: float
    tied_variances: bool
    momentum: float
    guide: FrozenMap | None = None
    variance_unit: float = 1.0


def with_comparable_variances(frozen: FrozenMap, neighbors: Neighbors) -> FrozenMap:
    """Return the map with the unit of variances in which some of its points, placed anew, have their own at the median.

    The solver of the map is another one, and what EM makes of variances in as many iterations is several times as
    large, or as small where there are few dissimilar pairs.

    Parameters
    ----------
    frozen : FrozenMap
        The map.
    neighbors : Neighbors
        The k nearest points of each point of the map, without itself.
    """
    n = len(neighbors.indices)
    some = np.linspace(0, n - 1, min(n, _COMPARED)).astype(int)
    few = Neighbors(neighbors.indices[some], neighbors.distances[some])
    alone = place_points(frozen, few, Workers(1))[1]
    is_new = few.distances[:, 0] > frozen.graph.smallest_distance
    ratio = (frozen.state.variances[some] / alone)[is_new]
    return replace(frozen, variance_unit=float(np.median(ratio))) if len(ratio) else frozen


def place_points(frozen: FrozenMap, neighbors: Neighbors, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """Place new points.

    A new point is similar to those of its k nearest neighbours that would count it among their own, or reach it through
    another of them in fewer than s steps along the edges of the map, and always to its ``min_neighbors`` nearest. It
    shares the cell and the landmarks of its nearest neighbour, and its distance from a landmark is measured via that
    neighbour. It undergoes as many iterations as the map did, or some after those on the map's guide. A point that
    coincides with one of the map gets the same position. No point depends on the other new points.

    Parameters
    ----------
    frozen : FrozenMap
        The map.
    neighbors : Neighbors
        The k nearest points of the map to each new point.
    workers : Workers
        The threads to use.

    Returns
    -------
    embedding : ndarray of shape (m, d)
        Positions of the new points.
    variances : ndarray of shape (m,)
        Their variances.
    """
    nearest = neighbors.indices[:, 0]
    outputs, variances = frozen.state.embedding[nearest], frozen.state.variances[nearest]
    # With some metrics, the distance of a point from itself is slightly above 0.
    new = np.flatnonzero(neighbors.distances[:, 0] > frozen.graph.smallest_distance)
    if len(new):
        # Rows of one block follow each other, so that each block is loaded once.
        pairs = frozen.objective.dissimilar
        new = new[np.argsort(pairs.block[pairs.index[nearest[new]]], kind="stable")]
        near, start, n_iter = Neighbors(neighbors.indices[new], neighbors.distances[new]), None, frozen.state.iteration
        if frozen.guide is not None:
            start, n_iter = _NewPoints(frozen.guide, near).run_em(n_iter, workers)[0], min(n_iter, _AFTER_GUIDE)
        outputs[new], spread = _NewPoints(frozen, near).run_em(n_iter, workers, start)
        variances[new] = frozen.variance_unit * spread
    return outputs, variances


def _landmark_chain(coarse: Coarse, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the landmark of each input at each level, and its distance; -1 if the cell was too small to be split."""
    landmarks = np.full((n, coarse.n_levels), -1)
    distances = np.zeros((n, coarse.n_levels))
    for level, splits in enumerate(coarse.splits):
        for split in splits:
            if split.is_finest:
                landmarks[split.members, level] = split.assignment
                distances[split.members, level] = split.distances
    return landmarks, distances


class _NewPoints:
    """The terms of the log-likelihood that new points add, each independently."""

    def __init__(self, frozen: FrozenMap, neighbors: Neighbors) -> None:
        self._frozen = frozen
        self._unit = calibration(frozen.objective.dof)
        mutual = self._mutual(neighbors)
        near = mutual.copy()
        near[:, : max(1, frozen.min_neighbors)] = True
        lengths = self._lengths(neighbors)
        self._set_similar(neighbors.indices, lengths, near, mutual)
        self._set_dissimilar(neighbors.indices, near, mutual)
        self._reach = np.max(np.where(near, lengths, 0), axis=1)

    def _lengths(self, neighbors: Neighbors) -> np.ndarray:
        """Return the distances divided by the widths of both rows, as in the graph."""
        graph = self._frozen.graph
        limits = graph.smallest_distance, graph.largest_distance
        widths = row_widths(neighbors.distances, limits, self._frozen.local_scaling, graph.typical_distance)
        return np.asarray(graph.limited(neighbors.distances) / (widths[:, None] * graph.widths[neighbors.indices]))

    def _mutual(self, neighbors: Neighbors) -> np.ndarray:
        """Return which neighbours would reach the new point within s steps, Saul (23)-(24)."""
        reaching = neighbors.distances <= self._frozen.radius[neighbors.indices]
        if self._frozen.n_steps == 1:
            return np.asarray(reaching)
        m, k = neighbors.indices.shape
        ways = self._frozen.graph.edges[
            np.repeat(neighbors.indices, k, axis=1).ravel(), np.tile(neighbors.indices, k).ravel()
        ]
        known = np.asarray(ways).reshape(m, k, k) > 0
        for _ in range(self._frozen.n_steps - 1):
            before, reaching = reaching, reaching | (known & reaching[:, None, :]).any(axis=2)
            if (before == reaching).all():
                break
        return np.asarray(reaching)

    def _set_similar(self, indices: np.ndarray, lengths: np.ndarray, near: np.ndarray, mutual: np.ndarray) -> None:
        frozen, similar = self._frozen, self._frozen.objective.similar
        chain, chain_lengths = _landmark_chain(frozen.coarse, len(frozen.graph.rows))
        nearest = indices[:, 0]
        way = lengths[:, :1] + chain_lengths[nearest]
        attached = similar.attachment * (chain[nearest] >= 0)
        outgoing = near * similar.weight_of_edges(near.sum(axis=1))[:, None]
        weights = np.concatenate([outgoing + mutual * similar.row_weight[indices], attached], axis=1)
        kept = weights > 0
        self._indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        self._indices = np.concatenate([indices, chain[nearest]], axis=1)[kept]
        self._similarity = weights[kept]
        ways = np.concatenate([lengths, frozen.graph.limited(way)], axis=1)[kept]
        self._delta2 = (similar.scale * ways) ** 2 / self._unit
        self._similar_weight = weights.sum(axis=1)
        self._edge_chunks = chunks_of(np.diff(self._indptr), EDGES_PER_CHUNK)

    def _set_dissimilar(self, indices: np.ndarray, near: np.ndarray, mutual: np.ndarray) -> None:
        pairs = self._frozen.objective.dissimilar
        m = len(near)
        self._block = pairs.block[pairs.index[indices[:, 0]]]
        members = pairs.index[indices]
        together = pairs.block[members] == self._block[:, None]
        rows = np.broadcast_to(np.arange(m)[:, None], members.shape)
        self._out = grouped(rows[near & together], members[near & together], m)
        self._in = grouped(rows[mutual & together], members[mutual & together], m)
        sizes = np.diff(pairs.block_start)[self._block]
        self._dissimilar_weight = 2 * sizes - np.diff(self._out[0]) - np.diff(self._in[0])
        self._pair_chunks = chunks_of(sizes, PAIRS_PER_CHUNK)

    def run_em(self, n_iter: int, workers: Workers, start: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Run so many iterations of EM, by default from the centre of the neighbours."""
        frozen, objective = self._frozen, self._frozen.objective
        d = frozen.state.embedding.shape[1]
        columns = objective.dissimilar.columns(frozen.state.embedding, frozen.state.variances)
        outputs = self._centre_of_neighbors() if start is None else start
        tied = frozen.tied_variances
        variances = np.full(len(outputs), frozen.state.variances[0]) if tied else self._reach**2 / (2 * d)
        weight = self._similar_weight + objective.rate * self._dissimilar_weight
        velocity = np.zeros_like(outputs)
        for _ in range(n_iter):
            # One E-step serves both updates; two would take twice as long, and end at the same positions.
            pull, push = self._sums(outputs, variances, columns, workers)
            diagonal = pull[:, d + 1] + (objective.rate * self._dissimilar_weight + push[:, d + 1]) / variances
            step = (pull[:, :d] + push[:, :d]) / diagonal[:, None]  # Saul (20), one unknown at a time
            velocity = step + frozen.momentum * velocity  # Saul (SI 43)
            outputs = outputs + velocity
            if tied:
                continue
            spread = pull[:, d] - push[:, d]
            variances = variances + variances**2 * spread / (d * weight)  # Saul (21)
            variances = np.clip(variances, *objective.similar.variance_limits)
        return outputs, variances

    def _centre_of_neighbors(self) -> np.ndarray:
        starts = self._indptr[:-1]
        pulls = self._similarity / self._delta2
        weighted = self._frozen.state.embedding[self._indices] * pulls[:, None]
        return np.add.reduceat(weighted, starts, axis=0) / np.add.reduceat(pulls, starts)[:, None]

    def _sums(
        self, outputs: np.ndarray, variances: np.ndarray, columns: np.ndarray, workers: Workers
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of the kernels ``attract`` and ``repel`` for each new point."""
        state, objective = self._frozen.state, self._frozen.objective
        m, d = outputs.shape
        dof = kernel_dof(objective.dof)
        pull, push = np.empty((2, m, d + 2))
        edges = self._indptr, self._indices, self._similarity, self._delta2
        of_edge = np.empty(len(self._delta2))
        workers.map(
            kernels.attract,
            self._edge_chunks,
            outputs,
            variances,
            *edges,
            state.embedding,
            state.variances,
            dof,
            of_edge,
            pull,
        )
        outer = self._reach / np.sqrt(self._unit)
        rows = np.concatenate([np.stack([variances, outer, np.zeros(m), np.ones(m)]), outputs.T])
        workers.map(
            kernels.repel,
            self._pair_chunks,
            rows,
            self._block,
            columns,
            objective.dissimilar.block_start,
            *self._out,
            *self._in,
            dof,
            push,
        )
        return pull, objective.rate * push
