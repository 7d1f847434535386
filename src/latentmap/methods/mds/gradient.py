"""Multidimensional scaling by gradient descent."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from latentmap.methods.all_pairs import all_squared, place_by_squared_distances, read_all_distances
from latentmap.methods.descent import descend, descend_each
from latentmap.methods.fields import METRIC, N_COMPONENTS, SEED_OF_START, Field, iterations_field
from latentmap.methods.mds.scaling import Scaling
from latentmap.methods.mds.squared_stress import COSTS, SquaredStress, cost_to
from latentmap.methods.method import Method
from latentmap.model import parameter_checks
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import FitProgress, State
from latentmap.model.thread_limits import limit_threads, limit_threads_in_steps
from latentmap.model.vectors import Metric
from latentmap.model.warm_start import read_init
from latentmap.model.workers import Workers

MOST_ROWS = 10_000
"""Maximum number of rows, since all pairs are held in memory: 1.6 GB, two matrices at once."""
STARTS = ("classical", "random")
"""Initial maps."""
_MAX_ITER_OF_NEW = 500
_TOL_OF_NEW = 1e-9


class GradientMDS(IterativeMethod):
    """A map whose squared distances approximate those of the table, by gradient descent.

    It minimises ``sum_ij |D_ij^2 - |y_i - y_j|^2|``, or the sum of the squares of these differences. Unlike
    :class:`ClassicalMDS` it ends at a local minimum, so that there may be a better map. It counts every pair, for up to
    10 000 rows, and takes minutes for more than a few thousand.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    cost : {"absolute", "squared"}, default="absolute"
        The penalty of differences of squared distances. The absolute value tolerates a few wrong distances; as it has
        no slope at 0, it is rounded off below a thousandth of the mean squared distance. Squares are smooth, and
        dominated by large distances.
    init : {"classical", "random"} or array of shape (n, n_components), default="classical"
        Initial map: that of ClassicalMDS, or random positions.
    max_iter : int, default=500
        Maximum number of iterations.
    tol : float, default=1e-6
        Stop when the cost falls by less than this fraction of itself.
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
        The objective at the end.
    costs_ : ndarray
        The objective after each iteration; it never rises.
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
    J. B. Kruskal and M. Wish, "Multidimensional scaling", 1978. Y. Takane, F. W. Young and J. de Leeuw, "Nonmetric
    individual differences multidimensional scaling", Psychometrika 42, 1977, has the cost of squares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> GradientMDS(max_iter=20).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "Scaling by descent"

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        cost: str = "absolute",
        init: Any = "classical",
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.cost = cost
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
            Before each stage, and after each iteration.
        """
        self._check_parameters()
        rng = self._generator()
        with Workers(self.n_jobs) as workers:
            inputs = read_all_distances(X, self, MOST_ROWS, arrays=2.5)
            squared = yield from all_squared(inputs, FitProgress("neighbours", 0, self.max_iter))
            stress = SquaredStress(squared, self.cost, workers)
            yield FitProgress("start", 0, self.max_iter)
            with limit_threads(1, "blas"):
                points = self._start(squared, stress.mean, rng)
            path = descend(stress.cost, points, lambda _, g: -g / stress.divisor, max_iter=self.max_iter, tol=self.tol)
            states = (State.known(iteration, now.points, now.cost) for iteration, now in enumerate(path))

            def keep(state: State, course: dict[int, float]) -> None:
                self.costs_, self.cost_ = np.array(list(course.values())), course[state.iteration]
                self._inputs, self._rounding = inputs, stress.rounding

            yield from self._store_states(X, limit_threads_in_steps(states), self.max_iter, keep)

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows where their own cost is lowest on the finished map, which does not move.

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
        """
        table = self._read_new(X)
        with limit_threads(1, "blas"):
            return place_by_squared_distances(self._inputs, table, self.embedding_, self._placed)

    def _placed(self, squared: np.ndarray) -> np.ndarray:
        starts = self.embedding_[squared.argmin(axis=1)]
        # As for all rows together, but with the squared distances of a single row.
        divisors = np.full(len(squared), 4.0 * squared.shape[1])
        if not self._rounding:
            divisors = 8 * np.maximum(squared.sum(axis=1), np.finfo(float).tiny)

        def cost(points: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            return *cost_to(points, self.embedding_, squared[rows], self._rounding), divisors[rows]

        return descend_each(cost, starts, max_iter=_MAX_ITER_OF_NEW, tol=_TOL_OF_NEW)

    def _start(self, squared: np.ndarray, mean: float, rng: np.random.Generator) -> np.ndarray:
        n, d = len(squared), self.n_components
        if isinstance(self.init, str):
            if self.init == "classical":
                return Scaling.of(squared.copy(), d).positions
            # Scaled to the mean squared distance of the table.
            return np.asarray(np.sqrt(mean / (2 * d)) * rng.standard_normal((n, d)))
        given = read_init(self.init, n, d)
        assert given is not None
        return given.embedding

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_choice(self.cost, "cost", COSTS)
        if isinstance(self.init, str):
            parameter_checks.check_choice(self.init, "init", STARTS)


METHOD = Method(
    GradientMDS,
    "For up to a few thousand cells instead of classical scaling, when some of the distances are wrong and should "
    "not spoil the map. It lowers a cost step by step, so you see the map settle. It may end in a map that is not "
    "the best; starting from the classical one, its default, is the safest.",
    {
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "cost": Field(
            "Misfit",
            "What is minimised: the differences of squared distances, as in the lecture, so that a few bad pairs "
            "count little, or the squares of these differences.",
            choices=(("difference", "absolute"), ("squared difference", "squared")),
        ),
        "init": Field(
            "Start",
            "Where the cells start: on the map of classical scaling, or at random.",
            choices=(("classical scaling", "classical"), ("random", "random")),
            is_advanced=True,
        ),
        "max_iter": iterations_field(
            "Maximum number of iterations. More iterations take longer and let the map settle further."
        ),
        "random_state": SEED_OF_START,
    },
)
