"""What the measures take, as a multiple of the fit's own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.markdown import table, whole
from benchmarks.peers.data_sets import DATA_SETS
from benchmarks.report import Numbers, Run
from benchmarks.trust import made_up
from latentmap import LVM
from latentmap.quality import group_contacts, lost_neighbors, neighborhood_test, other_places

_TITLES = {
    "lost": "`lost_neighbors`",
    "contacts": "`group_contacts`",
    "null": "`neighborhood_test`",
    "calibrate": "`LVM.calibrate`",
    "places": "`other_places`, one cell",
}


def measure(run: Run) -> Numbers:
    cases = {}
    for n in (run.n,) if run.quick else (1500, 10_000, run.n):
        made = made_up.separate(n, 0, 10)
        cases[f"10 groups far apart, 50 columns, {whole(n)} rows"] = _of(made.X, made.groups)
    if not run.quick:
        X, y = DATA_SETS["mnist"].read()
        cases[f"mnist, 50 principal components, {whole(len(X))} rows"] = _of(np.asarray(X, float), y)
    return {"iterations": None, "cases": cases}


def _of(X: np.ndarray, groups: np.ndarray) -> Numbers:
    # Compiling on first use is not counted.
    small = LVM(max_iter=2).fit(X[:200])
    small.calibrate()
    neighborhood_test(X[:200], small.embedding_, small)
    lvm = LVM()
    fit = _seconds(lambda: lvm.fit(X))
    near, Y = lvm.neighbors_, lvm.embedding_
    took = {
        "lost": _seconds(lambda: lost_neighbors(near, Y)),
        "contacts": _seconds(lambda: group_contacts(near, Y, groups)),
        "null": _seconds(lambda: neighborhood_test(X, Y, lvm, neighbors=near)),
        "calibrate": _seconds(lvm.calibrate),
        "places": _seconds(lambda: other_places(lvm, 0)),
    }
    return {"fit": fit, "took": took}


def _seconds(act: Callable[[], Any]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def lines(numbers: Numbers) -> list[str]:
    rows = [
        (name, f"{one['fit']:.1f} s", *(f"{one['took'][key] / one['fit']:.2f}" for key in _TITLES))
        for name, one in numbers["cases"].items()
    ]
    return [
        "As multiples of the time of the fit, neighbours included, which the measures use again. All of them report "
        "their progress and can be stopped. `seed_changes` takes a fit for each seed, `coincidence_calibration` one, "
        "and `choose` one for each candidate and lot: these are made on request.",
        "",
        *table(["table", "fit", *_TITLES.values()], rows),
    ]
