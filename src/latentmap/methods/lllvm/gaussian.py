"""A Gaussian over the rows of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from latentmap.methods.lllvm.neighborhood import Neighborhood
from latentmap.model.thread_limits import limit_threads


@dataclass(frozen=True, eq=False)
class GraphGaussian:
    """d numbers for each of n rows, in r independent copies with the same covariance and a mean each.

    It is the matrix normal distribution of Park (12) with the identity as the covariance of the copies, so that the
    matrices do not grow with r.

    Attributes
    ----------
    mean : ndarray of shape (n, d, r)
        The mean of each copy.
    at_rows : ndarray of shape (n, d, d)
        The covariance within each row.
    at_pairs : ndarray of shape (m, d, d)
        The covariance of the first row of each pair of neighbours with the second.
    log_determinant : float
        Of the covariance of one copy.
    full_covariance : ndarray of shape (n, d, n, d) or None
        The covariance of all pairs of rows, if more than that of neighbours is needed.
    """

    mean: np.ndarray
    at_rows: np.ndarray
    at_pairs: np.ndarray
    log_determinant: float
    full_covariance: np.ndarray | None = None

    @classmethod
    def solved(
        cls, graph: Neighborhood, precision: np.ndarray, pull: np.ndarray, keeps_whole: bool = False
    ) -> GraphGaussian:
        """Find the Gaussian with this precision.

        Only one matrix of (n d)^2 numbers is held in memory: precision, factor and covariance overwrite each other.

        Parameters
        ----------
        graph : Neighborhood
            Of n rows and m pairs.
        precision : ndarray of shape (n, d, n, d)
            Only the upper half is read; it is overwritten.
        pull : ndarray of shape (n, d, r)
            The precision times the mean.
        keeps_whole : bool, default=False
            Whether to keep the covariances of rows that are not neighbours.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the precision is not positive definite.
        """
        n, d, copies = pull.shape
        first, second = graph.pairs.T
        rows = np.arange(n)
        with limit_threads(1, "blas"):
            # The upper half is the lower half in Fortran order.
            factor, failed = dpotrf(precision.reshape(n * d, n * d).T, lower=1, clean=0, overwrite_a=1)
            if failed:
                raise np.linalg.LinAlgError("A precision is not positive definite.")
            log_determinant = -2 * float(np.log(factor.diagonal()).sum())
            mean = np.ascontiguousarray(dpotrs(factor, pull.reshape(n * d, copies), lower=1)[0])
            covariance = dpotri(factor, lower=1, overwrite_c=1)[0].T
        if keeps_whole:
            _mirror(covariance)
        covariance = covariance.reshape(n, d, n, d)
        # In diagonal blocks the other half may still hold the precision.
        own = np.triu(covariance[rows, :, rows, :])
        own = own + np.swapaxes(np.triu(own, 1), 1, 2)
        at_pairs = covariance[first, :, second, :]
        return cls(mean.reshape(n, d, copies), own, at_pairs, log_determinant, covariance if keeps_whole else None)

    @classmethod
    def known(cls, graph: Neighborhood, mean: np.ndarray, variance: float, keeps_whole: bool = False) -> GraphGaussian:
        """Return independent numbers of equal variance, from which EM may start."""
        n, d, _ = mean.shape
        at_rows = np.broadcast_to(variance * np.eye(d), (n, d, d))
        with np.errstate(divide="ignore"):
            log_determinant = n * d * float(np.log(variance))
        whole = variance * np.eye(n * d).reshape(n, d, n, d) if keeps_whole else None
        return cls(mean, at_rows, np.zeros((len(graph.pairs), d, d)), log_determinant, whole)

    def scaled(self, factor: float) -> GraphGaussian:
        """Return the Gaussian of all numbers times a positive factor."""
        square, numbers = factor**2, self.mean[:, :, 0].size
        return GraphGaussian(
            factor * self.mean,
            square * self.at_rows,
            square * self.at_pairs,
            self.log_determinant + numbers * float(np.log(square)),
            None if self.full_covariance is None else square * self.full_covariance,
        )

    def without_covariances(self) -> GraphGaussian:
        """Return the same without the covariances of rows that are not neighbours."""
        return replace(self, full_covariance=None)

    @property
    def copies(self) -> int:
        """The number of copies."""
        return int(self.mean.shape[2])

    def size(self) -> float:
        """Return the expected sum of squares of all numbers."""
        return float(np.square(self.mean).sum() + self.copies * np.einsum("iaa->", self.at_rows))

    def squares(self) -> np.ndarray:
        """Return the expected products of the numbers of each row, summed over copies, of shape (n, d, d).

        For q(C) these are the C_i' C_i, in which each row of C_i has the covariance, as in Park (72).
        """
        return np.asarray(self.copies * self.at_rows + self.mean @ np.swapaxes(self.mean, 1, 2))

    def products(self, r: int, s: int) -> np.ndarray:
        """Return the expected products of number r of each row with number s of each, summed over copies, (n, n)."""
        if self.full_covariance is None:
            raise ValueError("The covariances of rows that are not neighbours were not kept.")
        return np.asarray(self.copies * self.full_covariance[:, r, :, s] + self.mean[:, r] @ self.mean[:, s].T)

    def roughness(self, graph: Neighborhood) -> float:
        """Return the expected sum of squared differences of neighbours, counted in both directions."""
        means = np.vdot(self.mean, graph.times_laplacian(self.mean))
        spread = graph.degrees @ np.einsum("iaa->i", self.at_rows) - 2 * np.einsum("eaa->", self.at_pairs)
        return 2 * float(means + self.copies * spread)


def _mirror(matrix: np.ndarray) -> None:
    """Copy the upper half to the lower half in place."""
    for row in range(1, len(matrix)):
        matrix[row, :row] = matrix[:row, row]
