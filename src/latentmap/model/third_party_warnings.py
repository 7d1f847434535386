"""Suppression of library warnings that users need not see."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from types import CodeType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def suppress_third_party_warnings(function: Function) -> Function:
    """Suppress warnings raised in a function or in what it calls.

    ``warnings.catch_warnings`` changes the filters of the whole process, and two threads that enter it at once may
    never restore them. Here nothing needs to be restored: a filter checks which function is warning.

    Examples
    --------
    >>> @suppress_third_party_warnings
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
    """A message pattern that matches any message while a quiet function is running in this thread."""

    # scikit-learn copies the filters to its own threads by their patterns: there nothing matches.
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
    """Put the filter before those added later, which may turn every warning into an error."""
    filters: Any = warnings.filters
    if not filters or filters[0] is not _FILTER:
        with suppress(ValueError):
            filters.remove(_FILTER)
        filters.insert(0, _FILTER)


_put_first()
