"""How long the window takes to answer: ``python -m benchmarks.napari_front run``, in a real window of napari."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.front import Front, Windows
from benchmarks.napari_front.page import write_page

SCREEN = "1600x1200x24"


def measure(windows: Sequence[str], quick: bool) -> list[dict[str, Any]]:
    """Run measurements, each on a virtual screen that software draws on, as long as nobody looks at it."""
    return [_measured(window.split(",")) for window in windows]


def _measured(arguments: Sequence[str]) -> dict[str, Any]:
    if not (xvfb := shutil.which("xvfb-run")):
        raise SystemExit("xvfb-run is missing: install the package xvfb.")
    screen = [xvfb, "--auto-servernum", "--server-args", f"-screen 0 {SCREEN}"]
    module = [sys.executable, "-m", "benchmarks.napari_front.measuring", *arguments]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "LIBGL_ALWAYS_SOFTWARE": "1"}
    done = subprocess.run([*screen, *module], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


FRONT = Front(
    name="napari",
    about=__doc__,
    packages=("napari", "vispy", "PySide6-Essentials", "numpy", "pandas"),
    # Software takes seconds to draw a million points twice.
    windows=(
        Windows("runs", "labels", 5_000, 5),
        Windows("runs", "labels", 100_000, 3),
        Windows("runs", "labels", 1_000_000, 1),
        Windows("runs", "slide", 1_000_000, 1),
        Windows("steps", "labels", 100_000, 5),
        Windows("steps", "labels", 1_000_000, 3),
        Windows("steps", "slide", 1_000_000, 3),
        Windows("steps", "points", 1_000_000, 2),
    ),
    measure=measure,
    write_page=write_page,
)
main = FRONT.main


if __name__ == "__main__":
    main()
