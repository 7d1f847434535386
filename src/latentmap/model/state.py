"""The map after some iterations, and the progress of a fit: what every solver yields to its users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class State:
    """The map after some iterations.

    Attributes
    ----------
    iteration : int
        Iterations done.
    embedding : ndarray of shape (n, d)
        mu: the position of each input on the map.
    variances : ndarray of shape (n,)
        sigma^2: how uncertain each position is; NaN if the method does not estimate it.
    learned : object
        What else the method has learned, so that an interrupted fit keeps a consistent whole.
    """

    iteration: int
    embedding: np.ndarray
    variances: np.ndarray
    _objective: Callable[[np.ndarray, np.ndarray], float] = field(repr=False)
    learned: Any = field(default=None, repr=False)

    @classmethod
    def known(
        cls,
        iteration: int,
        embedding: np.ndarray,
        objective: float,
        variances: np.ndarray | None = None,
        learned: Any = None,
    ) -> State:
        """Return a state with a known objective.

        Parameters
        ----------
        iteration : int
            Iterations done.
        embedding : ndarray of shape (n, d)
            The map.
        objective : float
            What the method maximises or minimises.
        variances : ndarray of shape (n,), optional
            How uncertain the positions are; NaN by default.
        learned : object, optional
            What else the method has learned.

        Returns
        -------
        State
            Its objective is never computed again.
        """
        unknown = np.full(len(embedding), np.nan)
        state = cls(iteration, embedding, unknown if variances is None else variances, lambda *_: objective, learned)
        vars(state)["objective"] = float(objective)
        return state

    @property
    def known_objective(self) -> float | None:
        """The objective, or None if it has not been computed yet."""
        return vars(self).get("objective")

    @cached_property
    def objective(self) -> float:
        """What the method maximises or minimises; computed on first access."""
        return self._objective(self.embedding, self.variances)

    @property
    def log_likelihood(self) -> float:
        """The objective of :class:`latentmap.LVM`: the log-likelihood, Saul (6)."""
        return self.objective


@dataclass(frozen=True, eq=False)
class FitProgress:
    """The progress of a fit.

    Attributes
    ----------
    stage : str
        The current stage: "neighbours", "graph", "coarse-graining", "start" or "embedding".
    iteration, max_iter : int
        Iterations done, and their maximum number.
    state : State or None
        The map so far, if there is one yet.
    keep : callable
        Stores this map as the estimator's result, as if the fit were stopped here.
    """

    stage: str
    iteration: int
    max_iter: int
    state: State | None = None
    keep: Callable[[], None] = field(default=lambda: None, repr=False)
