"""Silence for what libraries warn of and users need not know."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from types import CodeType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def quiet(function: Function) -> Function:
    """Have no one hear of warnings that arise in a function or in what it calls.

    ``warnings.catch_warnings`` changes what the whole process hears, and two threads that enter it at once may leave it
    so for good. Here is nothing to be taken back: a filter looks who is warning.

    Parameters
    ----------
    function : callable

    Returns
    -------
    callable

    Examples
    --------
    >>> @quiet
    ... def logarithm(x):
    ...     warnings.warn("negative")
    >>> logarithm(-1)
    """
    _quiet.add(function.__code__)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        _put_first()
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


_quiet: set[CodeType] = set()


class _IsFromQuiet:
    """In place of the pattern of a message: any, if a quiet function is at work in this thread."""

    # What scikit-learn makes of it when it copies the filters for threads of its own: nothing matches.
    pattern = "(?!)"

    def match(self, message: str) -> bool:
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code in _quiet:
                return True
            frame = frame.f_back  # type: ignore[assignment]
        return False


_FILTER: Any = ("ignore", _IsFromQuiet(), Warning, None, 0)


def _put_first() -> None:
    """Have the filter asked before those that came later, which may make an error of every warning."""
    filters: Any = warnings.filters
    if not filters or filters[0] is not _FILTER:
        with suppress(ValueError):
            filters.remove(_FILTER)
        filters.insert(0, _FILTER)


_put_first()
