"""What each method holds in memory at the most rows that it takes, each in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks.markdown import table, whole
from benchmarks.memory import peak_memory
from benchmarks.report import Experiment, Numbers, Run
from latentmap.methods import available
from latentmap.methods.elastic import elastic_embedding
from latentmap.methods.laplacian_eigenmaps import MOST_ROWS as MOST_OF_LAPLACIAN
from latentmap.methods.lllvm.lllvm import MOST_NUMBERS
from latentmap.methods.locally_linear import MOST_ROWS as MOST_OF_LLE
from latentmap.methods.mds import classical, gradient, isomap
from latentmap.methods.probdr.probdr import MOST_ROWS as MOST_OF_WISHART

_COLUMNS, _ITERATIONS = 50, 3
# Rows of a fit beforehand, so that what is imported and compiled does not count.
_FIRST = 300
_COMPARISONS = 500
_NONE: dict[str, Any] = {}
# What sets the limit where it is not the method alone, and the most rows; others have no limit.
_LIMITS: Mapping[str, tuple[dict[str, Any], int]] = {
    "elastic-embedding": (_NONE, elastic_embedding.MOST_ROWS),
    "ll-lvm": (_NONE, MOST_NUMBERS["normalised"] // 2),
    "probdr": ({"model": "wishart-normalised"}, MOST_OF_WISHART),
    "classical-mds": (_NONE, classical.MOST_ROWS),
    "gradient-mds": (_NONE, gradient.MOST_ROWS),
    "isomap": (_NONE, isomap.MOST_ROWS),
    "lle": (_NONE, MOST_OF_LLE),
    "laplacian-eigenmaps": (_NONE, MOST_OF_LAPLACIAN),
}


def measure(run: Run) -> Numbers:
    cases: list[tuple[str, dict[str, Any], int | None]] = []
    for name in available() if not run.quick else ("probdr",):
        settings, most = _LIMITS.get(name, (_NONE, None))
        cases.append((name, settings, most))
        if settings:
            cases.append((name, _NONE, None))
    # A process that has held much keeps its peak: each gets a new one, which has nothing of this one's.
    each = None if run.quick else 1
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=each) as fresh:
        found = [fresh.submit(_held, *case[:2], min(run.n, case[2] or run.n)).result() for case in cases]
    return {"iterations": None, "cases": [{**one, "most": case[2]} for one, case in zip(found, cases, strict=True)]}


def _held(name: str, settings: dict[str, Any], n: int) -> Numbers:
    _fit(name, settings, _FIRST)
    before, start = peak_memory(), time.perf_counter()
    _fit(name, settings, n)
    seconds = time.perf_counter() - start
    return {"method": name, "settings": settings, "rows": n, "held": peak_memory() - before, "seconds": seconds}


def _fit(name: str, settings: dict[str, Any], n: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, _COLUMNS)).astype(np.float32)
    X[: n // 2] += 1
    method = available()[name](**settings)
    if "max_iter" in method.get_params():
        method.set_params(max_iter=_ITERATIONS)
    comparisons = np.array([rng.choice(n, 3, replace=False) for _ in range(_COMPARISONS)])
    method.fit(X, comparisons if name == "comparisons" else None)


def rows(numbers: Numbers) -> list[str]:
    def line(case: Numbers) -> tuple[str, str, str, str]:
        settings = ", ".join(f"{name}={value!r}" for name, value in case["settings"].items())
        name = f"`{case['method']}`" + (f", `{settings}`" if settings else "")
        most = "" if case["most"] else " (no limit)"
        return name, f"{whole(case['rows'])}{most}", f"{case['held'] / 1e9:.2f} GB", f"{case['seconds']:.0f} s"

    return [
        f"The most memory that a process held beyond what it held after a fit of {_FIRST} rows, at the most rows that "
        f"the method takes in two dimensions. They are noise about two means in {_COLUMNS} columns. The time is that "
        f"of {_ITERATIONS} iterations, where there are any, and all that comes before.",
        "",
        *table(["method", "rows", "memory", "time"], [line(case) for case in numbers["cases"]]),
    ]


EXPERIMENT = Experiment("limits", "At the most rows", 100_000, 60, measure, lambda numbers: [], {}, rows)
