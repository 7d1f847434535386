"""The page of the ablations, made from what was measured and from nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import matplotlib as mpl

from benchmarks.ascent import maps
from benchmarks.ascent.settings import Settings, steps, variations
from benchmarks.drawing import STYLE, logarithmic, panels, save
from benchmarks.markdown import table, whole
from benchmarks.peers.records import Records

_HEAD = """\
# What each part buys

```sh
uv run --group benchmarks python -m benchmarks.ascent run     # or: page
```

makes maps of MNIST (50 principal components, joint map) by varied settings, and this page from what it finds and from
nothing else. [The page of the ascent](ascent.md) says what the parts are. Errors are of the 10 000 test digits by the
60 000 training digits; recall is of the 10 nearest neighbours. Means ± standard deviation over seeds; seconds are of a
whole warm fit.
""".splitlines()
_COLUMNS = [("seconds", 1, 1), ("error_1", 100, 2), ("error_9", 100, 2), ("recall", 1, 3), ("trustworthiness", 1, 3)]
_TITLES = ["seconds", "1-NN error, %", "9-NN error, %", "recall of 10", "trustworthiness"]


def page(folder: Path) -> str:
    """Return the page."""
    records = Records(folder / "benchmarks" / "ablations.json")
    lines = [*_HEAD, ""]
    if records.all:
        machine, rows = records.machine, max(record["rows"] for record in records.all)
        lines += [f"{whole(rows)} rows. {machine['processor']}, {machine['cores']} cores.", ""]
        lines += ["## From the paper to the default", "", "Each line is the one above it, and what it says.", ""]
        lines += _lines(records, steps())
        lines += ["## One parameter of the default at a time", ""]
        lines += _lines(records, {"the default": {}, **variations()})
    curves = _curves(folder)
    if not records.all and not curves:
        lines += ["Nothing was measured yet."]
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
    path = folder / "benchmarks" / "curves.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def _lines(records: Records, wanted: dict[str, Settings]) -> list[str]:
    rows = []
    for name, settings in wanted.items():
        if found := maps.of(records, settings):
            rows.append(
                [
                    name,
                    str(len(found)),
                    *(_text([one[of] for one in found], scale, digits) for of, scale, digits in _COLUMNS),
                ]
            )
    return table(["", "maps", *_TITLES], rows)


def _text(values: list[float], scale: float, digits: int) -> str:
    spread = f" ± {scale * stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{scale * mean(values):.{digits}f}{spread}"


def _sentence(curves: dict[str, Any]) -> str:
    return (
        f"Saul (6) with dof = 2 and l = 0, on {whole(curves['rows'])} of the digits. All solvers "
        "raise the same likelihood from the same start; `repulsion` is what the panel says from the first step on. "
        "The clock stands while the likelihood is looked at; k and s are those of the default."
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
