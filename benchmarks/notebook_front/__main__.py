"""How long a notebook takes to answer: ``python -m benchmarks.notebook_front run``, in a real JupyterLab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.front import Front, Windows
from benchmarks.notebook_front.page import write_page
from benchmarks.paths import ROOT


def measure(windows: Sequence[str], quick: bool) -> list[dict[str, Any]]:
    """Run measurements in a process of their own; the kernels that it starts find what they run."""
    module = [sys.executable, "-m", "benchmarks.notebook_front.measuring", *windows, *(["--quick"] if quick else [])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(module, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()[-len(windows) :]]


FRONT = Front(
    name="notebook",
    about=__doc__,
    packages=("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "playwright", "numpy", "pandas"),
    windows=(
        Windows("runs", "labels", 5_000, 5),
        Windows("runs", "labels", 100_000, 3),
        Windows("runs", "labels", 1_000_000, 1),
        Windows("steps", "labels", 100_000, 5),
        Windows("steps", "labels", 1_000_000, 3),
    ),
    measure=measure,
    write_page=write_page,
)
main = FRONT.main


if __name__ == "__main__":
    main()
