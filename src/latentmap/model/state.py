"""The map after some iterations, and how far a fit has come: what every solver yields, and all that its users see."""

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
        mu: where each input lies on the map.
    variances : ndarray of shape (n,)
        sigma^2: how uncertain its place is; NaN if the method does not say.
    beside : object
        What the method has come to beside the map, for itself: a fit that is interrupted keeps what belongs together.
    """

    iteration: int
    embedding: np.ndarray
    variances: np.ndarray
    _objective: Callable[[np.ndarray, np.ndarray], float] = field(repr=False)
    beside: Any = field(default=None, repr=False)

    @classmethod
    def known(
        cls,
        iteration: int,
        embedding: np.ndarray,
        objective: float,
        variances: np.ndarray | None = None,
        beside: Any = None,
    ) -> State:
        """Return a state whose objective is known already.

        Parameters
        ----------
        iteration : int
            Iterations done.
        embedding : ndarray of shape (n, d)
            The map.
        objective : float
            What the method raises or lowers.
        variances : ndarray of shape (n,), optional
            How uncertain the places are.
        beside : object, optional
            What the method has come to beside the map.

        Returns
        -------
        State
        """
        unknown = np.full(len(embedding), np.nan)
        state = cls(iteration, embedding, unknown if variances is None else variances, lambda *_: objective, beside)
        vars(state)["objective"] = float(objective)
        return state

    @property
    def known_objective(self) -> float | None:
        """The objective, if it has been computed already."""
        return vars(self).get("objective")

    @cached_property
    def objective(self) -> float:
        """What the method raises or lowers; computed when it is first asked for."""
        return self._objective(self.embedding, self.variances)

    @property
    def log_likelihood(self) -> float:
        """The objective of :class:`latentmap.LVM`: the log-likelihood, Saul (6)."""
        return self.objective


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a fit has come.

    Attributes
    ----------
    stage : str
        What is being done: "neighbours", "graph", "coarse-graining", "start" or "embedding".
    iteration, max_iter : int
        Iterations done and allowed.
    state : State or None
        The map so far, once there is one.
    """

    stage: str
    iteration: int
    max_iter: int
    state: State | None = None
