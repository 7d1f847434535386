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

from latentmap.methods.all_pairs import read_all_distances
from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.likelihood import LIKELIHOODS
from latentmap.methods.lllvm.model import Fitted, LocallyLinear, Precisions
from latentmap.methods.lllvm.neighborhood import Neighborhood
from latentmap.methods.lllvm.out_of_sample import place_points, reconstruct
from latentmap.methods.lllvm.start import start
from latentmap.model import distance_checks, map_checks, parameter_checks
from latentmap.model.inputs import Inputs
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import FitProgress, State
from latentmap.model.thread_limits import limit_threads, limit_threads_in_steps
from latentmap.model.vectors import Vectors

MOST_NUMBERS: Mapping[str, int] = MappingProxyType({"normalised": 6_000, "paper": 10_000})
"""The largest number of rows times dimensions, by likelihood.

For 10 000 their covariance matrix takes 800 MB, and the normalised likelihood holds several.
"""
MOST_SLOPES = 10**8
"""Maximum number of slopes of all linear maps together: some arrays of 800 MB."""

_PRECISIONS = {
    "alpha": "how strongly positions are drawn to the centre",
    "beta": "how similar the linear maps of neighbours are",
}


class _Best(NamedTuple):
    """The fit with the highest bound so far, and the bounds of its start up to it."""

    fitted: Fitted
    bounds: np.ndarray


class LLLVM(IterativeMethod):
    """A map in which the neighbourhood of each row is locally linear, with a posterior for each position.

    If x are the positions of the rows on the map, the differences of row y_i from its neighbours are
    y_j - y_i = C_i (x_j - x_i) plus noise, and the linear maps C_i of neighbours are similar. Variational EM finds
    posteriors q(x) and q(C) by maximising a lower bound of the likelihood. For the same rows and the same likelihood,
    the bound allows comparing starts, numbers of dimensions and of neighbours, and graphs; among graphs that fit about
    equally well it favours few edges.

    Parameters
    ----------
    n_neighbors : int, default=6
        Neighbours (k) of each row; two rows are neighbours if either is among the k nearest of the other. A
        disconnected graph is joined by its shortest bridges.
    n_components : int, default=2
        Dimensions (d) of the map.
    alpha : float or "learned", default="learned"
        How strongly positions are drawn to the centre. The paper learns it; here the search begins at 0.001 and is
        limited to 0.00001 or more. The authors' programs fix it at 0.001. From the spectral start both give about the
        same map.
    beta : float or "learned", default="learned"
        For scripts: how similar the linear maps of neighbours are, in units of the largest distance of a row from the
        mean. The paper learns it; the authors' programs fix it at 1, in units of the largest number in the table.
    likelihood : {"normalised", "paper"}, default="normalised"
        "normalised" is the Gaussian of Park (29)-(31), as in the authors' programs: the rows are those that agree best
        with all differences at once. "paper" is that of the equations from Park (42) on, where each difference is
        fitted independently and the integral over the rows is below 1; it is faster, and accepts more rows.
    init : {"spectral", "random"} or array of shape (n, n_components), default="spectral"
        The start of EM: the smoothest positions along the graph; random linear maps C, as in the paper; or positions.
    n_init : int, default=1
        Number of random starts, of which the one with the highest bound is kept; other starts are used once. A fit that
        is stopped keeps the best so far.
    graph : array or sparse array of shape (n, n), default=None
        For scripts: the graph of neighbours, instead of the nearest; see
        :func:`latentmap.methods.lllvm.neighborhood.edited`.
    max_iter : int, default=200
        Maximum number of iterations of each start.
    tol : float, default=1e-5
        Stop when the bound rises by less than this per number in the table.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the random start.
    n_jobs : int or None, default=-1
        Threads of the neighbour search; -1 uses all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map: the mean of q(x).
    variances_ : ndarray of shape (n,)
        The uncertainty of each position if the model holds, in squared units of the map: the mean of the diagonal of
        its covariance. It does not measure which rows have lost neighbours on the map.
    covariances_ : ndarray of shape (n, n_components, n_components)
        The covariance of each position in q(x), without that of a shift of the whole map, which is 1 / (n alpha) in
        each direction for any data, and moves no row relative to another.
    tangents_ : ndarray of shape (n, D, n_components)
        The mean of q(C): how the columns of X change along the map at each row.
    lower_bound_ : float
        The bound at the end, Park (37), for the centred rows divided by the largest distance of a row from their mean.
    lower_bounds_ : ndarray of shape (n_iterations,)
        The bound after each iteration of the start that was kept; it never falls.
    alpha_, beta_, gamma_ : float
        The parameters: how strongly positions are drawn to the centre, how similar the linear maps of neighbours are,
        and how well they fit.
    graph_ : csr_array of shape (n, n)
        1 for each pair of neighbours.
    n_iter_ : int
        Iterations of the start that was kept, up to its highest bound.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data or a parameter is invalid; the message says what to change.

    References
    ----------
    Mijung Park, Wittawat Jitkrittum, Ahmad Qamar, Zoltan Szabo, Lars Buesing and Maneesh Sahani, "Bayesian manifold
    learning: the locally linear latent variable model (LL-LVM)", NIPS 2015.

    Examples
    --------
    Maps with fewer neighbours fit these data better, and have a higher bound:

    >>> from sklearn.datasets import load_iris
    >>> few, many = (LLLVM(k, max_iter=20).fit(load_iris().data) for k in (10, 40))
    >>> bool(few.lower_bound_ > many.lower_bound_)
    True
    """

    title = "Locally linear latent variable model"
    objective_name = "lower bound"

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
        verbose: bool = False,
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
        self.verbose = verbose

    def iter_fit(self, X: Any, y: Any = None) -> Generator[FitProgress, None, None]:
        """Make the map, step by step; see :meth:`latentmap.LVM.iter_fit`.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell.
        y : None
            Ignored.

        Yields
        ------
        FitProgress
            Before each stage, and after each iteration.
        """
        self._check_parameters()
        rng = self._generator()
        inputs = read_all_distances(X, self, MOST_NUMBERS[self.likelihood] // self.n_components)
        _check_slopes(inputs, self.n_components)
        n_starts = self.n_init if isinstance(self.init, str) and self.init == "random" else 1
        most = n_starts * self.max_iter
        yield FitProgress("neighbours", 0, most)
        graph = self._neighborhood(inputs)
        yield FitProgress("graph", 0, most)
        table, centre, scale = _scaled(inputs)
        model = LocallyLinear(table, graph, self.n_components, self.likelihood)
        yield FitProgress("start", 0, most)
        starts = (start(model, self.init, self.alpha, self.beta, rng) for _ in range(n_starts))
        keep = partial(self._keep, inputs, (centre, scale), model)
        # With more threads, BLAS sums in another order.
        yield from self._store_states(X, limit_threads_in_steps(self._states(model, starts)), most, keep)

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the finished map, which does not move, as in Park, section 3.

        Each row is placed independently: linked to its k nearest rows, it gets its own q(x) and q(C). Each of these
        edges is fitted independently, as in Park (23), whatever the likelihood of the map.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions.
        """
        rows = self._read_new(X)
        nearest = self._inputs.query(rows, self._k).indices
        centre, scale = self._unit
        with limit_threads(1, "blas"):
            return place_points(
                (rows - centre) / scale,
                nearest,
                self._model.table,
                replace(self._fitted.positions, at_rows=self.covariances_),
                self._fitted.maps,
                self._fitted.theta,
            ).positions

    @keeps_precision
    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the rows that would lie at these positions, y* of Park, section 4.2.

        Each is the mean of the predictions by the linear maps of the k nearest rows on the map.

        Parameters
        ----------
        X : array-like of shape (m, n_components)
            Positions on the map.

        Returns
        -------
        ndarray of shape (m, D)
            The rows.

        Raises
        ------
        ValueError
            If the positions are not finite or have another number of columns.
        """
        check_is_fitted(self, "embedding_")
        positions = map_checks.check_positions(X, self.embedding_.shape[1])
        nearest = Vectors(self.embedding_, method="exact").query(positions, self._k).indices
        centre, scale = self._unit
        made = reconstruct(positions, nearest, self._model.table, self.embedding_, self._fitted.maps.mean)
        return centre + scale * made

    def _neighborhood(self, inputs: Inputs) -> Neighborhood:
        if self.graph is None:
            return Neighborhood.nearest(inputs, self._fitting_neighbors(len(inputs)))
        return Neighborhood.from_graph(self.graph, len(inputs))

    def _states(self, model: LocallyLinear, starts: Iterable[tuple[GraphGaussian, Precisions]]) -> Iterator[State]:
        """Yield the positions with the highest bound so far, for one start after the other."""
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
                        best = _Best(now.without_covariances(), np.array(bounds[1:]))
                    yield _state(done, best)
                    # Otherwise its matrices would be held together with those of the next iteration.
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
        fitted, self.lower_bounds_ = state.learned
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
    """Explain why the equations have no solution."""
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
            f"LLLVM stores for each row how every column changes along the map, and {n} rows of {n_columns} columns in "
            f"{d} dimensions do not fit into memory. Make the map from some 50 principal components instead."
        )


def _scaled(inputs: Inputs) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the rows relative to their mean in units of the farthest, and that mean and distance."""
    table = inputs.X.astype(float)  # type: ignore[attr-defined]
    centre = table.mean(axis=0)
    table -= centre
    distance_checks.check_magnitude(np.abs(table).max(axis=1, keepdims=True))
    scale = float(np.sqrt(np.square(table).sum(axis=1).max()))
    return table / scale, centre, scale


def _state(done: int, best: _Best) -> State:
    fitted = best.fitted
    variances = np.einsum("iaa->i", covariances := fitted.covariances()) / covariances.shape[1]
    return State.known(done, fitted.positions.mean[:, :, 0], fitted.bound, variances, learned=best)
