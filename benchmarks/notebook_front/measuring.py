"""One notebook, measured; what was found goes to the standard output as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks import cells
from benchmarks.notebook_front.notebook import Notebook, Open, laboratory
from benchmarks.notebook_front.runs import TO_AND_FRO, script_seconds, slide, unwatched, watched
from latentmap.table import CellTable

LASSOED = 10_000
_CORNERS = 60
# The share of the map's square that the map takes.
_MARGIN = 0.94
_SLIDES = 3
# With more cells each place of the slider, and a script, would take minutes.
_MOST_COMPARED = 100_000
# To see that it works: the side of the images in pixels, seconds to settle, and which of the slider's moves are made.
_QUICK_SIDE, _QUICK_REST, _QUICK_MOVES = 800, 0.2, 5
_SETUP = """
from latentmap.session import VARIANCE, ColourBy
everyone = shown.maps.shown[0].numbers
tenth, looks = everyone[::10], shown.session.display_settings
"""
_TENTH, _VARIANCE = "shown.selection.select(tenth)", "looks.colour_by = VARIANCE"
# What is done by code: its name, what is done first, what is timed, and what the browser notes once it is seen.
_DONE = (
    ("select all cells", "shown.selection.clear()", "shown.selection.select(everyone)", ("marks", "image ready")),
    ("invert a selection of a tenth", _TENTH, "shown.selection.invert(everyone)", ("marks", "image ready")),
    ("undo", _TENTH, "shown.selection.undo()", ("marks", "image ready")),
    ("colour by a feature", _VARIANCE, "looks.colour_by = ColourBy('feature', 'feature 1')", ("frame",)),
    ("colour by variance", "looks.colour_by = ColourBy('feature', 'feature 1')", _VARIANCE, ("frame",)),
    (
        "name a tenth as a class, coloured by class",
        f"{_TENTH}; looks.colour_by = ColourBy('class')",
        "shown.session.classes.assign('some', shown.selection.numbers)",
        ("frame",),
    ),
)


class Way(NamedTuple):
    """How windows are measured.

    Attributes
    ----------
    laboratory : callable
        What opens JupyterLab and a browser.
    side : int or None
        Of the images, in pixels; None as for `ready`.
    slid : list of (float, float)
        Where the slider is moved.
    """

    laboratory: Callable[[], AbstractContextManager[Open]] = laboratory
    side: int | None = None
    slid: list[tuple[float, float]] = TO_AND_FRO


def measure_steps(n_cells: int, repeats: int, way: Way) -> dict[str, Any]:
    """Time how long it takes until the widget is to be seen, and until a loop is."""
    with TemporaryDirectory() as folder, way.laboratory() as open_notebook:
        path, given = str(Path(folder) / "finished.latentmap"), f"given = ready({n_cells}, {way.side})"
        displays = [_display(open_notebook(given), path) for _ in range(repeats)]
        setup = "from time import time\nfrom latentmap.jupyter import open_session\n"
        opened = []
        for left in reversed(range(repeats)):
            notebook = open_notebook(setup)
            opened.append(_open(notebook, path))
            if left:
                notebook.close()
        loops = _loops(notebook, n_cells, repeats)
        done = _done(notebook, repeats)
        notebook.close()
    return {"displays": displays, "opened": opened, "loops": loops, "done": done}


def _display(notebook: Notebook, path: str) -> dict[str, float]:
    """Time the widget without a map, and leave a session with one at the path."""
    start = notebook.show("explore(**given)")
    found = {"map": notebook.when("no map yet", start) - start, "image": notebook.when("image ready", start) - start}
    notebook.kernel.do(f"keep_finished(given, {path!r})")
    notebook.close()
    return found


def _open(notebook: Notebook, path: str) -> dict[str, float]:
    start = notebook.show(f"open_session({path!r}); read = time()")
    read = notebook.kernel.value("read")
    points, image = (notebook.when(what, start) for what in ("frame", "image ready"))
    return {"read": read - start, "points": points - read, "image": image - read}


def _loops(notebook: Notebook, n_cells: int, repeats: int) -> dict[str, list[dict[str, float]]]:
    lassoed = min(LASSOED, n_cells // 10)
    on_map = _around_the_middle(notebook, lassoed)
    box = notebook.image.bounding_box()
    assert box is not None
    half = min(box["width"], box["height"]) * np.sqrt(lassoed / n_cells) / 2
    in_image = [(-half, -half), (half, -half), (half, half), (-half, half)]
    notebook.press("Lasso")
    found: dict[str, list[dict[str, float]]] = {"on the map": [], "in the image": []}
    for _ in range(repeats):
        for name, element, places in (
            ("on the map", notebook.map, on_map),
            ("in the image", notebook.image, in_image),
        ):
            notebook.kernel.do("shown.selection.clear()")
            notebook.settle()
            notebook.kernel.do("watch.start()")
            start = notebook.loop(element, places)
            both = {"image": notebook.when("image ready", start), "map": notebook.when("marks", start)}
            ((told, number),) = notebook.kernel.value("watch.told")["selections"]
            found[name].append(
                {"cells": number, "python": told - start} | {one: at - start for one, at in both.items()}
            )
    return found


def _done(notebook: Notebook, repeats: int) -> dict[str, list[float]]:
    """Time what is done by code, or by a click in the panel, until the browser has drawn it."""
    notebook.kernel.do(_SETUP)
    found: dict[str, list[float]] = {}
    for _ in range(repeats):
        for name, first, code, noted in _DONE:
            notebook.kernel.do(first)
            notebook.settle()
            start = time.time()
            notebook.kernel.do(code)
            found.setdefault(name, []).append(max(notebook.when(what, start) for what in noted) - start)
            notebook.kernel.do("shown.session.classes.unassign(tenth)")
    return found


def _around_the_middle(notebook: Notebook, n: int) -> list[tuple[float, float]]:
    """A loop round so many points, in pixels."""
    box = notebook.map.bounding_box()
    assert box is not None
    across = _MARGIN * min(box["width"], box["height"])
    x, y, reach = notebook.kernel.value(f"middle(shown, {n})")
    angles = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    return [(across * (x + reach * np.cos(angle)), -across * (y + reach * np.sin(angle))) for angle in angles]


def measure_runs(n_cells: int, repeats: int, way: Way) -> dict[str, Any]:
    """Embed the cells several times, each time alone and while other cells are executed; then tune live."""
    with way.laboratory() as open_notebook:
        notebook = open_notebook(f"given = ready({n_cells}, {way.side})")
        notebook.when("image ready", notebook.show("explore(**given)"))
        notebook.wait_for_drawing(False)
        runs = [{"alone": unwatched(notebook), "watched": watched(notebook)} for _ in range(repeats)]
        is_compared = n_cells <= _MOST_COMPARED
        slides = [slide(notebook, way.slid) for _ in range(min(_SLIDES, repeats) if is_compared else 0)]
        notebook.close()
    table = CellTable.read(cells.features(n_cells, np.arange(1, n_cells + 1)), layer="cells")
    script = [script_seconds(table) for _ in range(repeats if is_compared else 0)]
    return {"runs": runs, "slides": slides, "script": script}


def measure(window: str, way: Way) -> dict[str, Any]:
    """Measure what is told as "what,kind,cells,repeats", and say how busy the machine was before."""
    what, _, n_cells, repeats = window.split(",")
    measured: dict[str, Callable[[int, int, Way], dict[str, Any]]] = {"steps": measure_steps, "runs": measure_runs}
    before, start = os.getloadavg()[0], time.perf_counter()
    found = measured[what](int(n_cells), int(repeats), way)
    print(f"{what} of {n_cells} cells: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return {"load_before": before, **found}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("windows", nargs="+")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    with ExitStack() as stack:
        way = Way()
        if asked.quick:
            opening, Notebook.rest = stack.enter_context(laboratory(keeps=True)), _QUICK_REST
            way = Way(lambda: nullcontext(opening), _QUICK_SIDE, TO_AND_FRO[::_QUICK_MOVES])
        found = [measure(window, way) for window in asked.windows]
    for one in found:
        print(json.dumps(one), flush=True)


if __name__ == "__main__":
    main()
