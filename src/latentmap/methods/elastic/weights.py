"""The weights of attraction and repulsion in an elastic embedding."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from latentmap.methods.affinities import (
    each_perplexity_width,
    gaussian,
    mutual,
    perplexity_widths,
    shared_width,
    shares,
    symmetric,
)
from latentmap.model.data_warnings import listed
from latentmap.model.inputs import Inputs
from latentmap.model.state import FitProgress

ATTRACTIONS = ("perplexity", "neighbors", "gaussian")
"""Ways to compute the weights w+."""
REPULSIONS = ("distance", "uniform")
"""Ways to compute the weights w-."""

# Negligible relative to 1: for the total weight of a row relative to the largest, and for the divisor of its
# affinities.
_LEAST = 1e-100


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of Carreira-Perpinan (6), and how to compute those of new rows.

    Attributes
    ----------
    attractive : ndarray or csr_array of shape (n, n)
        W+, symmetric.
    repulsive : ndarray of shape (n, n)
        W-, symmetric.
    attraction, repulsion : str
        How they were computed; "given" for the user's own.
    n_neighbors : int
        k.
    widths : ndarray of shape (n,)
        sigma of each row.
    totals : ndarray of shape (n,)
        The divisor of the affinities of each row.
    """

    attractive: np.ndarray | sp.csr_array
    repulsive: np.ndarray
    attraction: str
    repulsion: str
    n_neighbors: int
    widths: np.ndarray
    totals: np.ndarray

    @classmethod
    def from_inputs(
        cls, inputs: Inputs, squared: np.ndarray, attraction: Any, repulsion: Any, k: int, width: Any, now: FitProgress
    ) -> Generator[FitProgress, None, Weights]:
        """Compute the weights; the search for widths can be stopped between batches of rows.

        Parameters
        ----------
        inputs : Inputs
            Of n rows.
        squared : ndarray of shape (n, n)
            Their squared distances, infinite on the diagonal.
        attraction : str or array of shape (n, n)
            One of ``ATTRACTIONS``, or W+.
        repulsion : str or array of shape (n, n)
            One of ``REPULSIONS``, or W-.
        k : int
            Number of neighbours.
        width : float or "auto"
            sigma, if all rows share it.
        now : FitProgress
            The progress of the fit.

        Yields
        ------
        FitProgress
            The same, before each batch.

        Returns
        -------
        Weights
            Symmetric.

        Raises
        ------
        ValueError
            If the user's weights are not a square matrix of numbers of 0 or more.
        """
        n = len(squared)
        totals = np.ones(n)
        if not isinstance(attraction, str):
            widths, attractive = np.full(n, np.nan), _given(attraction, "attraction", n)
        elif attraction == "perplexity":
            found = []
            for some in each_perplexity_width(squared, k):
                yield now
                found.append(some)
            widths = np.concatenate(found)
            attractive = symmetric(shares(squared, widths))
            nearest = squared.min(axis=1, keepdims=True)
            totals = gaussian(squared - nearest, widths[:, None]).sum(axis=1) * gaussian(nearest[:, 0], widths)
        else:
            neighbors = inputs.kneighbors(k)
            sigma = shared_width(neighbors, width)
            widths = np.full(n, sigma)
            if attraction == "gaussian":
                attractive = gaussian(squared, sigma)
            else:
                attractive = mutual(neighbors, gaussian(np.square(neighbors.distances), sigma))
        _check_attraction(attractive, attraction)
        if not isinstance(repulsion, str):
            given = _given(repulsion, "repulsion", n)
            repulsive = given.toarray() if isinstance(given, sp.csr_array) else given
        else:
            repulsive = squared.copy() if repulsion == "distance" else np.ones((n, n))
            np.fill_diagonal(repulsive, 0)
        pulled, pushed = (way if isinstance(way, str) else "given" for way in (attraction, repulsion))
        return cls(attractive, repulsive, pulled, pushed, k, widths, totals)

    def for_new_rows(self, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return w+ and w- of new rows, of shape (m, n), given their squared distances to the rows of the map."""
        self._check_known()
        repulsive = squared if self.repulsion == "distance" else np.ones_like(squared)
        if self.attraction == "perplexity":
            return shares(squared, perplexity_widths(squared, self.n_neighbors)), repulsive
        return self.kernel(squared)[0], repulsive

    def kernel(self, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights w+ from the map's rows to new ones, (m, n), and their squared Gaussian widths, (n,)."""
        weights = gaussian(squared, self.widths) / self.totals
        if self.attraction == "neighbors":
            farthest = np.partition(squared, self.n_neighbors - 1, axis=1)[:, self.n_neighbors - 1]
            weights = np.where(squared <= farthest[:, None], weights, 0)
        return weights, np.square(self.widths)

    def check_invertible(self) -> None:
        """Raise unless a row can be computed for a position, which requires weights that depend on distances."""
        self._check_known()
        if self.repulsion != "distance":
            raise ValueError(
                f'Rows can be computed for positions only if repulsion is "distance", but it is "{self.repulsion}", '
                'which does not depend on the rows. Make the map again with repulsion="distance".'
            )
        lost = np.flatnonzero(self.totals < _LEAST)
        if len(lost):
            named = ", ".join(map(str, lost[:5])) + ", ..." * (len(lost) > 5)
            raise ValueError(
                f"Rows cannot be computed for positions: {len(lost)} of {len(self.totals)} rows ({named}) are too many "
                "widths away from their neighbours to interpolate between them. Leave these rows out, raise "
                'n_neighbors (k), or use attraction="gaussian".'
            )

    def _check_known(self) -> None:
        if "given" in (self.attraction, self.repulsion):
            raise ValueError(
                "The map was made with weights given as an array, which are unknown for new rows. Make it again with "
                f"attraction as one of {listed(ATTRACTIONS)} and repulsion as one of {listed(REPULSIONS)}."
            )


def _check_attraction(attractive: np.ndarray | sp.csr_array, attraction: Any) -> None:
    """Raise if most rows attract almost nothing; a few outliers may."""
    totals = np.asarray(attractive.sum(axis=1))
    n, n_without = len(totals), int((totals <= _LEAST * totals.max()).sum())
    if 2 * n_without <= n:
        return
    if not isinstance(attraction, str):
        raise ValueError(
            f"With this attraction {n_without} of {n} rows attract almost no other. Give most rows weights above 0."
        )
    raise ValueError(
        f"With this width {n_without} of {n} rows attract no other, as their neighbours are many widths away. Raise "
        'it, leave it at "auto", or use attraction="perplexity", which gives each row its own width.'
    )


def _given(weights: Any, name: str, n: int) -> np.ndarray | sp.csr_array:
    """Return the user's weights, made symmetric and with a zero diagonal."""
    is_sparse = sp.issparse(weights)
    matrix: Any = sp.csr_array(weights, dtype=float, copy=True) if is_sparse else np.array(weights, dtype=float)
    if matrix.shape != (n, n):
        raise ValueError(
            f"{name} is an array of shape {matrix.shape}, but there are {n} rows. Give the weights of all pairs, of "
            f"shape ({n}, {n})."
        )
    values = matrix.data if sp.issparse(matrix) else matrix
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError(f"Some weights in {name} are negative, NaN or infinite; they must be 0 or more.")
    if isinstance(matrix, sp.csr_array):
        matrix.setdiag(0)
        matrix.eliminate_zeros()
    else:
        np.fill_diagonal(matrix, 0)
    return symmetric(matrix)
