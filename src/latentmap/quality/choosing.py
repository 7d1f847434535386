"""Choosing parameters of a map, such as k, s, l and d, by what it tells of rows that were held out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import ParameterGrid

from latentmap.extras import require
from latentmap.model.data_warnings import listed
from latentmap.model.inputs import Inputs
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lvm import LVM
from latentmap.model.state import FitProgress
from latentmap.model.validation import read_inputs, read_table
from latentmap.quality.held_out import held_out_scores, true_neighbors
from latentmap.quality.progress import share_done
from latentmap.quality.validation import whole_number

if TYPE_CHECKING:
    import pandas as pd

NEIGHBORS = (5, 10, 15, 20, 30, 50)
"""The numbers of neighbours (k) that are compared unless others are given."""
_SIMPLEST_FIRST = ("n_components", "n_levels", "n_steps", "n_neighbors")

Candidate = dict[str, Any]


@dataclass(frozen=True)
class ChoosingProgress:
    """How far a choice has come.

    Attributes
    ----------
    done, total : int
        Fits finished, and fits in all.
    fold : int
        The lot of rows that is held out, from 1.
    candidate : dict of str to object
        The parameters of the fit under way.
    fit : FitProgress or None
        How far that fit has come; None once its map is scored.
    """

    done: int
    total: int
    fold: int
    candidate: Candidate
    fit: FitProgress | None = None

    @property
    def stage(self) -> str:
        """What it does now, in words."""
        return f"{_words(self.candidate)}, lot {self.fold}"

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return share_done(self)


@dataclass(frozen=True, eq=False)
class Choice:
    """Candidates with their scores, and which to take.

    Attributes
    ----------
    table : DataFrame
        One row for each candidate, in the order in which they were given: its parameters; its ``score``, which is
        :func:`latentmap.quality.neighbor_log_score` among all rows; the ``standard_error`` over the lots of rows held
        out; how far it is ``behind`` the best, and the standard error of that, ``behind_error``; and
        ``principal_components``, the score of as many principal components as the map has dimensions. ``plot`` draws
        it: ``choice.table.plot(x="n_neighbors", y="score", yerr="standard_error")``.
    best : dict of str to object
        The parameters with the highest score.
    simplest : dict of str to object
        The first of the candidates no further behind the best than one standard error: that with the fewest
        dimensions, and then with the values that come first in the lists given.
    n_folds : int
        Lots of rows that all of these candidates have been judged by.
    n_true : int
        True neighbours of each row held out.
    stopped : bool
        Whether the user ended it before all fits were done.
    """

    table: pd.DataFrame
    best: Candidate
    simplest: Candidate
    n_folds: int
    n_true: int
    stopped: bool

    @property
    def sentence(self) -> str:
        """What came of it, in words."""
        top = self.table.iloc[int(self.table["score"].to_numpy().argmax())]
        said = f"The best of {len(self.table)} candidates is {_words(self.best)}: "
        said += f"{top['score']:.2f} nats above a guess."
        if self.simplest != self.best:
            said += f" {_words(self.simplest)} is no further behind than one standard error."
        if top["score"] <= 2 * np.nan_to_num(top["standard_error"]):
            said += " No map tells the neighbours of new rows better than a guess."
        elif np.isfinite(top["principal_components"]) and top["score"] < top["principal_components"]:
            said += f" As many principal components tell more: {top['principal_components']:.2f}."
        if self.stopped:
            said += f" It was stopped after {self.n_folds} of the lots of rows to hold out."
        return said


def choose(
    X: Any,
    candidates: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
    *,
    estimator: IterativeMethod | None = None,
    n_folds: int = 5,
    held_out: int = 500,
    n_true: int = 10,
    random_state: int = 0,
    callback: Callable[[ChoosingProgress], Any] | None = None,
) -> Choice:
    """Choose k, s, l, d or other parameters by how well the map places rows that it was not made of.

    Some rows are held out, a map is made of the others, and the rows held out are placed on it. The score is the mean
    log probability that the map gives to the true neighbours of these rows among all rows. It is comparable across all
    parameters and methods, which the likelihood is not: that changes its meaning with k and d.

    Parameters
    ----------
    X : array-like of shape (n, D)
        One row for each cell, prepared as for :meth:`latentmap.LVM.fit`; distances if ``metric="precomputed"``.
    candidates : mapping of str to sequence, or several, optional
        The values of each parameter, as in scikit-learn's ``GridSearchCV``, from simple to complex; all combinations
        are tried. By default several ``n_neighbors`` (k).
    estimator : IterativeMethod, optional
        With the other parameters, and a ``transform``; by default :class:`latentmap.LVM`.
    n_folds : int
        Lots of rows, which are held out one after the other. Each candidate is fitted this many times.
    held_out : int
        Rows of each lot, at most n / ``n_folds``.
    n_true : int
        True neighbours of each row held out, for all candidates the same. Few ask for small neighbourhoods.
    random_state : int
        Draws the lots.
    callback : callable, optional
        ``callback(progress)`` is called in each iteration of each fit, with a :class:`ChoosingProgress`. If it returns
        True, the choice is made from the lots that all candidates have been judged by.

    Returns
    -------
    Choice

    Raises
    ------
    ValueError
        If the data or a parameter is invalid, the estimator cannot place new rows or leaves rows out of its map, or
        the choice is stopped before there is a score.

    Notes
    -----
    The probability that row j is a neighbour of row i is proportional to (1 + r² / w²)^-a, with r their distance on
    the map. w and a are found for each map, from half of the rows held out, and applied to the other half.

    A map of more dimensions can keep more neighbours: a higher score for d = 3 than for d = 2 says that the data have
    more than two dimensions, not that a plot should.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> choice = choose(load_iris().data, {"n_neighbors": [5, 15, 40]}, estimator=LVM(max_iter=30), n_folds=2)
    >>> list(choice.table["n_neighbors"])
    [5, 15, 40]
    >>> lvm = LVM(**choice.best).fit(load_iris().data)
    """
    steps = iter_choose(
        X,
        candidates,
        estimator=estimator,
        n_folds=n_folds,
        held_out=held_out,
        n_true=n_true,
        random_state=random_state,
    )
    send: bool | None = None
    with closing(steps):
        while True:
            try:
                progress = steps.send(send)
            except StopIteration as end:
                choice: Choice = end.value
                return choice
            send = bool(callback is not None and callback(progress))


def iter_choose(
    X: Any,
    candidates: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
    *,
    estimator: IterativeMethod | None = None,
    n_folds: int = 5,
    held_out: int = 500,
    n_true: int = 10,
    random_state: int = 0,
) -> Generator[ChoosingProgress, bool | None, Choice]:
    """Choose parameters step by step, as :func:`choose` does.

    Yields
    ------
    ChoosingProgress
        In each iteration of each fit; True sent to the generator ends it.

    Returns
    -------
    Choice
    """
    require("The table of a choice", "table", "pandas")
    estimator = LVM() if estimator is None else estimator
    whole = read_inputs(read_table(X, estimator, _is_precomputed(estimator)), X, estimator)
    lots = _lots(len(whole), n_folds, held_out, random_state)
    asked = _checked_candidates(candidates, estimator, len(whole) - len(lots[0]))
    neighbors = [true_neighbors(whole, lot, n_true) for lot in lots]
    scores = np.full((n_folds, len(asked)), np.nan)
    straight: dict[tuple[int, int], float] = {}
    stopped = False
    for fold, (lot, true) in enumerate(zip(lots, neighbors, strict=True)):
        judge = _Judge(whole, estimator, lot, true)
        for place, candidate in enumerate(asked):
            fitted = clone(estimator).set_params(**candidate)
            done = fold * len(asked) + place
            with closing(fitted.iter_fit(judge.rest)) as steps:
                for step in steps:
                    stopped = bool((yield ChoosingProgress(done, scores.size, fold + 1, candidate, step)))
                    if stopped:
                        return _choice(asked, scores, straight, n_true, stopped)
            scores[fold, place] = judge.score(fitted)
            d = fitted.embedding_.shape[1]
            if (fold, d) not in straight:
                straight[fold, d] = judge.score_of_components(d)
            stopped = bool((yield ChoosingProgress(done + 1, scores.size, fold + 1, candidate)))
            if stopped and done + 1 < scores.size:
                return _choice(asked, scores, straight, n_true, stopped)
    return _choice(asked, scores, straight, n_true, False)


class _Judge:
    """Some rows that are held out, the rest, and the score of maps of the rest."""

    def __init__(self, whole: Inputs, estimator: IterativeMethod, lot: np.ndarray, true: np.ndarray) -> None:
        table, self._lot, self._true, self._n = whole.table, lot, true, len(whole)
        self._others = np.setdiff1d(np.arange(self._n), lot)
        rest, self._new = table[self._others], table[lot]
        if _is_precomputed(estimator):
            rest, self._new = rest[:, self._others], self._new[:, self._others]
        # One search of neighbours serves all candidates.
        self.rest = read_inputs(rest, None, estimator, neighbors="auto")
        self._has_columns = not _is_precomputed(estimator) and rest.ndim == 2

    def score(self, fitted: Any) -> float:
        """Return the score of a fitted estimator."""
        return self._of(fitted.embedding_, fitted.transform(self._new))

    def score_of_components(self, d: int) -> float:
        """Return the score of d principal components; NaN if the rows have no columns."""
        rest = self.rest.table
        if not self._has_columns or d > min(rest.shape):
            return np.nan
        components = PCA(d, svd_solver="full" if rest.shape[1] <= 500 else "randomized", random_state=0)
        return self._of(components.fit_transform(rest), components.transform(self._new))

    def _of(self, embedding: np.ndarray, placed: np.ndarray) -> float:
        positions = np.empty((self._n, embedding.shape[1]))
        positions[self._others], positions[self._lot] = embedding, placed
        if not np.isfinite(positions).all():
            raise ValueError(
                "The map leaves rows out, so that candidates cannot be compared on the same rows. Set connect to "
                '"bridge", or remove these rows first.'
            )
        return float(held_out_scores(positions, self._lot, self._true).mean())


def _is_precomputed(estimator: IterativeMethod) -> bool:
    return estimator._is_precomputed


def _checked_candidates(candidates: Any, estimator: IterativeMethod, n: int) -> list[Candidate]:
    if not hasattr(estimator, "transform"):
        raise ValueError(
            f"{type(estimator).__name__} places no new rows, so none can be held out. Choose a method with transform."
        )
    known = estimator.get_params(deep=False)
    if candidates is None:
        if "n_neighbors" not in known:
            raise ValueError(f"Say which parameters of {type(estimator).__name__} to choose, such as n_components.")
        candidates = {"n_neighbors": [k for k in NEIGHBORS if k <= n // 3] or [max(1, n // 3)]}
    try:
        asked = [dict(candidate) for candidate in ParameterGrid(candidates)]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f'The candidates are {candidates!r}; give the values of each parameter in a list, such as {{"n_neighbors": '
            "[10, 20]}."
        ) from error
    if unknown := sorted({name for candidate in asked for name in candidate} - known.keys()):
        raise ValueError(f"{type(estimator).__name__} has no parameter {listed(unknown)}; it has {listed([*known])}.")
    if not asked:
        raise ValueError("There are no candidates: give at least one value of each parameter.")
    values: dict[str, list[Any]] = {}
    for grid in [candidates] if isinstance(candidates, Mapping) else candidates:
        for name in grid:
            values.setdefault(name, []).extend(grid[name])
    first = [name for name in _SIMPLEST_FIRST if name in values]
    names = [*first, *(name for name in values if name not in first)]
    return sorted(asked, key=lambda one: [values[name].index(one[name]) if name in one else -1 for name in names])


def _lots(n: int, n_folds: int, held_out: int, random_state: int) -> list[np.ndarray]:
    """Rows to be held out, one lot after the other."""
    n_folds = whole_number(n_folds, "n_folds", max(2, n // 4), f"each lot needs four of the {n} rows")
    if n_folds < 2:
        raise ValueError("n_folds must be at least 2: a standard error needs two lots of rows.")
    size = min(whole_number(held_out, "held_out"), n // n_folds)
    order = np.random.default_rng(random_state).permutation(n)
    return [np.sort(order[fold * size : (fold + 1) * size]) for fold in range(n_folds)]


def _choice(
    asked: list[Candidate], scores: np.ndarray, straight: dict[tuple[int, int], float], n_true: int, stopped: bool
) -> Choice:
    import pandas as pd

    # Scores of other rows are not comparable: only lots count by which all candidates were judged.
    whole = int(np.isfinite(scores).all(axis=1).sum())
    if whole == 0:
        done = np.isfinite(scores[0])
        if not done.any():
            raise ValueError("The choice was stopped before there was a score.")
        asked, scores, whole = [one for one, is_done in zip(asked, done, strict=True) if is_done], scores[:1, done], 1
    scores = scores[:whole]
    means = scores.mean(axis=0)
    best = int(means.argmax())
    behind = scores[:, [best]] - scores
    table = pd.DataFrame(asked)
    table["score"], table["standard_error"] = means, _standard_errors(scores)
    table["behind"], table["behind_error"] = behind.mean(axis=0), _standard_errors(behind)
    # A parameter that the candidates do not name is the same in all of them.
    ds = [one.get("n_components", next(iter(straight))[1]) for one in asked]
    table["principal_components"] = [np.mean([straight[fold, d] for fold in range(whole)]) for d in ds]
    near = behind.mean(axis=0) <= np.nan_to_num(_standard_errors(scores)[best])
    return Choice(table, asked[best], asked[int(np.flatnonzero(near)[0])], whole, n_true, stopped)


def _standard_errors(values: np.ndarray) -> np.ndarray:
    n = len(values)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(n)) if n > 1 else np.full(values.shape[1], np.nan)


def _words(candidate: Candidate) -> str:
    return ", ".join(f"{name} = {value}" for name, value in candidate.items())
