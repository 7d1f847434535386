"""The locally linear latent variable model: its posterior, its parameters and its bound, Park, appendix C."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.neighborhood import Neighborhood

EPSILON = 1e-4
"""epsilon_c and epsilon_y: how strongly maps and rows are drawn to 0, which leaves no direction free."""


# Below, alpha would only let the map shift as a whole still more freely, and rounding would show.
_LEAST_ALPHA = 1e-5


class Precisions(NamedTuple):
    """The parameters theta.

    Attributes
    ----------
    alpha : float
        How strongly places are drawn to 0.
    beta : float
        How alike the maps of neighbours are: U = I / beta.
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
    places, maps : GraphGaussian
        q(x) and q(C).
    theta : Precisions
    bound : float
    shift : float
        The part of each place's variance that is a shift of the whole map. The shift is an eigenvector of the precision
        of q(x), with the eigenvalue alpha: the data do not know of it.
    """

    places: GraphGaussian
    maps: GraphGaussian
    theta: Precisions
    bound: float
    shift: float

    def covariances(self) -> np.ndarray:
        """Return the covariances of the places without that of the shift, of shape (n, d, d)."""
        at_rows = self.places.at_rows
        return at_rows - self.shift * np.eye(at_rows.shape[1])


class LocallyLinear:
    """The model of a table, given who is whose neighbour.

    q(x), the places of the rows, is a :class:`GraphGaussian` with one copy; q(C), their maps, one with a copy for each
    column of the table, whose mean holds the transposes of C_i.

    Parameters
    ----------
    table : ndarray of shape (n, D)
        y, centred.
    graph : Neighborhood
        Of its rows.
    d : int
        Dimensions of the map.
    """

    def __init__(self, table: np.ndarray, graph: Neighborhood, d: int) -> None:
        self.table, self.graph, self.d = table, graph, d
        self._bent = graph.bent(table)

    def unexplained(self) -> float:
        """Return the gamma at which no differences of neighbours are explained by maps."""
        return (len(self.table) - 1) * self.table.shape[1] / (2 * float(np.vdot(self.table, self._bent)))

    def em(self, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()) -> Iterator[Fitted]:
        """Raise the bound, by the paper's steps and by one that finds the best unit for the map.

        Parameters
        ----------
        maps : GraphGaussian
            The q(C) to start from.
        theta : Precisions
            The parameters to start from.
        held : collection of str
            Which of the parameters alpha and beta stay as they are.

        Yields
        ------
        Fitted
            After each iteration, without end.
        """
        while True:
            places = self.places(maps, theta)
            shift = 1 / (len(self.table) * theta.alpha)
            maps = self.maps(places, theta)
            theta = self.updated(places, maps, theta, held)
            s = self.best_unit(places, maps, theta, held)
            places, maps, theta = self.in_unit(s, places, maps, theta, held)
            yield Fitted(places, maps, theta, self.bound(places, maps, theta), shift * s**2)

    def places(self, maps: GraphGaussian, theta: Precisions) -> GraphGaussian:
        """Return q(x) given q(C), Park (50)-(54).

        Parameters
        ----------
        maps : GraphGaussian
        theta : Precisions

        Returns
        -------
        GraphGaussian
        """
        graph, unit = self.graph, np.eye(self.d)
        first, second = graph.pairs.T
        squares = theta.gamma * maps.squares()
        pulls = squares[first] + squares[second] + 2 * unit
        # Park (54), as (C_i + C_j)'(y_i - y_j) summed over neighbours is a product rule of the Laplacian.
        along = np.einsum("iay,iy->ia", maps.mean, self._bent) - np.einsum(
            "iay,iy->ia", graph.bent(maps.mean), self.table
        )
        b = theta.gamma * (along + graph.bent(np.einsum("iay,iy->ia", maps.mean, self.table)))
        return GraphGaussian.solved(graph, theta.alpha * unit + graph.summed(pulls), -pulls, b[:, :, None])

    def maps(self, places: GraphGaussian, theta: Precisions) -> GraphGaussian:
        """Return q(C) given q(x), Park (65)-(70).

        Parameters
        ----------
        places : GraphGaussian
        theta : Precisions

        Returns
        -------
        GraphGaussian
        """
        unit = np.eye(self.d)
        stiffness = theta.beta * (EPSILON + 2 * self.graph.degrees)
        at_rows = theta.gamma * self._place_squares(places) + stiffness[:, None, None] * unit
        at_pairs = np.broadcast_to(-2 * theta.beta * unit, places.at_pairs.shape)
        return GraphGaussian.solved(self.graph, at_rows, at_pairs, theta.gamma * self._products(places))

    def updated(
        self, places: GraphGaussian, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()
    ) -> Precisions:
        """Return the parameters that raise the bound most, Park, section C.2.

        Parameters
        ----------
        places, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions
            What they are now.
        held : collection of str
            Which of alpha and beta stay.

        Returns
        -------
        Precisions
        """
        n, d, columns = maps.mean.shape
        alpha = theta.alpha if "alpha" in held else self._best_alpha(places.size())
        beta = theta.beta if "beta" in held else n * d * columns / self._cost(maps, EPSILON)
        return Precisions(alpha, beta, self._best_gamma(self.misfit(places, maps) / columns))

    def best_unit(
        self, places: GraphGaussian, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()
    ) -> float:
        """Return s, by which to multiply places and divide maps for the highest bound; not in the paper.

        The data are fitted alike. With beta times s^2 the maps are as likely as before, and what is left to maximise is
        n d log(s) - s^2 / 2 times the cost of the places. Where beta is held the maps lose n d D log(s), and 1 / (2
        s^2) times their own cost. EM alone takes hundreds of iterations to find the unit.

        Parameters
        ----------
        places, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions
        held : collection of str
            Which of alpha and beta stay.

        Returns
        -------
        float
        """
        cost = self._cost(places, theta.alpha)
        if "beta" not in held:
            return float(np.sqrt(places.mean.size / cost))
        # cost s^4 + lost s^2 - of_maps = 0, solved without a difference of what may be alike.
        lost, of_maps = maps.mean.size - places.mean.size, theta.beta * self._cost(maps, EPSILON)
        return float(np.sqrt(2 * of_maps / (lost + np.sqrt(lost**2 + 4 * cost * of_maps))))

    def in_unit(
        self, s: float, places: GraphGaussian, maps: GraphGaussian, theta: Precisions, held: Collection[str] = ()
    ) -> tuple[GraphGaussian, GraphGaussian, Precisions]:
        """Multiply places by s and divide maps by it, and let beta follow unless it is held.

        Parameters
        ----------
        s : float
        places, maps, theta, held
            As in :meth:`best_unit`.

        Returns
        -------
        places, maps : GraphGaussian
        theta : Precisions
        """
        beta = theta.beta if "beta" in held else theta.beta * s**2
        return places.scaled(s), maps.scaled(1 / s), theta._replace(beta=beta)

    def _cost(self, posterior: GraphGaussian, ridge: float) -> float:
        """Return the expected quadratic form of the prior on places or maps: how large and how rough they are."""
        return ridge * posterior.size() + posterior.roughness(self.graph)

    def _best_alpha(self, size: float) -> float:
        """Solve Park (78), by its sum over the eigenvalues (83)."""
        n, stretched = len(self.table), 2 * self.graph.spectrum
        # Of the n parts of the sum none is larger than the first, 1 / alpha.
        lowest, highest = self.d / size, n * self.d / size
        best = _root(lambda alpha: self.d * (1 / (alpha + stretched)).sum() - size, lowest, highest)
        return max(best, _LEAST_ALPHA)

    def _best_gamma(self, misfit: float) -> float:
        """Maximise Park (72) with (73), of whose eigenvalues the first is 0."""
        stretched = 2 * self.graph.spectrum[1:]
        highest = len(stretched) / misfit
        lowest = highest - EPSILON / stretched[0]
        if lowest <= 0:
            lowest = np.finfo(float).eps * highest
        return _root(lambda gamma: (stretched / (EPSILON + gamma * stretched)).sum() - misfit, lowest, highest)

    def bound(self, places: GraphGaussian, maps: GraphGaussian, theta: Precisions) -> float:
        """Return the lower bound of log p(y | G, theta), Park (37), without leaving a constant out.

        Parameters
        ----------
        places, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions

        Returns
        -------
        float
        """
        n, columns = self.table.shape
        # Park (60), expected, and (73).
        likelihood = -0.5 * (theta.gamma * self.misfit(places, maps) + EPSILON * np.square(self.table).sum())
        widths = np.log(EPSILON + 2 * theta.gamma * self.graph.spectrum).sum() - n * np.log(2 * np.pi)
        return float(
            likelihood
            + 0.5 * columns * widths
            + self._divergence(places, theta.alpha, 1.0)
            + self._divergence(maps, EPSILON, theta.beta)
        )

    def misfit(self, places: GraphGaussian, maps: GraphGaussian) -> float:
        """Return the expected sum of |y_j - y_i - C_i (x_j - x_i)|^2 over neighbours, of Park (23).

        Parameters
        ----------
        places, maps : GraphGaussian
            q(x) and q(C).

        Returns
        -------
        float
        """
        explained = 2 * np.vdot(maps.mean, self._products(places))
        return float(
            2 * np.vdot(self.table, self._bent) - explained + np.vdot(self._place_squares(places), maps.squares())
        )

    def _divergence(self, posterior: GraphGaussian, ridge: float, scale: float) -> float:
        """Return what the bound loses as a posterior is not its prior, Park (74)-(76), as a number below 0."""
        n, d, copies = posterior.mean.shape
        prior = d * (np.log(ridge + 2 * self.graph.spectrum).sum() + n * np.log(scale))
        return 0.5 * (copies * (posterior.log_determinant + prior + n * d) - scale * self._cost(posterior, ridge))

    def _place_squares(self, places: GraphGaussian) -> np.ndarray:
        """Return the expected Gamma_ii, Park (67)-(68)."""
        first, second = self.graph.pairs.T
        X = places.mean[:, :, 0]
        steps = X[second] - X[first]
        across = places.at_pairs + np.swapaxes(places.at_pairs, 1, 2)
        spread = places.at_rows[first] + places.at_rows[second] - across
        return self.graph.summed(np.einsum("ea,eb->eab", steps, steps) + spread)

    def _products(self, places: GraphGaussian) -> np.ndarray:
        """Return the transposes of the expected H_i, Park (69)-(70), by a product rule of the Laplacian."""
        X, Y, graph = places.mean, self.table[:, None], self.graph
        return X * self._bent[:, None] + graph.bent(X) * Y - graph.bent(X * Y)


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function is 0, between bounds at which it has both signs but for rounding."""
    if falling(low) <= 0:
        return low
    if falling(high) >= 0:
        return high
    return float(brentq(falling, low, high, xtol=1e-300, rtol=1e-13))
