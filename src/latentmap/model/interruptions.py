"""Ctrl-C in the midst of a fit: the first one ends it, and those that follow do not disturb how it ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

Step = TypeVar("Step")


def interrupted_once(steps: Iterator[Step]) -> Generator[Step, None, None]:
    """Yield steps; once one of them is interrupted, further interruptions wait until it has put itself in order.

    Without this, a second Ctrl-C would break off the code that stores the last map. A step that goes on after an
    interruption, because other code has swallowed it, can be interrupted again.

    Parameters
    ----------
    steps : iterator
        Each is computed when it is asked for.

    Yields
    ------
    object
        The steps.

    Examples
    --------
    >>> list(interrupted_once(iter("ab")))
    ['a', 'b']
    """
    while True:
        with _interruptible_once():
            try:
                step = next(steps)
            except StopIteration:
                return
        yield step


@contextmanager
def uninterrupted() -> Generator[None, None, None]:
    """Hold interruptions back until the work inside is done; one that came meanwhile is then raised.

    Examples
    --------
    >>> with uninterrupted():
    ...     kept = "all of it"
    """
    before, held = _handler(), []
    if before is None:
        yield
        return
    signal.signal(signal.SIGINT, lambda *args: held.append(args))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        before(*held[0])


@contextmanager
def _interruptible_once() -> Generator[None, None, None]:
    before, is_ending = _handler(), False
    if before is None:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal is_ending
        if not is_ending:
            is_ending = True
            before(number, frame)
            # A handler that raises nothing has interrupted nothing.
            is_ending = False

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _handler() -> Any:
    """Return what Python calls at Ctrl-C; None where it calls nothing, or in a thread, which never gets a signal."""
    if threading.current_thread() is not threading.main_thread():
        return None
    handler = signal.getsignal(signal.SIGINT)
    return handler if callable(handler) else None
