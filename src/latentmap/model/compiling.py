"""How kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

# Without numba's check for a zero divisor, which prevents vectorisation.
_OPTIONS: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "fastmath": True}


def compiled(function: Function) -> Function:
    """Compile a function that releases the interpreter's lock, and cache it on disk."""
    return cast(Function, njit(**_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Compile a function that is called for each row or pair, and inline it into its callers.

    LLVM considers most of these functions too long to inline. What it inlines also differs between a process that
    compiles and one that loads compiled code from disk, and with it the order of summation.
    """
    return cast(Function, njit(**_OPTIONS, forceinline=True)(function))
