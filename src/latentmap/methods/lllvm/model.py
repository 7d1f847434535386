"""The locally linear latent variable model: its posterior, its parameters and its bound, Park, appendix C."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.likelihood import EPSILON, LIKELIHOODS, root
from latentmap.methods.lllvm.neighborhood import Neighborhood

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

    def slim(self) -> Fitted:
        """Return the same without what only EM needs to go on."""
        return self._replace(places=self.places.slim(), maps=self.maps.slim())


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
    likelihood : {"normalised", "paper"}
        By its name in :data:`latentmap.methods.lllvm.likelihood.LIKELIHOODS`.
    """

    def __init__(self, table: np.ndarray, graph: Neighborhood, d: int, likelihood: str = "paper") -> None:
        self.table, self.graph, self.d = table, graph, d
        self.likelihood = LIKELIHOODS[likelihood](graph)
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
            # The unit does not change it.
            misfit = self.misfit(places, maps)
            theta = self.updated(places, maps, theta, held, misfit)
            s = self.best_unit(places, maps, theta, held)
            places, maps, theta = self.in_unit(s, places, maps, theta, held)
            yield Fitted(places, maps, theta, self.bound(places, maps, theta, misfit), shift * s**2)

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
        graph = self.graph
        # Park (54), as (C_i + C_j)'(y_i - y_j) summed over neighbours is a product rule of the Laplacian.
        along = np.einsum("iay,iy->ia", maps.mean, self._bent) - np.einsum(
            "iay,iy->ia", graph.bent(maps.mean), self.table
        )
        b = theta.gamma * (along + graph.bent(np.einsum("iay,iy->ia", maps.mean, self.table)))
        precision = self._precision(self.likelihood.of_places(maps), theta.gamma, theta.alpha, 1.0)
        return GraphGaussian.solved(graph, precision, b[:, :, None], self.likelihood.is_whole)

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
        pull = theta.gamma * self._products(places)
        precision = self._precision(self.likelihood.of_maps(places), theta.gamma, EPSILON, theta.beta)
        return GraphGaussian.solved(self.graph, precision, pull, self.likelihood.is_whole)

    def _precision(self, form: np.ndarray, gamma: float, ridge: float, scale: float) -> np.ndarray:
        """Turn a form of the likelihood into a posterior's precision: gamma times it and, Park (51), the prior's."""
        first, second = self.graph.pairs.T
        rows, unit = np.arange(len(form)), scale * np.eye(self.d)
        form *= gamma
        form[rows, :, rows, :] += (ridge + 2 * self.graph.degrees)[:, None, None] * unit
        form[first, :, second, :] -= 2 * unit
        return form

    def updated(
        self,
        places: GraphGaussian,
        maps: GraphGaussian,
        theta: Precisions,
        held: Collection[str] = (),
        misfit: float | None = None,
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
        misfit : float, optional
            What :meth:`misfit` returns, if it is known.

        Returns
        -------
        Precisions
        """
        n, d, columns = maps.mean.shape
        alpha = theta.alpha if "alpha" in held else self._best_alpha(places.size())
        beta = theta.beta if "beta" in held else n * d * columns / self._cost(maps, EPSILON)
        misfit = self.misfit(places, maps) if misfit is None else misfit
        return Precisions(alpha, beta, self.likelihood.best_gamma(misfit / columns))

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
        best = root(lambda alpha: self.d * (1 / (alpha + stretched)).sum() - size, lowest, highest)
        return max(best, _LEAST_ALPHA)

    def bound(
        self, places: GraphGaussian, maps: GraphGaussian, theta: Precisions, misfit: float | None = None
    ) -> float:
        """Return the lower bound of log p(y | G, theta), Park (37), without leaving a constant out.

        Parameters
        ----------
        places, maps : GraphGaussian
            q(x) and q(C).
        theta : Precisions
        misfit : float, optional
            What :meth:`misfit` returns, if it is known.

        Returns
        -------
        float
        """
        n, columns = self.table.shape
        misfit = self.misfit(places, maps) if misfit is None else misfit
        # Park (60), expected, and (73).
        likelihood = -0.5 * (theta.gamma * misfit + self.likelihood.pull(self.table))
        widths = self.likelihood.log_precision(theta.gamma) - n * np.log(2 * np.pi)
        return float(
            likelihood
            + 0.5 * columns * widths
            + self._divergence(places, theta.alpha, 1.0)
            + self._divergence(maps, EPSILON, theta.beta)
        )

    def misfit(self, places: GraphGaussian, maps: GraphGaussian) -> float:
        """Return how far places and maps are from explaining the rows: expected, and without gamma, twice Park (60).

        Where each edge is fitted by itself it is the sum of |y_j - y_i - C_i (x_j - x_i)|^2 over neighbours.

        Parameters
        ----------
        places, maps : GraphGaussian
            q(x) and q(C).

        Returns
        -------
        float
        """
        explained = 2 * np.vdot(maps.mean, self._products(places))
        return float(2 * np.vdot(self.table, self._bent) - explained + self.likelihood.expected(places, maps))

    def _divergence(self, posterior: GraphGaussian, ridge: float, scale: float) -> float:
        """Return what the bound loses as a posterior is not its prior, Park (74)-(76), as a number below 0."""
        n, d, copies = posterior.mean.shape
        prior = d * (np.log(ridge + 2 * self.graph.spectrum).sum() + n * np.log(scale))
        return 0.5 * (copies * (posterior.log_determinant + prior + n * d) - scale * self._cost(posterior, ridge))

    def _products(self, places: GraphGaussian) -> np.ndarray:
        """Return the transposes of the expected H_i, Park (69)-(70), by a product rule of the Laplacian."""
        X, Y, graph = places.mean, self.table[:, None], self.graph
        return X * self._bent[:, None] + graph.bent(X) * Y - graph.bent(X * Y)
