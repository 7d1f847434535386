"""The locally linear latent variable model: its posteriors, parameters and bound, Park, appendix C."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.likelihood import EPSILON, LIKELIHOODS, root
from latentmap.methods.lllvm.neighborhood import Neighborhood

# A smaller alpha would only let the whole map shift more freely, and rounding would show.
_LEAST_ALPHA = 1e-5


class Precisions(NamedTuple):
    """The parameters theta.

    Attributes
    ----------
    alpha : float
        How strongly positions are drawn to 0.
    beta : float
        How similar the linear maps of neighbours are: U = I / beta.
    gamma : float
        How well the maps fit: V = I / gamma.
    """

    alpha: float
    beta: float
    gamma: float


class Fitted(NamedTuple):
    """The model after an iteration of EM.

    Attributes
    ----------
    positions, maps : GraphGaussian
        q(x) and q(C).
    theta : Precisions
        The parameters.
    bound : float
        Park (37).
    shift : float
        The part of each position's variance that is a shift of the whole map. The shift is an eigenvector of the
        precision of q(x), with the eigenvalue alpha: it does not depend on the data.
    """

    positions: GraphGaussian
    maps: GraphGaussian
    theta: Precisions
    bound: float
    shift: float

    def covariances(self) -> np.ndarray:
        """Return the covariances of the positions without that of the shift, of shape (n, d, d)."""
        at_rows = self.positions.at_rows
        return at_rows - self.shift * np.eye(at_rows.shape[1])

    def without_covariances(self) -> Fitted:
        """Return the same without what only EM needs to continue."""
        return self._replace(positions=self.positions.without_covariances(), maps=self.maps.without_covariances())


class LocallyLinear:
    """The model of a table, given its graph of neighbours.

    q(x), of the positions of the rows, is a :class:`GraphGaussian` with one copy; q(C), of their linear maps, one with
    a copy for each column of the table, whose mean holds the transposes of C_i.

    Parameters
    ----------
    table : ndarray of shape (n, D)
        y, centred.
    graph : Neighborhood
        Of its rows.
    d : int
        Dimensions of the map.
    likelihood : {"normalised", "paper"}
        A key of :data:`latentmap.methods.lllvm.likelihood.LIKELIHOODS`.
    """

    def __init__(self, table: np.ndarray, graph: Neighborhood, d: int, likelihood: str = "paper") -> None:
        self.table, self.graph, self.d = table, graph, d
        self.likelihood = LIKELIHOODS[likelihood](graph)
        self._bent = graph.times_laplacian(table)

    def unexplained(self) -> float:
        """Return the gamma for which the linear maps explain no differences of neighbours."""
        return float((len(self.table) - 1) * self.table.shape[1] / (2 * float(np.vdot(self.table, self._bent))))

    def em(self, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()) -> Iterator[Fitted]:
        """Maximise the bound, by the paper's steps and one that finds the best unit of the map.

        Parameters
        ----------
        maps : GraphGaussian
            The q(C) to start from.
        theta : Precisions
            The parameters to start from.
        held : collection of str
            Which of the parameters alpha and beta are fixed.

        Yields
        ------
        Fitted
            After each iteration, endlessly.
        """
        while True:
            positions = self.positions(maps, theta)
            shift = 1 / (len(self.table) * theta.alpha)
            maps = self.maps(positions, theta)
            # It does not depend on the unit.
            misfit = self.misfit(positions, maps)
            theta = self.updated(positions, maps, theta, held, misfit)
            s = self.best_unit(positions, maps, theta, held)
            positions, maps, theta = self.in_unit(s, positions, maps, theta, held)
            yield Fitted(positions, maps, theta, self.bound(positions, maps, theta, misfit), shift * s**2)

    def positions(self, maps: GraphGaussian, theta: Precisions) -> GraphGaussian:
        """Return q(x) given q(C), Park (50)-(54)."""
        graph = self.graph
        # Park (54), as (C_i + C_j)'(y_i - y_j) summed over neighbours is a product rule of the Laplacian.
        along = np.einsum("iay,iy->ia", maps.mean, self._bent) - np.einsum(
            "iay,iy->ia", graph.times_laplacian(maps.mean), self.table
        )
        b = theta.gamma * (along + graph.times_laplacian(np.einsum("iay,iy->ia", maps.mean, self.table)))
        precision = self._precision(self.likelihood.of_positions(maps), theta.gamma, theta.alpha, 1.0)
        return GraphGaussian.solved(graph, precision, b[:, :, None], self.likelihood.is_whole)

    def maps(self, positions: GraphGaussian, theta: Precisions) -> GraphGaussian:
        """Return q(C) given q(x), Park (65)-(70)."""
        pull = theta.gamma * self._products(positions)
        precision = self._precision(self.likelihood.of_maps(positions), theta.gamma, EPSILON, theta.beta)
        return GraphGaussian.solved(self.graph, precision, pull, self.likelihood.is_whole)

    def _precision(self, form: np.ndarray, gamma: float, ridge: float, scale: float) -> np.ndarray:
        """Turn a form of the likelihood into a posterior precision: gamma times it plus the prior's, Park (51)."""
        first, second = self.graph.pairs.T
        rows, unit = np.arange(len(form)), scale * np.eye(self.d)
        form *= gamma
        form[rows, :, rows, :] += (ridge + 2 * self.graph.degrees)[:, None, None] * unit
        form[first, :, second, :] -= 2 * unit
        return form

    def updated(
        self,
        positions: GraphGaussian,
        maps: GraphGaussian,
        theta: Precisions,
        held: Collection[str] = (),
        misfit: float | None = None,
    ) -> Precisions:
        """Return the parameters that maximise the bound, Park, section C.2.

        Parameters
        ----------
        positions, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions
            Their present values.
        held : collection of str
            Which of alpha and beta are fixed.
        misfit : float, optional
            The result of :meth:`misfit`, if known.
        """
        n, d, columns = maps.mean.shape
        alpha = theta.alpha if "alpha" in held else self._best_alpha(positions.size())
        beta = theta.beta if "beta" in held else n * d * columns / self._cost(maps, EPSILON)
        misfit = self.misfit(positions, maps) if misfit is None else misfit
        return Precisions(alpha, beta, self.likelihood.best_gamma(misfit / columns))

    def best_unit(
        self, positions: GraphGaussian, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()
    ) -> float:
        """Return s, the factor of positions and divisor of linear maps that maximises the bound; not in the paper.

        The fit to the data does not depend on it. With beta times s^2 the linear maps are as likely as before, and it
        remains to maximise n d log(s) - s^2 / 2 times the cost of the positions. If beta is fixed, the linear maps lose
        n d D log(s), and 1 / (2 s^2) times their own cost. EM alone needs hundreds of iterations to find the unit.

        Parameters
        ----------
        positions, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions
            The parameters.
        held : collection of str
            Which of alpha and beta are fixed.
        """
        cost = self._cost(positions, theta.alpha)
        if "beta" not in held:
            return float(np.sqrt(positions.mean.size / cost))
        # cost s^4 + lost s^2 - of_maps = 0, solved without cancellation.
        lost, of_maps = maps.mean.size - positions.mean.size, theta.beta * self._cost(maps, EPSILON)
        return float(np.sqrt(2 * of_maps / (lost + np.sqrt(lost**2 + 4 * cost * of_maps))))

    def in_unit(
        self, s: float, positions: GraphGaussian, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()
    ) -> tuple[GraphGaussian, GraphGaussian, Precisions]:
        """Multiply positions by s and divide linear maps by it, and adapt beta unless it is fixed."""
        beta = theta.beta if "beta" in held else theta.beta * s**2
        return positions.scaled(s), maps.scaled(1 / s), theta._replace(beta=beta)

    def _cost(self, posterior: GraphGaussian, ridge: float) -> float:
        """Return the expected quadratic form of the prior on positions or linear maps: their size and roughness."""
        return ridge * posterior.size() + posterior.roughness(self.graph)

    def _best_alpha(self, size: float) -> float:
        """Solve Park (78), by its sum over the eigenvalues (83)."""
        n, stretched = len(self.table), 2 * self.graph.spectrum
        # The first of the n terms, 1 / alpha, is the largest.
        lowest, highest = self.d / size, n * self.d / size
        best = root(lambda alpha: self.d * (1 / (alpha + stretched)).sum() - size, lowest, highest)
        return max(best, _LEAST_ALPHA)

    def bound(
        self, positions: GraphGaussian, maps: GraphGaussian, theta: Precisions, misfit: float | None = None
    ) -> float:
        """Return the lower bound of log p(y | G, theta), Park (37), including all constants.

        Parameters
        ----------
        positions, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions
            The parameters.
        misfit : float, optional
            The result of :meth:`misfit`, if known.
        """
        n, columns = self.table.shape
        misfit = self.misfit(positions, maps) if misfit is None else misfit
        # Park (60), expected, and (73).
        likelihood = -0.5 * (theta.gamma * misfit + self.likelihood.pull(self.table))
        widths = self.likelihood.log_precision(theta.gamma) - n * np.log(2 * np.pi)
        return float(
            likelihood
            + 0.5 * columns * widths
            + self._divergence(positions, theta.alpha, 1.0)
            + self._divergence(maps, EPSILON, theta.beta)
        )

    def misfit(self, positions: GraphGaussian, maps: GraphGaussian) -> float:
        """Return twice the expectation of Park (60) without gamma: how badly positions and maps explain the rows.

        If each edge is fitted independently, it is the sum of |y_j - y_i - C_i (x_j - x_i)|^2 over neighbours.
        """
        explained = 2 * np.vdot(maps.mean, self._products(positions))
        return float(2 * np.vdot(self.table, self._bent) - explained + self.likelihood.expected(positions, maps))

    def _divergence(self, posterior: GraphGaussian, ridge: float, scale: float) -> float:
        """Return the negative divergence of a posterior from its prior, Park (74)-(76)."""
        n, d, copies = posterior.mean.shape
        prior = d * (np.log(ridge + 2 * self.graph.spectrum).sum() + n * np.log(scale))
        return float(
            0.5 * (copies * (posterior.log_determinant + prior + n * d) - scale * self._cost(posterior, ridge))
        )

    def _products(self, positions: GraphGaussian) -> np.ndarray:
        """Return the transposes of the expected H_i, Park (69)-(70), by a product rule of the Laplacian."""
        X, Y, graph = positions.mean, self.table[:, None], self.graph
        return np.asarray(X * self._bent[:, None] + graph.times_laplacian(X) * Y - graph.times_laplacian(X * Y))
