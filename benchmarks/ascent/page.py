"""The page of the ablations, made from what was measured and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import matplotlib as mpl

from benchmarks.ascent import maps
from benchmarks.ascent.settings import THE_DEFAULT, Settings, parameters, steps, variations
from benchmarks.drawing import STYLE, logarithmic, panels, save
from benchmarks.markdown import table, whole
from benchmarks.peers.data_sets import DATA_SETS
from benchmarks.peers.records import Record, Records

_HEAD = """\
# What each part buys

```sh
uv run --group benchmarks python -m benchmarks.ascent run     # or: page
```

makes maps of several tables by varied settings, and this page from what it finds and from nothing else. [The page of
the ascent](ascent.md) says what the parts are, and [the one beside the peers](benchmarks.md) what the tables and the
measures are. Means ± standard deviation over seeds; seconds are of a whole warm fit.
""".splitlines()
# Names in the records, titles, what they are multiplied by, and digits.
_COLUMNS = [
    ("seconds", "seconds", 1, 2),
    ("error_1", "1-NN error, %", 100, 2),
    ("error_9", "9-NN error, %", 100, 2),
    ("recall", "recall of 10", 1, 3),
    ("trustworthiness", "trustworthiness", 1, 3),
    ("triplets", "triplets", 1, 3),
    ("order", "order of centroids", 1, 3),
    ("fill", "frame filled, %", 100, 1),
    ("groups", "groups found", 1, 1),
]
Found = dict[str, list[dict[str, float]]]


def page(folder: Path) -> str:
    """Return the page."""
    records = Records(folder / "benchmarks" / "ablations.json")
    by_table = {name: records.largest(name) for name in DATA_SETS}
    by_steps, by_values = (
        {name: found for name, some in by_table.items() if (found := _found(some, wanted))}
        for wanted in (steps(), {THE_DEFAULT: {}, **variations()})
    )
    curves = _curves(folder)
    lines = [*_HEAD, ""]
    if by_steps or by_values:
        lines += [f"{records.machine['processor']}, {records.machine['cores']} cores.", ""]
    elif not curves:
        lines += ["Nothing was measured yet."]
    if by_steps:
        lines += ["## From the paper to the default", "", "Each line is the one above it, and what it says.", ""]
        lines += _tables(by_steps, by_table)
    if by_values:
        lines += ["## One parameter of the default at a time", "", *_tables(by_values, by_table)]
    if curves:
        lines += ["## The likelihood against seconds", "", _sentence(curves), ""]
        lines += ["![Log-likelihood for each output against seconds](images/ablations-curves.png)", ""]
        lines += _ends(curves)
    return "\n".join(lines).rstrip() + "\n"


def write_page(folder: Path) -> None:
    """Write ablations.md and its figure from the JSON files in ``folder``/benchmarks."""
    if curves := _curves(folder):
        with mpl.rc_context(STYLE):
            _draw(curves, folder / "images" / "ablations-curves.png")
    (folder / "ablations.md").write_text(page(folder))


def _curves(folder: Path) -> dict[str, Any]:
    """Return the curves, if the default was what it is now."""
    path = folder / "benchmarks" / "curves.json"
    found = json.loads(path.read_text()) if path.is_file() else {}
    return found if found.get("parameters") == parameters({}) else {}


def _found(records: Sequence[Record], wanted: dict[str, Settings]) -> Found:
    found = {name: maps.of(records, settings) for name, settings in wanted.items()}
    return {name: some for name, some in found.items() if some}


def _tables(by_table: dict[str, Found], records: dict[str, list[Record]]) -> list[str]:
    """Return a table for each of the measured ones, and one of the means over them where there are several."""
    lines = []
    if len(by_table) > 1:
        lines += ["### Means over the tables", "", *_lines(_over_tables(list(by_table.values())))]
    for name, found in by_table.items():
        title = f"{name}: {DATA_SETS[name].title}"
        made = max(len(some) for some in found.values())
        lines += [f"### {title}", "", f"{whole(records[name][0]['rows'])} rows, {made} maps by each of the settings."]
        lines += ["", *_lines(found)]
    return lines


def _over_tables(tables: Sequence[Found]) -> Found:
    """Return the mean of each measure over those tables that tell it, of the settings that all tables have."""
    shared = [name for name in tables[0] if all(name in found for found in tables)]
    return {name: [_mean([_mean(found[name]) for found in tables])] for name in shared}


def _mean(maps_: Sequence[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for one in maps_ for name in one)
    return {name: mean(one[name] for one in maps_ if name in one) for name in names}


def _lines(found: Found) -> list[str]:
    columns = [column for column in _COLUMNS if any(column[0] in one for some in found.values() for one in some)]
    rows = [
        [name, *(_text([one[of] for one in some if of in one], scale, digits) for of, _, scale, digits in columns)]
        for name, some in found.items()
    ]
    return table(["", *(title for _, title, _, _ in columns)], rows)


def _text(values: list[float], scale: float, digits: int) -> str:
    if not values:
        return ""
    spread = f" ± {scale * stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{scale * mean(values):.{digits}f}{spread}"


def _sentence(curves: dict[str, Any]) -> str:
    return (
        f"Saul (6) with dof = 2 and l = 0, on {whole(curves['rows'])} rows of {curves['data']}. All solvers "
        "raise the same likelihood from the same start; `repulsion` is what the panel says from the first step on. "
        "The clock stands while the likelihood is looked at; all else is as in the default."
    )


def _ends(curves: dict[str, Any]) -> list[str]:
    rows = [
        [f"{float(repulsion):g}", name, f"{curve['seconds'][-1]:.1f}", f"{curve['log_likelihood'][-1]:.3f}"]
        for repulsion, by_solver in curves["curves"].items()
        for name, curve in by_solver.items()
    ]
    return table(["repulsion", "solver", "seconds", "log-likelihood for each output, at the end"], rows)


def _draw(curves: dict[str, Any], path: Path) -> None:
    figure, axes = panels(1, len(curves["curves"]), 4.4, 3.4)
    for panel, (repulsion, by_solver) in zip(axes[0], curves["curves"].items(), strict=True):
        best = max(max(curve["log_likelihood"]) for curve in by_solver.values())
        for name, curve in by_solver.items():
            panel.plot(curve["seconds"], [best - value for value in curve["log_likelihood"]], ".-", label=name)
        panel.set(yscale="log", xlabel="seconds", title=f"repulsion {float(repulsion):g}")
        logarithmic(panel.xaxis)
    axes[0, 0].set_ylabel("log-likelihood for each output,\nbelow the best of all")
    axes[0, -1].legend(loc="best")
    save(figure, path)
