"""Checks of parameters, with errors that say what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from latentmap.model.data_warnings import listed


def check_integer(value: Any, name: str, symbol: str, smallest: int, meaning: str) -> None:
    """Raise unless a parameter is a whole number of at least ``smallest``.

    Parameters
    ----------
    value : object
        The parameter.
    name, symbol : str
        Its name in the code, and its symbol in the paper.
    smallest : int
        The smallest value allowed.
    meaning : str
        What it is, for the message.

    Raises
    ------
    ValueError
        Naming the parameter and the values allowed.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < smallest:
        raise ValueError(
            f"{name} ({symbol}), {meaning}, is {value!r}; it must be a whole number of {smallest} or more."
        )


def check_real(value: Any, name: str, meaning: str, valid: Callable[[float], bool], bounds: str) -> None:
    """Raise unless a parameter is a number within bounds; see :func:`check_integer`."""
    if not isinstance(value, Real) or isinstance(value, bool) or not valid(float(value)):
        raise ValueError(f"{name}, {meaning}, is {value!r}; it must be a number {bounds}.")


def check_within(value: Any, name: str, meaning: str, least: float, most: float) -> None:
    """Raise unless a parameter is a number from ``least`` to ``most``; see :func:`check_integer`."""
    check_real(value, name, meaning, lambda number: least <= number <= most, f"from {least:g} to {most:g}")


def check_flag(value: Any, name: str, meaning: str) -> None:
    """Raise unless a parameter is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}, {meaning}, is {value!r}; it must be True or False.")


def check_interval(value: Any, name: str, meaning: str) -> None:
    """Raise unless a parameter is two numbers from 0 to 1 in ascending order."""
    pair = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
    if not (len(pair) == 2 and all(isinstance(part, Real) for part in pair) and 0 <= pair[0] <= pair[1] <= 1):
        raise ValueError(
            f"{name}, {meaning}, is {value!r}; it must be two numbers from 0 to 1, the smaller first, "
            "such as (0.2, 0.6)."
        )


def check_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Raise unless a parameter is one of some words."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name} is {value!r}; it must be one of {listed(choices)}.")


def check_callback(callback: Any) -> None:
    """Raise unless the callback is callable or None."""
    if callback is not None and not callable(callback):
        raise ValueError(
            f"callback, which is called with the state after each iteration, is {callback!r}; it must be a function, "
            "or None."
        )


# More threads than any machine has cores.
_MOST_JOBS = 1024


def check_jobs(n_jobs: Any) -> None:
    """Raise unless ``n_jobs`` is a whole number other than 0 and not absurdly large, or None."""
    is_whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (is_whole and n_jobs != 0 and n_jobs <= _MOST_JOBS):
        raise ValueError(
            f"n_jobs, the number of threads, is {n_jobs!r}; it must be a whole number other than 0 and up to "
            f"{_MOST_JOBS}, such as 2; -1 for all cores; or None for one."
        )


def check_random_state(random_state: Any) -> None:
    """Raise unless ``random_state`` is a seed, a generator or None."""
    if random_state is None or isinstance(random_state, np.random.Generator | np.random.RandomState):
        return
    is_whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not (is_whole and random_state >= 0):
        raise ValueError(
            f"random_state, which chooses the random numbers, is {random_state!r}; it must be a whole number of 0 "
            "or more, a numpy Generator or RandomState, or None."
        )
