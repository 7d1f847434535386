"""Runs in a notebook, watched and left alone, and what a slider does that is moved meanwhile."""

from __future__ import annotations

import time
from bisect import bisect
from collections.abc import Sequence
from typing import Any

from benchmarks.notebook_front.notebook import Notebook
from benchmarks.notebook_front.replies import Reply
from latentmap import LVM
from latentmap.session import Parameters
from latentmap.table import CellTable, prepare

# How long after a run the watch goes on, for what is shown then.
_AFTERWARDS = 1.5
# How often a run that is left alone is asked whether it has ended, in seconds.
_LOOKING = 1.0
# Where the slider is moved, in pixels from where it stands, and how long it stays anywhere, in seconds.
TO_AND_FRO = [(float(x), 0.0) for x in (*range(0, 60, 2), *range(60, 20, -2))]
_PAUSE = 0.02
# With the same parameters Embed shows the map there is.
_ANOTHER = "shown.session.parameters.random_state += 1"


def unwatched(notebook: Notebook) -> dict[str, float]:
    """Embed while nothing else is done; return how long it took, and how much of it was seen."""
    notebook.settle()
    notebook.kernel.do("watch.start()")
    start = time.time()
    notebook.kernel.do(_ANOTHER)
    notebook.press("Embed")
    while not notebook.kernel.value("watch.has_ended"):
        notebook.page.wait_for_timeout(1000 * _LOOKING)
    notebook.settle()
    told = notebook.kernel.value("watch.told")
    ((run,), stages) = told["runs"], told["stages"]
    seen = notebook.when("frame", start, run["last_frame"])
    moving = [at for at, number in notebook.noted("frame", start) if number <= run["moving_frame"]]
    embedded = next(at for at, stage in stages if stage in ("quality", "the finished map"))
    return {
        "seconds": run["ended"] - run["started"],
        "until_embedded": embedded - run["started"],
        "frames": len(moving),
        # The browser tells of every fourth frame, and a short run may have fewer.
        "moving": moving[-1] - moving[0] if moving else 0.0,
        "finished_map": seen - run["ended"],
    }


def watched(notebook: Notebook) -> dict[str, Any]:
    """Embed while other cells are executed; return how long these took to be answered, by stage."""
    notebook.settle()
    notebook.kernel.do("watch.start(has_ticks=True)")
    notebook.kernel.do(_ANOTHER)
    notebook.press("Embed")
    replies = notebook.kernel.watch("watch.running", _AFTERWARDS)
    notebook.kernel.do("watch.stop()")
    told = notebook.kernel.value("watch.told")
    (run,) = told["runs"]
    seconds = run["ended"] - run["started"]
    return {"seconds": seconds, "gaps": told["gaps"], "replies": _by_stage(replies, told["stages"])}


def _by_stage(replies: list[Reply], stages: list[tuple[float, str]]) -> dict[str, list[float]]:
    """Sort the replies by what the run was at when they came."""
    began = [at for at, _ in stages]
    found: dict[str, list[float]] = {stage: [] for _, stage in stages}
    for reply in replies:
        at = bisect(began, reply.at) - 1
        if at >= 0:
            found[stages[at][1]].append(reply.seconds)
    return {stage: seconds for stage, seconds in found.items() if seconds}


def slide(notebook: Notebook, places: Sequence[tuple[float, float]] = TO_AND_FRO) -> dict[str, Any]:
    """Move the slider of the neighbours to and fro while the map follows, and return how soon it did."""
    live = notebook.page.get_by_role("checkbox", name="live")
    live.check()
    notebook.settle()
    notebook.kernel.do("watch.start()")
    handle = notebook.page.get_by_role("slider").first
    start = time.time()
    notebook.loop(handle, places, pause=_PAUSE)
    last_move = max(at for at, _ in notebook.noted("pointermove", start))
    notebook.settle()
    # A busy kernel hears of the slider's last place long after the mouse has left it.
    notebook.wait_until(f"watch.has_made({handle.get_attribute('aria-valuenow')})")
    runs = notebook.kernel.value("watch.told")["runs"]
    live.uncheck()
    last = runs[-1]
    moved = notebook.when("frame", start, last["first_frame"])
    return {
        "sliding": last_move - start,
        "values": notebook.kernel.value("watch.n_changes"),
        "started": len(runs),
        "began": sum("first_frame" in run for run in runs),
        "moved": moved - last_move,
        "first_moved": notebook.when("frame", start) - start,
        "ended": last["ended"] - last_move,
    }


def script_seconds(table: CellTable) -> float:
    """Return how long the model takes to make the map in a script that does nothing else."""
    parameters = Parameters(features=tuple(table.numeric))
    _, values = prepare(table, parameters.features, parameters.preparation)
    model = LVM(**parameters.model)
    start = time.perf_counter()
    model.fit(values)
    return time.perf_counter() - start
