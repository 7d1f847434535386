"""The way through a large table: a map of its landmarks, then of the cells that some of them stand for."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np
import pandas as pd

from benchmarks.markdown import table, whole
from benchmarks.report import Numbers, Run
from latentmap.session import Run as SessionRun
from latentmap.session import Session
from latentmap.table import CellTable

_N_FEATURES, _N_CLUMPS = 20, 40
_STEPS = {
    "outline": "map of the landmarks",
    "group": "*Open this group*",
    "alone": "the group's cells alone, from no map",
    "all": "map of all cells",
}


def measure(run: Run) -> Numbers:
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
    session = Session(calls.put)
    session.parameters.features = tuple(f"feature {i}" for i in range(_N_FEATURES))

    def done(started: SessionRun | None) -> SessionRun:
        while session.runs.running:
            calls.get()()
        if started is None or started.result is None:
            raise RuntimeError("There is no map.")
        return started

    steps: dict[str, dict[str, float]] = {}

    def timed(name: str, start: Callable[[], SessionRun | None]) -> SessionRun:
        began = time.perf_counter()
        made = done(start())
        steps[name] = {"seconds": time.perf_counter() - began, "cells": len(made.result.embedding)}
        return made

    try:
        # Compiling on first use is not counted.
        warm = done(session.outline(_cells(min(run.n, 2000), "warm")))
        _select_around_the_first(session, warm, 200)
        done(session.open_group())
        cells = _cells(run.n, "cells")
        outline = timed("outline", lambda: session.outline(cells))
        _select_around_the_first(session, outline, run.n // 20)
        group = timed("group", session.open_group)
        timed("alone", lambda: session.embed(cells, only=group.numbers))
        timed("all", lambda: session.embed(cells))
    finally:
        session.close()
    return {"iterations": None, "features": _N_FEATURES, "steps": steps}


def lines(numbers: Numbers) -> list[str]:
    rows = [
        (words, whole(numbers["steps"][name]["cells"]), f"{numbers['steps'][name]['seconds']:.1f}")
        for name, words in _STEPS.items()
    ]
    return [
        f"{numbers['features']} features, {_N_CLUMPS} Gaussian groups; by a session, as both front ends do, with the "
        "search of neighbours, the map and its quality. A group is a twentieth of all cells.",
        "",
        *table(["step", "points", "seconds"], rows),
    ]


def _cells(n: int, layer: str) -> CellTable:
    rng = np.random.default_rng(0)
    centres = 4 * rng.normal(size=(_N_CLUMPS, _N_FEATURES))
    values = centres[rng.integers(0, _N_CLUMPS, n)] + rng.normal(size=(n, _N_FEATURES))
    rows = pd.DataFrame(values, columns=[f"feature {i}" for i in range(_N_FEATURES)])
    return CellTable.read(rows.assign(label=np.arange(1, n + 1)), layer=layer)


def _select_around_the_first(session: Session, outline: SessionRun, n_cells: int) -> None:
    """Select the landmarks nearest to the first on their map, until they stand for so many cells."""
    result = outline.result
    if result is None or result.members is None or outline.numbers is None:
        raise RuntimeError("This is no map of landmarks.")
    order = np.argsort(np.linalg.norm(result.drawn - result.drawn[0], axis=1))
    counts = np.bincount(result.members)
    n_landmarks = 1 + int(np.searchsorted(counts[order].cumsum(), n_cells))
    session.selection.select(outline.numbers[order[:n_landmarks]])
