"""Press the buttons of the tab "Trust" in a real window of napari; what each takes is printed as JSON."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from qtpy.QtWidgets import QApplication

from benchmarks import cells
from benchmarks.napari_front.window import Window
from latentmap.session import Parameters, iter_run
from latentmap.table import CellTable


class Buttons:
    """The tab of a window with a map of so many cells.

    Parameters
    ----------
    n_cells : int
    """

    def __init__(self, n_cells: int) -> None:
        self.window = Window()
        self.panel = self.window.panel
        self.panel.tabs.setCurrentIndex(1)
        few = CellTable.read(cells.features(1000, range(1, 1001)), layer="few")
        for _ in iter_run(few, Parameters(features=tuple(few.numeric), max_iter=3)):
            pass
        cells.add(self.window.viewer, "points", n_cells)

    def fit(self, **changes: Any) -> float:
        """Make a map, and return how long that takes."""
        for name, value in changes.items():
            setattr(self.panel.session.parameters, name, value)
        self.window.settle()
        start = time.perf_counter()
        self.panel.embed()
        self.window.wait_for(lambda: not self.panel.running)
        return time.perf_counter() - start

    def press(self, button: Any) -> dict[str, float]:
        """Press a button, and return how long what it begins takes, and how long the window stood still at most."""
        self.window.settle()
        start, longest = time.perf_counter(), 0.0
        button.native.click()
        longest = time.perf_counter() - start
        while self.panel.trust.work.running:
            before = time.perf_counter()
            QApplication.processEvents()
            longest = max(longest, time.perf_counter() - before)
            time.sleep(0.001)
        before = time.perf_counter()
        self.window.draw()
        return {"seconds": time.perf_counter() - start, "longest": max(longest, time.perf_counter() - before)}

    def cancelled(self, button: Any, after: Callable[[], bool]) -> dict[str, float]:
        """Press a button, cancel what it begins after a while, and return how long that takes to stop."""
        tab = self.panel.trust
        self.window.settle()
        button.native.click()
        self.window.wait_for(after)
        start = time.perf_counter()
        tab.bar.cancel.native.click()
        self.window.draw()
        return {"seconds": time.perf_counter() - start}


def measure(n_cells: int) -> dict[str, Any]:
    """Press them all on a map of so many cells."""
    found = Buttons(n_cells)
    panel, tab = found.panel, found.panel.trust
    panel.tabs.setCurrentIndex([panel.tabs.tabText(at) for at in range(panel.tabs.count())].index("Trust"))
    took: dict[str, Any] = {}
    fit = found.fit()
    run = panel.session.runs.current
    took["colour"] = found.press(tab.checking.colour)
    took["check"] = found.press(tab.checking.check)
    took["contacts"] = found.press(tab.contacts.look)
    panel.selection.select(run.numbers[:1], how="click")
    took["places"] = found.press(tab.cell.ask)
    panel.selection.clear()
    bar = tab.bar.bar
    # Until the first of the five maps has come some way.
    took["cancel"] = found.cancelled(tab.stability.make, lambda: bar.native.value() > 20)
    found.fit(max_iter=5)
    took["compare"] = found.press(tab.changes.compare)
    return {"fit": fit, "took": took}


def main() -> None:
    faulthandler.enable()
    print(json.dumps(measure(int(sys.argv[1]))), flush=True)
    # Qt and Python come apart in no good order.
    os._exit(0)


if __name__ == "__main__":
    main()
