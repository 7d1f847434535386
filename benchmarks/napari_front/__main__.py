"""How long the window takes to answer: ``python -m benchmarks.napari_front run``, in a real window of napari."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.napari_front.page import write_page
from benchmarks.places import DOCS

SCREEN = "1600x1200x24"
# Kind, cells, and how often each is done at most: software takes seconds to draw a million points twice.
STEPS = (("labels", 100_000, 5), ("labels", 1_000_000, 3), ("points", 1_000_000, 2))
RUNS = (("labels", 5_000, 5), ("labels", 100_000, 3))


def run(chosen: argparse.Namespace) -> None:
    """Measure each window in a process of its own, and keep what it found as soon as it is there."""
    path = chosen.out / "benchmarks" / "napari.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {"steps": {}, "runs": {}}
    record["machine"] = machine.describe()
    record["versions"] = machine.versions("napari", "vispy", "PySide6-Essentials", "numpy", "pandas")
    for what, windows in (("runs", RUNS), ("steps", STEPS)):
        for kind, most, repeats in windows:
            if chosen.only and chosen.only != f"{what},{kind},{most}":
                continue
            n_cells = min(most, chosen.cells or most)
            found = _in_a_window([what, kind, str(n_cells), str(min(repeats, chosen.repeats))])
            record[what][f"{kind}, {n_cells}"] = {"kind": kind, "cells": n_cells, **found}
            path.write_text(json.dumps(record, indent=1) + "\n")


def _in_a_window(arguments: list[str]) -> dict[str, Any]:
    """Run one measurement on a virtual screen that software draws on, as long as nobody looks at it."""
    if not (xvfb := shutil.which("xvfb-run")):
        raise SystemExit("xvfb-run is missing: install the package xvfb.")
    screen = [xvfb, "--auto-servernum", "--server-args", f"-screen 0 {SCREEN}"]
    module = [sys.executable, "-m", "benchmarks.napari_front.measuring", *arguments]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "LIBGL_ALWAYS_SOFTWARE": "1"}
    done = subprocess.run([*screen, *module], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.napari_front", description=__doc__)
    parser.add_argument("command", choices=["run", "page"], help="page only writes docs/napari-speed.md")
    parser.add_argument("--cells", type=int, help="so many cells at most, to see that it works")
    offered = [f"{what},{kind},{most}" for what, all_ in (("runs", RUNS), ("steps", STEPS)) for kind, most, _ in all_]
    parser.add_argument("--only", choices=offered, help="measure this alone, and keep what is known of the others")
    parser.add_argument("--repeats", type=int, default=5, help="how often each step is done (5)")
    parser.add_argument("--out", type=Path, default=DOCS, help="write here, instead of to docs")
    chosen = parser.parse_args(arguments)
    if chosen.command == "run":
        run(chosen)
    write_page(chosen.out)


if __name__ == "__main__":
    main()
