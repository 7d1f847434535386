"""For how long a run keeps the window from answering."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from qtpy.QtCore import Qt, QTimer

from benchmarks.napari_front import cells
from benchmarks.napari_front.window import Window

TICK = 0.005
"""How often the window's thread is asked for, in seconds."""


class Gap(NamedTuple):
    """The time between two ticks of a timer in the window's thread.

    Attributes
    ----------
    seconds : float
    at_work : float
        For how much of it this thread had the processor: for the rest it waited, for the interpreter, the processor or
        the drawing.
    drawing : float
        How much of it went into the moving map and the canvas.
    stage : str
        What the run was at, as far as the window knew.
    """

    seconds: float
    at_work: float
    drawing: float
    stage: str


class Watch:
    """A timer in the window's thread that should tick every few milliseconds, and says when it did not.

    Attributes
    ----------
    gaps : list of Gap
    """

    def __init__(self, window: Window) -> None:
        self.gaps: list[Gap] = []
        self._window, self._stage, self._drawing = window, "before", 0.0
        self._last = time.perf_counter(), time.thread_time(), 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def run(self, act: Callable[[], object], until: Callable[[], bool]) -> list[Gap]:
        """Do something, and watch until its end."""
        runs, scene = self._window.panel.session.runs, self._window.panel.scene
        runs.progressed.connect(self._progressed)
        runs.ended.connect(self._ended)
        scene._draw_now, draw = self._clocked(scene._draw_now), scene._draw_now
        canvas = self._window.viewer.window._qt_viewer.canvas._scene_canvas
        self._timer.start(round(1000 * TICK))
        self._last = time.perf_counter(), time.thread_time(), 0.0
        act()
        self._window.wait_for(until)
        self._window.draw()
        self._tick()
        self._timer.stop()
        runs.progressed.disconnect(self._progressed)
        runs.ended.disconnect(self._ended)
        return self.gaps

    def _tick(self) -> None:
        now = time.perf_counter(), time.thread_time(), self._drawing
        self.gaps.append(Gap(*(after - before for after, before in zip(now, self._last, strict=True)), self._stage))
        self._last = now
