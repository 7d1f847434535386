"""The similar pairs of a coarse-grained model: neighbours, and members with their landmarks."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from latentmap.model.both_directions import BothDirections
from latentmap.model.coarse import Coarse
from latentmap.model.graph import NeighborGraph

# Limits of variances, in median squared length scales.
_SMALLEST_VARIANCE, _LARGEST_VARIANCE = 1e-10, 1e10


class SimilarPairs:
    """The pairs with S_ij > 0, in both directions, with their length scales.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbours.
    coarse : Coarse
        The landmarks.
    calibration : float
        The squared distance, in squared length scales, at which P(c = 1) = 1/2.
    scale : float
        Factor of the length scales; 1 in the paper.
    vote_power : float
        See :meth:`Coarse.attachments`.
    row_normalized : bool
        Whether the edges from each row have the same total weight: S_ij = E_ij times the mean number of edges from a
        row, divided by that from row i. In the paper each edge weighs 1.

    Attributes
    ----------
    edges : csr_array of shape (n, n)
        S_ij + S_ji, rescaled as in the SI.
    n_directions : ndarray of shape (n,)
        Number of edges from and to each row, which are not dissimilar pairs.
    delta2 : ndarray of shape (n_edges,)
        delta_ij^2 of each edge.
    directions : ndarray of shape (n_edges,)
        1 if j is a neighbour of i, 2 if i is a neighbour of j, 3 if both.
    attachment : float
        Factor of the votes for landmarks that makes them sum to n.
    row_weight : ndarray of shape (n,)
        S_ij of each edge from row i.
    scale, unit : float
        The factor of the length scales, and their median.
    variance_limits : (float, float)
        The smallest and the largest variance.
    """

    def __init__(
        self,
        graph: NeighborGraph,
        coarse: Coarse,
        calibration: float,
        scale: float = 1,
        vote_power: float = 1,
        row_normalized: bool = False,
    ) -> None:
        n = len(graph.rows)
        members, landmarks, distances, votes = coarse.attachments(vote_power)
        # The SI rescales these weights so that each output is attracted to one more output on average.
        self.attachment = n / votes.sum() if len(votes) else 0.0
        attachments = sp.csr_array((votes * self.attachment, (members, landmarks)), (n, n))
        # A member may have the same landmark at several levels, and duplicate entries would be summed.
        first = np.unique(members * n + landmarks, return_index=True)[1]
        reach = graph.limited(distances)[first], (members[first], landmarks[first])
        degree = np.diff(graph.edges.indptr)
        self.n_directions = degree + np.bincount(graph.edges.indices, minlength=n)
        self._mean_degree = float(degree.mean()) if row_normalized else 0.0
        self.row_weight = self.weight_of_edges(degree)
        of_graph = graph.edges.indices, graph.edges.indptr
        similarity = sp.csr_array((np.repeat(self.row_weight, degree), *of_graph), (n, n)) + attachments
        distance = graph.lengths.maximum(sp.csr_array(reach, (n, n)))
        neighbors = sp.csr_array((np.ones(graph.edges.nnz, np.uint8), *of_graph), (n, n))
        # The 2 keeps attachments between rows that are not neighbours among the stored entries.
        is_neighbor = 2 * attachments.astype(bool).astype(np.uint8) + neighbors
        for directed in (similarity, distance, is_neighbor):
            directed.sort_indices()
        pairs = BothDirections.of(similarity)
        weights = np.add(*pairs.values(similarity.data))
        self.edges = sp.csr_array((weights, pairs.indices, pairs.indptr), (n, n))
        self.scale = scale
        self.delta2 = scale**2 * np.maximum(*pairs.values(distance.data)) ** 2 / calibration
        self.unit = float(np.sqrt(np.median(self.delta2)))
        self.variance_limits = _SMALLEST_VARIANCE * self.unit**2, _LARGEST_VARIANCE * self.unit**2
        there, back = pairs.values(is_neighbor.data % 2)
        self.directions = (there + 2 * back).astype(np.uint8)

    def weight_of_edges(self, degree: np.ndarray) -> np.ndarray:
        """Return S_ij of the edges from rows with ``degree`` edges each, at least one, of shape (m,)."""
        return self._mean_degree / degree if self._mean_degree else np.ones(len(degree))
