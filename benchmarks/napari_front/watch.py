"""Watches for how long a run keeps the window from answering."""

from __future__ import annotations

from typing import Any

from qtpy.QtCore import QEventLoop, Qt, QTimer

from benchmarks.gaps import TICK, Gap, Stage, clocks
from benchmarks.napari_front.window import Window

# How long the watch goes on after the run, for what the window draws then.
_AFTERWARDS = 1.5


class Watch:
    """A timer in the window's thread that should tick every few milliseconds, and says when it did not.

    Parameters
    ----------
    window : Window
        With cells.
    """

    def __init__(self, window: Window) -> None:
        self._window, self._stage = window, Stage()
        self._gaps: list[Gap] = []
        self._last = clocks()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def embed(self) -> list[Gap]:
        """Embed the cells in the window, and return what a user would have waited."""
        runs, loop = self._window.panel.session.runs, QEventLoop()

        def ended(run: Any) -> None:
            self._stage.ended(run)
            QTimer.singleShot(round(1000 * _AFTERWARDS), loop.quit)

        self._window.settle()
        self._gaps, self._stage = [], Stage()
        # After all of the panel's own slots, so that what they do at the end counts as what came before.
        runs.progressed.connect(self._stage.progressed)
        runs.ended.connect(ended)
        self._last = clocks()
        QTimer.singleShot(0, self._press)
        loop.exec()
        self._timer.stop()
        runs.progressed.disconnect(self._stage.progressed)
        runs.ended.disconnect(ended)
        return self._gaps

    def _press(self) -> None:
        # The same parameters would show the map there is.
        self._window.panel.parameters.random_state += 1
        self._window.panel.embed()
        self._tick()
        self._timer.start(round(1000 * TICK))

    def _tick(self) -> None:
        now = clocks()
        passed = (after - before for after, before in zip(now, self._last, strict=True))
        self._gaps.append(Gap(*passed, self._stage.now))
        self._last = now
        self._stage.ticked()
