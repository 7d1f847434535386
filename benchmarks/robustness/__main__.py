"""How faults end: ``python -m benchmarks.robustness NAME``."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from typing import Any

from benchmarks.machine import versions
from benchmarks.paths import DOCS, SCRATCH
from benchmarks.robustness import fuzzing, kills
from benchmarks.robustness.outcomes import Found
from benchmarks.robustness.page import page


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("name", choices=["fuzz", "case", "kills", "page"])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing more after so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--scratch", action="store_true", help="write to benchmarks/results instead of docs")
    chosen = parser.parse_args(arguments)
    if chosen.name == "case":
        case = fuzzing.drawn(chosen.seed, chosen.first)
        print(json.dumps(case, indent=1))
        print(fuzzing.performed(case))
        return 0
    pages = SCRATCH if chosen.scratch else DOCS
    folder = pages / "robustness"
    folder.mkdir(parents=True, exist_ok=True)
    has_faults = False
    if chosen.name != "page":
        record, has_faults = {"fuzz": _fuzz, "kills": _kills}[chosen.name](chosen)
        (folder / f"{chosen.name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (pages / "robustness.md").write_text(page(folder), encoding="utf-8")
    return int(has_faults)


def _fuzz(chosen: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    begun = time.perf_counter()
    cases = [fuzzing.drawn(chosen.seed, number) for number in range(chosen.first, chosen.first + chosen.cases)]

    def tell(number: int, found: Found) -> None:
        if fuzzing.is_fault(found):
            print(f"{chosen.first + number} {cases[number]['kind']} {found.outcome}: {found.words}", flush=True)

    found = fuzzing.in_processes(cases, chosen.processes, tell, chosen.minutes)
    record = {
        "seed": chosen.seed,
        "first": chosen.first,
        "cases": len(found),
        "seconds": round(time.perf_counter() - begun),
        "versions": versions("latentmap", "numpy", "pandas", "scikit-learn"),
        "counts": fuzzing.counted(cases, found),
    }
    return record, any(map(fuzzing.is_fault, found))


def _kills(chosen: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    begun = time.perf_counter()
    found = kills.kill_often(chosen.kills, chosen.seed, minutes=chosen.minutes)
    lost = [kill for kill in found if kill.trouble or not kill.version]
    for kill in lost:
        print(kill, flush=True)
    record = {"seed": chosen.seed, "seconds": round(time.perf_counter() - begun), "formats": kills.summary(found)}
    return record, bool(lost)


if __name__ == "__main__":
    sys.exit(main())
