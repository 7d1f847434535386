"""The estimator: scikit-learn's interface to the model."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from latentmap.model import checks
from latentmap.model.coarse import PAIR_BUDGET, Coarse, coarsen
from latentmap.model.em import State, em
from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.intake import check_same_kind, read_inputs, read_table
from latentmap.model.neighbors import Inputs, Metric, Neighbors
from latentmap.model.objective import Objective, calibration
from latentmap.model.placing import FrozenMap, place
from latentmap.model.spectral import spectral_start
from latentmap.model.workers import Workers


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a fit has come.

    Attributes
    ----------
    stage : str
        What is being done: "neighbours", "graph", "coarse-graining", "start" or "embedding".
    iteration, max_iter : int
        EM iterations done and allowed.
    state : State or None
        The map so far, once EM has started.
    """

    stage: str
    iteration: int
    max_iter: int
    state: State | None = None


class _Problem(NamedTuple):
    """What the table has been turned into before EM starts."""

    inputs: Inputs
    neighbors: Neighbors
    graph: NeighborGraph
    coarse: Coarse
    objective: Objective


class LVM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A map by Saul's tractable latent variable model.

    Each row becomes a Gaussian on the map, with a mean (where it lies) and a variance (how uncertain that is), such
    that neighbours are likely to coincide and others are not. The likelihood rises by an EM algorithm whose updates
    have closed forms.

    Parameters
    ----------
    n_neighbors : int, default=9
        Neighbours (k) of each row. More of them give tighter, fewer clusters.
    n_steps : int, default=1
        Steps (s) within which neighbours must reach each other to be trusted. 1 for pictures; 2 or 3 when the map is
        to serve search or classification.
    n_levels : int or "auto", default="auto"
        Levels of coarse-graining (l). 0 counts every dissimilar pair; each level more is faster for many rows, and
        magnifies the distance between clusters. "auto" takes the fewest that keep within ``pair_budget``.
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        Any metric of scikit-learn or pynndescent, or ``f(x, y) -> distance``. With "precomputed", X holds the distances
        between all rows, or is a sparse graph of the distances to some neighbours of each row.
    metric_params : dict, default=None
        Further arguments of the metric.
    neighbors : {"auto", "exact", "pynndescent"}, (indices, distances) or sparse array, default="auto"
        How to find the neighbours, or the neighbours found already: two arrays of shape (n, k) or wider, or a graph of
        distances as scikit-learn's ``KNeighborsTransformer`` makes it. "auto" is exact up to 100 000 rows.
    dof : float, default=inf
        Degrees of freedom of the latent variables. Infinity is the paper's Gaussian; 2 gives them heavy tails, which
        crowd the map less.
    tied_variances : bool, default=False
        Whether all rows share one variance (the paper's Fig. S4).
    momentum : float, default=0.9
        Share of the last step that each step goes on with, Saul (SI 43). With 0 the likelihood never falls.
    max_iter : int, default=400
        EM iterations at most; 400 is the paper's number.
    tol : float, default=2e-3
        Stop when the log-likelihood has risen by less than this part of itself in 10 iterations; the rest of the 400
        would still raise it by some 2 %. 0 never stops early.
    connect : {"bridge", "largest"}, default="bridge"
        What to do where the graph of neighbours falls apart: join the parts by their shortest bridges, or, as the paper
        does, embed the largest only. The other rows then get NaN, and a warning counts them.
    pair_budget : int, default=20_000_000
        Ordered pairs of dissimilar rows that ``n_levels="auto"`` allows.
    likelihood_every : int, default=10
        Iterations between two entries of ``log_likelihood_``. Each costs about as much as half an iteration.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the landmarks. The same number gives the same map, bit for bit, for any ``n_jobs``.
    n_jobs : int or None, default=-1
        Threads; -1 is all cores.
    callback : callable, default=None
        ``callback(state)`` after each iteration of :meth:`fit`; if it returns True, the fit stops and keeps what it
        has.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    variances_ : ndarray of shape (n,)
        sigma^2 of each row, in squared units of the map. Large where a row found no place that suits its neighbours:
        the paper's outlier score.
    log_likelihood_ : ndarray
        Saul (6), every ``likelihood_every`` iterations and at the end.
    log_likelihood_iterations_ : ndarray of int
        The iterations of these.
    n_iter_ : int
        Iterations done.
    n_levels_ : int
        Levels (l) used.
    landmarks_ : ndarray of int
        Rows that are landmarks of the first level.
    graph_ : csr_array of shape (n, n)
        The neighbourhood graph E, Saul (24), as distances.
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
    Lawrence K. Saul, "A tractable latent variable model for nonlinear dimensionality reduction", PNAS 117(27), 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap import LVM
    >>> lvm = LVM(n_neighbors=9, max_iter=50)
    >>> lvm.fit_transform(load_iris().data).shape
    (150, 2)
    """

    def __init__(
        self,
        n_neighbors: int = 9,
        n_steps: int = 1,
        n_levels: int | str = "auto",
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        neighbors: Any = "auto",
        dof: float = np.inf,
        tied_variances: bool = False,
        momentum: float = 0.9,
        max_iter: int = 400,
        tol: float = 2e-3,
        connect: str = "bridge",
        pair_budget: int = PAIR_BUDGET,
        likelihood_every: int = 10,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.n_levels = n_levels
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.neighbors = neighbors
        self.dof = dof
        self.tied_variances = tied_variances
        self.momentum = momentum
        self.max_iter = max_iter
        self.tol = tol
        self.connect = connect
        self.pair_budget = pair_budget
        self.likelihood_every = likelihood_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the map.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell; distances if ``metric="precomputed"``.
        y : None
            Ignored.

        Returns
        -------
        LVM
            Itself.
        """
        with closing(self.iter_fit(X)) as steps:
            for progress in steps:
                if self.callback is not None and progress.state is not None and self.callback(progress.state):
                    break
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Make the map and return it.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        return self.fit(X).embedding_

    def iter_fit(self, X: Any, y: Any = None) -> Generator[Progress, None, None]:
        """Make the map, step by step.

        What shows progress or can be cancelled drives this generator; :meth:`fit` only exhausts it. Closing it early
        keeps the last state as the result.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.
        y : None
            Ignored.

        Yields
        ------
        Progress
            Before each stage, and after each iteration of EM.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=2)
        >>> [step.stage for step in lvm.iter_fit(load_iris().data)]
        ['neighbours', 'graph', 'coarse-graining', 'start', 'embedding', 'embedding', 'embedding']
        """
        self._check_parameters()
        rng = self._generator()
        with Workers(self.n_jobs) as workers:
            problem = yield from self._prepare(X, rng, workers)
            objective = problem.objective
            start = spectral_start(objective.edges, objective.delta2, self.n_components, rng)
            states = em(
                objective,
                start,
                problem.graph.reach**2 / (2 * self.n_components),
                workers,
                tied_variances=self.tied_variances,
                momentum=self.momentum,
                max_iter=self.max_iter,
                tol=self.tol,
            )
            trace: dict[int, float] = {}
            state = None
            try:
                for state in states:
                    if self.likelihood_every and state.iteration % self.likelihood_every == 0:
                        trace[state.iteration] = state.log_likelihood
                    yield Progress("embedding", state.iteration, self.max_iter, state)
            finally:
                if state is not None:
                    trace[state.iteration] = state.log_likelihood
                    self._keep(X, problem, state, trace)

    def _prepare(self, X: Any, rng: np.random.Generator, workers: Workers) -> Generator[Progress, None, _Problem]:
        """Turn the table into a problem for EM."""
        table = read_table(X, self, self.metric == "precomputed")
        n = table.shape[0]
        checks.check_size(n, self.n_neighbors, self.n_components)
        seed = int(self._generator().integers(2**31))
        inputs = read_inputs(
            table,
            self.metric,
            self.metric_params,
            self.neighbors,
            self.n_neighbors,
            names=getattr(X, "columns", None),
            n_jobs=self.n_jobs,
            seed=seed,
        )
        yield Progress("neighbours", 0, self.max_iter)
        neighbors = inputs.kneighbors(self.n_neighbors)
        checks.check_neighbors(neighbors.distances)
        yield Progress("graph", 0, self.max_iter)
        graph = neighbor_graph(inputs, neighbors, self.n_steps, self.connect)
        if len(graph.rows) < n:
            checks.warn_of_lost_rows(n, len(graph.rows), graph.n_components)
            checks.check_size(len(graph.rows), self.n_neighbors, self.n_components)
            inputs = inputs.subset(graph.rows)
        yield Progress("coarse-graining", 0, self.max_iter)
        unit = calibration(self.dof)
        coarse = coarsen(
            graph.reach / np.sqrt(unit),
            inputs.nearest,
            self.n_levels,
            calibration=unit,
            random_state=rng,
            pair_budget=self.pair_budget,
        )
        yield Progress("start", 0, self.max_iter)
        objective = Objective(graph, coarse, self.dof, workers)
        if objective.repulsion == 0:
            checks.warn(
                f"All {len(graph.rows)} rows are neighbours of each other, so nothing keeps them apart and the map is "
                "only a first guess. Lower n_neighbors (k), or add rows."
            )
        return _Problem(inputs, neighbors, graph, coarse, objective)

    def transform(self, X: Any) -> np.ndarray:
        """Place rows on the finished map, which does not move.

        Each row finds its own mean and variance by the same EM, alone: the result does not depend on the other rows. A
        row equal to one that the map was made from takes over its place.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows; with ``metric="precomputed"`` their distances to the rows the map was made from.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        return self.transform_with_variances(X)[0]

    def transform_with_variances(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Place rows on the finished map, and say how uncertain their places are.

        Parameters
        ----------
        X : array-like of shape (m, D)
            As in :meth:`transform`.

        Returns
        -------
        embedding : ndarray of shape (m, n_components)
        variances : ndarray of shape (m,)
        """
        check_is_fitted(self, "embedding_")
        table = read_table(X, self, self.metric == "precomputed")
        validate_data(self, X, reset=False, skip_check_array=True)
        if self.metric == "precomputed":
            check_same_kind(table, self._inputs)
            table = table[:, self._rows]
        with Workers(self.n_jobs) as workers:
            return place(self._map, self._inputs.query(table, self._map.n_neighbors), workers)

    def _keep(self, X: Any, problem: _Problem, state: State, trace: dict[int, float]) -> None:
        """Take the state as the result."""
        validate_data(self, X, skip_check_array=True)
        rows, n = problem.graph.rows, len(problem.neighbors.indices)
        self.embedding_ = np.full((n, self.n_components), np.nan)
        self.embedding_[rows] = state.embedding
        self.variances_ = np.full(n, np.nan)
        self.variances_[rows] = state.variances
        self.log_likelihood_iterations_ = np.array(list(trace))
        self.log_likelihood_ = np.array(list(trace.values()))
        self.n_iter_ = state.iteration
        self.n_levels_ = problem.coarse.n_levels
        self.landmarks_ = rows[problem.coarse.landmarks]
        edges = problem.graph.edges.tocoo()
        self.graph_ = sp.csr_array((edges.data, (rows[edges.row], rows[edges.col])), (n, n))
        self._rows = rows
        self._inputs = problem.inputs
        self._map = FrozenMap(
            state=state,
            graph=problem.graph,
            coarse=problem.coarse,
            objective=problem.objective,
            radius=problem.neighbors.distances[rows, -1],
            n_neighbors=self.n_neighbors,
            n_steps=self.n_steps,
            tied_variances=self.tied_variances,
            momentum=self.momentum,
        )

    def _check_parameters(self) -> None:
        checks.check_integer(self.n_neighbors, "n_neighbors", "k", 1, "the neighbours of each row")
        checks.check_integer(self.n_steps, "n_steps", "s", 1, "the steps within which neighbours reach each other")
        if self.n_levels != "auto":
            checks.check_integer(self.n_levels, "n_levels", "l", 0, 'the levels of coarse-graining, or "auto"')
        checks.check_integer(self.n_components, "n_components", "d", 1, "the dimensions of the map")
        checks.check_integer(self.max_iter, "max_iter", "iterations", 1, "the number of EM iterations")
        checks.check_integer(self.pair_budget, "pair_budget", "pairs", 1, 'what n_levels="auto" may spend')
        checks.check_integer(self.likelihood_every, "likelihood_every", "iterations", 0, "0 for the last one only")
        checks.check_real(self.dof, "dof", "the degrees of freedom", lambda value: value > 0, "above 0")
        checks.check_real(
            self.momentum, "momentum", "the share of the last step", lambda value: 0 <= value < 1, "from 0 to below 1"
        )
        checks.check_real(
            self.tol, "tol", "the rise of the likelihood at which to stop", lambda value: value >= 0, "from 0"
        )
        checks.check_choice(self.connect, "connect", ["bridge", "largest"])

    def _generator(self) -> np.random.Generator:
        """Return the generator that ``random_state`` stands for."""
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(2**31))
        return np.random.default_rng(self.random_state)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self.metric == "precomputed"
        tags.input_tags.positive_only = self.metric == "precomputed"
        return tags
