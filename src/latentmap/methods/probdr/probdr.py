"""ProbDR: maps like those of UMAP and t-SNE, as maximum a posteriori estimates given the graph of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from latentmap.methods.affinities import adjacency
from latentmap.methods.probdr.landmarks import LandmarkWishart
from latentmap.methods.probdr.pairs import DistantPairs, EveryPair, PairLikelihood, Sample
from latentmap.methods.probdr.wishart import WishartLikelihood
from latentmap.model import distance_checks, parameter_checks, size_checks
from latentmap.model.adam import Adam
from latentmap.model.graph import neighbor_graph
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.spectral_start import spectral_start
from latentmap.model.state import FitProgress, State
from latentmap.model.validation import read_inputs, read_table
from latentmap.model.vectors import Metric
from latentmap.model.warm_start import read_init
from latentmap.model.workers import Workers

MODELS = ("cne", "bernoulli", "wishart", "wishart-normalised")
"""Models of the graph of neighbours."""
MOST_ROWS = 5000
"""Maximum number of rows whose determinant is computed at each iteration: seconds, and four 200 MB matrices."""
MOST_BY_LANDMARKS = 50_000
"""Maximum number of rows if landmarks estimate the determinant: all pairs take some 5 s per iteration on two cores."""

_MOMENTUM = 0.9
# The steps shrink linearly to this fraction of the first.
_LAST_STEP = 0.01


class Likelihood(Protocol):
    """A likelihood to be maximised."""

    def value(self, points: np.ndarray) -> float:
        """Return the log-posterior up to a constant, or a bound of it."""

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return its gradient, or an estimate that is resampled at each step."""


class ProbDR(IterativeMethod):
    """The most probable map, given the graph of neighbours.

    The probability that two rows are neighbours falls with their distance d on the map as 1 / (1 + d^2). Depending on
    the model, the graph of neighbours is drawn from that pair by pair or as a whole. Each choice is the maximum a
    posteriori estimate of a model of Ravuri and Lawrence, found by Adam with one step size per point. The gradient is
    exact or, beyond 1024 rows in two dimensions, an unbiased estimate from samples of pairs. Positions have a flat
    prior. The paper has no rule for new rows, so there is no ``transform``.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row; 10 in the paper. Two rows are neighbours if either is among the k nearest of the
        other, so that a row has more than k on average. The paper's ``n_#``, which "corresponds to the average number
        of neighbours set for a point (ten in this work)", is interpreted as the number set: k.
    n_components : int, default=2
        Dimensions (d) of the map. Unless it is 2, every pair is counted, in a time that grows with n^2.
    model : {"cne", "bernoulli", "wishart", "wishart-normalised"}, default="cne"
        The model: the bound of contrastive neighbour embedding (3); independent pairs (4); the graph's Laplacian drawn
        from a Wishart distribution (5), or from one with the covariance of Fig. 1, right. The last two compute the
        determinant of an n x n matrix, in a time that grows with n^3, for up to 5000 rows. Up to 50 000 rows, "wishart"
        estimates the gradient by 100 landmarks, in a time that grows with n^2; "wishart-normalised" does not.
    n_negatives : int, default=5
        ``n_-``: the strength of repulsion between rows that are not neighbours. If ``n_- n_#`` exceeds the number of
        rows, the Bernoulli model does not exist. For "wishart-normalised" and a few thousand rows use 1: its balance
        with attraction depends on ``n~ = n_- n_# / n``, and a larger value spreads the rows evenly over a disc.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    init : {"spectral", "random"} or array of shape (n, n_components), default="spectral"
        Initial map: Laplacian eigenmaps of the graph, scaled so that neighbours lie 1 apart, plus standard normal
        noise; the noise alone; or any map.
    learning_rate : float, default=1.0
        Length of the first steps, which shrink linearly to a hundredth of it.
    max_iter : int, default=200
        Iterations; 50 in the paper, after which the Wishart models have almost converged too.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the random start and the sampled pairs.
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
    log_posterior_ : float
        The log-posterior of the map up to a constant, or (3), at the end; beyond 1024 rows in two dimensions, estimated
        from a fixed sample of pairs. For "wishart" beyond 5000 rows it is an estimate by fixed landmarks, which is too
        low: it shows whether a fit still rises, but is not comparable with the exact value, nor between values of
        ``random_state``.
    adjacency_ : csr_array of shape (n, n)
        A: the adjacency matrix of the neighbours.
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
    Aditya Ravuri and Neil D. Lawrence, "Towards one model for classical dimensionality reduction: a probabilistic
    perspective on UMAP and t-SNE", 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> ProbDR(max_iter=20).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "ProbDR"
    objective_name = "log-posterior"

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        model: str = "cne",
        n_negatives: int = 5,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Any = "spectral",
        learning_rate: float = 1.0,
        max_iter: int = 200,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.model = model
        self.n_negatives = n_negatives
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.learning_rate = learning_rate
        self.max_iter = max_iter
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
        inputs, k, seed = self._read(X, rng)
        most = self.max_iter
        with Workers(self.n_jobs) as workers:
            yield FitProgress("neighbours", 0, most)
            neighbors = inputs.kneighbors(k)
            distance_checks.check_neighbors(neighbors.distances)
            yield FitProgress("graph", 0, most)
            graph = adjacency(neighbors)
            likelihood = self._likelihood(graph, k, workers, seed)
            yield FitProgress("start", 0, most)
            points = self._start(inputs, neighbors, graph, rng)

            def keep(state: State, _: dict[int, float]) -> None:
                self.log_posterior_, self.adjacency_ = state.objective, graph

            yield from self._store_states(X, self._states(likelihood, points), most, keep)

    def _read(self, X: Any, rng: np.random.Generator) -> tuple[Inputs, int, int]:
        table = read_table(X, self, self._is_precomputed)
        n = table.shape[0]
        size_checks.check_size(n, self.n_components)
        self._check_rows(n)
        seed = int(rng.integers(2**31))
        k = self._fitting_neighbors(n)
        return read_inputs(table, X, self, neighbors="auto", seed=seed), k, seed

    def _likelihood(self, graph: sp.csr_array, k: int, workers: Workers, seed: int) -> Likelihood:
        n = graph.shape[0]
        # n~ = n_- n_# / n, where n_# is the requested number of neighbours.
        small = self.n_negatives * k / n
        if self.model == "wishart" and n > MOST_ROWS:
            return LandmarkWishart(graph, small, workers, seed)
        if self.model.startswith("wishart"):
            return WishartLikelihood(graph, small, self.model == "wishart-normalised")
        weight, share = (small, 1.0) if self.model == "cne" else (1.0, small)
        if share > 1:
            raise ValueError(
                'With model="bernoulli", rows at the same position would be neighbours with the probability '
                f"{share:.2f}, which exceeds 1. It is n_negatives = {self.n_negatives} times n_neighbors (k) = {k} "
                f'divided by the {n} rows. Lower n_negatives or n_neighbors (k), or use model="cne".'
            )
        in_plane = self.n_components == 2
        apart: DistantPairs = Sample(n, share, workers, seed) if in_plane else EveryPair(n, share, workers)
        return PairLikelihood(graph, weight, share, apart)

    def _start(self, inputs: Inputs, neighbors: Neighbors, graph: sp.csr_array, rng: np.random.Generator) -> np.ndarray:
        n, d = graph.shape[0], self.n_components
        if isinstance(self.init, str) and self.init == "random":
            return rng.standard_normal((n, d))
        given = read_init(self.init, n, d)
        if given is not None:
            return given.embedding
        # If the graph is disconnected, only the start has bridges.
        bridged = neighbor_graph(inputs, neighbors).edges
        edges = sp.csr_array((graph + bridged + bridged.T) > 0, dtype=float)
        # Eigenmaps shrink groups to points, which the first steps would expand to rings without noise.
        return spectral_start(edges, np.ones(edges.nnz), d, rng) + rng.standard_normal((n, d))

    def _states(self, likelihood: Likelihood, points: np.ndarray) -> Iterator[State]:
        adam = Adam(points.shape, points.dtype.type, _MOMENTUM, 1.0)
        yield _state(0, points, likelihood)
        for iteration in range(self.max_iter):
            rate = self.learning_rate * max(1 - iteration / self.max_iter, _LAST_STEP)
            points = adam.moved(points, likelihood.gradient(points, iteration), rate)
            yield _state(iteration + 1, points, likelihood)

    def _check_rows(self, n: int) -> None:
        """Raise if there are more rows than a Wishart model accepts."""
        if self.model == "wishart" and n > MOST_BY_LANDMARKS:
            raise ValueError(
                f'model="wishart" visits all pairs of rows at each iteration: it takes up to {MOST_BY_LANDMARKS} rows, '
                f'but there are {n}. Choose some of them, or use model="cne".'
            )
        if self.model == "wishart-normalised" and n > MOST_ROWS:
            raise ValueError(
                'model="wishart-normalised" computes the determinant of an n x n matrix at each iteration: it takes up '
                f'to {MOST_ROWS} rows, but there are {n}. Choose some of them, or use model="wishart", which '
                'estimates the determinant for so many rows, or model="cne".'
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_integer(self.n_negatives, "n_negatives", "n_-", 1, "the strength of repulsion")
        parameter_checks.check_choice(self.model, "model", MODELS)
        parameter_checks.check_real(
            self.learning_rate, "learning_rate", "the length of the first steps", lambda v: 0 < v < np.inf, "above 0"
        )
        if isinstance(self.init, str):
            parameter_checks.check_choice(self.init, "init", ["spectral", "random"])


def _state(iteration: int, points: np.ndarray, likelihood: Likelihood) -> State:
    return State(iteration, points, np.full(len(points), np.nan), lambda positions, _: likelihood.value(positions))
