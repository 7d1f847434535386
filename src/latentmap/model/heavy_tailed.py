"""The likelihood without coarse-graining (l = 0), with degrees of freedom for which it has a closed form."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from latentmap.model import sampled_kernels as kernels
from latentmap.model.kd_tree import leaves
from latentmap.model.light_tails import kernels_of
from latentmap.model.objective import dissimilar_rate
from latentmap.model.row_order import Edges, RowOrder
from latentmap.model.similar import SimilarPairs
from latentmap.model.workers import Workers, chunks_of

# Chunks of a sum over edges, whose number must not depend on that of threads; and chunks per thread of kernels that
# write to rows of their own.
_CHUNKS = 16
CHUNKS_PER_THREAD = 2
# In squared median length scales: products of much larger values would exceed single precision.
_LARGEST_SCALE2 = 1e8
# Length scales that single precision can square twice.
_SINGLE = (1e-4, 1e5)
# From this many rows on, the rows that a step reads fall out of the caches unless they are close in memory. Reordering
# them makes the attraction three times as fast at a million rows, and gains nothing at 300 000. An order serves this
# many steps, a multiple of those of a tree of the sampled pairs; its cells have this many rows.
_MANY_ROWS, _STEPS_PER_LAYOUT, _ROWS_OF_A_CELL = 500_000, 50, 128


class Pairs(Protocol):
    """All pairs of points, as in :class:`~latentmap.model.sampled.SampledPairs` and ``GpuPairs``."""

    def repel(self, points: np.ndarray, rate: float, step: int, slopes: np.ndarray) -> None:
        """Add ``rate`` times the repulsion of all pairs to the rows of ``slopes``."""

    def log_likelihood(self, points: np.ndarray) -> float:
        """Return the sum of log P(c_Delta = 0) over all pairs, in both directions."""


class HeavyTailedLikelihood:
    """The log-likelihood, Saul (6), at l = 0 with degrees of freedom for which P has a closed form.

    It is computed in single precision. Every pair counts as dissimilar, and the excess is subtracted along the edges.

    Parameters
    ----------
    similar : SimilarPairs
        The similar pairs, without landmarks.
    reach2 : ndarray of shape (n,)
        Delta_i^2.
    d : int
        Output dimensions.
    repulsion : float
        sum D / sum S.
    pairs : Pairs
        Sums over all pairs, or over a sample of them.
    workers : Workers
        The threads to use.
    dof : float, default=None
        Degrees of freedom, if they are not d; those of `pairs`.

    Attributes
    ----------
    repulsion : float
        As requested, or as much as so few dissimilar pairs allow.
    similar, pairs
        As given.
    rate : float
        The factor of D that makes sum D = repulsion sum S; 0 where no pair is dissimilar.
    precision : type
        Of the map and the gradient: single if the units of the table allow it. The kernels measure in length scales.
    """

    def __init__(
        self,
        similar: SimilarPairs,
        reach2: np.ndarray,
        d: int,
        repulsion: float,
        pairs: Pairs,
        workers: Workers,
        dof: float | None = None,
    ) -> None:
        n, edges, unit2 = len(reach2), similar.edges, similar.unit**2
        self.precision: DTypeLike = np.float32 if _SINGLE[0] < similar.unit < _SINGLE[1] else np.float64
        self.similar = similar
        self.pairs = pairs
        self._workers = workers
        self._kernels = kernels_of(dof)
        self._factors: np.ndarray = np.array([d / unit2, *[1 / similar.unit] * d], self.precision)
        self._reach2 = np.minimum(reach2 / unit2, _LARGEST_SCALE2).astype(np.float32)
        delta2 = np.minimum(similar.delta2 / unit2, _LARGEST_SCALE2).astype(np.float32)
        indptr, indices = edges.indptr.astype(np.int32), edges.indices.astype(np.int32)
        known = Edges(indptr, indices, edges.data.astype(np.float32), delta2, similar.directions)
        self._laid_out = self._in_chunks(RowOrder(None, known))
        self._similar_weight = edges.sum(axis=1)
        self._dissimilar_weight = 2.0 * (n - 1) - similar.n_directions
        similar_weight, dissimilar_weight = self._similar_weight.sum(), self._dissimilar_weight.sum()
        self.rate = dissimilar_rate(similar_weight, dissimilar_weight, repulsion)
        self.repulsion = self.rate * dissimilar_weight / similar_weight if self.rate else repulsion

    def weight(self, repulsion: float) -> np.ndarray:
        """Return sum_j (S_ij + S_ji + D_ij + D_ji) of each point at this ratio of sum D to sum S."""
        return np.asarray(self._similar_weight + self.rate * (repulsion / self.repulsion) * self._dissimilar_weight)

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
            Number of the step; if pairs are sampled, each step draws its own.

        Returns
        -------
        gradient : ndarray of shape (n, d)
            With respect to the outputs.
        spread : ndarray of shape (n,)
            Twice the gradient with respect to the variances.
        """
        points = self._points(embedding, variances)
        if len(points) >= _MANY_ROWS and step % _STEPS_PER_LAYOUT == 0:
            self._lay_out(points)
        layout, chunks, _ = self._laid_out
        points, rate = layout.of(points), self.rate * repulsion / self.repulsion
        slopes: np.ndarray = np.empty((len(points), len(self._factors)), np.float32)
        self._workers.map(self._kernels.attract, chunks, *layout.edges, points, rate, slopes)
        self.pairs.repel(points, rate, step, slopes)
        slopes = layout.to_original_order(slopes).astype(self.precision, copy=False)
        # Column by column, because NumPy is slow with many short rows.
        for column, factor in enumerate(self._factors):
            slopes[:, column] *= factor
        return slopes[:, 1:], slopes[:, 0]

    def _lay_out(self, points: np.ndarray) -> None:
        """Reorder the rows so that those close on the map are close in memory."""
        layout, *_ = self._laid_out
        outputs = layout.of(points)[:, kernels.OUTPUT :].T
        depth = int(np.ceil(np.log2(len(points) / _ROWS_OF_A_CELL)))
        order, _ = leaves(outputs, depth, np.eye(len(outputs)), self._workers)
        self._laid_out = self._in_chunks(layout.reordered(order))

    def _in_chunks(self, layout: RowOrder) -> tuple[RowOrder, list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the rows, chunks to write and chunks to sum.

        They are replaced together, since a likelihood may be requested while the rows are reordered.
        """
        costs = np.diff(layout.edges.indptr)
        chunks, sums = (
            chunks_of(costs, max(1, costs.sum() / n_chunks))
            for n_chunks in (CHUNKS_PER_THREAD * self._workers.n_threads, _CHUNKS)
        )
        return layout, chunks, sums

    def log_likelihood(self, embedding: np.ndarray, variances: np.ndarray) -> float:
        """Return the log-likelihood, Saul (6); if pairs are sampled, an estimate that always uses the same pairs.

        Parameters
        ----------
        embedding : ndarray of shape (n, d)
            mu.
        variances : ndarray of shape (n,)
            sigma^2.
        """
        points, (layout, _, chunks) = self._points(embedding, variances), self._laid_out
        laid_out = layout.of(points)
        of_edges = self._workers.map(self._kernels.neighbor_log_likelihood, chunks, *layout.edges, laid_out, self.rate)
        return float(self.rate * self.pairs.log_likelihood(points) + sum(of_edges))

    def _points(self, embedding: np.ndarray, variances: np.ndarray) -> np.ndarray:
        """Return a new array of the points for the kernels, since a likelihood may be requested during a step."""
        points = np.empty((len(embedding), kernels.OUTPUT + embedding.shape[1]), np.float32)
        np.divide(variances, self.similar.unit**2, out=points[:, kernels.VARIANCE], casting="same_kind")
        points[:, kernels.REACH] = self._reach2
        for column, outputs in enumerate(embedding.T, kernels.OUTPUT):
            np.divide(outputs, self.similar.unit, out=points[:, column], casting="same_kind")
        return points
