"""Sentences about the data that the user should read, and who hears them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Step = TypeVar("Step")

# Names that one sentence lists.
_MOST_NAMES = 5


class DataWarning(UserWarning):
    """Something about the data that the user should know, though the map can be made."""


# What a front end hears with, in its own thread: Python's warnings are of the whole process.
_hearer: ContextVar[list[str] | None] = ContextVar("hearer", default=None)


def warn(sentence: str) -> None:
    """Warn of something about the data: who hears, else by Python."""
    if (heard := _hearer.get()) is None:
        warnings.warn(sentence, DataWarning, stacklevel=2)
    elif sentence not in heard:
        heard.append(sentence)


@contextmanager
def hearing(heard: list[str]) -> Iterator[None]:
    """Take down what is warned of meanwhile in this thread.

    Parameters
    ----------
    heard : list of str
        Gets the sentences; Python does not warn of them then.
    """
    token = _hearer.set(heard)
    try:
        yield
    finally:
        _hearer.reset(token)


def each_heard(steps: Iterator[Step], heard: list[str]) -> Iterator[Step]:
    """Yield steps, and take down what is warned of while each of them is made, in this thread.

    Parameters
    ----------
    steps : iterator
    heard : list of str
        As for :func:`hearing`.

    Yields
    ------
    object
        As from the steps.

    Examples
    --------
    >>> heard = []
    >>> list(each_heard((warn(f"{number} rows are odd.") for number in (3, 5)), heard)), heard
    ([None, None], ['3 rows are odd.', '5 rows are odd.'])
    """
    while True:
        with hearing(heard):
            try:
                step = next(steps)
            except StopIteration:
                return
        yield step


def listed(names: Sequence[Any]) -> str:
    """Return names as a list for a sentence, cut short where there are many.

    Parameters
    ----------
    names : sequence
        What to list.

    Returns
    -------
    str

    Examples
    --------
    >>> listed(["area", "mean"])
    "'area', 'mean'"
    >>> listed(range(8))
    '0, 1, 2, 3, 4 and 3 more'
    """
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
