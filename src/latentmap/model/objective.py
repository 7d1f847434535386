"""The log-likelihood, Saul (6), of a map, and the sums over pairs that the EM algorithm needs of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from latentmap.model import kernels
from latentmap.model.coarse import Coarse
from latentmap.model.dissimilar import DissimilarPairs
from latentmap.model.graph import NeighborGraph
from latentmap.model.workers import Workers, chunks_of

# Edges that are worth handing to a thread.
EDGES_PER_CHUNK = 50_000
# Variances stay above this part of the median squared length scale.
_SMALLEST_VARIANCE = 1e-10


def calibration(dof: float) -> float:
    """Return squared distance over squared length scale, such that P(c = 1) = 1/2 at that distance.

    Parameters
    ----------
    dof : float
        Degrees of freedom; infinity is the paper.

    Returns
    -------
    float
        2 log 2 in the paper; 2 alpha (2^(1/alpha) - 1) with alpha = dof / 2 otherwise.

    Examples
    --------
    >>> round(calibration(float("inf")), 4)
    1.3863
    >>> calibration(2)
    2.0
    """
    if np.isinf(dof):
        return float(2 * np.log(2))
    return float(dof * (2 ** (2 / dof) - 1))


def kernel_dof(dof: float) -> float:
    """Return how the kernels are told the degrees of freedom: they are compiled to know no infinity."""
    return -1.0 if np.isinf(dof) else float(dof)


@dataclass(frozen=True, eq=False)
class Expectations:
    """What the E-step knows of each output.

    Attributes
    ----------
    pull : ndarray of shape (n_edges,)
        W_ij of Saul (18), aligned with :attr:`Objective.edges`.
    diagonal : ndarray of shape (n,)
        L_ii of Saul (19).
    gradient : ndarray of shape (n, d)
        Gradient of the log-likelihood by the outputs: the right side of Saul (20), less L mu.
    spread : ndarray of shape (n,)
        Twice the gradient of the log-likelihood by the variances: what Saul (21) adds up, less the present variance.
    """

    pull: np.ndarray
    diagonal: np.ndarray
    gradient: np.ndarray
    spread: np.ndarray


class Objective:
    """The log-likelihood, Saul (6), with its weights and length scales fixed.

    Parameters
    ----------
    graph : NeighborGraph
        The similar pairs.
    coarse : Coarse
        The dissimilar pairs.
    dof : float
        Degrees of freedom of the latent variables; infinity is the paper.
    workers : Workers
        The threads to use.
    vote_power : float
        See :meth:`Coarse.attachments`.

    Attributes
    ----------
    dof : float
    edges : csr_array of shape (n, n)
        S_ij + S_ji, rescaled as in the SI.
    delta2 : ndarray of shape (n_edges,)
        delta_ij^2 of each edge.
    attachment : float
        What the votes for landmarks are multiplied by, so that they sum to n.
    dissimilar : DissimilarPairs
        The pairs with D_ij > 0.
    repulsion : float
        What D is multiplied by, so that sum D = sum S; 0 where no pair is dissimilar.
    smallest_variance : float
        The floor of the variances.
    """

    def __init__(
        self, graph: NeighborGraph, coarse: Coarse, dof: float, workers: Workers, vote_power: float = 1
    ) -> None:
        self._workers = workers
        self.dof = dof
        self._kernel_dof = kernel_dof(dof)
        self._set_similar(graph, coarse, calibration(dof), vote_power)
        self.dissimilar = DissimilarPairs(coarse, graph.edges)
        total = self.dissimilar.weight.sum()
        self.repulsion = float(self.edges.sum() / total) if total else 0.0
        self.weight = self.edges.sum(axis=1) + self.repulsion * self.dissimilar.weight
        self.smallest_variance = _SMALLEST_VARIANCE * float(np.median(self.delta2))

    def _set_similar(self, graph: NeighborGraph, coarse: Coarse, calibration: float, vote_power: float) -> None:
        n = len(graph.rows)
        members, landmarks, distances, votes = coarse.attachments(vote_power)
        # The SI rescales these weights such that each output is attracted to one output more, on average.
        self.attachment = n / votes.sum() if len(votes) else 0.0
        attachments = sp.csr_array((votes * self.attachment, (members, landmarks)), (n, n))
        # A member may have the same landmark at several levels: what is stored twice would be added up.
        first = np.unique(members * n + landmarks, return_index=True)[1]
        reach = np.maximum(distances, graph.smallest_distance)[first], (members[first], landmarks[first])
        similarity = graph.edges.astype(bool).astype(float) + attachments
        distance = graph.edges.maximum(sp.csr_array(reach, (n, n)))
        self.edges = sp.csr_array(similarity + similarity.T)
        symmetric = sp.csr_array(distance.maximum(distance.T))
        self.edges.sort_indices()
        symmetric.sort_indices()
        self.delta2 = symmetric.data**2 / calibration
        self._edge_chunks = chunks_of(np.diff(self.edges.indptr), EDGES_PER_CHUNK)

    def expectations(self, outputs: np.ndarray, variances: np.ndarray) -> Expectations:
        """Run the E-step.

        Parameters
        ----------
        outputs : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.

        Returns
        -------
        Expectations
        """
        n, d = outputs.shape
        attraction = np.empty((n, d + 2))
        pull = np.empty(len(self.delta2))
        self._workers.map(
            kernels.attract,
            self._edge_chunks,
            outputs,
            variances,
            *self._similar,
            outputs,
            variances,
            self._kernel_dof,
            pull,
            attraction,
        )
        repulsion = self.repulsion * self.dissimilar.repulsion(outputs, variances, self._kernel_dof, self._workers)
        certain = self.repulsion * self.dissimilar.weight + repulsion[:, d + 1]
        return Expectations(
            pull,
            attraction[:, d + 1] + certain / variances,
            attraction[:, :d] + repulsion[:, :d],
            attraction[:, d] - repulsion[:, d],
        )

    def log_likelihood(self, outputs: np.ndarray, variances: np.ndarray) -> float:
        """Return the log-likelihood, Saul (6).

        Parameters
        ----------
        outputs : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.

        Returns
        -------
        float
            Not above 0.
        """
        similar = np.empty(len(outputs))
        self._workers.map(
            kernels.similar_log_likelihood,
            self._edge_chunks,
            *self._similar,
            outputs,
            variances,
            self._kernel_dof,
            similar,
        )
        dissimilar = self.dissimilar.log_likelihood(outputs, variances, self._kernel_dof, self._workers)
        return float(similar.sum() + self.repulsion * dissimilar)

    def updated_variances(self, variances: np.ndarray, spread: np.ndarray, d: int, tied: bool = False) -> np.ndarray:
        """Return the variances of the M-step, Saul (21), from those that the E-step was run with.

        Parameters
        ----------
        variances : ndarray of shape (n,)
            sigma^2.
        spread : ndarray of shape (n,)
            From :meth:`expectations`.
        d : int
            Output dimensions.
        tied : bool
            Whether all outputs share one variance.

        Returns
        -------
        ndarray of shape (n,)
        """
        step = variances**2 * spread / d
        if tied:
            updated = np.full_like(variances, variances[0] + step.sum() / self.weight.sum())
        else:
            updated = variances + step / self.weight
        return np.maximum(updated, self.smallest_variance)

    @property
    def _similar(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.edges.indptr, self.edges.indices, self.edges.data, self.delta2
