"""One window, measured; what was found goes to the standard output as JSON."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import cells
from benchmarks.gaps import summary
from benchmarks.napari_front.steps import opening, steps
from benchmarks.napari_front.watch import Watch
from benchmarks.napari_front.window import Took, Window
from latentmap.session import Parameters, iter_run
from latentmap.table import CellTable


def measure_steps(kind: str, n_cells: int, repeats: int) -> dict[str, Any]:
    """Time what a user does with a finished map."""
    window = Window()
    window.panel.tabs.setCurrentIndex(1)
    found = {name: _kept([took]) for name, took in opening(window, kind, n_cells)}
    for step in steps(window, kind, n_cells):
        times = []
        for _ in range(repeats):
            step.prepare()
            times.append(window.time(step.act))
        found[step.name] = _kept(times)
        print(f"{1000 * min(found[step.name]['answer']):9.1f} ms  {step.name}", file=sys.stderr)
    return {"times": found}


def measure_runs(kind: str, n_cells: int, repeats: int) -> dict[str, Any]:
    """Embed the cells several times, with all kernels compiled."""
    few = CellTable.read(cells.features(1000, np.arange(1, 1001)), layer="few")
    for _ in iter_run(few, Parameters(features=tuple(few.numeric), max_iter=3)):
        pass
    window = Window()
    cells.add(window.viewer, kind, n_cells)
    return {"watched": [summary(Watch(window).embed()) for _ in range(repeats)]}


def _kept(times: Sequence[Took]) -> dict[str, list[float]]:
    return {"answer": [took.answer for took in times], "redraw": [took.redraw for took in times]}


def measure(what: str, kind: str, n_cells: int, repeats: int) -> dict[str, Any]:
    """Measure one window, and say how busy the machine was before."""
    before = os.getloadavg()[0]
    found = {"steps": measure_steps, "runs": measure_runs}[what](kind, n_cells, repeats)
    return {"load_before": before, **found}


def main() -> None:
    faulthandler.enable()
    what, kind, n_cells, repeats = sys.argv[1:]
    print(json.dumps(measure(what, kind, int(n_cells), int(repeats))), flush=True)
    # Qt and Python come apart in no good order.
    os._exit(0)


if __name__ == "__main__":
    main()
