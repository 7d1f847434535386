"""The parameters of a fit, as they were when it began."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator

_MOST_DOF = 1e8
# Up to this many rows, maps keep the most neighbours with the paper's length scales.
_ROWS_AT_FULL_SCALE = 3000


@dataclass(frozen=True)
class Settings:
    """The parameters of :class:`latentmap.LVM` that the solver reads.

    Those that only concern reading the table, and may be large, are left out.
    """

    n_neighbors: int
    n_steps: int
    n_levels: int | str
    n_components: int
    solver: str
    dof: float | str
    repulsion: float
    ramp: tuple[float, float]
    similarity_scale: float | str
    min_neighbors: int
    row_normalized: bool
    local_scaling: float
    vote_power: float
    learning_rate: float
    tied_variances: bool
    momentum: float
    max_iter: int
    tol: float
    connect: str
    pair_budget: int
    device: str | None

    @classmethod
    def of(cls, estimator: BaseEstimator) -> Self:
        """Return the present parameters of an estimator."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})

    @property
    def degrees_of_freedom(self) -> float:
        """The number that "auto" stands for, or the given one; very large numbers are infinity."""
        dof = float(self.n_components if self.dof == "auto" else self.dof)
        # There the likelihoods agree to six digits, and further on 1 + 1 / dof loses all digits of 1 / dof.
        return np.inf if dof > _MOST_DOF else dof

    def similarity_scale_of(self, n_rows: int) -> float:
        """Return the number that "auto" stands for with so many rows, or the given one."""
        if self.similarity_scale == "auto":
            return min(1.0, float(np.cbrt(_ROWS_AT_FULL_SCALE / n_rows)))
        return float(self.similarity_scale)

    @property
    def has_closed_form(self) -> bool:
        """Whether the probabilities have a closed form, so that all pairs can be counted or sampled."""
        return self.solver == "ascent" and self.n_levels in ("auto", 0) and self.degrees_of_freedom == self.n_components
