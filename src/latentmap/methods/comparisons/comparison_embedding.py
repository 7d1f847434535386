"""Maps learned from comparisons of cells, guided by their features."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
from sklearn.utils import Tags

from latentmap.methods.comparisons.comparisons import Comparisons
from latentmap.methods.comparisons.cost import ComparisonCost
from latentmap.methods.comparisons.feature_positions import FeaturePositions
from latentmap.methods.descent import QuasiNewton, descend
from latentmap.methods.training_rows import keep_training_positions
from latentmap.model import parameter_checks, size_checks
from latentmap.model.data_warnings import warn_user
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import FitProgress, State
from latentmap.model.thread_limits import limit_threads, limit_threads_in_steps
from latentmap.model.validation import read_inputs, read_table

# The cost of a displacement by one unit at a feature weight of one half: a tenth of that of a unit Gaussian.
_STIFFNESS = 0.1
# The least cost, without which comparisons that can all hold would expand the map for ever.
_LOOSEST = 0.01
# The smallest 1 - w for a feature weight w, for which nothing visibly moves on the map.
_RIGID = 1e-9
# The variance of a cell's own displacement, relative to that of the displacement it shares with similar cells.
_OWN = 0.1
# With fewer comparisons none is held out, since too few would be held out to be informative.
_FEWEST_TO_HOLD_OUT = 20


class ComparisonEmbedding(IterativeMethod):
    """A map on which cells that a person considers alike lie nearer than those considered less alike.

    It learns from comparisons: pairs that are similar or dissimilar, triplets (row i is more like j than k) and
    quadruplets (i is more like j than u is like v). Since comparisons are few and cells many, the map starts from the
    first principal components of the features, and a comparison also moves cells with similar features.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions (d) of the map.
    feature_weight : float, default=0.5
        Weight of the features, from 0 to 1. With 0 only the comparisons are used, and cells without comparisons lie at
        the centre of the map. With 1 the map is the principal components, whatever the comparisons.
    dof : float, default=1.0
        Degrees of freedom of the Student kernel of the comparisons; infinity is the Gaussian. Heavy tails tolerate a
        few wrong comparisons, and did best on digits. Without features and contradictions, as with distances between
        cities, infinity satisfies more comparisons.
    held_out : float, default=0.2
        The fraction of the comparisons that is held out to evaluate the map, from 0 to below 1. If there are fewer than
        20 comparisons, none is held out.
    max_iter : int, default=300
        Maximum number of iterations.
    tol : float, default=1e-5
        Stop when the cost falls by less than this fraction of itself.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the comparisons held out, the landmarks, and the start if the features have no weight.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map. Its unit is the median distance of two rows on the map of the features alone.
    accuracy_ : float
        The fraction of the learned comparisons with which the map agrees.
    held_out_accuracy_ : float
        The same for those held out, one half by chance; NaN if there are none.
    cost_ : float
        The cost at the end.
    costs_ : ndarray
        The cost after each iteration; it never rises.
    n_iter_ : int
        Iterations done.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data, the comparisons or a parameter is invalid; the message says what to change.

    Notes
    -----
    The map is Y = Y0 + Phi B + sqrt(0.1) V: principal components, smooth functions of the features (a Gaussian kernel
    as wide as half the median distance of two rows, by the Nystrom method), and a displacement of each cell that
    appears in a comparison. Phi has at most 500 columns: 400 MB for 100 000 rows. The cost is the negative
    log-likelihood of the comparisons plus ``max(0.01, 0.1 w / (1 - w)) (|B|^2 + |V|^2) / 2`` for a feature weight of w:
    B and V have a Gaussian prior, under which the displacements of two cells are as similar as their features. With
    w = 0 the map is V alone, from a random start.

    References
    ----------
    van der Maaten and Weinberger, "Stochastic triplet embedding", MLSP 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> method = ComparisonEmbedding()
    >>> method.fit_transform(load_iris().data, [[0, 1, 100], [60, 70, 110], [120, 130, 65]]).shape
    (150, 2)
    >>> method.accuracy_
    1.0
    """

    title = "Comparisons of cells"

    def __init__(
        self,
        n_components: int = 2,
        *,
        feature_weight: float = 0.5,
        dof: float = 1.0,
        held_out: float = 0.2,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = 0,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.feature_weight = feature_weight
        self.dof = dof
        self.held_out = held_out
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def iter_fit(self, X: Any, y: Any = None) -> Generator[FitProgress, None, None]:
        """Make the map, step by step; see :meth:`latentmap.LVM.iter_fit`.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell.
        y : Comparisons, array-like of int of shape (m, 3) or (m, 4), or array-like of shape (n,)
            The comparisons: triplets or quadruplets of row numbers, or pairs by ``Comparisons.from_pairs``. Or the
            class of each row, from which comparisons are drawn.

        Yields
        ------
        FitProgress
            Before each stage, and after each iteration.
        """
        self._check_parameters()
        table = read_table(X, self, precomputed=False)
        size_checks.check_size(len(table), self.n_components)
        inputs = read_inputs(table, X, self)
        rng = self._generator()
        said = Comparisons.read(y, len(table), seed=int(self._generator().integers(2**31)))
        yield FitProgress("start", 0, self.max_iter)
        order = rng.permutation(len(said))
        n_held_out = int(self.held_out * len(said)) if len(said) >= _FEWEST_TO_HOLD_OUT else 0
        learned, kept_back = said.take(order[n_held_out:]), said.take(order[:n_held_out])
        with limit_threads(1, "blas"):
            bending = _SmoothDeformation(table, learned, self, rng)

        def keep(state: State, course: dict[int, float]) -> None:
            self.costs_, self.cost_ = np.array(list(course.values())), course[state.iteration]
            self.accuracy_, self.held_out_accuracy_ = (one.accuracy(state.embedding) for one in (learned, kept_back))
            self._features, self._bends, self._inputs = bending.features, state.learned, inputs

        states = limit_threads_in_steps(bending.states(self.max_iter, self.tol))
        yield from self._store_states(X, states, self.max_iter, keep)

    def remarks(self) -> list[str]:
        """Return how many comparisons the map agrees with, among the learned ones and those held out."""
        said = f"The map agrees with {self.accuracy_:.0%} of the comparisons that it learned from"
        if np.isnan(self.held_out_accuracy_):
            hint = f"; from {_FEWEST_TO_HOLD_OUT} on, some are held out to test it" if self.held_out else ""
            return [f"{said}{hint}."]
        return [f"{said}, and with {self.held_out_accuracy_:.0%} of those held out; half would be chance."]

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows by their features, including what the comparisons have changed.

        The rows named in comparisons also have displacements of their own, which new rows lack. A row equal to one of
        the map's rows gets the same position.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions.

        Raises
        ------
        ValueError
            If ``feature_weight`` was 0, so that the features were not used.
        """
        table = self._read_new(X)
        if self._features is None:
            raise ValueError(
                "The map was made with feature_weight=0, from comparisons alone, which say nothing about new rows. "
                "Make it again with a feature_weight above 0."
            )
        with limit_threads(1, "blas"):
            placed = self._features.start(table) + self._features.basis(table) @ self._bends
        return keep_training_positions(placed, self._inputs.query(table, 1), self.embedding_)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        meaning = "the weight of the features"
        parameter_checks.check_real(
            self.feature_weight, "feature_weight", meaning, lambda value: 0 <= value <= 1, "from 0 to 1"
        )
        parameter_checks.check_real(self.dof, "dof", "the degrees of freedom", lambda value: value > 0, "above 0")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class _SmoothDeformation:
    """A map as a start plus displacements, and their cost; ``features`` is None if their weight is 0."""

    def __init__(
        self, table: np.ndarray, said: Comparisons, estimator: ComparisonEmbedding, rng: np.random.Generator
    ) -> None:
        n, d, weight = len(table), estimator.n_components, estimator.feature_weight
        self._named = said.rows()
        m = len(self._named)
        self._likelihood = ComparisonCost(said.among(self._named), m, estimator.dof)
        if weight == 0:
            if m < n:
                warn_user(
                    f"The learned comparisons name {m} of {n} rows. With feature_weight=0 nothing is known about the "
                    "others, and they lie at the centre of the map. Leave them out, or raise feature_weight."
                )
            self.features, self._stiffness, self._at = None, _LOOSEST, np.zeros((n, d))
            self._basis, own = np.empty((n, 0)), 1.0
            self._start = rng.standard_normal((m, d))
        else:
            self.features = FeaturePositions(table, d, rng)
            self._stiffness = max(_LOOSEST, _STIFFNESS * weight / max(1 - weight, _RIGID))
            self._at, self._basis, own = self.features.start(table), self.features.basis(table), _OWN
            self._start = np.zeros((self._basis.shape[1] + m, d))
        self._own = np.sqrt(own)
        self._shared = self._basis[self._named]

    def states(self, max_iter: int, tol: float) -> Iterator[State]:
        """Yield the map and the shared displacements B as their cost falls."""
        for iteration, now in enumerate(descend(self._cost, self._start, QuasiNewton(), max_iter=max_iter, tol=tol)):
            r = self._basis.shape[1]
            bends = now.points[:r]
            embedding = self._at + self._basis @ bends
            embedding[self._named] += self._own * now.points[r:]
            yield State.known(iteration, embedding, now.cost, learned=bends)

    def _cost(self, points: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the cost of displacements, the shared ones followed by the cells' own, and its gradient."""
        r = self._shared.shape[1]
        named = self._at[self._named] + self._shared @ points[:r] + self._own * points[r:]
        value, gradient = self._likelihood.cost(named)
        slopes = np.vstack([self._shared.T @ gradient, self._own * gradient]) + self._stiffness * points
        return value + self._stiffness / 2 * float(np.square(points).sum()), slopes
