"""What more rows than were ever measured would take, from how time and memory grew with those that were."""

from __future__ import annotations

import json

import numpy as np

from benchmarks.markdown import table, whole
from benchmarks.paths import DOCS
from benchmarks.peers.figures import exponent
from benchmarks.report import Numbers, Run

_FROM = 100_000
"""Below, what does not grow counts."""
_ASKED = (1e7, 1e8)


def measure(run: Run) -> Numbers:
    """Read how the default map of 50 columns grew; `run` says nothing to this."""
    records = json.loads((DOCS / "benchmarks" / "scaling.json").read_text())["records"]
    growth = {}
    for data in dict.fromkeys(record["data"] for record in records):
        fits = [
            record["fits"][-1]
            for record in records
            if record["data"] == data and record["method"] == "latentmap" and record["rows"] >= _FROM
        ]
        rows, seconds, memory = (np.array([fit[name] for fit in fits]) for name in ("rows", "seconds", "memory"))
        growth[data] = {
            "rows": rows.tolist(),
            "exponent": exponent(rows, seconds),
            "seconds": float(seconds[rows.argmax()]),
            "bytes": float(np.polyfit(rows, memory, 1)[0]),
        }
    return {"iterations": None, "growth": growth}


def lines(numbers: Numbers) -> list[str]:
    growth = numbers["growth"]
    rows = [
        (
            data,
            f"{whole(min(one['rows']))} to {whole(max(one['rows']))}",
            f"{one['exponent']:.2f}",
            whole(one["bytes"]),
            *(_asked(one, n) for n in _ASKED),
        )
        for data, one in growth.items()
    ]
    return [
        "Nobody has run maps of this size. The figures follow from the "
        "[growth](benchmarks.md#growth-with-the-number-of-rows) of a default map of 50 columns here, if time "
        "goes on growing with the same exponent. The graph and the ascent run on one machine. A cluster can measure "
        "cells and place new rows. So the way to 10^8 cells is a map of a sample, with "
        "[all others placed on it](whole-slides.md).",
        "",
        *table(
            ["table", "measured rows", "exponent of time", "bytes a row", *(f"{whole(n)} rows" for n in _ASKED)], rows
        ),
    ]


def _asked(one: Numbers, n: float) -> str:
    hours = one["seconds"] * (n / max(one["rows"])) ** one["exponent"] / 3600
    return f"{whole(n * one['bytes'] / 1e9)} GB, {hours:.1f} h"
