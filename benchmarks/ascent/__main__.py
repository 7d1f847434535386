"""What each part of the default buys: ``python -m benchmarks.ascent run``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks import machine
from benchmarks.ascent import maps
from benchmarks.ascent.curves import curves
from benchmarks.ascent.page import write_page
from benchmarks.ascent.settings import steps, variations
from benchmarks.peers import data_sets
from benchmarks.peers.records import Records
from benchmarks.places import DOCS
from benchmarks.stored import drawn_rows

_CURVE_ROWS = 10_000
_CURVE_ITERATIONS = 1000


def run(chosen: argparse.Namespace) -> None:
    source = data_sets.DATA_SETS[chosen.data]
    data = data_sets.read(chosen.data, min(chosen.rows or source.rows, source.rows))
    folder = chosen.out / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    few = data.X[drawn_rows(data.y, min(_CURVE_ROWS, len(data.X) // 2))]
    found = {repulsion: curves(few, repulsion, chosen.iterations) for repulsion in (1.0, 22.0)}
    record = {"machine": machine.describe(), "data": chosen.data, "rows": len(few), "curves": found}
    (folder / "curves.json").write_text(json.dumps(record, indent=1) + "\n")
    wanted = {**steps(), "the default": {}, **variations()}
    maps.measure(data, chosen.data, wanted, range(chosen.seeds), Records(folder / "ablations.json"))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ascent", description=__doc__)
    parser.add_argument("command", choices=["run", "page"], help="page only writes docs/ablations.md")
    parser.add_argument("--data", choices=data_sets.DATA_SETS, default=data_sets.MAIN)
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
