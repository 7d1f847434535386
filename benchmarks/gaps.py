"""For how long a run keeps a front end from answering."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

TICK = 0.005
"""How often the front end's thread is asked for, in seconds."""
LIMIT = 0.05
"""For how long it may be held up, in seconds."""
PRESSED, FIRST = "pressing Embed", "first sight of the map"
PERCENTILES = (50, 90, 99, 99.9)


class Stage:
    """What a run is at, as far as a front end knows that hears of it.

    Attributes
    ----------
    now : str
    """

    def __init__(self) -> None:
        self.now = PRESSED

    def progressed(self, run: Any) -> None:
        """Hear that the run has come further, or its interim map."""
        if run.progress is None:
            return
        if run.progress.stage == "embedding" and run.progress.state is None:
            return  # there is nothing to be seen yet
        is_first = run.progress.stage == "embedding" and self.now not in (FIRST, "embedding")
        self.now = FIRST if is_first else run.progress.stage

    def ended(self, _: Any) -> None:
        """Hear that the run has ended."""
        self.now = "the finished map"

    def ticked(self) -> None:
        """Hear that the front end was free: what is done at once is done."""
        self.now = {PRESSED: "neighbours", FIRST: "embedding"}.get(self.now, self.now)


class Gap(NamedTuple):
    """The time between two ticks of a timer in the thread of a front end.

    Attributes
    ----------
    seconds : float
    at_work : float
        For how much of it this thread had a processor.
    queued : float
        For how much of it this thread could have worked, but other threads and programs had all processors. For the
        rest it waited for the interpreter's lock, for the drawing, or for the next tick.
    stage : str
        What the run was at, as far as the front end knew.
    """

    seconds: float
    at_work: float
    queued: float
    stage: str


def percentiles(seconds: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Return by the percentage how long so many of them are at most."""
    return {str(q): float(np.percentile(seconds, q)) for q in PERCENTILES}


def summary(gaps: list[Gap]) -> dict[str, Any]:
    """Return what is kept of a run: how long the gaps were, and what was at work in the longest of each stage."""
    seconds = np.array([gap.seconds for gap in gaps])
    stages = {}
    for stage in dict.fromkeys(gap.stage for gap in gaps):
        own = [gap for gap in gaps if gap.stage == stage]
        longest = max(own)
        stages[stage] = {
            "ticks": len(own),
            "over": sum(gap.seconds > LIMIT for gap in own),
            "longest": longest.seconds,
            "at_work": longest.at_work,
            "queued": longest.queued,
            "most_work": max(gap.at_work for gap in own),
        }
    return {
        "seconds": float(seconds.sum()),
        "percentiles": percentiles(seconds),
        "stages": stages,
    }


def clocks() -> tuple[float, float, float]:
    """The time, and for how much of it this thread has worked, and has waited for a processor."""
    schedule = Path("/proc/thread-self/schedstat")
    queued = int(schedule.read_text().split()[1]) / 1e9 if schedule.is_file() else 0.0
    return time.perf_counter(), time.thread_time(), queued
