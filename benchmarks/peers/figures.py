"""The two figures of the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from benchmarks.drawing import logarithmic, panels, save
from benchmarks.peers import tables
from benchmarks.peers.methods import METHODS
from benchmarks.peers.records import Record, Records

COLORS = dict(
    zip(METHODS, ["#e15759", "#f28e2b", "#b07aa1", "#76b7b2", "#9c755f", "#4e79a7", "#59a14f", "#3b3b3b"], strict=True)
)
CAPTIONS = {
    "time-and-error": "MNIST: error and recall against seconds, warm (filled) and in a fresh process (open)",
    "scaling": "Seconds and memory against rows; the dashed line is proportional to the rows",
}


def draw_all(maps: Records, growth: Records, folder: Path) -> None:
    """Draw what there are records for, and remove what there are none for."""
    folder.mkdir(parents=True, exist_ok=True)
    digits = maps.largest("mnist")
    for name, wanted in (("time-and-error", bool(digits)), ("scaling", bool(growth.all))):
        path = folder / f"benchmarks-{name}.png"
        if not wanted:
            path.unlink(missing_ok=True)
        elif name == "scaling":
            _draw_scaling(growth, path)
        else:
            _draw_time_and_error(digits, path)


def _draw_time_and_error(records: Sequence[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 4.2, 3.2)
    for panel, column in zip(axes[0], (tables.ERROR_1, tables.RECALL), strict=True):
        for name, runs in tables.by_method(records).items():
            height = column.mean(runs)
            if height is None:
                continue
            warm, fresh = tables.WARM.mean(runs), tables.FRESH.mean(runs)
            color = COLORS[name]
            panel.plot([warm, fresh], [height, height], "-", color=color, linewidth=1)
            panel.plot(fresh, height, "o", color=color, markerfacecolor="white")
            panel.plot(warm, height, "o", color=color, label=name)
        panel.set(xlabel="seconds", ylabel=column.title)
        logarithmic(panel.xaxis)
    axes[0, 1].legend(loc="best")
    save(figure, path)


def _draw_scaling(growth: Records, path: Path) -> None:
    data = list(dict.fromkeys(record["data"] for record in growth.all))
    figure, axes = panels(len(data), 2, 4.2, 3.2)
    for (time, memory), name in zip(axes, data, strict=True):
        _draw_growth(tables.by_method([record for record in growth.all if record["data"] == name]), time, memory)
        time.set(xlabel="rows", ylabel="seconds", title=name)
        memory.set(xlabel="rows", ylabel="memory, GiB")
        for panel in (time, memory):
            logarithmic(panel.xaxis, (1,))
            logarithmic(panel.yaxis)
        time.legend(loc="best")
    save(figure, path)


def _draw_growth(by_method: dict[str, list[Record]], time: Axes, memory: Axes) -> None:
    for name, records in by_method.items():
        last = sorted((record["fits"][-1] for record in records), key=lambda fit: fit["rows"])
        rows, seconds = [fit["rows"] for fit in last], [fit["seconds"] for fit in last]
        time.plot(rows, seconds, "o-", color=COLORS[name], label=name)
        time.plot(rows, [seconds[0] * n / rows[0] for n in rows], "--", color=COLORS[name], linewidth=0.8)
        memory.plot(rows, [fit["memory"] / 2**30 for fit in last], "o-", color=COLORS[name])


def exponent(rows: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the straight line through the logarithms."""
    return float(np.polyfit(np.log(rows), np.log(seconds), 1)[0])
