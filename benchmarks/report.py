"""The experiments of a paper: each leaves its numbers in a JSON file, and a page sets the paper's words beside them."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

from benchmarks.drawing import COARSE, STYLE
from benchmarks.machine import versions
from benchmarks.markdown import table, whole
from benchmarks.paths import DOCS, SCRATCH

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """How an experiment is to be run.

    Attributes
    ----------
    n : int
        Rows to embed.
    max_iter : int
        At most.
    paper : str
        The paper's name.
    images : Path
        The folder that gets the figures.
    quick : bool
        Whether the settings of the experiment shrink too, to the fewest that still touch all of its code.
    """

    n: int
    max_iter: int
    paper: str
    images: Path
    quick: bool = False

    def image(self, name: str) -> Path:
        """Return the file of a figure."""
        return self.images / f"{self.paper}-{name}.png"


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, and what came out here.

    Attributes
    ----------
    paper, ours : str
        In words, with numbers.
    holds : bool or None
        Whether ours agrees; None where the paper has nothing to hold it against.
    why : str
        What is known of the reason, shown where it does not agree.
    """

    paper: str
    ours: str
    holds: bool | None = None
    why: str = ""


@dataclass(frozen=True)
class Experiment:
    """One command.

    Attributes
    ----------
    name, title : str
    n, quick_n : int
        Rows, unless ``--n`` says otherwise.
    measure : callable
        ``measure(run)`` draws the figures and returns the numbers; ``"iterations"`` among them are how many it allows,
        None where there are none, if not as many as the rest of the paper.
    claims : callable
        ``claims(numbers)`` sets them beside the paper.
    images : dict of str to str
        Names of the figures, and what they show.
    table : callable
        ``table(numbers)`` returns further lines of Markdown.
    """

    name: str
    title: str
    n: int
    quick_n: int
    measure: Callable[[Run], Numbers]
    claims: Callable[[Numbers], list[Claim]]
    images: dict[str, str]
    table: Callable[[Numbers], list[str]] = lambda numbers: []


def of_module(name: str, title: str, n: int, quick_n: int, module: Any) -> Experiment:
    """Return the experiment that a module makes: its `measure` and `lines` and, if it has them, its `claims`."""
    claims = getattr(module, "claims", lambda numbers: [])
    return Experiment(name, title, n, quick_n, module.measure, claims, {}, module.lines)


@dataclass(frozen=True)
class Paper:
    """The experiments of a paper, and the page about them.

    Attributes
    ----------
    name : str
        Its command is ``python -m benchmarks.NAME``, its page ``docs/NAME.md``, its figures ``docs/images/NAME-*.png``.
    head : str
        What the page begins with.
    experiments : sequence of Experiment
    max_iter, quick_iter : int
        Iterations of an experiment, and of one that is only tried.
    prepare : callable
        Done before the first experiment.
    settings : str
        What all experiments share; those made with another are said to be old.
    """

    name: str
    head: str
    experiments: Sequence[Experiment]
    max_iter: int
    quick_iter: int
    prepare: Callable[[], None] = lambda: None
    settings: str = ""


def main(paper: Paper, arguments: list[str] | None = None) -> None:
    """Run the experiments that the command line names, and write the page."""
    experiments = {experiment.name: experiment for experiment in paper.experiments}
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{paper.name}", description="The experiments of a paper, one command each."
    )
    about = f"experiments: {', '.join(experiments)}; or all of them; or page, which only writes docs/{paper.name}.md"
    parser.add_argument("names", nargs="+", choices=[*experiments, "all", "page"], metavar="NAME", help=about)
    parser.add_argument("--n", type=int, help="rows, instead of the experiment's own number")
    parser.add_argument("--quick", action="store_true", help="few rows and iterations, written to benchmarks/results")
    parser.add_argument("--folder", type=Path, help="write here, instead of to docs or benchmarks/results")
    chosen = parser.parse_args(arguments)
    folder = chosen.folder or (SCRATCH if chosen.quick else DOCS)
    names = list(experiments) if "all" in chosen.names else [name for name in chosen.names if name != "page"]
    if names:
        paper.prepare()
    for name in names:
        experiment = experiments[name]
        n = chosen.n or (experiment.quick_n if chosen.quick else experiment.n)
        run = Run(n, paper.quick_iter if chosen.quick else paper.max_iter, paper.name, folder / "images", chosen.quick)
        with mpl.rc_context(STYLE | COARSE if chosen.quick else STYLE):
            record = perform(experiment, run, folder / paper.name, paper.settings)
        print(f"{name}: {record['seconds']} s", flush=True)
        for claim in experiment.claims(record["numbers"]):
            print(f"  {claim.paper}\n    {claim.ours}: {claim.holds}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{paper.name}.md").write_text(page(paper, folder))


def perform(experiment: Experiment, run: Run, folder: Path, settings: str = "") -> Numbers:
    """Run an experiment and write its record to ``folder``."""
    run.images.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    load, start = os.getloadavg()[0], time.perf_counter()
    numbers = experiment.measure(run)
    record = {
        "experiment": experiment.name,
        "n": run.n,
        "max_iter": run.max_iter,
        **({"settings": settings} if settings else {}),
        "versions": versions("latentmap", "numpy", "numba", "scipy", "scikit-learn"),
        "cores": os.cpu_count(),
        "load_before": round(load, 2),
        "load_after": round(os.getloadavg()[0], 2),
        "seconds": round(time.perf_counter() - start, 1),
        "numbers": numbers,
    }
    text = json.dumps(record, indent=1, default=float)
    (folder / f"{experiment.name}.json").write_text(text + "\n")
    return json.loads(text)


def page(paper: Paper, folder: Path) -> str:
    """Return the page, of those experiments alone that have left a record in a folder."""
    experiments = paper.experiments
    found = {experiment.name: recorded(experiment, folder / paper.name) for experiment in experiments}
    records = {name: record for name, record in found.items() if record}
    lines = [*paper.head.splitlines(), *_overview(records, experiments)]
    for experiment in experiments:
        if experiment.name in records:
            lines += _section(paper, experiment, records[experiment.name])
    missing = [name for name, record in found.items() if not record]
    if missing:
        lines += ["## Not measured yet", "", ", ".join(f"`{name}`" for name in missing), ""]
    return "\n".join(lines).rstrip() + "\n"


def recorded(experiment: Experiment, folder: Path) -> Numbers | None:
    """Return the record that an experiment left in a folder, None if it left none."""
    path = folder / f"{experiment.name}.json"
    return json.loads(path.read_text()) if path.is_file() else None


def _overview(records: dict[str, Numbers], experiments: Iterable[Experiment]) -> list[str]:
    """Return one line for each experiment: how many of its claims hold."""
    rows = []
    for experiment in experiments:
        if experiment.name in records:
            record = records[experiment.name]
            verdicts = [claim.holds for claim in experiment.claims(record["numbers"]) if claim.holds is not None]
            link = f"[{experiment.title}](#{experiment.name})"
            rows.append((link, f"{sum(verdicts)} of {len(verdicts)}" if verdicts else "–", whole(record["n"])))
    if all(held == "–" for _, held, _ in rows):  # no paper to hold the page against
        return ["", *table(["experiment", "rows"], [(link, n) for link, _, n in rows])]
    return ["", *table(["experiment", "claims that hold here", "rows"], rows)]


def _section(paper: Paper, experiment: Experiment, record: Numbers) -> list[str]:
    numbers, words = record["numbers"], {True: "yes", False: "**no**", None: ""}
    lines = [f'<a id="{experiment.name}"></a>', "", f"## {experiment.title}", ""]
    if record.get("settings", "") != paper.settings:
        lines += ["**Measured with settings that are no longer the present ones, and to be measured again.**", ""]
    for image, caption in experiment.images.items():
        lines += [f"![{caption}](images/{paper.name}-{image}.png)", "", f"*{caption}*", ""]
    claims = experiment.claims(numbers)
    if claims:
        rows = [(claim.paper, claim.ours, words[claim.holds]) for claim in claims]
        lines += table(["the paper", "here", "agrees"], rows)
    for claim in claims:
        if claim.holds is False and claim.why:
            lines += [f"Why not: {claim.why}.", ""]
    lines += experiment.table(numbers)
    # Where each method has a number of its own there is none to tell.
    most = numbers.get("iterations", record["max_iter"])
    iterations = f"{whole(most)} iterations; " if most else ""
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    lines += [
        f"`python -m benchmarks.{paper.name} {experiment.name} --n {record['n']}`: {whole(record['n'])} rows, "
        f"{iterations}{record['seconds']:.0f} s in all on {record['cores']} cores. Load average "
        f"{record['load_before']:g} before (other work alone), {record['load_after']:g} at the end. {versions}.",
        "",
    ]
    return lines
