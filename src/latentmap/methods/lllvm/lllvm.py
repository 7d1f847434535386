"""The locally linear latent variable model of Park et al. (NIPS 2015)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentmap.methods.all_pairs import read_all
from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.likelihood import LIKELIHOODS
from latentmap.methods.lllvm.model import Fitted, LocallyLinear, Precisions
from latentmap.methods.lllvm.neighborhood import Neighborhood
from latentmap.methods.lllvm.places import place, reconstruct
from latentmap.methods.lllvm.start import start
from latentmap.model import parameter_checks, row_checks
from latentmap.model.inputs import Inputs
from latentmap.model.limits import each_limited, limited
from latentmap.model.state import Progress, State
from latentmap.model.stepwise import Stepwise
from latentmap.model.vectors import Vectors

MOST_NUMBERS: Mapping[str, int] = MappingProxyType({"normalised": 6_000, "paper": 10_000})
"""Rows times dimensions of the map, by the likelihood.

Their covariance is a matrix of 800 MB where there are 10 000. The normalised likelihood holds several of them.
"""
MOST_SLOPES = 10**8
"""Slopes of all linear maps together that it takes: some arrays of 800 MB."""

_PRECISIONS = {
    "alpha": "how strongly places are drawn to the middle",
    "beta": "how alike the maps of neighbours are",
}


class _Best(NamedTuple):
    """The fit of the highest bound so far, and the bounds of its start up to it."""

    fitted: Fitted
    bounds: np.ndarray


class LLLVM(Stepwise):
    """A map of which each row's neighbourhood is a linear image, with a posterior for each place.

    Where x are the places of the rows on the map, the differences of row y_i from its neighbours are
    y_j - y_i = C_i (x_j - x_i) and noise, and the maps C_i of neighbours are alike. Places and maps get posteriors
    q(x) and q(C) by variational EM, which raises a lower bound of the data's likelihood. The bound compares starts,
    numbers of dimensions and of neighbours, and graphs, of the same rows by the same likelihood; among graphs that fit
    about as well it favours few edges.

    Parameters
    ----------
    n_neighbors : int, default=6
        Neighbours (k) of each row; two rows are neighbours if either is among the k nearest of the other. Parts of the
        graph are joined by their shortest bridges.
    n_components : int, default=2
        Dimensions (d) of the map.
    alpha : float or "learned", default="learned"
        How strongly places are drawn to the middle. The paper learns it, here from 0.001 and not below 0.00001; the
        authors' programs hold it at 0.001. From the spectral start both give about the same map.
    beta : float or "learned", default="learned"
        For scripts: how alike the maps of neighbours are, in the unit in which the row farthest from the mean is 1
        away. The paper learns it; the authors' programs hold it at 1, in the unit of the largest number in the table.
    likelihood : {"normalised", "paper"}, default="normalised"
        "normalised" is the Gaussian of Park (29)-(31), by which the authors' programs go: the rows are what agrees
        best with all differences at once. "paper" is that of the equations from Park (42) on, where each difference is
        fitted by itself and the integral over the rows is below 1; it is faster, and takes more rows.
    init : {"spectral", "random"} or array of shape (n, n_components), default="spectral"
        Where EM starts: at the smoothest places along the graph; at random maps C, as in the paper; or at places.
    n_init : int, default=1
        How many random starts there are, of which the one with the highest bound is kept; others are but one. A fit
        that is stopped keeps the best so far.
    graph : array or sparse array of shape (n, n), default=None
        For scripts: who is whose neighbour, instead of the nearest; see
        :func:`latentmap.methods.lllvm.neighborhood.edited`.
    max_iter : int, default=200
        Iterations at most, of each start.
    tol : float, default=1e-5
        Stop when the bound rises by less than this for each number in the table.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the random start.
    n_jobs : int or None, default=-1
        Threads of the search for neighbours; -1 is all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map: the mean of q(x).
    variances_ : ndarray of shape (n,)
        How uncertain each place is if the model holds, in squared units of the map: the mean of the diagonal of its
        covariance. It is no measure of which rows have lost neighbours on the map.
    covariances_ : ndarray of shape (n, n_components, n_components)
        The covariance of each place in q(x), without that of a shift of the whole map: this is 1 / (n alpha) in each
        direction, whatever the data are, and moves no row against another.
    tangents_ : ndarray of shape (n, D, n_components)
        The mean of q(C): how the columns of X change along the map at each row.
    lower_bound_ : float
        The bound at the end, Park (37), of the rows as they are after centring, divided by the largest distance of a
        row from their mean.
    lower_bounds_ : ndarray of shape (n_iter_,)
        The bound after each iteration of the start that was kept; it never falls.
    alpha_, beta_, gamma_ : float
        The parameters: how strongly places are drawn to the middle, how alike the maps of neighbours are, and how well
        they fit.
    graph_ : csr_array of shape (n, n)
        1 for each pair of neighbours.
    n_iter_ : int
        Iterations of the start that was kept, up to its highest bound.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data or a parameter cannot be used; the sentence says what to change.

    References
    ----------
    Mijung Park, Wittawat Jitkrittum, Ahmad Qamar, Zoltan Szabo, Lars Buesing and Maneesh Sahani, "Bayesian manifold
    learning: the locally linear latent variable model (LL-LVM)", NIPS 2015.

    Examples
    --------
    Maps of fewer neighbours fit these better, and have a higher bound:

    >>> from sklearn.datasets import load_iris
    >>> few, many = (LLLVM(k, max_iter=20).fit(load_iris().data) for k in (10, 40))
    >>> bool(few.lower_bound_ > many.lower_bound_)
    True
    """

    title = "Locally linear latent variable model"
    sought = "lower bound"

    def __init__(
        self,
        n_neighbors: int = 6,
        n_components: int = 2,
        *,
        alpha: float | str = "learned",
        beta: float | str = "learned",
        likelihood: str = "normalised",
        init: Any = "spectral",
        n_init: int = 1,
        graph: Any = None,
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.likelihood = likelihood
        self.init = init
        self.n_init = n_init
        self.graph = graph
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def iter_fit(self, X: Any, y: Any = None) -> Generator[Progress, None, None]:
        """Make the map, step by step; see :meth:`latentmap.LVM.iter_fit`.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell.
        y : None
            Ignored.

        Yields
        ------
        Progress
            Before each stage, and after each iteration.
        """
        self._check_parameters()
        rng = self._generator()
        inputs = read_all(X, self, MOST_NUMBERS[self.likelihood] // self.n_components)
        _check_slopes(inputs, self.n_components)
        n_starts = self.n_init if isinstance(self.init, str) and self.init == "random" else 1
        most = n_starts * self.max_iter
        yield Progress("neighbours", 0, most)
        graph = self._neighborhood(inputs)
        yield Progress("graph", 0, most)
        table, centre, scale = _scaled(inputs)
        model = LocallyLinear(table, graph, self.n_components, self.likelihood)
        yield Progress("start", 0, most)
        starts = (start(model, self.init, self.alpha, self.beta, rng) for _ in range(n_starts))
        keep = partial(self._keep, inputs, (centre, scale), model)
        # More threads of BLAS add up in another order.
        yield from self._hand_over(X, each_limited(self._states(model, starts)), most, keep)

    def transform(self, X: Any) -> np.ndarray:
        """Place rows on the finished map, which does not move, as in Park, section 3.

        Each row is placed alone: linked to its k nearest rows, it gets its own q(x) and q(C). Each of these edges is
        fitted by itself, as in Park (23), whatever the likelihood of the map.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        rows = self._read_new(X)
        nearest = self._inputs.query(rows, self._k).indices
        centre, scale = self._unit
        with limited(1, "blas"):
            return place(
                (rows - centre) / scale,
                nearest,
                self._model.table,
                replace(self._fitted.places, at_rows=self.covariances_),
                self._fitted.maps,
                self._fitted.theta,
            ).places

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the rows that would lie at these places, y* of Park, section 4.2.

        Each is the mean of what the k rows nearest on the map say of the place by their own linear maps.

        Parameters
        ----------
        X : array-like of shape (m, n_components)
            Places on the map.

        Returns
        -------
        ndarray of shape (m, D)

        Raises
        ------
        ValueError
            If the places are not finite or have another number of columns.
        """
        check_is_fitted(self, "embedding_")
        places = row_checks.check_places(X, self.embedding_.shape[1])
        nearest = Vectors(self.embedding_, method="exact").query(places, self._k).indices
        centre, scale = self._unit
        made = reconstruct(places, nearest, self._model.table, self.embedding_, self._fitted.maps.mean)
        return centre + scale * made

    def _neighborhood(self, inputs: Inputs) -> Neighborhood:
        if self.graph is None:
            return Neighborhood.nearest(inputs, self._fitting_neighbors(len(inputs)))
        return Neighborhood.given(self.graph, len(inputs))

    def _states(self, model: LocallyLinear, starts: Iterable[tuple[GraphGaussian, Precisions]]) -> Iterator[State]:
        """Yield the places of the highest bound so far, of one start after the other."""
        held = [name for name in ("alpha", "beta") if not isinstance(getattr(self, name), str)]
        best: _Best | None = None
        done = 0
        with _solvable():
            for begun in starts:
                bounds = [-np.inf]
                for now in islice(model.em(*begun, held), self.max_iter):
                    done += 1
                    bounds.append(now.bound)
                    if best is None or now.bound > best.fitted.bound:
                        best = _Best(now.slim(), np.array(bounds[1:]))
                    yield _state(done, best)
                    # Its matrices would be held beside those of the next iteration.
                    del now
                    if bounds[-1] - bounds[-2] <= self.tol * model.table.size:
                        break

    def _keep(
        self,
        inputs: Inputs,
        unit: tuple[np.ndarray, float],
        model: LocallyLinear,
        state: State,
        course: dict[int, float],
    ) -> None:
        fitted, self.lower_bounds_ = state.beside
        self._fitted, self.lower_bound_, self.n_iter_ = fitted, fitted.bound, len(self.lower_bounds_)
        self.covariances_, self.variances_ = fitted.covariances(), state.variances
        self.tangents_ = unit[1] * np.swapaxes(fitted.maps.mean, 1, 2)
        self.alpha_, self.beta_, self.gamma_ = fitted.theta
        self.graph_ = model.graph.adjacency
        self._inputs, self._unit, self._model = inputs, unit, model
        self._k = min(self.n_neighbors, len(inputs))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.init, str):
            parameter_checks.check_choice(self.init, "init", ["spectral", "random"])
        parameter_checks.check_choice(self.likelihood, "likelihood", list(LIKELIHOODS))
        parameter_checks.check_integer(self.n_init, "n_init", "starts", 1, "the number of random starts")
        for name, meaning in _PRECISIONS.items():
            value = getattr(self, name)
            if value != "learned":
                parameter_checks.check_real(
                    value, name, meaning, lambda number: 0 < number < np.inf, 'above 0, or "learned"'
                )


@contextmanager
def _solvable() -> Iterator[None]:
    """Say in a sentence why the equations have no solution."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "LL-LVM: some rows lie so far from others, or so close together, that its equations have no solution in "
            "double precision. Look for placeholders of missing values and for copies that differ in the last digits, "
            "leave these rows out, or scale the columns."
        ) from error


def _check_slopes(inputs: Inputs, d: int) -> None:
    n, n_columns = inputs.X.shape  # type: ignore[attr-defined]
    if n * n_columns * d > MOST_SLOPES:
        raise ValueError(
            f"LLLVM holds for each row how every column changes along the map, and {n} rows of {n_columns} columns in "
            f"{d} dimensions are more than memory takes. Make the map of some 50 principal components instead."
        )


def _scaled(inputs: Inputs) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the rows about their mean, the farthest at the distance 1; and that mean and distance."""
    table = inputs.X.astype(float)  # type: ignore[attr-defined]
    centre = table.mean(axis=0)
    table -= centre
    scale = float(np.sqrt(np.square(table).sum(axis=1).max()))
    return table / scale, centre, scale


def _state(done: int, best: _Best) -> State:
    fitted = best.fitted
    variances = np.einsum("iaa->i", covariances := fitted.covariances()) / covariances.shape[1]
    return State.known(done, fitted.places.mean[:, :, 0], fitted.bound, variances, beside=best)
