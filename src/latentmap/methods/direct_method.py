"""Methods without iterations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from typing import Any

import numpy as np

from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.state import FitProgress, State

Solving = Generator[FitProgress, None, tuple[np.ndarray, float]]
"""Yields before each stage, and returns the map and its objective."""


class DirectMethod(IterativeMethod):
    """A method with a single state, the finished map; it can be stopped between its stages."""

    n_components: int

    def iter_fit(self, X: Any, y: Any = None) -> Generator[FitProgress, None, None]:
        """Make the map; see :meth:`latentmap.LVM.iter_fit`.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell; distances if ``metric="precomputed"``.
        y : None
            Ignored.

        Yields
        ------
        FitProgress
            Before each stage, and once with the map, which is iteration 1 of 1.
        """
        self._check_parameters()
        embedding, objective = yield from self._solve(X)
        yield from self._store_states(X, iter([State.known(1, embedding, objective)]), 1, lambda *_: None)

    @abstractmethod
    def _solve(self, X: Any) -> Solving:
        """Compute the map."""


def stage(name: str) -> FitProgress:
    """Return the progress at the start of a stage."""
    return FitProgress(name, 0, 1)
