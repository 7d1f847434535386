"""The libraries that only some parts of the package need, and the extras that bring them."""

import sys
from importlib.util import find_spec


class MissingExtra(ModuleNotFoundError):
    """A library is not installed, and one of the package's extras brings it."""


def require(part: str, extra: str, *libraries: str) -> None:
    """Refuse to go on without the libraries that a part of the package needs.

    Parameters
    ----------
    part : str
        What needs them: the beginning of the sentence.
    extra : str
        The extra that brings them.
    *libraries : str
        Their modules.

    Raises
    ------
    MissingExtra
        If one is not installed.

    Examples
    --------
    >>> require("latentmap.table", "table", "numpy")
    >>> require("latentmap.table", "table", "no_such_library")
    Traceback (most recent call last):
    latentmap.extras.MissingExtra: latentmap.table needs no_such_library: pip install "latentmap[table]"
    """
    for library in libraries:
        if library not in sys.modules and find_spec(library) is None:
            raise MissingExtra(f'{part} needs {library}: pip install "latentmap[{extra}]"', name=library)
