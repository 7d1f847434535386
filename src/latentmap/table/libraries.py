"""The libraries in use: their versions, and the optional ones."""

import os
import platform
import re
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from threadpoolctl import threadpool_info

from latentmap import __version__

_USED = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "scikit-image",
    "numba",
    "pyamg",
    "pynndescent",
    "harmonypy",
    "scanpy",
)


def versions() -> dict[str, str]:
    """Return the versions of Python, this package and the libraries that shape a map, if they are installed.

    Examples
    --------
    >>> sorted(versions())[:3]
    ['latentmap', 'numba', 'numpy']
    """
    found = {"latentmap": __version__, "python": platform.python_version()}
    for name in _USED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """Return what of the machine may change the last bits of a map: the system, the kind of processor, and BLAS.

    Examples
    --------
    >>> sorted(machine())
    ['architecture', 'blas', 'processor', 'system']
    """
    # numba compiles for this processor, whose instructions may round in another way than those of an older one.
    llvm = import_module("llvmlite.binding")
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": os.environ.get("NUMBA_CPU_NAME") or str(llvm.get_host_cpu_name()),
        "blas": _blas(),
    }


@cache
def _blas() -> str:
    """The libraries of linear algebra that numpy and scipy call, and the processor whose instructions they choose."""
    for name in ("numpy.linalg", "scipy.linalg"):
        import_module(name)
    found = [one for one in threadpool_info() if one["user_api"] == "blas"]
    # Others, such as that of torch, are there or not in the same environment.
    own = [one for one in found if {"numpy", "scipy"} & {*re.split(r"[\\/.]", one["filepath"])}] or found
    words = ("internal_api", "version", "architecture")
    return " and ".join(sorted({" ".join(str(one[word]) for word in words if one.get(word)) for one in own}))


def import_optional(name: str, purpose: str, install: str = "latentmap[files]") -> ModuleType:
    """Import a library that not everyone needs, by default one that comes with the extra ``files``.

    Parameters
    ----------
    name : str
        "anndata", "openpyxl" or a module of "pyarrow".
    purpose : str
        What it is needed for: the start of the error message.
    install : str
        What pip is to install if it is missing.

    Raises
    ------
    ValueError
        If it is not installed, or broken; the message says what to do.

    Examples
    --------
    >>> import_optional("no_such_library", "Reading cells.h5ad")
    Traceback (most recent call last):
    ValueError: Reading cells.h5ad needs no_such_library: pip install "latentmap[files]"
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == package:
            raise ValueError(f'{purpose} needs {package}: pip install "{install}"') from error
        raise ValueError(
            f"{purpose} needs {package}, which is installed but cannot be loaded ({error}): reinstall it."
        ) from error
