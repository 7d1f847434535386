"""What forms say of the parameters of methods: labels, explanations, ranges and choices."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Field:
    """What a form says of a parameter.

    Attributes
    ----------
    label : str
        Stands before the field; begins with the parameter's letter where it has one (k, s, l, d).
    about : str
        What it is, its range, and what higher values do to the map.
    minimum, slider_maximum, maximum : float
        Of a number: a slider goes from `minimum` to `slider_maximum`, a field to `maximum`. With special values beside
        the numbers, a list has all numbers from `minimum` to `slider_maximum`.
    step : float
        Of the field for numbers.
    choices : tuple of (str, object)
        The words for each value, where there are few.
    special_values : tuple of (str, object)
        The words for values that it may have beside numbers.
    is_whole : bool
        Whether it is a whole number.
    is_switch : bool
        Whether it is on or off.
    is_advanced : bool
        Whether it is seldom set, and folded away.
    initial_number : float
        The number that is offered first instead of a word.
    depends_on, depends_on_values : str, tuple of object
        Another parameter, and the values of it beside which this one does something: it is not shown beside others. By
        default it always does.
    """

    label: str
    about: str
    minimum: float = 0
    slider_maximum: float = 0
    maximum: float = 0
    step: float = 1
    choices: tuple[tuple[str, Any], ...] = ()
    special_values: tuple[tuple[str, Any], ...] = ()
    is_whole: bool = False
    is_switch: bool = False
    is_advanced: bool = False
    initial_number: float = 0
    depends_on: str = ""
    depends_on_values: tuple[Any, ...] = ()

    def has_effect(self, value_of: Callable[[str], Any]) -> bool:
        """Say whether the parameter does something.

        Parameters
        ----------
        value_of : callable
            From the name of a parameter of the same method to its value.

        Returns
        -------
        bool

        Examples
        --------
        >>> width = Field("σ width", "The width.", depends_on="weights", depends_on_values=("gaussian",))
        >>> width.has_effect({"weights": "binary"}.get), width.has_effect({"weights": "gaussian"}.get)
        (False, True)
        """
        return not self.depends_on or value_of(self.depends_on) in self.depends_on_values

    @property
    def decimals(self) -> int:
        """Digits after the point that a field for the number has."""
        return 0 if self.is_whole else max(1, -math.floor(math.log10(self.step)))


N_NEIGHBORS = Field(
    "k neighbours",
    "How many of its most similar cells each cell is connected to, from 1; usually 5 to 50. Higher values merge "
    "small groups and show the larger ones.",
    minimum=1,
    slider_maximum=100,
    maximum=9999,
)
N_COMPONENTS = Field(
    "d dimensions",
    "Number of dimensions of the map, from 1. More dimensions distort less. Two or three are drawn; all are saved.",
    minimum=1,
    slider_maximum=10,
    maximum=50,
)
METRIC = Field(
    "Metric",
    "How the similarity of two cells is measured. Euclidean and manhattan compare the values themselves, cosine "
    "and correlation their proportions.",
    choices=tuple((name, name) for name in ("euclidean", "manhattan", "cosine", "correlation")),
    is_advanced=True,
)
DOF = Field(
    "Tails (dof)",
    "Degrees of freedom of a cell's position, from 0.1. auto is d; the paper uses a Gaussian. Higher values give "
    "lighter tails and a more crowded map. intrinsic is 4 or 8 where the features vary in few directions, whose maps "
    "crowd less, and otherwise as auto.",
    special_values=(("auto", "auto"), ("intrinsic", "intrinsic"), ("Gaussian (∞)", np.inf)),
    minimum=0.1,
    maximum=100,
    step=0.5,
    initial_number=2,
    is_advanced=True,
)
MAX_ITER = Field(
    "Iterations",
    "Number of iterations; for EM the maximum. More iterations take longer and let the map settle further.",
    minimum=1,
    maximum=100_000,
    is_whole=True,
    is_advanced=True,
)
SEED = Field(
    "Seed",
    "The same seed gives the same map. What changes with another seed is chance.",
    minimum=0,
    maximum=2**31 - 1,
    is_whole=True,
    is_advanced=True,
)
SEED_OF_START = replace(SEED, depends_on="init", depends_on_values=("random",))
"""The seed of a method in which chance decides the start alone."""
AUTO = (("auto", "auto"),)
"""A word beside numbers, for a parameter that the method can choose."""
STARTS = (("smoothest on the graph", "spectral"), ("random", "random"))
"""Starts that several methods offer."""


def neighbors_field(about: str) -> Field:
    """Return the field of the number of neighbours (k), with what it means for the method."""
    return replace(N_NEIGHBORS, about=about)


def iterations_field(about: str) -> Field:
    """Return the field of the number of iterations, with what it means for the method."""
    return replace(MAX_ITER, about=about)


def held_out_field(about: str) -> Field:
    """Return the field of the part that is kept to test, with what it means for the method."""
    return Field("Held out", about, minimum=0, maximum=0.9, step=0.05, is_advanced=True)


def width_field(about: str, depends_on: str, depends_on_values: tuple[str, ...]) -> Field:
    """Return the field of the width of Gaussians, and beside what it counts."""
    return Field(
        "σ width",
        about,
        special_values=AUTO,
        minimum=1e-4,
        maximum=1e6,
        step=1e-4,
        initial_number=1,
        is_advanced=True,
        depends_on=depends_on,
        depends_on_values=depends_on_values,
    )
