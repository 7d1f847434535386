"""How soon the map moves when a parameter changes: ``python -m benchmarks.at_once``, on digits, without a window."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.markdown import table, whole
from benchmarks.paths import ROOT
from benchmarks.times import ms
from latentmap.session import Run, Session
from latentmap.table import CellTable

SIZES = (3_000, 10_000, 70_000)
# In this order, because a search for other neighbours replaces those that s and repulsion share with the first map.
CHANGES: dict[str, dict[str, Any]] = {
    "s 2 to 3": {"n_steps": 3},
    "repulsion 22 to 10": {"repulsion": 10.0},
    "k 15 to 30": {"n_neighbors": 30},
    "metric to cosine": {"metric": "cosine"},
    "features to log(1 + x)": {"transform": "log1p"},
}
_FIRST_STEPS = 50
# So far a point must have moved, in spreads of the map.
_MOVED = 1e-6


class Follower:
    """A session whose map follows changes, in a front end that does nothing else.

    Parameters
    ----------
    cells : CellTable
    """

    def __init__(self, cells: CellTable) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.session = Session(self._calls.put)
        self.session.parameters.features = tuple(cells.numeric)
        self.session.parameters.max_iter = _FIRST_STEPS
        self.session.runs.start(cells, self.session.parameters)
        self._wait(lambda: not self.session.runs.running)

    def seconds(self, change: dict[str, Any]) -> tuple[float, float]:
        """Return how long after a change the map moves, and how long until it follows the right neighbours."""
        runs, live, parameters = self.session.runs, self.session.live, self.session.parameters
        shown = runs.current
        if shown is None or shown.result is None:
            raise RuntimeError("There is no map to go on from.")
        before, was = shown.result.drawn, {name: getattr(parameters, name) for name in change}
        moved: list[float] = []
        own: list[float] = []

        def progressed(run: Run) -> None:
            if not moved and _has_moved(run, before):
                moved.append(time.perf_counter())
            if not own and run.progress is not None and run.progress.state is not None and run.progress.iteration:
                own.append(time.perf_counter())

        runs.progressed.connect(progressed)
        live.on = True
        start = time.perf_counter()
        for name, value in change.items():
            setattr(parameters, name, value)
        self._wait(lambda: bool(moved and own))
        live.on = False
        runs.progressed.disconnect(progressed)
        runs.drop()
        for name, value in was.items():
            setattr(parameters, name, value)
        self._wait(self._calls.empty)
        return moved[0] - start, own[0] - start

    def _wait(self, until: Callable[[], bool]) -> None:
        while not until():
            try:
                self._calls.get(timeout=0.05)()
            except Empty:
                continue


def _has_moved(run: Run, before: np.ndarray) -> bool:
    try:
        now = run.drawn
    except ValueError:
        return False
    return now.shape == before.shape and float(np.abs(now - before).max()) > _MOVED * float(before.std())


def digits(folder: Path, n: int) -> CellTable:
    """Return images of digits as cells, a feature for each pixel."""
    with np.load(folder / "mnist70k.npz") as arrays:
        pixels = arrays["X"][:n].reshape(n, -1).astype(float)
    columns = [f"pixel {number}" for number in range(pixels.shape[1])]
    return CellTable.read(pd.DataFrame(pixels, columns=columns).assign(label=np.arange(1, n + 1)), layer="digits")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.at_once", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the folder of mnist70k.npz")
    parser.add_argument("--cells", type=int, nargs="+", default=SIZES, help="how many cells")
    chosen = parser.parse_args()
    rows = []
    for n_cells in chosen.cells:
        follower = Follower(digits(chosen.data, n_cells))
        for name, change in CHANGES.items():
            load = os.getloadavg()[0]
            moved, own = follower.seconds(change)
            rows.append([whole(n_cells), name, ms(moved), ms(own), f"{load:.1f}"])
            print(rows[-1], flush=True)
    columns = ["cells", "change", "the map moves, ms", "along its own neighbours, ms", "load"]
    print("\n".join(table(columns, rows)))


if __name__ == "__main__":
    main()
