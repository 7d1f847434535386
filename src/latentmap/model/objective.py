"""The log-likelihood of a map, Saul (6), and the sums over pairs that the EM algorithm needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from latentmap.model import kernels
from latentmap.model.coarse import Coarse
from latentmap.model.dissimilar import DissimilarPairs
from latentmap.model.graph import NeighborGraph
from latentmap.model.similar import SimilarPairs
from latentmap.model.workers import Workers, chunks_of

# Half a pair: anything less is rounding.
_LEAST_WEIGHT = 0.5
# Enough edges to make handing them to a thread worthwhile.
EDGES_PER_CHUNK = 50_000


def calibration(dof: float) -> float:
    """Return the squared distance, in squared length scales, at which P(c = 1) = 1/2.

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


def dissimilar_rate(similar: float, dissimilar: float, repulsion: float) -> float:
    """Return the factor of D that makes sum D = repulsion sum S.

    No dissimilar pair weighs more than a similar one unless it does so in the paper: among few rows there are few
    dissimilar pairs, which would squeeze all others into dots.

    Parameters
    ----------
    similar, dissimilar : float
        Sum S, and sum D before scaling.
    repulsion : float
        The requested ratio.

    Returns
    -------
    float
        0 if no pair is dissimilar.

    Examples
    --------
    >>> dissimilar_rate(10.0, 1000.0, 22.0), dissimilar_rate(10.0, 50.0, 22.0), dissimilar_rate(10.0, 5.0, 22.0)
    (0.22, 1.0, 2.0)
    """
    if dissimilar <= _LEAST_WEIGHT:
        return 0.0
    wanted = repulsion * similar / dissimilar
    return float(min(wanted, max(1.0, similar / dissimilar)) if repulsion > 1 else wanted)


def kernel_dof(dof: float) -> float:
    """Return the degrees of freedom for the kernels, whose compiler assumes that no number is infinite."""
    return -1.0 if np.isinf(dof) else float(dof)


@dataclass(frozen=True, eq=False)
class Expectations:
    """The result of the E-step for each output.

    Attributes
    ----------
    pull : ndarray of shape (n_edges,)
        W_ij of Saul (18), aligned with :attr:`SimilarPairs.edges`.
    diagonal : ndarray of shape (n,)
        L_ii of Saul (19).
    gradient : ndarray of shape (n, d)
        Gradient of the log-likelihood with respect to the outputs: the right side of Saul (20) minus L mu.
    spread : ndarray of shape (n,)
        Twice the gradient with respect to the variances: the sum in Saul (21) minus the present variance.
    """

    pull: np.ndarray
    diagonal: np.ndarray
    gradient: np.ndarray
    spread: np.ndarray


class Objective:
    """The log-likelihood, Saul (6), with fixed weights and length scales.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbours.
    coarse : Coarse
        The landmarks, and the dissimilar pairs.
    dof : float
        Degrees of freedom of the latent variables; infinity is the paper.
    workers : Workers
        The threads to use.
    repulsion : float
        sum D / sum S; 1 is the paper.
    similarity_scale, vote_power, row_normalized
        See :class:`~latentmap.model.similar.SimilarPairs`.

    Attributes
    ----------
    dof : float
        As given.
    repulsion : float
        As requested, or as much as so few dissimilar pairs allow.
    similar : SimilarPairs
        The pairs with S_ij > 0.
    dissimilar : DissimilarPairs
        The pairs with D_ij > 0.
    precision : type
        Of all numbers.
    rate : float
        The factor of D that makes sum D = repulsion sum S; 0 if no pair is dissimilar.
    """

    def __init__(
        self,
        graph: NeighborGraph,
        coarse: Coarse,
        dof: float,
        workers: Workers,
        *,
        repulsion: float = 1,
        similarity_scale: float = 1,
        vote_power: float = 1,
        row_normalized: bool = False,
    ) -> None:
        self.precision: DTypeLike = np.float64
        self._workers = workers
        self._kernel_dof = kernel_dof(dof)
        self.dof = dof
        self.similar = SimilarPairs(graph, coarse, calibration(dof), similarity_scale, vote_power, row_normalized)
        self.dissimilar = DissimilarPairs(coarse, graph.edges)
        self._similar_weight = self.similar.edges.sum(axis=1)
        similar, dissimilar = self._similar_weight.sum(), self.dissimilar.weight.sum()
        self.rate = dissimilar_rate(similar, dissimilar, repulsion)
        self.repulsion = self.rate * dissimilar / similar if self.rate else repulsion
        self._edge_chunks = chunks_of(np.diff(self.similar.edges.indptr), EDGES_PER_CHUNK)

    def weight(self, repulsion: float) -> np.ndarray:
        """Return sum_j (S_ij + S_ji + D_ij + D_ji) of each output at this ratio of sum D to sum S."""
        return np.asarray(self._similar_weight + self.rate * (repulsion / self.repulsion) * self.dissimilar.weight)

    def slopes(
        self, outputs: np.ndarray, variances: np.ndarray, repulsion: float, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient of the log-likelihood.

        Parameters
        ----------
        outputs : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.
        repulsion : float
            sum D / sum S.
        step : int
            Ignored: nothing is sampled.

        Returns
        -------
        gradient : ndarray of shape (n, d)
            With respect to the outputs.
        spread : ndarray of shape (n,)
            Twice the gradient with respect to the variances.
        """
        now = self.expectations(outputs, variances, repulsion)
        return now.gradient, now.spread

    def expectations(self, outputs: np.ndarray, variances: np.ndarray, repulsion: float | None = None) -> Expectations:
        """Run the E-step.

        Parameters
        ----------
        outputs : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.
        repulsion : float, optional
            sum D / sum S, if different from that of the likelihood.
        """
        n, d = outputs.shape
        rate = self.rate if repulsion is None else self.rate * repulsion / self.repulsion
        attraction = np.empty((n, d + 2))
        pull = np.empty(len(self.similar.delta2))
        self._workers.map(
            kernels.attract,
            self._edge_chunks,
            outputs,
            variances,
            *self._edges,
            outputs,
            variances,
            self._kernel_dof,
            pull,
            attraction,
        )
        push = rate * self.dissimilar.repulsion(outputs, variances, self._kernel_dof, self._workers)
        certain = rate * self.dissimilar.weight + push[:, d + 1]
        gradient = np.empty_like(outputs)
        # Column by column: over many short rows numpy takes six times as long.
        for c in range(d):
            np.add(attraction[:, c], push[:, c], out=gradient[:, c])
        diagonal, spread = attraction[:, d + 1] + certain / variances, attraction[:, d] - push[:, d]
        return Expectations(pull, diagonal, gradient, spread)

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
            *self._edges,
            outputs,
            variances,
            self._kernel_dof,
            similar,
        )
        dissimilar = self.dissimilar.log_likelihood(outputs, variances, self._kernel_dof, self._workers)
        return float(similar.sum() + self.rate * dissimilar)

    @property
    def _edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        edges = self.similar.edges
        return edges.indptr, edges.indices, edges.data, self.similar.delta2
