"""The paper's experiments, one command each: ``python -m benchmarks.paper NAME``."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl

from benchmarks.drawing import STYLE
from benchmarks.paper import digits, dimensions, roll, variants, words
from benchmarks.paper.fitting import compile_kernels
from benchmarks.paper.report import Run, page, perform
from benchmarks.places import DOCS, SCRATCH

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        digits.EXPERIMENT,
        *variants.EXPERIMENTS,
        dimensions.EXPERIMENT,
        words.EXPERIMENT,
        roll.EXPERIMENT,
    )
}
_QUICK_ITERATIONS = 20
_HELP = f"experiments: {', '.join(EXPERIMENTS)}; or all of them; or page, which only writes docs/paper.md"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*EXPERIMENTS, "all", "page"], metavar="NAME", help=_HELP)
    parser.add_argument("--n", type=int, help="rows, instead of the experiment's own number")
    parser.add_argument("--quick", action="store_true", help="few rows and iterations, written to benchmarks/results")
    parser.add_argument("--folder", type=Path, help="write here, instead of to docs or benchmarks/results")
    chosen = parser.parse_args(arguments)
    folder = chosen.folder or (SCRATCH if chosen.quick else DOCS)
    names = list(EXPERIMENTS) if "all" in chosen.names else [name for name in chosen.names if name != "page"]
    if names:
        compile_kernels()
    for name in names:
        experiment = EXPERIMENTS[name]
        n = chosen.n or (experiment.quick_n if chosen.quick else experiment.n)
        run = Run(n, _QUICK_ITERATIONS if chosen.quick else 400, folder / "images", chosen.quick)
        with mpl.rc_context(STYLE):
            record = perform(experiment, run, folder / "paper")
        print(f"{name}: {record['seconds']} s", flush=True)
        for claim in experiment.claims(record["numbers"]):
            print(f"  {claim.paper}\n    {claim.ours}: {claim.holds}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "paper.md").write_text(page(EXPERIMENTS.values(), folder / "paper"))


if __name__ == "__main__":
    main()
