"""The base of all methods: a fit is a generator of states that everything else drives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from latentmap.model import map_checks, parameter_checks, size_checks
from latentmap.model.custom_metric import read_objects
from latentmap.model.data_warnings import warn_user
from latentmap.model.fit_tasks import CallbackSupportMixin, FitTasks, with_callbacks
from latentmap.model.inputs import Inputs
from latentmap.model.interruptions import interrupted_once, uninterrupted
from latentmap.model.row_precision import keeps_precision
from latentmap.model.shown_progress import shown
from latentmap.model.state import FitProgress, State
from latentmap.model.validation import read_table

# Shared parameters: their symbols in the papers, and their meanings.
_COUNTS = {
    "n_neighbors": ("k", "the neighbours of each row"),
    "n_components": ("d", "the dimensions of the map"),
    "max_iter": ("iterations", "the number of iterations"),
}

# A map that has shrunk to this fraction of its first width is a single point.
_COLLAPSED = 1e-6


# scikit-learn has no types.
class IterativeMethod(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator whose fit is a generator of states.

    Each method has a ``title`` and a name of its objective, ``objective_name``, for display.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map, after a fit.
    """

    title: ClassVar[str]
    objective_name: ClassVar[str] = "cost"

    embedding_: np.ndarray
    n_iter_: int
    n_neighbors: int
    random_state: Any
    callback: Callable[[State], Any] | None
    verbose: bool = False

    @abstractmethod
    def iter_fit(self, X: Any, y: Any = None) -> Generator[FitProgress, None, None]:
        """Make the map, step by step; closing the generator early keeps the last state as the result."""

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the map.

        From scikit-learn 1.9 on, ``set_callbacks`` takes its callbacks, to which each iteration is a task.

        Parameters
        ----------
        X : array-like of shape (n, D), or Inputs
            One row for each cell; distances if ``metric="precomputed"``; n words or other objects, in a list or an
            array, where ``metric`` is a function of two of them. Inputs from
            :func:`latentmap.model.validation.read_inputs` are not checked again, and several fits share their
            neighbours.
        y : object, optional
            What else the method learns from; most methods ignore it.

        Returns
        -------
        Self
            Itself.
        """
        tasks = FitTasks(self, X, y)
        with closing(self.iter_fit(X, y)) as fitting:
            steps = interrupted_once(fitting)
            for progress in shown(steps, self.title) if self.verbose else steps:
                stops = tasks.follow(progress)
                if self.callback is not None and progress.state is not None and self.callback(progress.state):
                    stops = True
                if stops:
                    break
        tasks.end()
        return self

    @keeps_precision
    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Make the map and return it.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.
        y : object, optional
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n, n_components)
            The map, in single precision if X is.
        """
        return self.fit(X, y).embedding_

    def _store_states(
        self,
        X: Any,
        states: Iterator[State],
        max_iter: int,
        keep: Callable[[State, dict[int, float]], None],
        every: int = 0,
    ) -> Generator[FitProgress, None, None]:
        """Yield one state after the other; the last is the result, also if the fit is stopped or fails.

        Parameters
        ----------
        X : array-like of shape (n, D)
            What the fit was given.
        states : iterator of State
            Computed only when requested.
        max_iter : int
            Maximum number of iterations.
        keep : callable
            ``keep(state, course)`` stores the other results, given the last state and the objective by iteration: where
            it was known, every ``every`` iterations, and at the last unless interrupted. It may be called twice.
        every : int, optional
            0 if the objective is not to be computed for the course alone.

        Yields
        ------
        FitProgress
            One for each state.
        """
        state: State | None = None
        course: dict[int, float] = {}
        first = 0.0

        def kept() -> None:
            if state is not None:
                with uninterrupted():
                    if state.known_objective is not None:
                        course[state.iteration] = state.known_objective
                    self.embedding_, self.n_iter_ = state.embedding, state.iteration
                    keep(state, course)
                    self._note(X)

        try:
            for latest in states:
                map_checks.check_placed(latest.embedding, self.title, latest.iteration)
                state, first = latest, first or _width(latest.embedding)
                if state.known_objective is not None or (every and state.iteration % every == 0):
                    course[state.iteration] = state.objective
                yield FitProgress("embedding", state.iteration, max_iter, state, kept)
        except GeneratorExit:
            pass
        except BaseException:
            # After an interruption, do not compute the objective, which may take as long as an iteration.
            kept()
            raise
        # The map comes first, since an interruption may occur here too.
        kept()
        if state is not None and state.iteration not in course:
            course[state.iteration] = state.objective
            kept()
        if state is not None:
            _warn_if_collapsed(state.embedding, first)

    def most_neighbors(self, n: int) -> int:
        """Return the largest number of neighbours (k) for n rows.

        If all rows were neighbours, no map could distinguish near from far.

        Parameters
        ----------
        n : int
            Number of rows.

        Returns
        -------
        int
            Half of the rows.
        """
        return max(1, n // 2)

    def _fitting_neighbors(self, n: int) -> int:
        """Return the number of neighbours of each of n rows."""
        return size_checks.fitting_neighbors(n, self.n_neighbors, self.most_neighbors(n))

    def _note(self, X: Any) -> None:
        """Store what new rows are checked against: the columns of the table and its largest number."""
        X = X.table if isinstance(X, Inputs) else X
        validate_data(self, X, skip_check_array=True)
        self._of_objects = read_objects(X) is not None
        if self._of_objects:
            return
        numbers = sp.csr_array(X).data if sp.issparse(X) else np.asarray(X)
        self._largest = max(float(numbers.max()), -float(numbers.min())) if numbers.size else 0.0

    def remarks(self) -> list[str]:
        """Return remarks on the fitted map.

        Returns
        -------
        list of str
            Sentences for the user; usually none.
        """
        return []

    def _check_parameters(self) -> None:
        """Raise unless the parameters are valid; here, those that many methods share."""
        parameter_checks.check_callback(getattr(self, "callback", None))
        parameter_checks.check_flag(self.verbose, "verbose", "whether fit shows its progress")
        parameter_checks.check_jobs(getattr(self, "n_jobs", None))
        parameter_checks.check_random_state(getattr(self, "random_state", None))
        for name, (symbol, meaning) in _COUNTS.items():
            if hasattr(self, name):
                parameter_checks.check_integer(getattr(self, name), name, symbol, 1, meaning)
        if hasattr(self, "tol"):
            meaning = f"the change of the {self.objective_name} at which to stop"
            parameter_checks.check_real(self.tol, "tol", meaning, lambda value: value >= 0, "from 0")
        if hasattr(self, "held_out"):
            meaning = "the fraction held out of learning"
            parameter_checks.check_real(
                self.held_out, "held_out", meaning, lambda value: 0 <= value < 1, "from 0 to below 1"
            )
        if getattr(self, "width", "auto") != "auto":
            meaning = "sigma of the Gaussians"
            parameter_checks.check_real(
                self.width, "width", meaning, lambda value: 0 < value < np.inf, 'above 0, or "auto"'
            )

    def _generator(self) -> np.random.Generator:
        """Return the generator that ``random_state`` stands for."""
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(2**31))
        return np.random.default_rng(self.random_state)

    def _read_new(self, X: Any) -> Any:
        """Return new rows as a table, or raise unless there is a map with the same columns."""
        check_is_fitted(self, "embedding_")
        table = read_table(X, self, self._is_precomputed)
        if (table.ndim == 1) != self._of_objects:
            first, second = ("words or other objects", "rows of numbers")[:: 1 if self._of_objects else -1]
            raise ValueError(f"The map was made from {first}, but X holds {second}. Give the same kind of rows.")
        validate_data(self, X, reset=False, skip_check_array=True)
        if not self._of_objects:
            map_checks.check_not_too_far(table, self._largest)
        return table

    @property
    def _is_precomputed(self) -> bool:
        metric = getattr(self, "metric", None)
        return isinstance(metric, str) and metric == "precomputed"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._is_precomputed
        tags.input_tags.sparse = not self._is_precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _width(embedding: np.ndarray) -> float:
    return float(np.ptp(embedding, axis=0).max(initial=0.0))


def _warn_if_collapsed(embedding: np.ndarray, first: float) -> None:
    """Warn if all rows have converged to one point."""
    width = _width(embedding)
    if width <= max(_COLLAPSED * first, np.finfo(float).eps * np.abs(embedding).max(initial=0.0)):
        began = f", down from {first:.1g} at the start" if first > width else ""
        warn_user(
            f"The map has collapsed: all {len(embedding)} rows lie at one point, since its width is "
            f"{width:.1g}{began}. The method found nothing that distinguishes the rows, as in noise. Try other "
            "columns, another number of neighbours (k) if the method has one, or another method."
        )
