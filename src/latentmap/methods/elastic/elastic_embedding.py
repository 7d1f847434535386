"""The elastic embedding of Carreira-Perpinan (ICML 2010)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.utils.validation import check_is_fitted

from latentmap.methods.all_pairs import all_squared, place_by_squared_distances, read_all_distances
from latentmap.methods.descent import descend
from latentmap.methods.eigenmaps import eigenmaps
from latentmap.methods.elastic.energy import Energy
from latentmap.methods.elastic.out_of_sample import place_points, reconstruct
from latentmap.methods.elastic.splitting import SPLITTINGS, direction_of
from latentmap.methods.elastic.weights import ATTRACTIONS, REPULSIONS, Weights
from latentmap.model import map_checks, parameter_checks
from latentmap.model.inputs import Inputs
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import FitProgress, State
from latentmap.model.thread_limits import limit_threads, limit_threads_in_steps
from latentmap.model.vectors import Metric, Vectors
from latentmap.model.warm_start import read_init
from latentmap.model.workers import Workers

MOST_ROWS = 10_000
"""Maximum number of rows, since all pairs are held in memory: 4 GB, about five matrices at once."""

# The spread of a random start, so small that all points repel each other equally.
_TINY = 1e-5
# The ratio of total repulsion to total attraction if lambda is "auto", as in the paper's two experiments.
_BALANCE = 1e5
# A homotopy begins at this multiple of the upper bound of the lambda at which the points separate.
_BEYOND = 1.1
# The noise that a homotopy adds before each lambda, in units of the range of repulsion. Without it, a map that could
# expand in a new dimension stays flat: tiny displacements grow too slowly, and tol stops the descent.
_SHAKEN = 1e-2
_MOST_STRENGTHS = 10_000


class ElasticEmbedding(IterativeMethod):
    """A map in which neighbours attract each other and all pairs repel each other.

    It minimises ``sum w+ |x - x'|^2 + lambda sum w- exp(-|x - x'|^2)`` over all pairs, Carreira-Perpinan (6). It
    counts every pair, for up to 10 000 rows.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row; with ``attraction="perplexity"``, their effective number.
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    attraction : {"perplexity", "neighbors", "gaussian"} or array of shape (n, n), default="perplexity"
        The weights w+: Gaussian affinities that sum to 1 for each row, with widths that give each row k effective
        neighbours (1); Gaussian affinities of one width, of k neighbours or of all pairs; or any weights, dense or
        sparse.
    width : float or "auto", default="auto"
        sigma of "neighbors" and "gaussian", in the unit of the distances. "auto" is the median distance of the k-th
        neighbour.
    repulsion : {"distance", "uniform"} or array of shape (n, n), default="distance"
        The weights w-: squared distances, as in the paper; all 1; or any weights.
    lam : float or "auto", default="auto"
        lambda, the weight of repulsion. Higher values spread the points more evenly. "auto" makes the total repulsion
        100 000 times the total attraction.
    n_strengths : int, default=1
        If above 1, a homotopy: lambda rises to ``lam`` in this number of steps, from the value at which the points
        begin to separate. It depends less on the start, and is slower.
    splitting : {"laplacian", "degree", "both degrees", "gradient"}, default="laplacian"
        The divisor of the gradient in a step: 4 L+, 4 D+ as in the paper, 4 (D+ + lambda D-), or just a number. If
        repulsion is strong, 4 L+ is by far the fastest; ``docs/elastic.md`` compares them.
    init : {"random", "spectral"} or array of shape (n, n_components), default="random"
        Initial map. "random" is close to a single point; a homotopy starts in the direction in which the points
        separate first. "spectral" is Laplacian eigenmaps of w+, scaled to the lowest cost.
    max_iter : int, default=500
        Maximum number of iterations for each lambda.
    tol : float, default=1e-5
        Stop, for each lambda, when the cost falls by less than this fraction of itself; 1e-3 in the paper.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the random start.
    n_jobs : int or None, default=-1
        Threads; -1 uses all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    cost_ : float
        E of (6) at the end.
    costs_ : ndarray
        E after each iteration; it falls while lambda is constant.
    steps_ : ndarray
        The fraction of the step that each iteration took; 1 if no line search was needed.
    strengths_ : ndarray
        lambda at each iteration.
    lam_ : float
        lambda at the end.
    weights_ : Weights
        The weights of all pairs, ``weights_.attractive`` and ``weights_.repulsive``.
    n_iter_ : int
        Iterations done.
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
    Miguel A. Carreira-Perpinan, "The elastic embedding algorithm for dimensionality reduction", ICML 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> ElasticEmbedding(max_iter=20).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "Elastic embedding"

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        attraction: Any = "perplexity",
        width: float | str = "auto",
        repulsion: Any = "distance",
        lam: float | str = "auto",
        n_strengths: int = 1,
        splitting: str = "laplacian",
        init: Any = "random",
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.attraction = attraction
        self.width = width
        self.repulsion = repulsion
        self.lam = lam
        self.n_strengths = n_strengths
        self.splitting = splitting
        self.init = init
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
            One row for each cell; distances if ``metric="precomputed"``.
        y : None
            Ignored.

        Yields
        ------
        FitProgress
            Before each stage and each batch of rows, and after each iteration.
        """
        self._check_parameters()
        rng = self._generator()
        most = self.n_strengths * self.max_iter
        with Workers(self.n_jobs) as workers:
            inputs = read_all_distances(X, self, MOST_ROWS, arrays=6)
            k = self._fitting_neighbors(len(inputs))
            begun = FitProgress("neighbours", 0, most)
            squared = yield from all_squared(inputs, begun)
            np.fill_diagonal(squared, np.inf)
            ways = self.attraction, self.repulsion
            weights = yield from Weights.from_inputs(inputs, squared, *ways, k, self.width, begun)
            del squared
            energy = Energy(weights.attractive, weights.repulsive, workers)
            yield FitProgress("start", 0, most)
            # More threads of BLAS add up in another order, and from there the descent may go another way.
            with limit_threads(1, "blas"):
                strengths = self._strengths(energy)
                points = self._start(energy, strengths[0], rng)
            taken: list[tuple[float, float]] = []
            states = limit_threads_in_steps(_states(energy, points, strengths, self, taken, rng))
            yield from self._store_states(X, states, most, partial(self._keep, inputs, weights, taken))

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the finished map, which does not move, F(y) of Carreira-Perpinan (13).

        Each row is placed independently, starting at the position of the nearest row. A row equal to one of the map's
        rows gets the same position.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows; with ``metric="precomputed"``, their distances to the rows of the map.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions.

        Raises
        ------
        ValueError
            If the map was made with the user's own weights, which are unknown for new rows.
        """
        table = self._read_new(X)
        with limit_threads(1, "blas"):
            return place_by_squared_distances(self._inputs, table, self.embedding_, self._placed)

    def _placed(self, squared: np.ndarray) -> np.ndarray:
        attractive, repulsive = self.weights_.for_new_rows(squared)
        return place_points(self.embedding_, attractive, self.lam_ * repulsive, squared.argmin(axis=1))

    @keeps_precision
    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the rows that would lie at these positions, f(x) of Carreira-Perpinan (13).

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
            If the map was not made from a table with Euclidean distances, if it was made with the user's own weights,
            or if rows are too many widths away from their neighbours to interpolate between them.
        """
        check_is_fitted(self, "embedding_")
        positions = map_checks.check_positions(X, self.embedding_.shape[1])
        if self.metric != "euclidean" or not isinstance(self._inputs, Vectors):
            raise ValueError(
                f'Rows can be computed for positions only if metric is "euclidean", but it was {self.metric!r}. Make '
                "the map again with Euclidean distances."
            )
        self.weights_.check_invertible()
        with limit_threads(1, "blas"):
            return reconstruct(positions, self.embedding_, self._inputs.X, self.weights_.kernel, self.lam_)

    def learned_affinities(self, rows: Any) -> np.ndarray:
        """Return the affinities that the map has learned, Carreira-Perpinan (9) and (10).

        Parameters
        ----------
        rows : array-like of int, shape (m,)
            Row numbers of the map's table.

        Returns
        -------
        ndarray of shape (m, n)
            Negative if two rows should lie farther apart.
        """
        check_is_fitted(self, "embedding_")
        energy = Energy(self.weights_.attractive, self.weights_.repulsive, Workers(1))
        return energy.learned(self.embedding_, self.lam_, np.asarray(rows))

    def _strengths(self, energy: Energy) -> np.ndarray:
        balanced = _BALANCE * energy.degrees.sum() / energy.repulsive.sum()
        lam = float(balanced if isinstance(self.lam, str) else self.lam)
        if self.n_strengths == 1:
            return np.array([lam])
        begin = _BEYOND * energy.bounds()[1]
        if begin <= np.finfo(float).eps * lam:
            raise ValueError(
                f"n_strengths is {self.n_strengths}, but there is no lambda at which the points begin to separate, as "
                "rows without links to the others separate at once. Raise n_neighbors (k), or use "
                'attraction="perplexity" or n_strengths=1.'
            )
        if lam <= begin:
            raise ValueError(
                f"lam (lambda) is {lam:g}, but the points separate only at some value up to {begin / _BEYOND:g}. With "
                f"n_strengths={self.n_strengths} it must be above {begin:g}."
            )
        return np.geomspace(begin, lam, self.n_strengths)

    def _start(self, energy: Energy, strength: float, rng: np.random.Generator) -> np.ndarray:
        n, d = len(energy.degrees), self.n_components
        if isinstance(self.init, str) and self.init == "random":
            if self.n_strengths == 1:
                return _TINY * rng.standard_normal((n, d))
            # Near 0 the cost is almost constant, and tol would stop at each lambda at once.
            return _sized(energy, np.pad(energy.critical()[1][:, None], ((0, 0), (0, d - 1))), strength)
        given = read_init(self.init, n, d)
        if given is not None:
            return given.embedding
        directions = eigenmaps(energy.attractive, d, is_normalised=False, seed=int(rng.integers(2**31)))
        return _sized(energy, directions, strength)

    def _keep(
        self,
        inputs: Inputs,
        weights: Weights,
        taken: list[tuple[float, float]],
        state: State,
        course: dict[int, float],
    ) -> None:
        self.costs_, self.cost_ = np.array(list(course.values())), course[state.iteration]
        self.strengths_, self.steps_ = np.array(taken).T
        self.lam_ = taken[-1][0]
        self._inputs, self.weights_ = inputs, weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_integer(self.n_strengths, "n_strengths", "lambdas", 1, "the steps in which lambda rises")
        if self.n_strengths > _MOST_STRENGTHS:
            raise ValueError(
                f"n_strengths is {self.n_strengths}: give at most {_MOST_STRENGTHS} steps, each of which takes up to "
                "max_iter iterations."
            )
        parameter_checks.check_choice(self.splitting, "splitting", SPLITTINGS)
        if isinstance(self.attraction, str):
            parameter_checks.check_choice(self.attraction, "attraction", ATTRACTIONS)
        if isinstance(self.repulsion, str):
            parameter_checks.check_choice(self.repulsion, "repulsion", REPULSIONS)
        if isinstance(self.init, str):
            parameter_checks.check_choice(self.init, "init", ["random", "spectral"])
        if self.lam != "auto":
            meaning = "the weight of repulsion"
            parameter_checks.check_real(
                self.lam, "lam", meaning, lambda value: 0 < value < np.inf, 'above 0, or "auto"'
            )


def _sized(energy: Energy, points: np.ndarray, strength: float) -> np.ndarray:
    """Return points scaled to the lowest cost."""
    points = points / points.std()
    # The paper estimates the size by a short run from a random start; here it is a one-dimensional search.
    best = minimize_scalar(lambda size: energy.cost(np.exp(size) * points, strength)[0], bounds=(-10, 5))
    return np.asarray(np.exp(best.x) * points)


def _states(
    energy: Energy,
    points: np.ndarray,
    strengths: np.ndarray,
    estimator: ElasticEmbedding,
    taken: list[tuple[float, float]],
    rng: np.random.Generator,
) -> Iterator[State]:
    """Descend for one lambda after the other, and record the lambda and the step of each state."""
    max_iter, tol = estimator.max_iter, estimator.tol
    for strength in strengths:
        if len(strengths) > 1:
            points = points + _SHAKEN * rng.standard_normal(points.shape)
        cost, direction = partial(energy.cost, strength=strength), direction_of(estimator.splitting, energy, strength)
        for number, now in enumerate(descend(cost, points, direction, max_iter=max_iter, tol=tol)):
            points = now.points
            # The start of a lambda is the end of the one before.
            if number or strength == strengths[0]:
                taken.append((float(strength), now.step))
                yield State.known(len(taken) - 1, points, now.cost)
