"""Generators that yield how far they have come, and return a result in the end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, TypeVar

Step = TypeVar("Step")
Said = TypeVar("Said")
Result = TypeVar("Result")


def result_of(steps: Generator[Step, Any, Result], tell: Callable[[Step], Any] | None = None) -> Result:
    """Go through all steps, and return the result.

    Parameters
    ----------
    steps : generator
        It is closed in any case, also if `tell` raises an error.
    tell : callable or None
        ``tell(step)`` is called after each step.

    Examples
    --------
    >>> def counted(n):
    ...     for number in range(n):
    ...         yield number
    ...     return n
    >>> result_of(counted(2), print)
    0
    1
    2
    """
    with closing(steps):
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            if tell is not None:
                tell(step)


def retold(steps: Generator[Step, Any, Result], say: Callable[[Step], Said]) -> Generator[Said, Any, Result]:
    """Yield what `say` makes of each step, and return the result.

    Examples
    --------
    >>> def counted(n):
    ...     for number in range(n):
    ...         yield number
    ...     return n
    >>> list(retold(counted(2), "step {}".format))
    ['step 0', 'step 1']
    """
    with closing(steps):
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            yield say(step)


def until_told(steps: Generator[Step, Any, Result]) -> Generator[Step, bool | None, Result | None]:
    """Yield each step, and return the result; end at once, and return None, as soon as True is sent.

    Examples
    --------
    >>> def counted(n):
    ...     for number in range(n):
    ...         yield number
    ...     return n
    >>> steps = until_told(counted(2))
    >>> next(steps)
    0
    >>> steps.send(True)
    Traceback (most recent call last):
        ...
    StopIteration
    """
    with closing(steps):
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            if (yield step):
                return None
