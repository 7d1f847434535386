"""Warnings about the data, as sentences for the user, and where they go."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Step = TypeVar("Step")

# Maximum number of names listed in one sentence.
_MOST_NAMES = 5


class DataWarning(UserWarning):
    """A property of the data that the user should know of, although the map can be made."""


# Collects a front end's warnings in its own thread, as Python's warnings are process-wide.
_hearer: ContextVar[list[str] | None] = ContextVar("hearer", default=None)


def warn_user(sentence: str) -> None:
    """Give a warning about the data to the collecting front end, or else to Python."""
    if (heard := _hearer.get()) is None:
        warnings.warn(sentence, DataWarning, stacklevel=2)
    elif sentence not in heard:
        heard.append(sentence)


@contextmanager
def collect_warnings(heard: list[str]) -> Iterator[None]:
    """Collect the warnings of this thread in a list instead of passing them to Python."""
    token = _hearer.set(heard)
    try:
        yield
    finally:
        _hearer.reset(token)


def collect_warnings_in_steps(steps: Iterator[Step], heard: list[str]) -> Iterator[Step]:
    """Yield steps, and collect the warnings given while each of them is computed, as :func:`collect_warnings` does.

    Examples
    --------
    >>> heard = []
    >>> list(collect_warnings_in_steps((warn_user(f"{number} rows are odd.") for number in (3, 5)), heard)), heard
    ([None, None], ['3 rows are odd.', '5 rows are odd.'])
    """
    while True:
        with collect_warnings(heard):
            try:
                step = next(steps)
            except StopIteration:
                return
        yield step


def listed(names: Sequence[Any]) -> str:
    """Return names as a list for a sentence, shortened if there are many.

    Examples
    --------
    >>> listed(["area", "mean"])
    "'area', 'mean'"
    >>> listed(range(8))
    '0, 1, 2, 3, 4 and 3 more'
    """
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
