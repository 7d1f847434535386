"""The estimator: scikit-learn's interface to the model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from latentmap.model import checks
from latentmap.model.coarse import PAIR_BUDGET, coarsen
from latentmap.model.em import State, em
from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.neighbors import DistanceGraph, DistanceMatrix, Inputs, Metric, Neighbors, Vectors
from latentmap.model.objective import Objective, calibration
from latentmap.model.placing import FrozenMap, landmark_chain, place
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
    neighbors : {"auto", "exact", "pynndescent"} or (indices, distances), default="auto"
        How to find the neighbours, or the neighbours found already, as two arrays of shape (n, k) or wider. "auto" is
        exact up to 100 000 rows.
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
        Stop when the log-likelihood has risen by less than this part of itself in 10 iterations. 0 never stops early.
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
        steps = self.iter_fit(X)
        for progress in steps:
            if self.callback is not None and progress.state is not None and self.callback(progress.state):
                steps.close()
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
        inputs = self._inputs(X)
        n = len(inputs)
        rng = self._generator()
        yield Progress("neighbours", 0, self.max_iter)
        neighbors = inputs.kneighbors(self.n_neighbors)
        self._warn_of_duplicates(neighbors)
        yield Progress("graph", 0, self.max_iter)
        graph = neighbor_graph(inputs, neighbors, self.n_steps, self.connect)
        if len(graph.rows) < n:
            inputs = inputs.subset(graph.rows)
            self._warn_of_lost_rows(graph, n)
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
        with Workers(self.n_jobs) as workers:
            objective = Objective(graph, coarse, self.dof, workers)
            yield Progress("start", 0, self.max_iter)
            start = spectral_start(objective.edges, objective.delta2, self.n_components, rng)
            if objective.repulsion == 0:
                checks.warn(
                    f"All {len(graph.rows)} rows are neighbours of each other, so nothing keeps them apart and the map "
                    "is only a first guess. Lower n_neighbors (k), or add rows."
                )
            trace: list[tuple[int, float]] = []
            state = None
            try:
                for state in self._states(objective, start, graph, workers):
                    if self.likelihood_every and state.iteration % self.likelihood_every == 0:
                        trace.append((state.iteration, state.log_likelihood))
                    yield Progress("embedding", state.iteration, self.max_iter, state)
            finally:
                if state is not None:
                    if not trace or trace[-1][0] != state.iteration:
                        trace.append((state.iteration, state.log_likelihood))
                    self._keep(state, trace, n, inputs, neighbors, graph, objective, coarse)

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
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        if self.metric == "precomputed":
            X = X[:, self._rows]
        with Workers(self.n_jobs) as workers:
            neighbors = self._fitted_inputs.query(X, self.n_neighbors)
            return place(self._map, neighbors, self.n_steps, workers)

    def _keep(
        self,
        state: State,
        trace: list[tuple[int, float]],
        n: int,
        inputs: Inputs,
        neighbors: Neighbors,
        graph: NeighborGraph,
        objective: Objective,
        coarse: Any,
    ) -> None:
        """Take the state as the result."""
        rows = graph.rows
        self.embedding_ = np.full((n, self.n_components), np.nan)
        self.embedding_[rows] = state.embedding
        self.variances_ = np.full(n, np.nan)
        self.variances_[rows] = state.variances
        self.log_likelihood_iterations_ = np.array([iteration for iteration, _ in trace])
        self.log_likelihood_ = np.array([value for _, value in trace])
        self.n_iter_ = state.iteration
        self.n_levels_ = coarse.n_levels
        self.landmarks_ = rows[coarse.landmarks]
        edges = graph.edges.tocoo()
        self.graph_ = sp.csr_array((edges.data, (rows[edges.row], rows[edges.col])), (n, n))
        self._rows = rows
        self._fitted_inputs = inputs
        landmarks, distances = landmark_chain(coarse, len(rows))
        self._map = FrozenMap(
            state.embedding,
            state.variances,
            graph,
            objective.dissimilar,
            landmarks,
            distances,
            neighbors.distances[rows, self.n_neighbors - 1],
            objective.repulsion,
            objective.attachment,
            objective.smallest_variance,
            self.dof,
            self.tied_variances,
        )

    def _states(
        self, objective: Objective, start: np.ndarray, graph: NeighborGraph, workers: Workers
    ) -> Iterator[State]:
        return em(
            objective,
            start,
            graph.reach**2 / (2 * self.n_components),
            workers,
            tied_variances=self.tied_variances,
            momentum=self.momentum,
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _inputs(self, X: Any) -> Inputs:
        """Check the data, and return it in the form that it has."""
        X = self._validated(X, reset=True)
        checks.check_size(X.shape[0], self.n_neighbors, self.n_components)
        if self.metric != "precomputed":
            checks.check_varied(X)
            return Vectors(
                X,
                self.metric,
                self.metric_params,
                self._method(len(X)),
                self.n_jobs,
                int(self._generator().integers(2**31)),
            )
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f'With metric="precomputed", X holds the distances between all rows and must be square; it is '
                f"{X.shape[0]} x {X.shape[1]}."
            )
        values = X.data if sp.issparse(X) else X
        if values.min() < 0:
            raise ValueError(f"Distances cannot be negative, but {np.count_nonzero(values < 0)} of them are.")
        return DistanceGraph(X) if sp.issparse(X) else DistanceMatrix(X)

    def _validated(self, X: Any, reset: bool) -> Any:
        checks.check_numeric(X)
        sparse = ["csr"] if self.metric == "precomputed" else False
        X = validate_data(
            self, X, reset=reset, accept_sparse=sparse, dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        checks.check_finite(X.data[:, None] if sp.issparse(X) else X, getattr(self, "feature_names_in_", None))
        return sp.csr_array(X) if sp.issparse(X) else X

    def _method(self, n: int) -> str | Neighbors:
        """Return how to search neighbours, or those given."""
        if isinstance(self.neighbors, str):
            checks.check_choice(self.neighbors, "neighbors", ["auto", "exact", "pynndescent"])
            return self.neighbors
        if sp.issparse(self.neighbors):
            return DistanceGraph(sp.csr_array(self.neighbors)).kneighbors(self.n_neighbors)
        indices, distances = (check_array(part, ensure_min_samples=1) for part in self.neighbors)
        enough = self.n_neighbors + bool((indices == np.arange(len(indices))[:, None]).any())
        if indices.shape != distances.shape or len(indices) != n or indices.shape[1] < enough:
            raise ValueError(
                f"neighbors holds arrays of shape {indices.shape} and {distances.shape}; both must have {n} rows, one "
                f"for each row of X, and at least n_neighbors (k) = {self.n_neighbors} columns beside the row itself."
            )
        return Neighbors(indices.astype(np.int64), distances.astype(float))

    def _check_parameters(self) -> None:
        checks.check_integer(self.n_neighbors, "n_neighbors", "k", 1, "the neighbours of each row")
        checks.check_integer(self.n_steps, "n_steps", "s", 1, "the steps within which neighbours reach each other")
        if self.n_levels != "auto":
            checks.check_integer(self.n_levels, "n_levels", "l", 0, 'the levels of coarse-graining, or "auto"')
        checks.check_integer(self.n_components, "n_components", "d", 1, "the dimensions of the map")
        checks.check_integer(self.max_iter, "max_iter", "iterations", 1, "the number of EM iterations")
        checks.check_real(self.dof, "dof", "the degrees of freedom", 0, open_low=True)
        checks.check_real(self.momentum, "momentum", "the share of the last step that is kept", 0, 1)
        checks.check_real(self.tol, "tol", "the relative rise of the likelihood at which to stop", 0)
        checks.check_choice(self.connect, "connect", ["bridge", "largest"])

    def _generator(self) -> np.random.Generator:
        """Return a fresh generator for ``random_state``, whichever kind that is."""
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(2**31))
        return np.random.default_rng(self.random_state)

    def _warn_of_duplicates(self, neighbors: Neighbors) -> None:
        n_copies = np.count_nonzero(neighbors.distances[:, 0] == 0)
        if n_copies:
            checks.warn(
                f"{n_copies} of {len(neighbors.distances)} rows are exact copies of another row. They stay, and will "
                "lie together; drop them first if a cell was entered twice."
            )

    def _warn_of_lost_rows(self, graph: NeighborGraph, n: int) -> None:
        checks.warn(
            f'The graph of neighbours falls into {graph.n_components} parts. connect="largest" embeds the largest one; '
            f'the {n - len(graph.rows)} rows of the others get NaN. connect="bridge" would keep all {n}; a larger '
            "n_neighbors (k) may join the parts."
        )

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self.metric == "precomputed"
        return tags
