"""The machine and the packages that something was measured with."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from joblib import cpu_count
from llvmlite import binding


def describe() -> dict[str, str | int]:
    """Return the processor, the cores that may be used, and the memory in GiB."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    model = next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.processor())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": f"{model} ({binding.get_host_cpu_name()})",
        "cores": cpu_count(),
        "memory_gib": round(memory),
        "system": platform.system(),
    }


def versions(*packages: str) -> dict[str, str]:
    """Return the versions of some packages and of Python."""
    return {name: version(name) for name in packages} | {"python": platform.python_version()}
