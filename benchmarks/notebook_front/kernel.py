"""What runs in the kernel of the notebook that is measured: the cells, and a watch over their session."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import numpy as np

from benchmarks import cells
from benchmarks.gaps import TICK, Gap, Stage, clocks, summary
from latentmap.jupyter import Explorer, explore
from latentmap.session import Parameters, Run, iter_run
from latentmap.table import CellTable


def ready(n_cells: int, side: int | None = None) -> dict[str, Any]:
    """Return what `explore` is given: cells, their labels and one image, once all kernels are compiled.

    Parameters
    ----------
    n_cells : int
    side : int, optional
        Of the images, in pixels; that of `cells.labels_image` unless it is given.
    """
    few = CellTable.read(cells.features(1000, np.arange(1, 1001)), layer="few")
    for _ in iter_run(few, Parameters(features=tuple(few.numeric), max_iter=3)):
        pass
    image, labels = cells.labels_image(n_cells, side)
    noise = np.random.default_rng(5).integers(0, 1000, image.shape, dtype=np.uint16)
    return {
        "data": cells.features(n_cells, labels),
        "images": {"DNA": noise + np.uint16(3000) * (image > 0)},
        "labels": image,
    }


def keep_finished(given: dict[str, Any], path: str) -> None:
    """Write a session with a map that code has made to a file."""
    shown = explore(**given)
    finished = cells.finished(shown.session, shown.cells)
    shown.session.runs.restore([finished], finished, 1)
    shown.save(path)
    shown.close()


def middle(shown: Explorer, n: int) -> list[float]:
    """Return the middle of the map, and how far round it so many points lie, in the map's square from -1/2 to 1/2."""
    places = shown.maps.shown[0]._positions
    centre = np.median(places, axis=0)
    return [*centre.tolist(), float(np.partition(np.linalg.norm(places - centre, axis=1), n)[n])]


class Watch:
    """Notes when the session of a widget has changed, and for how long the kernel's thread was held up.

    Times are those of the system's clock, as other processes have it.

    Parameters
    ----------
    shown : Explorer

    Attributes
    ----------
    n_changes : int
        How often a parameter has changed.
    """

    def __init__(self, shown: Explorer) -> None:
        self._session, self._maps = shown.session, shown.maps
        self._ticks: asyncio.TimerHandle | None = None
        self._begin()
        # After all of the widget's own slots: what is noted here, every view knows.
        self._session.selection.changed.connect(self._selected, max_args=0)
        self._session.parameters.events.connect(self._changed, max_args=0)
        self._session.runs.started.connect(self._started)
        self._session.runs.progressed.connect(self._progressed)
        self._session.runs.ended.connect(self._note_end, priority=1)
        self._session.runs.ended.connect(self._ended)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._session.runs.running

    @property
    def has_ended(self) -> bool:
        """Whether a run has ended since the watch was started."""
        return any("ended" in run for run in self._runs)

    def has_made(self, n_neighbors: float) -> bool:
        """Whether the map on show was made with so many neighbours, and no run is under way."""
        runs, current = self._session.runs, self._session.runs.current
        return current is not None and not runs.running and current.parameters["n_neighbors"] == n_neighbors

    @property
    def frame(self) -> int:
        """The number of the last frame of the map that was sent to the browser; 0 without a map."""
        return max((one.pane.frame for one in self._maps.shown), default=0)

    @property
    def told(self) -> str:
        """What was noted, as JSON."""
        gaps = summary(self._gaps) if self._gaps else None
        return json.dumps({"selections": self._selections, "runs": self._runs, "stages": self._stages, "gaps": gaps})

    def start(self, has_ticks: bool = False) -> None:
        """Begin anew.

        Parameters
        ----------
        has_ticks : bool
            Whether to look at every tick how long the last one was ago.
        """
        self.stop()
        self._begin()
        if has_ticks:
            self._ticks = asyncio.get_running_loop().call_later(TICK, self._tick)

    def stop(self) -> None:
        """Let the ticks end."""
        if self._ticks is not None:
            self._ticks.cancel()
            self._ticks = None

    def _begin(self) -> None:
        self._stage, self._gaps, self._last = Stage(), list[Gap](), clocks()
        self._stages: list[tuple[float, str]] = []
        self._selections: list[tuple[float, int]] = []
        self._runs: list[dict[str, Any]] = []
        self.n_changes = 0

    def _changed(self) -> None:
        self.n_changes += 1

    def _selected(self) -> None:
        self._selections.append((time.time(), len(self._session.selection)))

    def _started(self, _: Run) -> None:
        self._runs.append({"started": time.time()})
        self._stage = Stage()
        self._note()

    def _progressed(self, run: Run) -> None:
        self._stage.progressed(run)
        if run.moving is not None:
            self._runs[-1].setdefault("first_frame", self.frame)
        self._note()

    def _note_end(self, _: Run) -> None:
        self._runs[-1] |= {"ended": time.time(), "moving_frame": self.frame}

    def _ended(self, run: Run) -> None:
        self._stage.ended(run)
        self._runs[-1]["last_frame"] = self.frame
        self._note()

    def _note(self) -> None:
        if not self._stages or self._stages[-1][1] != self._stage.now:
            self._stages.append((time.time(), self._stage.now))

    def _tick(self) -> None:
        now = clocks()
        passed = (after - before for after, before in zip(now, self._last, strict=True))
        self._gaps.append(Gap(*passed, self._stage.now))
        self._last = now
        self._stage.ticked()
        self._ticks = asyncio.get_running_loop().call_later(TICK, self._tick)
