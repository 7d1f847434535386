"""The page on the notebook's speed, made from what was measured and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.gaps import TICK
from benchmarks.markdown import table, whole
from benchmarks.notebook_front.replies import PACE
from benchmarks.times import load, ms, note_elsewhere, three

# What is to be kept, and what is aimed at, in seconds.
DISPLAYED, LOOPED, REPLIED = (10.0, 5.0), (1.0, 0.5), (0.1, 0.05)
PERCENTILES = (50, 95, 99)
_HEAD = """\
# How fast the notebook answers

```sh
uv run --extra jupyter python -m benchmarks.notebook_front run     # or: page
```

opens JupyterLab in Chromium, shows the widget with cells that code has made, does with the mouse what a user does, and
makes this page from the times it takes and from nothing else. Times are in milliseconds, unless they say otherwise. The
best, the middle and the worst of several times: the best is what the code takes, the others are what else the machine
had to do. *Kept* says how the worst of them stands to what was set before: a bar, and an aim below it.
""".splitlines()
_DRAWN = "as Chromium does where there is no graphics card: WebGL by SwiftShader"
_DISPLAY = """\
From the cell that shows the widget being run until the browser has drawn what it says. A pixel is read back each time,
so that the drawing is over and not only asked for. A session from a file is first read; what is drawn of it counts from
then.
""".splitlines()
_LOOPS = """\
From letting go of the mouse until the kernel knows which cells are selected and has told every view, until the image of
4000 x 4000 pixels is drawn with them lit, and until the map is drawn with their points ringed.
""".splitlines()
_DONE = """\
From a cell of the notebook that does it until the map is drawn anew and, where cells are chosen, until they are lit in
the image.
""".splitlines()
_RUNS = f"""\
A cell `1 + 1` is sent to the kernel beside the page, and the next one {1000 * PACE:g} ms later, or as soon as it is
answered: how long the answer takes is how long a user waits for another cell. Sent more often, the cells themselves
would be what keeps the machine busy, as JupyterLab draws its page anew for each. All runs are taken together, by what
the run was at when the answer came. At the same time a timer in the kernel's thread that should tick every
{1000 * TICK:g} ms says for how long that thread was held up at most: in the best and in the worst run, and for how much
of the longest time in the worst one it worked itself, or stood in the queue because other threads and programs had all
cores. For the rest it waited for the interpreter's lock, or for the thread that sends what cells print, as it does
after every cell. Each run is made once like that, and once left alone: its time, its frames and what showing costs are
those of the run left alone.
""".splitlines()
_SLIDES = """\
The slider of k is dragged to and fro by the mouse, with *live* ticked. Every value it takes starts a run that goes on
from the map of before, in place of the last one. The last two times, in milliseconds, count from the last move.
""".splitlines()


def page(folder: Path) -> str:
    """Return the page."""
    path = folder / "benchmarks" / "notebook.json"
    if not path.is_file():
        return "\n".join([*_HEAD, "", "Nothing was measured yet."]) + "\n"
    record = json.loads(path.read_text())
    note_elsewhere(record)
    machine = record["machine"]
    named = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    lines = [*_HEAD, "", f"{machine['processor']}, {machine['cores']} cores, drawn {_DRAWN}. {named}.", ""]
    lines += _provisional([*record["steps"].values(), *record["runs"].values()], machine["cores"])
    for found in record["steps"].values():
        lines += _displays(found) + _loops(found) + _done(found)
    if record["runs"]:
        lines += ["## While a map is made", "", *_RUNS, ""]
    for found in record["runs"].values():
        lines += _runs(found)
    if record["runs"]:
        lines += ["## A slider, moved while the map follows", "", *_slides(record["runs"].values())]
    return "\n".join(lines).rstrip() + "\n"


def write_page(folder: Path) -> None:
    """Write notebook-speed.md from ``folder``/benchmarks/notebook.json."""
    (folder / "notebook-speed.md").write_text(page(folder))


def _provisional(every: Sequence[Mapping[str, Any]], cores: int) -> list[str]:
    """Warn where other programs had all cores: what is measured then is mostly what they left."""
    busy = max((found["load_before"] for found in every), default=0.0)
    if busy < cores:
        return []
    return [
        f"**Provisional.** Other programs had the machine meanwhile, whose load was up to {busy:.0f} before: no figure",
        "is the code's alone, and the notebook and the script, measured one after the other, do not compare.",
        "",
    ]


def _displays(found: Mapping[str, Any]) -> list[str]:
    displays, opened = found["displays"], found["opened"]
    what = {
        "`explore(...)`: the place of the map, which has none yet": [one["map"] for one in displays],
        "`explore(...)`: the image with its cells": [one["image"] for one in displays],
        "`open_session(...)`: the points of the map": [one["points"] for one in opened],
        "`open_session(...)`: the image with its cells": [one["image"] for one in opened],
    }
    rows = [[name, *three(seconds), *_kept(seconds, DISPLAYED)] for name, seconds in what.items()]
    rows.insert(2, ["`open_session(...)`: reading the file", *three([one["read"] for one in opened]), "", ""])
    return [
        f"## Showing {_cells(found)}",
        "",
        *_DISPLAY,
        "",
        load([found]),
        "",
        *table(_columns("until there is"), rows),
    ]


def _loops(found: Mapping[str, Any]) -> list[str]:
    rows = []
    for where, loops in found["loops"].items():
        about = f"{whole(median(one['cells'] for one in loops))} cells, loop {where}"
        for name, part in (("the kernel knows them", "python"), ("lit in the image", "image"), ("ringed", "map")):
            seconds = [one[part] for one in loops]
            rows.append([f"{about}: {name}", *three(seconds), *_kept(seconds, LOOPED)])
    return [f"## A loop round cells, of {whole(found['cells'])}", "", *_LOOPS, "", *table(_columns(""), rows)]


def _done(found: Mapping[str, Any]) -> list[str]:
    rows = [[name, *three(seconds), *_kept(seconds, LOOPED)] for name, seconds in found.get("done", {}).items()]
    head = [f"## Cells chosen, named and coloured, of {whole(found['cells'])}", "", *_DONE, ""]
    return [*head, *table(_columns(""), rows)] if rows else []


def _columns(first: str) -> list[str]:
    return [first, "best", "middle", "worst", "bar, aim", "kept"]


def _kept(seconds: Iterable[float], limits: tuple[float, float]) -> list[str]:
    bar, aim = limits
    worst = max(seconds)
    return [f"{ms(bar)}, {ms(aim)}", "aim" if worst <= aim else "bar" if worst <= bar else "**no**"]


def _runs(found: Mapping[str, Any]) -> list[str]:
    alone, watched = ([run[how] for run in found["runs"]] for how in ("alone", "watched"))
    script = found["script"]
    stages = dict.fromkeys(stage for run in watched for stage in (*run["gaps"]["stages"], *run["replies"]))
    rows = [_stage(stage, watched) for stage in stages]
    every = [seconds for run in watched for stage in run["replies"].values() for seconds in stage]
    rows.append(["all", *_replies(every), *_kept(every, REPLIED), *_longest(watched, list(stages))])
    head = ["stage", "cells sent", *(f"{q} %" for q in PERCENTILES), "longest", f"within {ms(REPLIED[0])}"]
    head += ["bar, aim", "kept"]
    head += ["held up, best run", "worst", "at work", "queued"]
    frames, moving = (sum(run[part] for run in alone) for part in ("frames", "moving"))
    compared = ""
    if script:
        ratio = median(run["until_embedded"] for run in alone) / median(script)
        compared = (
            f"; `LVM` in a script takes {_decimals(script)} s for the same, so showing costs a factor of {ratio:.2f}"
        )
    finished = [run["finished_map"] for run in alone]
    return [
        f"### {_cells(found)}",
        "",
        f"{_times(len(alone))} of {_decimals(run['seconds'] for run in alone)} s left alone, "
        f"{_decimals(run['seconds'] for run in watched)} s while other cells are executed. {load([found])}",
        "",
        f"- Until the map is made: {_decimals(run['until_embedded'] for run in alone)} s{compared}.",
        f"- The map that moves is drawn {(frames - len(alone)) / moving if moving else 0:.1f} times a second.",
        f"- The finished map is drawn {ms(min(finished))} to {ms(max(finished))} ms after the run has ended.",
        "",
        *table(head, rows),
    ]


def _stage(stage: str, watched: Sequence[Mapping[str, Any]]) -> list[Any]:
    every = [seconds for run in watched for seconds in run["replies"].get(stage, [])]
    kept = _kept(every, REPLIED) if every else ["", ""]
    return [stage, *_replies(every), *kept, *_longest(watched, [stage])]


def _replies(every: Sequence[float]) -> list[Any]:
    if not every:
        return [0, *[""] * (len(PERCENTILES) + 2)]
    within = f"{100 * np.mean(np.array(every) <= REPLIED[0]):.1f} %"
    return [len(every), *(ms(float(np.percentile(every, q))) for q in PERCENTILES), ms(max(every)), within]


def _longest(watched: Sequence[Mapping[str, Any]], stages: Sequence[str]) -> list[str]:
    """Return the longest gap of the best and of the worst run, and what was at work in the worst."""
    gaps = [[run["gaps"]["stages"][one] for one in stages if one in run["gaps"]["stages"]] for run in watched]
    longest = [max(of_run, key=lambda gap: gap["longest"]) for of_run in gaps if of_run]
    if not longest:
        return [""] * 4
    best, worst = (pick(longest, key=lambda gap: gap["longest"]) for pick in (min, max))
    return [ms(best["longest"]), *(ms(worst[part]) for part in ("longest", "at_work", "queued"))]


def _slides(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    rows = []
    for found in runs:
        for one in found["slides"]:
            shown = [f"{one['sliding']:.1f}", one["values"], one["started"], one["began"]]
            rows.append([whole(found["cells"]), *shown, ms(one["moved"]), ms(one["ended"])])
    columns = ["cells", "dragged for, s", "values", "runs started", "that moved the map", "the map moves", "it is made"]
    return [*_SLIDES, "", *table(columns, rows)]


def _cells(found: Mapping[str, Any]) -> str:
    return f"{whole(found['cells'])} cells in a labels image of 4000 x 4000 pixels"


def _times(n: int) -> str:
    return "1 run" if n == 1 else f"{n} runs"


def _decimals(seconds: Iterable[float]) -> str:
    values = list(seconds)
    return " to ".join(dict.fromkeys(f"{one:.1f}" for one in (min(values), max(values))))
