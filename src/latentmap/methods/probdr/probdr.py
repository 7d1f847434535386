"""ProbDR: maps like those of UMAP and t-SNE, as the likeliest ones of a model of the graph of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from latentmap.methods.affinities import adjacency
from latentmap.methods.probdr.landmarks import LandmarkWishart
from latentmap.methods.probdr.pairs import Apart, EveryPair, PairLikelihood, Sample
from latentmap.methods.probdr.wishart import WishartLikelihood
from latentmap.model import parameter_checks, row_checks
from latentmap.model.adam import Adam
from latentmap.model.graph import neighbor_graph
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.intake import read_inputs, read_table
from latentmap.model.spectral import spectral_start
from latentmap.model.state import Progress, State
from latentmap.model.stepwise import Stepwise
from latentmap.model.vectors import Metric
from latentmap.model.warm import read_init
from latentmap.model.workers import Workers

MODELS = ("cne", "bernoulli", "wishart", "wishart-normalised")
"""What the graph of neighbours is taken to be drawn from."""
MOST_ROWS = 5000
"""Rows whose determinant a Wishart model takes at each iteration, in some seconds: four matrices of 200 MB."""
MOST_BY_LANDMARKS = 50_000
"""Rows all pairs of which are gone over at each iteration where landmarks estimate it, in some 5 s on two cores."""

_MOMENTUM = 0.9
# The steps shrink in a straight line to this part of the first.
_LAST_STEP = 0.01


class Likelihood(Protocol):
    """What is climbed."""

    def value(self, points: np.ndarray) -> float:
        """Return the logarithm of the posterior probability up to a constant, or a bound of it."""

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Return its gradient, which may be an estimate, drawn anew at each step."""


class ProbDR(Stepwise):
    """The likeliest map, given which rows are neighbours.

    The probability that two rows are neighbours falls with their distance d on the map as 1 / (1 + d^2), and by the
    model chosen the graph of neighbours is drawn from that, pair by pair or as a whole. Each choice is the maximum a
    posteriori of one model of Ravuri and Lawrence, found by Adam's steps up its gradient, with one scale for each
    point: exact, or, beyond 1024 rows in two dimensions, estimated without bias by samples of pairs. Places have a flat
    prior. There is no rule for new rows in the paper, so that there is no ``transform``.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row; 10 in the paper. Two rows are neighbours if either is among the other's nearest k,
        so that a row has more than k on average. n_#, of which the paper says that it "corresponds to the average
        number of neighbours set for a point (ten in this work)", is taken to be what is set: k.
    n_components : int, default=2
        Dimensions (d) of the map. In other than 2 every pair is counted, in a time that grows with n^2.
    model : {"cne", "bernoulli", "wishart", "wishart-normalised"}, default="cne"
        What is made likeliest: the bound of contrastive neighbour embedding (3); each pair a neighbour or not by
        itself (4); the graph's Laplacian drawn from a Wishart distribution (5), or from one with the covariance of
        Fig. 1, right. The last two take the determinant of a matrix of n x n numbers, in a time that grows with n^3,
        for up to 5000 rows. For more, up to 50 000, "wishart" goes up an estimate of the gradient by 100 landmarks, in
        a time that grows with n^2; "wishart-normalised" is not for them.
    n_negatives : int, default=5
        n_-: how much rows that are not neighbours repel each other. Where n_- n_# exceeds the number of rows the
        Bernoulli model does not exist. For "wishart-normalised" and a few thousand rows take 1: there the balance with
        attraction depends on n~ = n_- n_# / n, and with a larger one rows fill a disc evenly.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    init : {"spectral", "random"} or array of shape (n, n_components), default="spectral"
        Where the points start: Laplacian eigenmaps of the graph, at the size at which neighbours lie 1 apart, and
        standard normal noise; the noise alone; or any map.
    learning_rate : float, default=1.0
        Length of the first steps, which shrink in a straight line to a hundredth of it.
    max_iter : int, default=200
        Iterations; 50 in the paper, with which the Wishart models are nearly done too.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the random start, and the pairs that are sampled.
    n_jobs : int or None, default=-1
        Threads; -1 is all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    log_posterior_ : float
        The logarithm of the posterior probability of the map up to a constant, or (3), at the end; estimated from
        sampled pairs, always the same, beyond 1024 rows in two dimensions. Of "wishart" beyond 5000 rows it is an
        estimate by landmarks, always the same, which is too low: it tells whether a fit still rises, but is not
        comparable with the exact one, nor with another ``random_state``.
    adjacency_ : csr_array of shape (n, n)
        A: which rows are neighbours.
    n_iter_ : int
        Iterations done.
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
    Aditya Ravuri and Neil D. Lawrence, "Towards one model for classical dimensionality reduction: a probabilistic
    perspective on UMAP and t-SNE", 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> ProbDR(max_iter=20).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "ProbDR"
    sought = "log-posterior"

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

    def iter_fit(self, X: Any, y: Any = None) -> Generator[Progress, None, None]:
        """Make the map, step by step; see :meth:`latentmap.LVM.iter_fit`.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell; distances if ``metric="precomputed"``.
        y : None
            Ignored.

        Yields
        ------
        Progress
            Before each stage, and after each iteration.
        """
        self._check_parameters()
        rng = self._generator()
        inputs, k, seed = self._read(X, rng)
        most = self.max_iter
        with Workers(self.n_jobs) as workers:
            yield Progress("neighbours", 0, most)
            neighbors = inputs.kneighbors(k)
            row_checks.check_neighbors(neighbors.distances)
            yield Progress("graph", 0, most)
            graph = adjacency(neighbors)
            likelihood = self._likelihood(graph, k, workers, seed)
            yield Progress("start", 0, most)
            points = self._start(inputs, neighbors, graph, rng)

            def keep(state: State, _: dict[int, float]) -> None:
                self.log_posterior_, self.adjacency_ = state.objective, graph

            yield from self._hand_over(X, self._states(likelihood, points), most, keep)

    def _read(self, X: Any, rng: np.random.Generator) -> tuple[Inputs, int, int]:
        table = read_table(X, self, self.metric == "precomputed")
        n = table.shape[0]
        row_checks.check_size(n, self.n_components)
        self._check_rows(n)
        seed = int(rng.integers(2**31))
        names = getattr(X, "columns", None)
        k, jobs = self._fitting_neighbors(n), self.n_jobs
        inputs = read_inputs(table, self.metric, self.metric_params, "auto", k, names=names, n_jobs=jobs, seed=seed)
        return inputs, k, seed

    def _likelihood(self, graph: sp.csr_array, k: int, workers: Workers, seed: int) -> Likelihood:
        n = graph.shape[0]
        # n~ = n_- n_# / n, where n_# is how many neighbours are asked for.
        small = self.n_negatives * k / n
        if self.model == "wishart" and n > MOST_ROWS:
            return LandmarkWishart(graph, small, workers, seed)
        if self.model.startswith("wishart"):
            return WishartLikelihood(graph, small, self.model == "wishart-normalised")
        weight, share = (small, 1.0) if self.model == "cne" else (1.0, small)
        if share > 1:
            raise ValueError(
                f'With model="bernoulli" rows at the same place are neighbours with the probability {share:.2f}, but '
                f"none is above 1: it is n_negatives = {self.n_negatives}, times n_neighbors (k) = {k}, "
                f'divided by the {n} rows. Lower n_negatives or n_neighbors (k), or take model="cne".'
            )
        in_plane = self.n_components == 2
        apart: Apart = Sample(n, share, workers, seed) if in_plane else EveryPair(n, share, workers)
        return PairLikelihood(graph, weight, share, apart)

    def _start(self, inputs: Inputs, neighbors: Neighbors, graph: sp.csr_array, rng: np.random.Generator) -> np.ndarray:
        n, d = graph.shape[0], self.n_components
        if isinstance(self.init, str) and self.init == "random":
            return rng.standard_normal((n, d))
        given = read_init(self.init, n, d)
        if given is not None:
            return given.embedding
        # Where the graph falls apart, the start alone has bridges.
        bridged = neighbor_graph(inputs, neighbors).edges
        edges = sp.csr_array((graph + bridged + bridged.T) > 0, dtype=float)
        # It draws groups together to points, from which the first steps would blow them up to rings.
        return spectral_start(edges, np.ones(edges.nnz), d, rng) + rng.standard_normal((n, d))

    def _states(self, likelihood: Likelihood, points: np.ndarray) -> Iterator[State]:
        adam = Adam(points.shape, points.dtype.type, _MOMENTUM, 1.0)
        yield _state(0, points, likelihood)
        for iteration in range(self.max_iter):
            rate = self.learning_rate * max(1 - iteration / self.max_iter, _LAST_STEP)
            points = adam.moved(points, likelihood.gradient(points, iteration), rate)
            yield _state(iteration + 1, points, likelihood)

    def _check_rows(self, n: int) -> None:
        """Refuse more rows than a Wishart model takes."""
        if self.model == "wishart" and n > MOST_BY_LANDMARKS:
            raise ValueError(
                f'model="wishart" goes over all pairs of rows at each iteration: it is for up to {MOST_BY_LANDMARKS} '
                f'rows, and there are {n}. Choose some of them, or take model="cne".'
            )
        if self.model == "wishart-normalised" and n > MOST_ROWS:
            raise ValueError(
                'model="wishart-normalised" takes the determinant of a matrix of n x n numbers at each iteration: it '
                f"is for up to {MOST_ROWS} rows, and there are {n}. Choose some of them, or take "
                'model="wishart", which estimates its determinant for so many, or model="cne".'
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_integer(self.n_negatives, "n_negatives", "n_-", 1, "how much rows repel each other")
        parameter_checks.check_choice(self.model, "model", MODELS)
        parameter_checks.check_real(
            self.learning_rate, "learning_rate", "the length of the first steps", lambda v: 0 < v < np.inf, "above 0"
        )
        if isinstance(self.init, str):
            parameter_checks.check_choice(self.init, "init", ["spectral", "random"])


def _state(iteration: int, points: np.ndarray, likelihood: Likelihood) -> State:
    return State(iteration, points, np.full(len(points), np.nan), lambda places, _: likelihood.value(places))
