"""What each part of the default buys: ``python -m benchmarks.ascent run``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks import machine
from benchmarks.ascent import maps
from benchmarks.ascent.curves import curves
from benchmarks.ascent.page import write_page
from benchmarks.ascent.settings import THE_DEFAULT, parameters, steps, variations
from benchmarks.paths import DOCS
from benchmarks.peers import data_sets
from benchmarks.peers.records import Records

TABLES = [data_sets.MAIN, "pbmc", "species-mix", "cell-lines", "cytof", "usps"]
_CURVE_ROWS = 10_000
_CURVE_ITERATIONS = 1000


def run(chosen: argparse.Namespace) -> None:
    folder = chosen.out / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    _follow(_table(chosen.data[0], chosen.rows), chosen.data[0], chosen.iterations, folder)
    wanted = {**steps(), THE_DEFAULT: {}, **variations()}
    for name in chosen.data:
        data = _table(name, chosen.rows)
        maps.measure(data, name, wanted, range(chosen.seeds), Records(folder / "ablations.json"))


def _table(name: str, rows: int | None) -> data_sets.DataSet:
    source = data_sets.DATA_SETS[name]
    return data_sets.read(name, min(rows or source.rows, source.rows))


def _follow(data: data_sets.DataSet, name: str, iterations: int, folder: Path) -> None:
    """Write the curves of the likelihood on a part of a table."""
    few = data.X[data.drawn(min(_CURVE_ROWS, len(data.X) // 2))]
    found = {repulsion: curves(few, repulsion, iterations) for repulsion in (1.0, 22.0)}
    known = {"machine": machine.describe(), "data": name, "rows": len(few), "parameters": parameters({})}
    (folder / "curves.json").write_text(json.dumps({**known, "curves": found}, indent=1) + "\n")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ascent", description=__doc__)
    parser.add_argument("command", choices=["run", "page"], help="page only writes docs/ablations.md")
    about = "tables; the curves are of the first one alone"
    parser.add_argument("--data", nargs="+", choices=data_sets.DATA_SETS, default=TABLES, help=about)
    parser.add_argument("--rows", type=int, help="so many rows at most, instead of all")
    parser.add_argument("--seeds", type=int, default=3, help="maps by each of the settings (3)")
    parser.add_argument("--iterations", type=int, default=_CURVE_ITERATIONS, help="of each solver of the curves (1000)")
    parser.add_argument("--out", type=Path, default=DOCS, help="write here, instead of to docs")
    chosen = parser.parse_args(arguments)
    if chosen.command == "run":
        run(chosen)
    write_page(chosen.out)


if __name__ == "__main__":
    main()
