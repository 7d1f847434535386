"""The estimator: scikit-learn's interface to the model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from latentmap.generators import result_of
from latentmap.model import parameter_checks, size_checks
from latentmap.model.cell_likelihood import CellLikelihood
from latentmap.model.coarse import PAIR_BUDGET
from latentmap.model.coincidence import log_coincidence
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.landmarks import Landmarks, chosen_landmarks, find_landmarks
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.out_of_sample import place_points
from latentmap.model.problem import Problem, Solution, make_problem
from latentmap.model.recalibration import Recalibration, recalibration
from latentmap.model.row_precision import keeps_precision
from latentmap.model.settings import Settings
from latentmap.model.state import FitProgress, State
from latentmap.model.validation import check_same_kind, read_inputs, read_table
from latentmap.model.vectors import Metric
from latentmap.model.warm_start import StartMap, read_init
from latentmap.model.workers import Workers

STARTS = ("smoothed_pca", "pca", "spectral")
"""First guesses of a map."""

# Up to this many rows a step of the ascent ends before a second thread begins: 2000 rows take .26 s with two threads
# and .19 s with one.
_FEW_ROWS = 4000


class LVM(IterativeMethod):
    """An extension of Saul's tractable latent variable model, with heavy-tailed latent variables.

    Each row becomes a random variable on the map, with a mean (its position) and a variance (the uncertainty of the
    position), such that neighbours are likely to coincide and other rows are not. ``LVM(**latentmap.PAPER)`` is the
    model of the paper: Gaussian latent variables, fitted by its EM algorithm. ``LVM()`` differs in the distribution,
    the weights, the length scales, the start and the algorithm: the latent variables have heavy tails, and the
    likelihood of all pairs is maximised by gradient ascent on a sample of them. Its maps hardly depend on the
    variances, which are central in the paper. ``LVM(**latentmap.DETAIL)`` preserves more of the small neighbourhoods.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row; 9 in the paper. More neighbours give fewer and tighter clusters. It is limited to
        a third of the rows, with a warning.
    n_steps : int, default=2
        Steps (s) within which neighbours must reach each other to be trusted. The paper uses 1 for visualisation, and
        2 or 3 for search and classification.
    n_levels : int or "auto", default="auto"
        Levels of coarse-graining (l). 0 counts every dissimilar pair; each further level is faster for many rows, and
        increases the distances between clusters. "auto" is 0 if the ascent can sample the pairs, that is, if ``dof``
        equals ``n_components``, or 4 or 8 in the plane; otherwise the fewest levels within ``pair_budget``.
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        Any metric of scikit-learn or pynndescent, or ``f(x, y) -> distance``. With "precomputed", X holds the distances
        between all rows, or is a sparse graph of the distances to some neighbours of each row. With a function, X may
        also be a list of words or an array of other objects.
    metric_params : dict, default=None
        Additional arguments of the metric.
    neighbors : {"auto", "exact", "approximate", "pynndescent"}, (indices, distances) or sparse array, default="auto"
        How to find the neighbours, or known neighbours: two arrays of shape (n, k) or wider, or a graph of distances as
        made by scikit-learn's ``KNeighborsTransformer``. "approximate" finds 99 % of them, for Euclidean and cosine
        distance. "auto" is exact up to 10 000 rows and approximate beyond; for other metrics, it is exact up to 100 000
        rows and uses pynndescent beyond.
    solver : {"ascent", "em"}, default="ascent"
        How the likelihood is maximised. "em" is the paper's algorithm: with ``momentum=0`` no iteration lowers the
        likelihood. "ascent" follows its gradient, and reaches higher in the same number of iterations.
    dof : float, "auto" or "intrinsic", default="auto"
        Degrees of freedom of the latent variables. Infinity is the paper's Gaussian; "auto" is ``n_components``, whose
        heavy tails crowd the map less. The fewer dimensions a table has in truth, the less its map crowds, and the
        fewer neighbours lighter tails lose: in the plane "intrinsic" is 8 up to some 2 intrinsic dimensions, 4 up to
        some 4, and otherwise as "auto", as where there are too few neighbours to tell, or these are mostly copies.
    repulsion : float, default=22
        Total weight of dissimilar pairs relative to similar ones, sum D / sum S; 1 in the paper. Higher values spread
        the map evenly and preserve more of the small neighbourhoods, lower values tighten clusters. With fewer than
        some 300 rows it is reduced, so that no dissimilar pair weighs more than a similar one.
    ramp : (float, float), default=(0.1, 0.9)
        The fractions of an ascent at which ``repulsion`` begins to grow from 1 and reaches its value. EM ignores it.
    similarity_scale : {"at_least_1", "auto"} or float, default="at_least_1"
        Factor of the length scales of similar pairs; 1 in the paper. "at_least_1" is (2300 / n)^(1/2) for n < 2300
        rows, so that few points do not clot, and 1 for more. "auto" is the same up to 3000 rows and (3000 / n)^(1/3)
        beyond: the more rows there are, the lower the value that preserves most of the small neighbourhoods.
    min_neighbors : int or "auto", default="auto"
        Number of nearest neighbours that each row keeps even if they are not trusted; 0 in the paper. Otherwise a row
        that is no other row's neighbour is held by a single edge, and is expelled from the map. "auto" is 10 up to
        10 000 rows and falls in proportion to 1 / n beyond, to 5 from 20 000 rows on.
    row_normalized : bool, default=True
        Whether the neighbours of every row have the same total weight. In the paper every pair of neighbours has the
        same weight, so that rows with few trusted neighbours are held less firmly.
    local_scaling : float, default=1
        How far differences of density are evened out. 0, as in the paper, keeps them, so that sparse regions take up
        more space; with 1, distances are measured in units of those usual around both rows, and every region takes up
        space in proportion to its number of rows.
    vote_power : float, default=1
        Exponent of the votes for landmarks: a member that represents m rows is attracted to its landmark with the
        weight m ** ``vote_power``. The paper's text uses 1, a program of its author 2. It matters from ``n_levels`` = 2
        on.
    learning_rate : float, default=0.5
        Length of the first steps of an ascent, in median length scales. EM ignores it.
    init : {"smoothed_pca", "pca", "spectral"}, array or (embedding, variances), default="smoothed_pca"
        Initial map. "pca" is the first principal components of the rows, or of their distances to 200 rows if the
        metric is not the Euclidean, cosine or correlation distance. "smoothed_pca" moves each row from there to the
        mean of its neighbours, half way and 20 times, so that groups stay whole. "spectral", as in the paper, is the
        bottom eigenvectors of the graph's Laplacian; it replaces the others if X is a graph of distances. EM scales the
        eigenvectors to the width of the table, an ascent so that neighbours lie one length scale apart. An array of
        shape (n, n_components), alone or with the variances, is a map of the same rows, such as
        ``(lvm.embedding_, lvm.variances_)`` of a fit with other parameters; it is scaled to its likeliest size.
        ``LVM(init=..., **latentmap.WARM)`` continues from there in less than half the iterations.
    tied_variances : bool, default=False
        Whether all rows share one variance (the paper's Fig. S4).
    momentum : float, default=0.9
        Share of the last step that is added to each step, Saul (SI 43). With 0, EM never lowers the likelihood.
    max_iter : int, default=250
        Number of iterations; 400 in the paper. An ascent uses all of them, since its steps shrink until the last; EM
        may stop earlier.
    tol : float, default=2e-3
        EM stops when the log-likelihood rises by less than this fraction of itself in 10 iterations; the rest of the
        400 would raise it by another 2 % or so. 0 never stops early.
    connect : {"bridge", "largest"}, default="bridge"
        How to handle a disconnected graph of neighbours: join its parts by their shortest bridges, or, as in the paper,
        embed only the largest. The other rows then get NaN, and a warning counts them.
    pair_budget : int, default=20_000_000
        Maximum number of ordered pairs of dissimilar rows that ``n_levels="auto"`` allows if they are not sampled.
    likelihood_every : int, default=100
        Iterations between two entries of ``log_likelihood_``; 0 records only the last. Each entry costs as much as a
        few steps of an ascent, or half an iteration of EM.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the landmarks and the samples. The same number gives a bit-identical map for any ``n_jobs`` on one kind
        of machine; other processors and library versions round differently.
    n_jobs : int or None, default=-1
        Threads; -1 uses all cores.
    device : str or None, default=None
        Where the dissimilar pairs are computed, for an ascent without coarse-graining whose ``dof`` equals
        ``n_components``, or 4 or 8 in the plane. None samples them on the processor. A torch device ("cuda", "mps",
        "cpu") counts every pair; this needs ``pip install "latentmap[gpu]"``.
    callback : callable, default=None
        ``callback(state)`` is called after each iteration of :meth:`fit`; if it returns True, the fit stops and keeps
        its last state.
    verbose : bool, default=False
        Whether :meth:`fit` shows its progress: as a bar if tqdm is installed, in a terminal or a notebook, otherwise in
        lines on stderr. It changes no bit of the map, and no record of a map names it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    variances_ : ndarray of shape (n,)
        sigma^2 of each row, in squared units of the map. Large if no position suits all neighbours of a row: the
        paper's outlier score.
    log_likelihood_ : ndarray
        Saul (6), every ``likelihood_every`` iterations and at the end; estimated if the ascent sampled the pairs and
        there are more than 1024 rows.
    log_likelihood_iterations_ : ndarray of int
        The iterations of the entries of ``log_likelihood_``.
    n_iter_ : int
        Iterations done.
    n_neighbors_ : int
        Neighbours (k) used, at most a third of the rows.
    min_neighbors_ : int
        Nearest neighbours that each row kept in any case.
    similarity_scale_ : float
        Factor of the length scales used.
    dof_ : float
        Degrees of freedom used.
    n_levels_ : int
        Levels (l) used.
    landmarks_ : ndarray of int
        Row numbers of the landmarks of the first level.
    neighbors_ : Neighbors
        The neighbours of each row, (indices, distances), that were found or given.
    graph_ : csr_array of shape (n, n)
        The neighbourhood graph E, Saul (24), as distances.
    recalibration_ : Recalibration
        After :meth:`calibrate`, the curves that make probabilities to coincide those of being neighbours.
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
    Lawrence K. Saul, "A tractable latent variable model for nonlinear dimensionality reduction", PNAS 117(27), 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap import LVM
    >>> lvm = LVM(n_neighbors=9, max_iter=50)
    >>> lvm.fit_transform(load_iris().data).shape
    (150, 2)
    """

    recalibration_: Recalibration

    title = "Latent variable model"
    objective_name = "log-likelihood"

    def __init__(
        self,
        n_neighbors: int = 15,
        n_steps: int = 2,
        n_levels: int | str = "auto",
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        neighbors: Any = "auto",
        solver: str = "ascent",
        dof: float | str = "auto",
        repulsion: float = 22.0,
        ramp: tuple[float, float] = (0.1, 0.9),
        similarity_scale: float | str = "at_least_1",
        min_neighbors: int | str = "auto",
        row_normalized: bool = True,
        local_scaling: float = 1.0,
        vote_power: float = 1.0,
        learning_rate: float = 0.5,
        init: Any = "smoothed_pca",
        tied_variances: bool = False,
        momentum: float = 0.9,
        max_iter: int = 250,
        tol: float = 2e-3,
        connect: str = "bridge",
        pair_budget: int = PAIR_BUDGET,
        likelihood_every: int = 100,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        device: str | None = None,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.n_levels = n_levels
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.neighbors = neighbors
        self.solver = solver
        self.dof = dof
        self.repulsion = repulsion
        self.ramp = ramp
        self.similarity_scale = similarity_scale
        self.min_neighbors = min_neighbors
        self.row_normalized = row_normalized
        self.local_scaling = local_scaling
        self.vote_power = vote_power
        self.learning_rate = learning_rate
        self.init = init
        self.tied_variances = tied_variances
        self.momentum = momentum
        self.max_iter = max_iter
        self.tol = tol
        self.connect = connect
        self.pair_budget = pair_budget
        self.likelihood_every = likelihood_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.callback = callback
        self.verbose = verbose

    def iter_fit(self, X: Any, y: Any = None) -> Generator[FitProgress, None, None]:
        """Make the map, step by step.

        Drive this generator to show progress or to allow cancelling; :meth:`fit` merely exhausts it. Closing it early
        keeps the last state as the result.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.
        y : None
            Ignored.

        Yields
        ------
        FitProgress
            Before each stage, and after each iteration.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=2)
        >>> [step.stage for step in lvm.iter_fit(load_iris().data)]
        ['neighbours', 'graph', 'start', 'embedding', 'embedding', 'embedding']
        """
        self._check_parameters()
        rng = self._generator()
        inputs, k, seed = self._read(X)
        given = read_init(self.init, len(inputs), self.n_components, STARTS)
        is_small = len(inputs) <= _FEW_ROWS and Settings.of(self).has_closed_form
        with Workers(1 if is_small else self.n_jobs) as workers:
            problem = yield from self._pose(inputs, k, rng, seed, workers)
            states = problem.states(rng, workers, self.init if given is None else given)
            yield from self._store_states(
                X, states, self.max_iter, partial(self._keep, inputs, problem), every=self.likelihood_every
            )

    def iter_interim(self, fitted: LVM, embedding: np.ndarray, variances: np.ndarray) -> Iterator[State]:
        """Go on from a map on the graph of another fit, as long as this one's neighbours are not found yet.

        Nothing is stored, and `fitted` does not change. Repulsion, similarity scale, equal weights and tied variances
        are those of this estimator; all else that the likelihood depends on is that of the other fit.

        Parameters
        ----------
        fitted : LVM
            A fit of the same rows and number of dimensions, whose graph is used.
        embedding : ndarray of shape (n, n_components)
            Where the rows lie.
        variances : ndarray of shape (n,)
            Not finite where they are unknown.

        Yields
        ------
        State
            The start, then one for each step.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=5).fit(load_iris().data)
        >>> states = LVM(30, repulsion=5, max_iter=2).iter_interim(lvm, lvm.embedding_, lvm.variances_)
        >>> [state.embedding.shape for state in states]
        [(150, 2), (150, 2), (150, 2)]
        """
        self._check_parameters()
        problem = fitted._solution.problem
        rows, known = problem.graph.rows, bool(np.isfinite(variances).all())
        start = StartMap(embedding[rows], variances[rows] if known else None)
        seed = int(self._generator().integers(2**31))
        yield from problem.interim_states(Settings.of(self), seed, start)

    def find_neighbors(self, X: Any) -> Neighbors:
        """Find the neighbours of each row as :meth:`fit` does, to share them among several fits.

        A fit of the same rows, metric and k with ``neighbors`` set to the result is bit-identical.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.

        Returns
        -------
        Neighbors
            The tuple (indices, distances), both of shape (n, n_neighbors), nearest first; no row is its own neighbour.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> found = LVM(9).find_neighbors(load_iris().data)
        >>> for repulsion in (5.0, 22.0):
        ...     lvm = LVM(9, repulsion=repulsion, neighbors=found, max_iter=5).fit(load_iris().data)
        """
        self._check_parameters()
        inputs, k, _ = self._read(X)
        return inputs.kneighbors(k)

    def find_dof(self, X: Any) -> float:
        """Find the degrees of freedom that :meth:`fit` uses, without a fit.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.

        Returns
        -------
        float
            ``dof_`` of that fit.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> LVM(dof="intrinsic").find_dof(load_iris().data)
        4.0
        """
        self._check_parameters()
        settings = Settings.of(self)
        if settings.dof == "intrinsic":
            inputs, k, _ = self._read(X)
            settings = settings.with_dof_of(inputs.lengths(inputs.kneighbors(k).distances))
        return settings.degrees_of_freedom

    def find_landmarks(self, X: Any, level: int = 1) -> Landmarks:
        """Choose landmarks as the coarse-graining of :meth:`fit` does, without a fit.

        Each row belongs to its nearest landmark, so a map of the landmarks alone is a map of all rows in outline.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.
        level : int
            1 chooses about (n^2 / 2)^(1/3) landmarks among all rows, 2 chooses as many among these in turn, and so on.

        Returns
        -------
        Landmarks
            Their rows, how many rows each stands for, and the landmark of each row.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid, or there are too few rows for this level.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> landmarks = LVM().find_landmarks(load_iris().data)
        >>> len(landmarks.rows), int(landmarks.represented.sum())
        (22, 150)
        """
        self._check_parameters()
        inputs = read_inputs(read_table(X, self, self._is_precomputed), X, self)
        return find_landmarks(len(inputs), inputs.nearest, level, self._generator())

    def landmarks(self, level: int = 1) -> Landmarks:
        """Return the landmarks of the fit.

        If the fit has counted its pairs without coarse-graining, they are those that it would have chosen.

        Parameters
        ----------
        level : int
            As in :meth:`find_landmarks`.

        Returns
        -------
        Landmarks
            Rows that are not on the map have no landmark.

        Raises
        ------
        ValueError
            If there are too few rows for this level.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> landmarks = LVM(max_iter=5).fit(load_iris().data).landmarks()
        >>> bool((landmarks.rows[landmarks.assignment][landmarks.rows] == landmarks.rows).all())
        True
        """
        check_is_fitted(self)
        problem, n = self._solution.problem, len(self.embedding_)
        on_map, coarse = problem.graph.rows, problem.coarse
        if 1 <= level <= coarse.n_levels:
            found = chosen_landmarks(coarse, level)
        else:
            found = find_landmarks(len(on_map), problem.nearest, level, self._generator())
        assignment = np.full(n, -1)
        assignment[on_map] = found.assignment
        return Landmarks(on_map[found.rows], found.represented, assignment)

    def most_neighbors(self, n: int) -> int:
        """Return the largest number of neighbours (k) for n rows.

        Parameters
        ----------
        n : int
            Number of rows.

        Returns
        -------
        int
            A third of the rows.
        """
        return max(1, n // 3)

    @property
    def neighbors_(self) -> Neighbors:
        """The neighbours of each row that the fit found or was given."""
        check_is_fitted(self)
        return self._solution.problem.neighbors

    def is_map_of(self, X: Any) -> bool:
        """Return whether the map was made of this table of numbers, with the metric's default arguments.

        Parameters
        ----------
        X : array-like of shape (n, D)

        Returns
        -------
        bool
            False if there is no map.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=5).fit(load_iris().data)
        >>> lvm.is_map_of(load_iris().data), lvm.is_map_of(load_iris().data + 1)
        (True, False)
        """
        if not hasattr(self, "_inputs") or self.metric_params or self._is_precomputed:
            return False
        table = self._inputs.table
        return isinstance(table, np.ndarray) and np.array_equal(table, np.asarray(X))

    def _read(self, X: Any) -> tuple[Inputs, int, int]:
        """Return the rows of the table, the number of neighbours, and the seed of the samples."""
        table = read_table(X, self, self._is_precomputed)
        size_checks.check_size(table.shape[0], self.n_components)
        k = self._fitting_neighbors(table.shape[0])
        seed = int(self._generator().integers(2**31))
        return read_inputs(table, X, self, neighbors=self.neighbors, k=k, seed=seed), k, seed

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the finished map, which does not move.

        The mean and variance of each row are found by the same EM, independently of the other new rows. A row equal to
        one of the map's rows gets the same position, or NaN if ``connect="largest"`` left that row out.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows; with ``metric="precomputed"``, their distances to the rows of the map. Rows of a dask array are
            placed chunk by chunk, when they are asked for.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions; a dask array for one.
        """
        return self.transform_with_variances(X)[0]

    def transform_with_variances(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Place new rows on the finished map, with the uncertainty of their positions.

        Parameters
        ----------
        X : array-like of shape (m, D)
            As in :meth:`transform`.

        Returns
        -------
        embedding : ndarray of shape (m, n_components)
            Positions of the new rows.
        variances : ndarray of shape (m,)
            Their variances, in squared units of the map.
        """
        table = self._read_new(X)
        problem = self._solution.problem
        is_left_out = self._is_left_out(table)
        if self.metric == "precomputed":
            check_same_kind(table, problem.inputs)
            table = table[:, problem.graph.rows]
        with Workers(self.n_jobs) as workers:
            found = problem.inputs.query(table, problem.settings.n_neighbors)
            embedding, variances = place_points(self._solution.frozen, found, workers)
        embedding[is_left_out], variances[is_left_out] = np.nan, np.nan
        return embedding, variances

    def cell_likelihood(self, row: int) -> CellLikelihood:
        """Return the log-likelihood of one row of the map as a function of its position, all others held fixed.

        Parameters
        ----------
        row : int
            Row number.

        Returns
        -------
        CellLikelihood
            Call it with points of shape (m, n_components).

        Raises
        ------
        ValueError
            If the map has no such row, or ``connect="largest"`` left it out.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=50).fit(load_iris().data)
        >>> here, elsewhere = lvm.cell_likelihood(0)(lvm.embedding_[[0, 100]])
        >>> bool(here > elsewhere)
        True
        """
        check_is_fitted(self)
        found = np.flatnonzero(self._solution.problem.graph.rows == row)
        if not len(found):
            raise ValueError(f"The map has no row {row!r}: it has rows from 0 to {len(self.embedding_) - 1}.")
        return CellLikelihood(self._solution, int(found[0]))

    def coincidence(self, r2: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the probability that pairs coincide on the map at its median length scale, Saul (5).

        Parameters
        ----------
        r2 : ndarray
            Their squared distances on the map.
        variance : ndarray
            The sums of both variances, of a shape that fits.

        Returns
        -------
        ndarray
            From 0 to 1.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=50).fit(load_iris().data)
        >>> near, far = lvm.coincidence(np.array([0.1, 100.0]), np.array(0.1))
        >>> bool(near > far)
        True
        """
        check_is_fitted(self)
        settings, similar = self._solution.problem.settings, self._solution.problem.likelihood.similar
        log_p = log_coincidence(r2, variance, similar.unit**2, settings.degrees_of_freedom, self.n_components)
        return np.asarray(np.exp(log_p))

    def calibrate(self) -> Self:
        """Learn how often pairs of rows are neighbours that coincide with a certain probability.

        The result is kept as ``recalibration_``, and :meth:`neighbor_probability` uses it. There is no second fit: some
        300 rows are placed anew on the finished map, each alone.

        Returns
        -------
        Self
            Itself.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> lvm = LVM(max_iter=50).fit(load_iris().data).calibrate()
        >>> p = lvm.recalibration_.on_map.predict([0.1, 0.9])
        >>> bool(p[0] < p[1])
        True
        """
        for _ in self.iter_calibrate():
            pass
        return self

    def iter_calibrate(self) -> Generator[FitProgress, None, None]:
        """Learn the same as :meth:`calibrate` step by step; closing the generator early leaves nothing behind.

        Yields
        ------
        FitProgress
            Before each lot of rows.
        """
        check_is_fitted(self)
        problem = self._solution.problem
        neighbors = problem.neighbors
        if len(problem.graph.rows) < len(neighbors.indices):
            neighbors = problem.inputs.kneighbors(self.n_neighbors_)
        with Workers(self.n_jobs) as workers:
            found = yield from recalibration(self._solution, neighbors, self.coincidence, workers)
        self.recalibration_ = found

    def neighbor_probability(self, r2: np.ndarray, variance: np.ndarray, *, placed: bool = False) -> np.ndarray:
        """Return how probably the second row of each pair is one of the k nearest of the first in the table.

        It is :meth:`coincidence`, recalibrated. The first call takes :meth:`calibrate` with it.

        Parameters
        ----------
        r2 : ndarray
            Their squared distances on the map.
        variance : ndarray
            The sums of both variances, of a shape that fits.
        placed : bool
            Whether the first rows are new, from :meth:`transform_with_variances`.

        Returns
        -------
        ndarray
            From 0 to 1.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> lvm = LVM().fit(X[::2])
        >>> positions, variances = lvm.transform_with_variances(X[1::2])
        >>> r2 = np.square(positions[:, None] - lvm.embedding_).sum(axis=2)
        >>> p = lvm.neighbor_probability(r2, variances[:, None] + lvm.variances_, placed=True)
        >>> p.shape
        (75, 75)
        >>> bool(abs(p.sum(axis=1).mean() - lvm.n_neighbors_) < 3)
        True
        """
        p = self.coincidence(r2, variance)
        if not hasattr(self, "recalibration_"):
            self.calibrate()
        curve = self.recalibration_.placed if placed else self.recalibration_.on_map
        known = np.isfinite(p)
        out = np.full(p.shape, np.nan)
        out[known] = curve.predict(p[known]) if known.any() else np.nan
        return out

    def _is_left_out(self, table: Any) -> np.ndarray:
        """Return which rows equal one that the fit left out of the map."""
        rows = np.flatnonzero(np.isnan(self.variances_))
        if not len(rows) or sp.issparse(table):
            return np.zeros(table.shape[0], bool)
        given = table[:, rows] if self.metric == "precomputed" else table
        return np.asarray(self._inputs.subset(rows).query(given, 1).distances[:, 0] == 0)

    def restore(self, X: Any, embedding: np.ndarray, variances: np.ndarray, n_iter: int) -> Self:
        """Adopt a map that an equal estimator has made, in order to place new rows on it.

        Only the neighbours are searched again; there are no iterations. :meth:`transform` then gives the same result.

        Parameters
        ----------
        X : array-like of shape (n, D)
            The rows of the map.
        embedding : ndarray of shape (n, n_components)
            ``embedding_`` of that fit, with the same parameters.
        variances : ndarray of shape (n,)
            ``variances_``.
        n_iter : int
            ``n_iter_``.

        Returns
        -------
        Self
            Itself.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid, or the map has other rows or dimensions or is not finite.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> first = LVM(max_iter=5).fit(X[::2])
        >>> again = LVM(max_iter=5).restore(X[::2], first.embedding_, first.variances_, first.n_iter_)
        >>> bool((again.transform(X) == first.transform(X)).all())
        True
        """
        self._check_parameters()
        rng = self._generator()
        with Workers(self.n_jobs) as workers:
            inputs, k, seed = self._read(X)
            if embedding.shape != (len(inputs), self.n_components) or variances.shape != (len(inputs),):
                raise ValueError(
                    f"The map has the shape {embedding.shape}, but X has {len(inputs)} rows and n_components (d) is "
                    f"{self.n_components}. Give the map of these rows."
                )
            problem = result_of(self._pose(inputs, k, rng, seed, workers))
        rows = problem.graph.rows
        if not (np.isfinite(embedding[rows]).all() and (variances[rows] > 0).all()):
            raise ValueError("The map has positions that are not finite, or variances that are not above 0.")
        self._note(X)
        self.n_iter_ = n_iter
        self._keep(inputs, problem, State.known(n_iter, embedding[rows], np.nan, variances[rows]), {})
        return self

    def _keep(self, inputs: Inputs, problem: Problem, state: State, course: dict[int, float]) -> None:
        """Store the state as the result, with NaN for rows that are not on the map."""
        rows, n = problem.graph.rows, len(problem.neighbors.indices)
        self.embedding_ = np.full((n, self.n_components), np.nan)
        self.embedding_[rows] = state.embedding
        self.variances_ = np.full(n, np.nan)
        self.variances_[rows] = state.variances
        self.log_likelihood_iterations_ = np.array(list(course))
        self.log_likelihood_ = np.array(list(course.values()))
        self.n_neighbors_ = problem.settings.n_neighbors
        self.min_neighbors_ = problem.settings.min_neighbors_of(n)
        self.dof_ = problem.settings.degrees_of_freedom
        self.similarity_scale_ = problem.settings.similarity_scale_of(len(problem.graph.rows))
        self.n_levels_ = problem.coarse.n_levels
        self.landmarks_ = rows[problem.coarse.landmarks]
        edges = problem.graph.edges.tocoo()
        self.graph_ = sp.csr_array((edges.data, (rows[edges.row], rows[edges.col])), (n, n))
        self._inputs, self._solution = inputs, Solution(problem, state)
        # That of another map.
        if hasattr(self, "recalibration_"):
            del self.recalibration_

    def _pose(
        self, inputs: Inputs, k: int, rng: np.random.Generator, seed: int, workers: Workers
    ) -> Generator[FitProgress, None, Problem]:
        """Turn rows into a problem, with k neighbours each."""
        return make_problem(replace(Settings.of(self), n_neighbors=k), inputs, rng, seed, workers)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_integer(
            self.likelihood_every, "likelihood_every", "iterations", 0, "0 for the last one only"
        )
        Settings.of(self).check()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
