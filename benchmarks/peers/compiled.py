"""Keeping what a peer compiles, most of which it would compile anew in every process."""

from __future__ import annotations

import sys


def keep_compiled(package: str) -> None:
    """Let numba keep on the disk what the functions of a package are compiled to.

    For trying things out: what is measured then is no longer what users of the package wait for.

    Parameters
    ----------
    package : str
        Its name, once it has been imported.
    """
    from numba.core.registry import CPUDispatcher

    for module in [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]:
        for function in list(vars(module).values()):
            # Functions of other packages are imported into these modules too.
            if isinstance(function, CPUDispatcher) and f"{function.py_func.__module__}.".startswith(f"{package}."):
                function.enable_caching()
