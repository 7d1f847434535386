"""For how long a run keeps the window from answering."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from qtpy.QtCore import QEventLoop, Qt, QTimer

from benchmarks.napari_front.window import Window

TICK = 0.005
"""How often the window's thread is asked for, in seconds."""
LIMIT = 0.05
"""For how long it may be held up, in seconds."""
# How long the watch goes on after the run, for what the window draws then.
_AFTERWARDS = 1.5
_FIRST = "first sight of the map"
_PERCENTILES = (50, 90, 99, 99.9)


class Gap(NamedTuple):
    """The time between two ticks of a timer in the window's thread.

    Attributes
    ----------
    seconds : float
    at_work : float
        For how much of it this thread had a processor.
    queued : float
        For how much of it this thread could have worked, but other threads and programs had all processors. For the
        rest it waited for the interpreter's lock, for the drawing, or for the next tick.
    stage : str
        What the run was at, as far as the window knew.
    """

    seconds: float
    at_work: float
    queued: float
    stage: str


class Watch:
    """A timer in the window's thread that should tick every few milliseconds, and says when it did not.

    Parameters
    ----------
    window : Window
        With cells.
    """

    def __init__(self, window: Window) -> None:
        self._window, self._stage = window, "start"
        self._gaps: list[Gap] = []
        self._last = _clocks()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def embed(self) -> list[Gap]:
        """Embed the cells in the window, and return what a user would have waited."""
        runs, loop = self._window.panel.session.runs, QEventLoop()

        def progressed(run: Any) -> None:
            if run.progress.stage == "embedding" and run.progress.state is None:
                return  # there is nothing to be seen yet
            is_first = run.progress.stage == "embedding" and self._stage not in (_FIRST, "embedding")
            self._stage = _FIRST if is_first else run.progress.stage

        def ended(run: Any) -> None:
            self._stage = "the finished map"
            QTimer.singleShot(round(1000 * _AFTERWARDS), loop.quit)

        self._window.settle()
        # After all of the panel's own slots, so that what they do at the end counts as what came before.
        runs.progressed.connect(progressed)
        runs.ended.connect(ended)
        self._gaps, self._stage = [], "pressing Embed"
        self._last = _clocks()
        self._timer.start(round(1000 * TICK))
        QTimer.singleShot(0, self._press)
        loop.exec()
        self._timer.stop()
        runs.progressed.disconnect(progressed)
        runs.ended.disconnect(ended)
        return self._gaps

    def _press(self) -> None:
        self._window.panel.embed()
        self._tick()
        self._stage = "neighbours"

    def _tick(self) -> None:
        now = _clocks()
        self._gaps.append(Gap(*(after - before for after, before in zip(now, self._last, strict=True)), self._stage))
        self._last = now
        if self._stage == _FIRST:
            self._stage = "embedding"


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
        "percentiles": {str(q): float(np.percentile(seconds, q)) for q in _PERCENTILES},
        "stages": stages,
    }


def _clocks() -> tuple[float, float, float]:
    """The time, and for how much of it this thread has worked, and has waited for a processor."""
    schedule = Path("/proc/thread-self/schedstat")
    queued = int(schedule.read_text().split()[1]) / 1e9 if schedule.is_file() else 0.0
    return time.perf_counter(), time.thread_time(), queued
