"""How far a measure has come, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone

from latentmap.generators import result_of
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.state import FitProgress

Step = TypeVar("Step")
Result = TypeVar("Result")


class Stopped(Exception):
    """The callback of a measure has stopped it, so that there is no result."""


@dataclass(frozen=True)
class Progress:
    """How far a measure has come.

    Attributes
    ----------
    stage : str
        What it does now, in words for the user.
    done, total : int
        Steps finished, and steps in all.
    fit : FitProgress or None
        How far the fit has come that is part of this step, if there is one.
    """

    stage: str
    done: int
    total: int
    fit: FitProgress | None = None

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return share_done(self)


def share_done(progress: Any) -> float:
    """Return how much is done, from 0 to 1, with the part of a fit that is under way.

    Parameters
    ----------
    progress : Progress or ChoosingProgress

    Examples
    --------
    >>> from latentmap.quality.progress import Progress, share_done
    >>> share_done(Progress("maps of noise", 1, 4))
    0.25
    """
    fit = progress.fit
    part = fit.iteration / fit.max_iter if fit is not None and fit.max_iter else 0.0
    return float(min(1.0, (progress.done + part) / max(progress.total, 1)))


def finished(steps: Generator[Step, Any, Result], callback: Callable[[Step], Any] | None) -> Result:
    """Exhaust the steps of a measure and return its result; raise Stopped if the callback returns True.

    Parameters
    ----------
    steps : generator
        Yields the progress, and returns the result.
    callback : callable or None
        ``callback(progress)`` is called after each step.
    """

    def tell(progress: Step) -> None:
        if callback is not None and callback(progress):
            raise Stopped("It was stopped before there was a result.")

    return result_of(steps, tell)


def iter_map(
    estimator: BaseEstimator, X: Any, stage: str, done: int, total: int
) -> Generator[Progress, None, np.ndarray]:
    """Return the map that a copy of an estimator makes, as one step of a measure: iteration by iteration if it can."""
    copy = clone(estimator)
    yield Progress(stage, done, total)
    if not hasattr(copy, "iter_fit"):
        return np.asarray(copy.fit_transform(X), float)
    yield from iter_fit(copy, X, stage, done, total)
    return np.asarray(copy.embedding_, float)


def iter_fit(method: IterativeMethod, X: Any, stage: str, done: int, total: int) -> Generator[Progress, None, None]:
    """Fit a method, as one step of a measure."""
    with closing(method.iter_fit(X)) as steps:
        for step in steps:
            yield Progress(stage, done, total, step)
