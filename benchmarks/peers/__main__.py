"""Ours and its peers, side by side: ``python -m benchmarks.peers all``."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from benchmarks import machine
from benchmarks.paths import DOCS
from benchmarks.peers import data_sets, tasks
from benchmarks.peers.agenda import work_through
from benchmarks.peers.kernels import measure_kernels
from benchmarks.peers.methods import DEFAULT, FASTEST_PEER, METHODS
from benchmarks.peers.page import write_page
from benchmarks.peers.records import Records

_SEEDS = f"runs of each method on each data set ({tasks.SEEDS}; {tasks.SEEDS_OF_SMALL} of up to {tasks.SMALL} rows)"
_GROWTH_ROWS = [10_000, 30_000, 100_000, 300_000, 1_000_000]


def run(chosen: argparse.Namespace) -> list[str]:
    planned = tasks.maps(chosen.data, chosen.methods, chosen.seeds, chosen.rows)
    return work_through(planned, Records(chosen.out / "benchmarks" / "maps.json"), chosen.again)


def scaling(chosen: argparse.Namespace) -> list[str]:
    rows = [n for n in _GROWTH_ROWS if n <= chosen.largest] if chosen.rows is None else [chosen.rows]
    data = chosen.growing or list(data_sets.GROWING)
    planned = tasks.growth(data, rows, chosen.methods or [DEFAULT, FASTEST_PEER])
    return work_through(planned, Records(chosen.out / "benchmarks" / "scaling.json"), chosen.again)


def kernels(chosen: argparse.Namespace) -> list[str]:
    name = chosen.data[0]
    source = data_sets.DATA_SETS[name]
    load = round(os.getloadavg()[0], 2)
    data = data_sets.read(name, min(chosen.rows or source.rows, source.rows))
    record = {
        "machine": machine.describe(),
        "versions": machine.versions("latentmap", "numpy", "numba"),
        "code": tasks.code_of_ours(),
        "load": load,
        "data": name,
        "rows": len(data.X),
        **measure_kernels(data.X),
    }
    folder = chosen.out / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernels.json").write_text(json.dumps(record, indent=1) + "\n")
    return []


COMMANDS = {"run": run, "scaling": scaling, "kernels": kernels}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("command", choices=[*COMMANDS, "page", "all"], help="page only writes docs/benchmarks.md")
    parser.add_argument("--data", nargs="+", choices=data_sets.DATA_SETS, default=data_sets.COMPARED)
    parser.add_argument("--methods", nargs="+", choices=METHODS, help="the usual ones; ours and PaCMAP for scaling")
    parser.add_argument("--growing", nargs="+", choices=data_sets.GROWING, help="tables for scaling (all)")
    parser.add_argument("--seeds", type=int, help=_SEEDS)
    parser.add_argument("--rows", type=int, help="so many rows at most, instead of all")
    parser.add_argument("--largest", type=int, default=_GROWTH_ROWS[-1], help="rows at most, for scaling (1000000)")
    parser.add_argument("--again", action="store_true", help="repeat what was measured before")
    parser.add_argument("--out", type=Path, default=DOCS, help="write here, instead of to docs")
    chosen = parser.parse_args(arguments)
    names = list(COMMANDS) if chosen.command == "all" else [name for name in COMMANDS if name == chosen.command]
    failures = [failure for name in names for failure in COMMANDS[name](chosen)]
    write_page(chosen.out)
    if failures:
        raise SystemExit("\n\n".join(failures))


if __name__ == "__main__":
    main()
