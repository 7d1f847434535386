"""The memory that is free for use."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# More than any session needs, for systems that do not tell.
_MUCH = 1 << 37
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


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
    for most, used in _GROUPS:
        with suppress(OSError, ValueError):
            yield int(Path(most).read_text()) - int(Path(used).read_text())
