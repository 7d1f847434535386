"""What a process holds; nothing is imported that a measured process might not import itself."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak_memory() -> int:
    """Return the most memory that this process has held so far, in bytes."""
    status = Path("/proc/self/status")
    if status.is_file():
        # On Linux the figure of getrusage starts, in a new process, at what its parent held.
        found = (line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return 2**10 * int(next(found))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 2**10 * peak
