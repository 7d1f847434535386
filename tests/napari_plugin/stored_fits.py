"""The fit of one table, made once for all tests that need a map, whichever."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from unittest.mock import patch

import joblib

from latentmap import LVM

# Seconds in which the window can draw a map that moves, as it does while a fit is made.
_DRAWN = 0.005
ITER_FIT = LVM.iter_fit
"""The model's own, whatever a test has in its place."""


class StoredFits:
    """Has the model hand over again what it has made of the same table with the same parameters.

    Everything else of a run is as ever: its thread, its table, its neighbours, its quality, what the panel shows of it.
    Of the states those are handed over that a stage begins with, that tell the objective, and the last.
    """

    def __init__(self):
        self._fits = {}

    @contextmanager
    def used(self) -> Iterator[None]:
        """Within this, no fit is made twice."""
        with patch.object(LVM, "iter_fit", self.replay()):
            yield

    def replay(self):
        """Return what takes the place of ``LVM.iter_fit``."""
        return lambda model, X, y=None: self._iter_fit(model, X)

    def _iter_fit(self, model, X):
        key = joblib.hash((X, model.get_params()))
        if key not in self._fits:
            steps = []
            for step in ITER_FIT(model, X):
                if not steps or steps[-1].stage != step.stage or _tells(steps[-1]):
                    steps.append(step)
                else:
                    steps[-1] = step
                yield step
            self._fits[key] = deepcopy((steps, vars(model)))
            return
        steps, fitted = deepcopy(self._fits[key])
        for step in steps:
            yield step
            if step.state is not None:
                time.sleep(_DRAWN)
        vars(model).update(fitted)


def _tells(step):
    """Whether a step tells more than the one after it will."""
    return step.state is None or step.state.iteration == 0 or step.state.known_objective is not None
