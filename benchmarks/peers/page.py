"""The page made from what was measured, and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

from benchmarks.drawing import STYLE
from benchmarks.markdown import table, whole
from benchmarks.peers import figures, goals, tables
from benchmarks.peers.data_sets import DATA_SETS, GROWING, MAIN
from benchmarks.peers.measures import N_NEIGHBORS, N_RANKED, N_TRIPLETS
from benchmarks.peers.methods import DEFAULT, METHODS
from benchmarks.peers.present import is_present, of_one_setting
from benchmarks.peers.records import Record, Records
from benchmarks.peers.tasks import FRESH_AND_WARM, SEEDS, SEEDS_OF_SMALL, SMALL

_HEAD = f"""\
# Side by side with the peers

```sh
uv run --group benchmarks --group peers python -m benchmarks.peers all     # or: run, scaling, kernels
uv run --group benchmarks python -m benchmarks.peers page                  # writes this page
```

measures what is not in `docs/benchmarks` yet, and makes this page from those files and from nothing else. The data are
in the folder that `LATENTMAP_DATA` names, by default `../shared/data`.

- No two methods share a process. They take turns, and each goes first in turn, since the first reads its packages from
  a cold disk. On `{MAIN}` each run has a process of its own; on the other data the runs of a method follow each other
  in one, so that only the first is timed fresh. All get the same table of single precision and make a map of two
  dimensions on all cores. The peers run at their defaults, and without a seed, as people use them: given one,
  umap-learn takes a single core. Ours gets the number of the run as its seed.
- **fresh process**: seconds from the start of the process to the finished map, importing included, reading the table
  excluded; code that numba keeps on the disk is there from an earlier process, as on the second day after an
  installation. **First use**: the same where numba has kept nothing yet. **Warm**: a map of the same table made again
  in the same process. A small map would be no fair warming: several methods take other ways for few rows.
- **memory**: the most that the process held in its first fit, less what it held with the table read.
- **1-NN, 9-NN error**: of classes told by the nearest neighbours on the map. On `{MAIN}` the 10 000 test digits are
  classified by the 60 000 training digits, all in one map; elsewhere 5 folds are cross-validated. **Recall of
  {N_NEIGHBORS}**: the share of the {N_NEIGHBORS} true neighbours of each row that are among its {N_NEIGHBORS} nearest
  on the map. **Trustworthiness** of {N_NEIGHBORS} neighbours, over {whole(N_RANKED)} rows. **Triplets**: the share of
  {whole(N_TRIPLETS)} random ones whose order of distances the map keeps.
- **Order of centroids**, where there are 3 classes or more: the rank correlation of the distances between the centroids
  of the classes, in the table and on the map; 1 is the same order. **Frame filled**: the area of the box that holds the
  inner 95 % of the rows along each axis, over that of the box of all rows. Rows flung far out make it small: a picture
  of the whole map then shows a clot.
- Some tables are **continua**: they have no groups, so there are no errors. **Groups found**: how many clusters of 30
  rows or more HDBSCAN finds on the map; fewer are better, and 0 is true: then it parts nothing. **Strays**: where it
  finds groups, the share of the rows that are in none; fewer are better.
- All by `latentmap.quality`, on the maps made warm. Means ± standard deviation over {SEEDS} runs, over {SEEDS_OF_SMALL}
  on tables of up to {whole(SMALL)} rows, where single cells decide (but for `latentmap-em`), and of one on samples of
  `{MAIN}`. Bold is best. A ratio is to the fastest peer.
""".splitlines()


def write_page(folder: Path) -> None:
    """Write benchmarks.md and its figures from the JSON files in ``folder``/benchmarks."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        figures.draw_all(*_measured(folder), folder / "images")
    (folder / "benchmarks.md").write_text(page(folder))


def page(folder: Path) -> str:
    """Return the page."""
    maps, growth = _measured(folder)
    path = folder / "benchmarks" / "kernels.json"
    lines = [*_HEAD, "", *_made_on([maps, growth]), *_methods([*maps.all, *growth.all])]
    if maps.all:
        lines += [*_overview(maps), *_data_sets(maps), *_by_rows(maps), *_stages(maps)]
    lines += _scaling(growth) if growth.all else []
    lines += _kernels(json.loads(path.read_text())) if path.is_file() else []
    return "\n".join(lines).rstrip() + "\n"


def _measured(folder: Path) -> tuple[Records, Records]:
    """Return what was measured, of each method with one of its settings: those that it has now, if there are such."""
    maps, growth = (Records(folder / "benchmarks" / f"{name}.json") for name in ("maps", "scaling"))
    for records in (maps, growth):
        records.all = of_one_setting(records.all)
    return maps, growth


def _made_on(files: Sequence[Records]) -> list[str]:
    machines = {json.dumps(file.machine): file.machine for file in files if file.all}
    records = [record for file in files for record in file.all]
    if not records:
        return ["Nothing was measured yet.", ""]
    loads = [record["load"] for record in records]
    lines = [
        f"Machine: {machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}."
        for machine in machines.values()
    ]
    used = {(name, number) for record in records for name, number in record["versions"].items()}
    used |= {(METHODS[record["method"]].package, record["version"]) for record in records}
    lines += ["Versions: " + ", ".join(f"{name} {number}" for name, number in sorted(used)) + "."]
    lines += [f"Load average before the runs (the run before counts): {min(loads):g} to {max(loads):g}."]
    if old := sorted({record["method"] for record in records if not is_present(record)}):
        named = ", ".join(f"`{name}`" for name in old)
        lines += [f"**Measured with settings that are no longer the present ones, and to be measured again: {named}.**"]
    if len(codes := {record["code"] for record in records} - {""}) > 1:
        lines += [f"**Our runs were made by {len(codes)} different states of the code.**"]
    return [*lines, ""]


def _methods(records: Sequence[Record]) -> list[str]:
    calls = {record["method"]: record["call"] for record in records}
    return table(["method", "as called"], [(f"`{name}`", f"`{calls[name]}`") for name in METHODS if name in calls])


def _figure(name: str, caption: str) -> list[str]:
    return [f"![{caption}](images/benchmarks-{name}.png)", "", f"*{caption}*", ""]


def _overview(maps: Records) -> list[str]:
    data = {name: maps.largest(name) for name in DATA_SETS if maps.where(data=name)}
    rows = tables.summary(data, DEFAULT)
    lines = _figure("time-and-error", figures.CAPTIONS["time-and-error"]) if maps.largest(MAIN) else []
    if rows:
        lines += [f"## `{DEFAULT}` against the best peer of each column", "", *rows]
    if rows := goals.counts(data):
        lines += ["## What is reached, and where not", "", "By the means, before they are rounded.", "", *rows]
    return lines


def _data_sets(maps: Records) -> list[str]:
    lines = []
    for name, source in DATA_SETS.items():
        if records := maps.largest(name):
            rows, columns = records[0]["rows"], records[0]["columns"]
            lines += [f'<a id="{name}"></a>', "", f"## {name}: {source.title}", ""]
            lines += [f"{whole(rows)} rows, {columns} columns.", "", *tables.comparison(records)]
    return lines


def _by_rows(maps: Records) -> list[str]:
    digits = [record for record in maps.all if record["data"].split("-")[0] == MAIN]
    rows = sorted({record["rows"] for record in digits})
    if len(rows) < 2:
        return []
    records = {n: [record for record in digits if record["rows"] == n] for n in rows}
    lines = ["## Time and rows, on MNIST", ""]
    for column in (tables.WARM, tables.FRESH):
        lines += [f"{column.title.capitalize()}:", "", *tables.times(records, column)]
    return lines


def _stages(maps: Records) -> list[str]:
    """Return what the stages of our warm runs took, on the largest data set measured."""
    ours = [r for r in maps.all if METHODS[r["method"]].is_ours and r["kind"] == FRESH_AND_WARM]
    if not ours:
        return []
    most = max(ours, key=lambda record: record["rows"])
    runs = tables.by_method([record for record in ours if record["data"] == most["data"]])
    last = {
        name: [fit["stages"] for record in some for fit in tables.fits_of(record, warm=True)]
        for name, some in runs.items()
    }
    names = _in_order(stage for stages in last.values() for some in stages for stage in some)
    rows = [
        [stage, *(f"{np.mean([some.get(stage, 0) for some in stages]):.2f}" for stages in last.values())]
        for stage in names
    ]
    head = ["stage", *(f"`{name}`" for name in last)]
    return [
        f"## Stages of a warm run on {most['data']}, {whole(most['rows'])} rows, in seconds",
        "",
        *table(head, rows),
    ]


def _scaling(growth: Records) -> list[str]:
    lines = ["## Growth with the number of rows", "", *_figure("scaling", figures.CAPTIONS["scaling"])]
    lines += [
        "Read from the disk as it is used, in a process that has made a small map before. Memory contains the pages of",
        "the table that were read.",
        "",
    ]
    for data in _in_order(record["data"] for record in growth.all):
        by_method = tables.by_method([record for record in growth.all if record["data"] == data])
        lines += [f"### {data}: {GROWING[data].title}", "", *_side_by_side(by_method)]
        for name, records in by_method.items():
            lines += _growth_of(name, [record["fits"][-1] for record in records])
    return lines


def _side_by_side(by_method: dict[str, list[Record]]) -> list[str]:
    """The methods' seconds in one table, with the ratio of the first two."""
    seconds = {
        name: {record["rows"]: record["fits"][-1]["seconds"] for record in records}
        for name, records in by_method.items()
    }
    if len(seconds) < 2:
        return []
    first, second, *_ = seconds
    rows = [
        [
            whole(n), *(f"{of[n]:.1f}" if n in of else "" for of in seconds.values()),
            f"{seconds[first][n] / seconds[second][n]:.2f}" if n in seconds[first] and n in seconds[second] else "",
        ]
        for n in sorted({n for of in seconds.values() for n in of})
    ]  # fmt: skip
    head = ["rows", *(f"`{name}`, seconds" for name in seconds), f"`{first}` / `{second}`"]
    return table(head, rows)


def _growth_of(name: str, fits: list[Record]) -> list[str]:
    last = sorted(fits, key=lambda fit: fit["rows"])
    stages = _in_order(stage for fit in last for stage in fit["stages"])
    rows = [
        [
            whole(fit["rows"]), f"{fit['seconds']:.1f}", f"{fit['memory'] / 2**30:.2f}",
            *(f"{fit['stages'].get(stage, 0):.1f}" for stage in stages),
        ]
        for fit in last
    ]  # fmt: skip
    lines = [f"`{name}`:", "", *table(["rows", "seconds", "memory, GiB", *stages], rows)]
    if len(last) > 1:
        exponent = figures.exponent([fit["rows"] for fit in last], [fit["seconds"] for fit in last])
        lines += [f"Time grows as n to the {exponent:.2f}: the slope of a straight line through the logarithms.", ""]
    return lines


def _kernels(found: Record) -> list[str]:
    peaks = found["peaks"]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    lines = [
        "## Kernels",
        "",
        f"Best of all calls in some seconds, on {found['data']}, all overhead of a call included, with the threads of "
        f"a fit: {found['machine']['cores']} cores of {found['machine']['processor']}. {versions}.",
        "",
        *table(["at best, this machine makes one", "ns"], [(name, f"{ns:.4f}") for name, ns in peaks.items()]),
    ]
    rows = [
        (
            kernel["kernel"], whole(kernel["rows"]), whole(kernel["pairs"]), f"{kernel['ns']:.2f}",
            *(f"{kernel['ns'] / ns:.0f}" for ns in peaks.values()),
        )
        for kernel in found["kernels"]
    ]  # fmt: skip
    head = ["kernel", "rows", "ordered pairs", "ns a pair", *(f"= {name}s" for name in peaks)]
    lines += ["What a pair costs, and how many operations of each kind the machine would make in that time:", ""]
    lines += table(head, rows)
    steps = [(name, f"{1000 * seconds:.1f}") for name, seconds in found["iteration"].items()]
    lines += ["One EM iteration in the middle of a fit, l = 1, dof inf:", "", *table(["step", "ms"], steps)]
    return lines


def _in_order(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
