"""The page on the window's speed, made from what was measured and from nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.gaps import LIMIT, TICK
from benchmarks.markdown import table, whole
from benchmarks.times import load, ms, note_elsewhere, span, three

_HEAD = """\
# How fast the window answers

```sh
uv run --group benchmarks python -m benchmarks.napari_front run     # or: page
```

opens napari with the panel on a virtual screen, brings in cells that code has made, does what a user does, and makes
this page from the times it takes and from nothing else. Times are in milliseconds.
""".splitlines()
_STEPS = """\
*Answer* is the time until what was asked for is done and every view knows of it; *redraw* is what napari takes from
then until the window shows it, without a graphics card. The best, the middle and the worst of several times: the best
is what the code takes, the others are what else the machine had to do. A layer of a million points is drawn anew by
napari whenever anything is; of a map no more than 100 000 points are.
""".splitlines()


def page(folder: Path) -> str:
    """Return the page."""
    path = folder / "benchmarks" / "napari.json"
    if not path.is_file():
        return "\n".join([*_HEAD, "", "Nothing was measured yet."]) + "\n"
    record = json.loads(path.read_text())
    note_elsewhere(record)
    machine, versions = record["machine"], record["versions"]
    named = ", ".join(f"{name} {number}" for name, number in versions.items())
    lines = [*_HEAD, "", f"{machine['processor']}, {machine['cores']} cores, drawn by software (OpenGL). {named}.", ""]
    if record["steps"]:
        lines += ["## With a finished map", "", *_STEPS, ""]
    for found in record["steps"].values():
        lines += _steps(found)
    if record["runs"]:
        lines += ["## While a map is made", "", *_about_runs(), ""]
    for found in record["runs"].values():
        lines += _runs(found)
    return "\n".join(lines).rstrip() + "\n"


def write_page(folder: Path) -> None:
    """Write napari-speed.md from ``folder``/benchmarks/napari.json."""
    (folder / "napari-speed.md").write_text(page(folder))


def _steps(found: dict[str, Any]) -> list[str]:
    rows = [[name, *three(times["answer"]), *three(times["redraw"])[:2]] for name, times in found["times"].items()]
    columns = ["", "answer, best", "middle", "worst", "redraw, best", "middle"]
    return [f"### {_cells(found)}", "", load([found]), "", *table(columns, rows)]


def _about_runs() -> list[str]:
    tick, limit = f"{1000 * TICK:g} ms", f"{1000 * LIMIT:g} ms"
    return [
        f"A timer in the window's thread that should tick every {tick} says how long nobody could click. The longest",
        f"gap of each stage, in the best and in the worst of several runs, and how many were longer than {limit} in",
        "the best. *At work* is the most that the window's thread itself worked in one gap, in the best run; *queued*",
        "is for how much of that longest gap it could have worked, but all cores were taken.",
    ]


def _runs(found: dict[str, Any]) -> list[str]:
    watched = found["watched"]
    rows = []
    for stage in dict.fromkeys(stage for one in watched for stage in one["stages"]):
        of_stage = [one["stages"][stage] for one in watched if stage in one["stages"]]
        best, worst = (pick(of_stage, key=lambda one: one["longest"]) for pick in (min, max))
        work = min(one["most_work"] for one in of_stage)
        rows.append([stage, ms(best["longest"]), ms(worst["longest"]), best["over"], ms(work), ms(best["queued"])])
    columns = ["stage", "longest gap, best run", "worst run", f"over {1000 * LIMIT:g} ms", "at work", "queued"]
    usual = {q: median(one["percentiles"][q] for one in watched) for q in watched[0]["percentiles"]}
    spread = ", ".join(f"{q} % below {ms(value)} ms" for q, value in usual.items())
    seconds = [one["seconds"] for one in watched]
    runs = f"{len(watched)} runs of {span(seconds)} s." if len(watched) > 1 else f"1 run of {seconds[0]:.0f} s."
    return [
        f"### {_cells(found)}",
        "",
        f"{runs} Of all gaps {spread}. {load([found])}",
        "",
        *table(columns, rows),
    ]


def _cells(found: dict[str, Any]) -> str:
    where = {
        "labels": "in a labels image of 4000 x 4000 pixels",
        "slide": "in a labels image of 20 000 x 20 000 pixels, in three scales",
        "points": "as points",
    }[found["kind"]]
    return f"{whole(found['cells'])} cells {where}"
