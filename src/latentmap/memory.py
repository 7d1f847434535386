"""The memory that is free, and a check that something fits into it before the work begins."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# More than anything needs, for systems that do not tell.
_MUCH = 1 << 37
# Of containers: what they may have, what they have, and what that is made of.
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
    ),
)
# Files that the system keeps in memory as long as nothing else needs it.
_CACHED = ("inactive_file", "active_file")


def free_memory() -> int:
    """Return how many bytes of memory this process may still take.

    Returns
    -------
    int
        The minimum of what is free on the machine and what the limits of the process and its container leave.

    Examples
    --------
    >>> free_memory() > 0
    True
    """
    return max(0, min([_MUCH, *_known()]))


def check_memory(needed: float, what: str, advice: str) -> None:
    """Refuse something that would take more memory than is free.

    Parameters
    ----------
    needed : float
        In bytes, at the peak.
    what : str
        What would take it: the beginning of the sentence.
    advice : str
        A sentence that says what to do.

    Raises
    ------
    ValueError
        With the estimate, what is free, and the advice.

    Examples
    --------
    >>> check_memory(1e6, "The distances between 300 rows", "Choose fewer rows.")
    >>> check_memory(1e15, "All distances", "Choose some.")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: All distances would take about 931323 GiB of memory, but ... GiB are free. Choose some.
    """
    if needed > (free := free_memory()):
        raise ValueError(
            f"{what} would take about {_gib(needed)} GiB of memory, but {_gib(free)} GiB are free. {advice}"
        )


def _gib(size: float) -> str:
    """A number of bytes in GiB, with a decimal where it is small."""
    return f"{size / 2**30:.1f}" if size < 10 << 30 else f"{size / 2**30:.0f}"


def _known() -> Iterator[int]:
    try:
        # Installed with napari and Jupyter.
        import psutil
    except ImportError:
        with suppress(AttributeError, ValueError, OSError):
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    else:
        yield int(psutil.virtual_memory().available)
    with suppress(ImportError, OSError, ValueError):
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        if allowed != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            yield allowed - pages * resource.getpagesize()
    for most, used, parts in _GROUPS:
        with suppress(OSError, ValueError):
            yield int(Path(most).read_text()) - int(Path(used).read_text()) + _cached(Path(parts))


def _cached(parts: Path) -> int:
    """The bytes of files that a container has in memory, which count as used but are given back."""
    with suppress(OSError, ValueError):
        sizes = dict(line.split() for line in parts.read_text().splitlines())
        return sum(int(sizes.get(name, 0)) for name in _CACHED)
    return 0
