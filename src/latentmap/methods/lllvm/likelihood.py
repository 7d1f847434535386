"""The likelihood of rows given positions and linear maps: two readings of Park, section 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.neighborhood import Neighborhood

EPSILON = 1e-4
"""epsilon_c and epsilon_y: how strongly linear maps and rows are drawn to 0, so that no direction is free."""


class Likelihood(Protocol):
    """The part of log p(y | C, x) that is quadratic in positions and linear maps, in which the readings differ.

    With L the graph's Laplacian and Y the table, log p(y | C, x) is -gamma (tr Y'LY - <C, H> + f / 2) plus a
    normaliser, where gamma f is called f in Park (24).

    Attributes
    ----------
    is_whole : bool
        Whether f needs the covariances of all pairs of rows, not only of neighbours.
    """

    is_whole: bool

    def __init__(self, graph: Neighborhood) -> None: ...

    def of_positions(self, maps: GraphGaussian) -> np.ndarray:
        """Return the expectation of f over q(C) as a quadratic form of the positions.

        Its shape is (n, d, n, d), and only the upper half is used.
        """

    def of_maps(self, positions: GraphGaussian) -> np.ndarray:
        """Return the expectation of f over q(x) as a quadratic form of the linear maps for one column of the table.

        Its shape is (n, d, n, d), and only the upper half is used.
        """

    def expected(self, positions: GraphGaussian, maps: GraphGaussian) -> float:
        """Return the expectation of f over both q(x) and q(C)."""

    def best_gamma(self, misfit: float) -> float:
        """Return the gamma that maximises the bound, given the expected 2 tr Y'LY - 2 <C, H> + f per column."""

    def log_precision(self, gamma: float) -> float:
        """Return the log-determinant of the precision of a column of the table."""

    def pull(self, table: np.ndarray) -> float:
        """Return epsilon times the squares that are drawn to 0."""


class EachEdge:
    """Each difference of neighbours is fitted independently, from both of its ends: f is that of Park (28).

    Park (42)-(73) use it. As this f does not complete the square of (24), the integral over y is below 1.
    """

    is_whole = False

    def __init__(self, graph: Neighborhood) -> None:
        self.graph = graph

    def of_positions(self, maps: GraphGaussian) -> np.ndarray:
        """Return f as in Park (44) and (53)."""
        first, second = self.graph.pairs.T
        squares = maps.squares()
        pulls = squares[first] + squares[second]
        form = _block_diagonal(self.graph.summed(pulls))
        form[first, :, second, :] = -pulls
        return form

    def of_maps(self, positions: GraphGaussian) -> np.ndarray:
        """Return f as in Park (61)."""
        return _block_diagonal(self._position_squares(positions))

    def expected(self, positions: GraphGaussian, maps: GraphGaussian) -> float:
        """Return f as in Park (72)."""
        return float(np.vdot(self._position_squares(positions), maps.squares()))

    def best_gamma(self, misfit: float) -> float:
        """Maximise Park (72) with (73), whose first eigenvalue is 0."""
        stretched = 2 * self.graph.spectrum[1:]
        highest = len(stretched) / misfit
        lowest = highest - EPSILON / stretched[0]
        if lowest <= 0:
            lowest = np.finfo(float).eps * highest
        return root(lambda gamma: (stretched / (EPSILON + gamma * stretched)).sum() - misfit, lowest, highest)

    def log_precision(self, gamma: float) -> float:
        """Return log |epsilon I + 2 gamma L|, of Park (73)."""
        return float(np.log(EPSILON + 2 * gamma * self.graph.spectrum).sum())

    def pull(self, table: np.ndarray) -> float:
        """Return the first term of Park (23)."""
        return EPSILON * float(np.square(table).sum())

    def _position_squares(self, positions: GraphGaussian) -> np.ndarray:
        """Return the expected Gamma_ii, Park (67)-(68)."""
        first, second = self.graph.pairs.T
        X = positions.mean[:, :, 0]
        steps = X[second] - X[first]
        across = positions.at_pairs + np.swapaxes(positions.at_pairs, 1, 2)
        spread = positions.at_rows[first] + positions.at_rows[second] - across
        return self.graph.summed(np.einsum("ea,eb->eab", steps, steps) + spread)


class Normalised:
    """The Gaussian of Park (29)-(31), whose integral over y is 1: f is e' Sigma_y e.

    Its mean is the rows whose differences agree best with those of all linear maps at once: 1/2 L+ E, where L+ is the
    pseudoinverse of L, and row i of E the sum of (C_i + C_j) (x_i - x_j) over its neighbours j, Park (27). Epsilon only
    fixes the mean of all rows, so that f = tr E' L+ E / 2, and gamma has a closed form.
    """

    is_whole = True

    def __init__(self, graph: Neighborhood) -> None:
        self.graph = graph
        self._laplacian = graph.laplacian.toarray()
        self._inverse = graph.pseudoinverse

    def of_positions(self, maps: GraphGaussian) -> np.ndarray:
        """Return f: x_p has the factor L_ip (C_i + C_p) - delta_ip (LC)_p in row i of E."""
        return self._form(maps, 1.0)

    def of_maps(self, positions: GraphGaussian) -> np.ndarray:
        """Return f: C_p has the factor L_ip (x_p - x_i) + delta_ip (Lx)_p in row i of E."""
        return self._form(positions, -1.0)

    def expected(self, positions: GraphGaussian, maps: GraphGaussian) -> float:
        """Return f: the form of the linear maps times their expected products."""
        form, d = self.of_maps(positions), positions.mean.shape[1]
        return float(sum(np.vdot(form[:, r, :, s], maps.products(r, s)) for r in range(d) for s in range(d)))

    def best_gamma(self, misfit: float) -> float:
        """Maximise Park (72) with (73), where epsilon acts only in the direction of the eigenvalue 0."""
        return (len(self._inverse) - 1) / misfit

    def log_precision(self, gamma: float) -> float:
        """Return log |epsilon 1 1' + 2 gamma L|."""
        spectrum = self.graph.spectrum
        return float(np.log(EPSILON * len(spectrum)) + np.log(2 * gamma * spectrum[1:]).sum())

    def pull(self, table: np.ndarray) -> float:
        """Return the cost of the sum of all rows."""
        return EPSILON * float(np.square(table.sum(axis=0)).sum())

    def _form(self, posterior: GraphGaussian, sign: float) -> np.ndarray:
        n, d, _ = posterior.mean.shape
        form = np.empty((n, d, n, d))
        for r in range(d):
            for s in range(r, d):
                part = self._part(posterior.products(r, s), sign)
                form[:, r, :, s], form[:, s, :, r] = part, part.T
        return form

    def _part(self, products: np.ndarray, sign: float) -> np.ndarray:
        """Return the expected f, Park (24) with a complete square, as a form of one number of each row and another."""
        # With K the products, k its diagonal, * by elements, and L L+ = I - 1 1' / n used, twice the form is
        # L (L+ * K) L - L (L+ * KL) - (L+ * LK) L + L+ * LKL + L * K +- (L * (k 1' + 1 k') - diag(KL + LK)).
        bent, laplacian = self.graph.times_laplacian, self._laplacian
        rolled, own = bent(products), products.diagonal()
        part = bent(self._turned(products)) - self._turned(rolled)
        part += laplacian * (products + sign * (own[:, None] + own))
        # The diagonal of KL is that of K'L, as L is symmetric.
        both = rolled.diagonal() + np.einsum("ij,ij->i", products, laplacian)
        part[np.diag_indices_from(part)] -= sign * both
        return np.asarray(0.5 * part)

    def _turned(self, products: np.ndarray) -> np.ndarray:
        """Return (L+ * K) L - L+ * KL."""
        bent, inverse = self.graph.times_laplacian, self._inverse
        return np.asarray(bent((inverse * products).T).T - inverse * bent(products.T).T)


LIKELIHOODS: Mapping[str, type[Likelihood]] = MappingProxyType({"normalised": Normalised, "paper": EachEdge})


def root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a falling function between bounds where its signs differ, up to rounding."""
    if falling(low) <= 0:
        return low
    if falling(high) >= 0:
        return high
    return float(brentq(falling, low, high, xtol=1e-300, rtol=1e-13))


def _block_diagonal(blocks: np.ndarray) -> np.ndarray:
    n, d, _ = blocks.shape
    form = np.zeros((n, d, n, d))
    form[np.arange(n), :, np.arange(n), :] = blocks
    return form
