"""A Gaussian over the rows of a graph, of which only neighbours' covariances are ever needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from latentmap.methods.lllvm.neighborhood import Neighborhood
from latentmap.model.limits import limited


@dataclass(frozen=True, eq=False)
class GraphGaussian:
    """d numbers for each of n rows, in r copies that have one covariance and a mean each.

    The copies make it the matrix normal distribution of Park (12), one of whose covariances is the unit matrix: no
    matrix has to know of them.

    Attributes
    ----------
    mean : ndarray of shape (n, d, r)
    at_rows : ndarray of shape (n, d, d)
        The covariance within each row.
    at_pairs : ndarray of shape (m, d, d)
        The covariance of the first row of each pair of neighbours with the second.
    log_determinant : float
        Of the covariance of one copy.
    """

    mean: np.ndarray
    at_rows: np.ndarray
    at_pairs: np.ndarray
    log_determinant: float

    @classmethod
    def solved(cls, graph: Neighborhood, at_rows: np.ndarray, at_pairs: np.ndarray, pull: np.ndarray) -> GraphGaussian:
        """Find the Gaussian with this precision.

        One matrix of (n d)^2 numbers is held in memory: precision, factor and covariance take each other's place.

        Parameters
        ----------
        graph : Neighborhood
            Of n rows and m pairs.
        at_rows : ndarray of shape (n, d, d)
            The blocks on the precision's diagonal.
        at_pairs : ndarray of shape (m, d, d)
            Its other blocks, each of which is symmetric.
        pull : ndarray of shape (n, d, r)
            The precision times the mean.

        Returns
        -------
        GraphGaussian
        """
        n, d, copies = pull.shape
        first, second = graph.pairs.T
        rows = np.arange(n)
        matrix = np.zeros((n * d, n * d), order="F")
        # What is below the diagonal of a matrix in Fortran's order.
        blocks = matrix.T.reshape(n, d, n, d)
        blocks[rows, :, rows, :] = at_rows
        blocks[first, :, second, :] = at_pairs
        with limited(1, "blas"):
            factor, failed = dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
            if failed:
                raise np.linalg.LinAlgError("A precision is not positive definite.")
            log_determinant = -2 * float(np.log(factor.diagonal()).sum())
            mean = np.ascontiguousarray(dpotrs(factor, pull.reshape(n * d, copies), lower=1)[0])
            covariance = dpotri(factor, lower=1, overwrite_c=1)[0].T.reshape(n, d, n, d)
        # In blocks on the diagonal the other half still holds the precision.
        own = np.triu(covariance[rows, :, rows, :])
        own = own + np.swapaxes(np.triu(own, 1), 1, 2)
        return cls(mean.reshape(n, d, copies), own, covariance[first, :, second, :], log_determinant)

    @classmethod
    def known(cls, graph: Neighborhood, mean: np.ndarray, variance: float) -> GraphGaussian:
        """Return numbers known up to the same variance each; EM may start from them.

        Parameters
        ----------
        graph : Neighborhood
            Of n rows.
        mean : ndarray of shape (n, d, r)
        variance : float

        Returns
        -------
        GraphGaussian
        """
        n, d, _ = mean.shape
        at_rows = np.broadcast_to(variance * np.eye(d), (n, d, d))
        with np.errstate(divide="ignore"):
            log_determinant = n * d * float(np.log(variance))
        return cls(mean, at_rows, np.zeros((len(graph.pairs), d, d)), log_determinant)

    def scaled(self, factor: float) -> GraphGaussian:
        """Return the Gaussian of all numbers times a factor.

        Parameters
        ----------
        factor : float
            Above 0.

        Returns
        -------
        GraphGaussian
        """
        square, numbers = factor**2, self.mean[:, :, 0].size
        return GraphGaussian(
            factor * self.mean,
            square * self.at_rows,
            square * self.at_pairs,
            self.log_determinant + numbers * float(np.log(square)),
        )

    @property
    def copies(self) -> int:
        """How many means there are."""
        return self.mean.shape[2]

    def size(self) -> float:
        """Return the expected sum of all squared numbers."""
        return float(np.square(self.mean).sum() + self.copies * np.einsum("iaa->", self.at_rows))

    def squares(self) -> np.ndarray:
        """Return for each row the expected products of its numbers, summed over copies.

        Of q(C) these are the C_i' C_i. Park (57) leaves out that each row of C_i has the covariance; (72) does not.

        Returns
        -------
        ndarray of shape (n, d, d)
        """
        return self.copies * self.at_rows + self.mean @ np.swapaxes(self.mean, 1, 2)

    def roughness(self, graph: Neighborhood) -> float:
        """Return the expected sum of the squared differences of neighbours, counted in both directions.

        Parameters
        ----------
        graph : Neighborhood

        Returns
        -------
        float
        """
        means = np.vdot(self.mean, graph.bent(self.mean))
        spread = graph.degrees @ np.einsum("iaa->i", self.at_rows) - 2 * np.einsum("eaa->", self.at_pairs)
        return 2 * float(means + self.copies * spread)
