"""The parameters of a fit, as they were when it began."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator

from latentmap.model import parameter_checks
from latentmap.model.data_warnings import warn_user
from latentmap.model.gpu_pairs import check_device
from latentmap.model.intrinsic_dimension import FEWEST, intrinsic_dimension
from latentmap.model.light_tails import LIGHT_TAILS

_SCALES = ("auto", "at_least_1")
_DOFS = ("auto", "intrinsic")
# Up to these intrinsic dimensions, so many degrees of freedom keep most neighbours in the plane; see docs/ascent.md.
_LIGHTEST_UP_TO, _LIGHT_UP_TO = 2.2, 4.2
_MOST_DOF = 1e8
# With fewer rows, points lie farther apart on the map than the paper's length scale; see docs/ascent.md.
_SPARSE_ROWS = 2300
# With more rows, shorter length scales keep more neighbours.
_FINE_ROWS = 3000
# Few rows are best held by ten neighbours, many by five; see docs/ascent.md.
_KEPT_OF_FEW, _FEW_ROWS, _KEPT_OF_MANY = 10, 10_000, 5
# Beyond these limits, a number is as good as 0 or infinity.
_RANGES = (
    ("repulsion", "the weight of dissimilar pairs", 1e-6, 1e6),
    ("local_scaling", "how far differences of density are evened out", 0.0, 1.0),
    ("vote_power", "the exponent of the votes for landmarks", 0.0, 4.0),
    ("learning_rate", "the length of the first steps", 1e-6, 1e3),
)


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
    min_neighbors: int | str
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

    def with_dof_of(self, distances: np.ndarray) -> Self:
        """Return the settings with the degrees of freedom that "intrinsic" stands for, given those to neighbours."""
        if self.dof != "intrinsic":
            return self
        if self.n_components != 2 or not self.has_closed_form:
            return replace(self, dof="auto")
        dimension = intrinsic_dimension(distances)
        if np.isinf(dimension) and distances.shape[1] >= FEWEST:
            warn_user(
                "The neighbours of each row are copies or equally far from it, which does not tell the intrinsic "
                f"dimension: dof is {self.n_components}, as for many dimensions. Drop the copies, or set dof."
            )
        light, lightest = LIGHT_TAILS
        dof = lightest if dimension <= _LIGHTEST_UP_TO else light if dimension <= _LIGHT_UP_TO else "auto"
        return replace(self, dof=dof)

    @property
    def degrees_of_freedom(self) -> float:
        """The number that "auto" stands for, or the given one; very large numbers are infinity.

        "intrinsic" counts as "auto" until :meth:`with_dof_of` has seen the neighbours.
        """
        dof = float(self.n_components if self.dof in _DOFS else self.dof)
        # There the likelihoods agree to six digits, and further on 1 + 1 / dof loses all digits of 1 / dof.
        return np.inf if dof > _MOST_DOF else dof

    def similarity_scale_of(self, n_rows: int) -> float:
        """Return the number that "auto" or "at_least_1" stands for with so many rows, or the given one."""
        if self.similarity_scale not in _SCALES:
            return float(self.similarity_scale)
        if self.similarity_scale == "auto" and n_rows > _FINE_ROWS:
            # No cbrt: its last bit differs between processors, numpy's as the C library's.
            return math.pow(_FINE_ROWS / n_rows, 1 / 3)
        return max(1.0, math.sqrt(_SPARSE_ROWS / n_rows))

    def min_neighbors_of(self, n_rows: int) -> int:
        """Return the number that "auto" stands for with so many rows, or the given one."""
        if self.min_neighbors == "auto":
            return max(_KEPT_OF_MANY, min(_KEPT_OF_FEW, round(_KEPT_OF_FEW * _FEW_ROWS / n_rows)))
        return int(self.min_neighbors)

    @property
    def has_closed_form(self) -> bool:
        """Whether the probabilities have a closed form, so that all pairs can be counted or sampled."""
        is_closed = self.degrees_of_freedom == self.n_components or (
            self.n_components == 2 and self.degrees_of_freedom in LIGHT_TAILS
        )
        return self.solver == "ascent" and self.n_levels in ("auto", 0) and is_closed

    def check(self) -> None:
        """Raise unless all are allowed, apart from those that many methods share."""
        parameter_checks.check_integer(
            self.n_steps, "n_steps", "s", 1, "the steps within which neighbours reach each other"
        )
        if self.min_neighbors != "auto":
            parameter_checks.check_integer(
                self.min_neighbors, "min_neighbors", "m", 0, 'the nearest neighbours that each row keeps, or "auto"'
            )
        parameter_checks.check_flag(
            self.row_normalized, "row_normalized", "whether the neighbours of every row have the same total weight"
        )
        if self.n_levels != "auto":
            parameter_checks.check_integer(
                self.n_levels, "n_levels", "l", 0, 'the levels of coarse-graining, or "auto"'
            )
        parameter_checks.check_integer(
            self.pair_budget, "pair_budget", "pairs", 1, 'the most pairs that n_levels="auto" allows'
        )
        parameter_checks.check_choice(self.solver, "solver", ["ascent", "em"])
        if self.dof not in _DOFS:
            parameter_checks.check_real(
                self.dof,
                "dof",
                "the degrees of freedom",
                lambda value: value >= 0.1,
                'of 0.1 or more, or "auto", or "intrinsic"',
            )
        if self.similarity_scale not in _SCALES:
            about = "the factor of the length scales"
            parameter_checks.check_real(
                self.similarity_scale,
                "similarity_scale",
                about,
                lambda value: 1e-3 <= value <= 1e3,
                'from 0.001 to 1000, or "at_least_1", or "auto"',
            )
        for name, meaning, least, most in _RANGES:
            parameter_checks.check_within(getattr(self, name), name, meaning, least, most)
        parameter_checks.check_interval(self.ramp, "ramp", "when repulsion begins and ceases to grow")
        parameter_checks.check_real(
            self.momentum, "momentum", "the share of the last step", lambda value: 0 <= value < 1, "from 0 to below 1"
        )
        parameter_checks.check_choice(self.connect, "connect", ["bridge", "largest"])
        if self.device is not None:
            self._check_device()

    def _check_device(self) -> None:
        if not isinstance(self.device, str):
            raise ValueError(
                f'device is {self.device!r}; it must be None or the name of a torch device, such as "cuda".'
            )
        if not self.has_closed_form:
            raise ValueError(
                f'device="{self.device}" needs solver="ascent", dof="auto" and n_levels="auto" or 0, but solver is '
                f"{self.solver!r}, dof is {self.dof!r} and n_levels is {self.n_levels!r}. Change these, or leave "
                "device at None."
            )
        check_device(self.device)
