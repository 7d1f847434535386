"""Maps of all tables by ours and its peers, whole and side by side: ``python -m benchmarks.pictures run``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.paths import DOCS
from benchmarks.peers import data_sets
from benchmarks.peers.methods import METHODS
from benchmarks.peers.process import RunFailed
from benchmarks.peers.records import Records
from benchmarks.pictures import maps
from benchmarks.pictures.page import write_page

# Of the digits, all of them and one smaller part are enough.
DATA = [name for name in data_sets.COMPARED if name not in ("mnist-1k", "mnist-3k", "mnist-30k")]


def run(chosen: argparse.Namespace) -> list[str]:
    """Make the maps that are not there yet, and return what failed, in words."""
    records, failures = Records(chosen.out / "benchmarks" / "pictures.json"), []
    obstacles = {name: METHODS[name].obstacle for name in chosen.methods}
    for name, obstacle in obstacles.items():
        if obstacle:
            _say(f"{name} is left out: {obstacle}")
    for name in chosen.data:
        source = data_sets.DATA_SETS[name]
        data = data_sets.read(name, min(chosen.rows or source.rows, source.rows))
        for method in (method for method in chosen.methods if not obstacles[method]):
            try:
                if maps.provide(data, name, method, records):
                    _say(f"{method} on {name}, {len(data.X)} rows")
            except RunFailed as failure:
                failures.append(f"{method} on {name} failed:\n{failure}")
                _say(failures[-1])
    return failures


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__)
    parser.add_argument("command", choices=["run", "page"], help="page only draws, and writes docs/pictures.md")
    parser.add_argument("--data", nargs="+", choices=data_sets.DATA_SETS, default=DATA)
    parser.add_argument("--methods", nargs="+", choices=maps.TITLES, default=list(maps.TITLES))
    parser.add_argument("--rows", type=int, help="so many rows at most, instead of all")
    parser.add_argument("--out", type=Path, default=DOCS, help="write here, instead of to docs")
    chosen = parser.parse_args(arguments)
    failures = run(chosen) if chosen.command == "run" else []
    write_page(chosen.out)
    if failures:
        raise SystemExit("\n\n".join(failures))


if __name__ == "__main__":
    main()
