"""What an experiment leaves: its numbers in a JSON file, and the page that sets the paper's words beside them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import versions
from benchmarks.markdown import table, whole

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """How an experiment is to be run.

    Attributes
    ----------
    n : int
        Rows to embed.
    max_iter : int
        EM iterations; the paper's number is 400.
    images : Path
        The folder that gets the figures.
    quick : bool
        Whether the settings of the experiment shrink too, to the fewest that still touch all of its code.
    """

    n: int
    max_iter: int
    images: Path
    quick: bool = False


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
        ``measure(run)`` draws the figures and returns the numbers.
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


def perform(experiment: Experiment, run: Run, folder: Path) -> Numbers:
    """Run an experiment and write its record to ``folder``."""
    run.images.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    load, start = os.getloadavg()[0], time.perf_counter()
    numbers = experiment.measure(run)
    record = {
        "experiment": experiment.name,
        "n": run.n,
        "max_iter": run.max_iter,
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


def page(experiments: Iterable[Experiment], folder: Path) -> str:
    """Return the page, of those experiments alone that have left a record in ``folder``."""
    found = {experiment.name: _record(experiment, folder) for experiment in experiments}
    lines = [*_HEAD, *_overview({name: record for name, record in found.items() if record}, experiments)]
    for experiment in experiments:
        record = found[experiment.name]
        if record:
            lines += _section(experiment, record)
    missing = [name for name, record in found.items() if not record]
    if missing:
        lines += ["## Not measured yet", "", ", ".join(f"`{name}`" for name in missing), ""]
    return "\n".join(lines).rstrip() + "\n"


_HEAD = """\
# The paper's experiments

Lawrence K. Saul, "A tractable latent variable model for nonlinear dimensionality reduction", PNAS 117(27), 2020,
[doi:10.1073/pnas.1916012117](https://doi.org/10.1073/pnas.1916012117): each of its experiments is one command,

```sh
uv run --group benchmarks python -m benchmarks.paper NAME     # or: all
uv run --group benchmarks python -m benchmarks.paper page     # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/paper/NAME.json`. This page is made from
those files and from nothing else: what it says was measured. `--quick` runs an experiment in seconds, on few rows and
for few iterations, and leaves what it makes in `benchmarks/results`. The data are in the folder that `LATENTMAP_DATA`
names, by default `../shared/data`.

All maps are made as the paper makes them: `LVM(**PAPER, momentum=0.9, tol=0)`, 400 iterations with
Gaussian latent variables, started from the Laplacian's eigenvectors. One thing differs: where the graph of neighbours
falls apart, the parts are joined by their shortest bridges (`connect="bridge"`), so that no row is lost; the paper
embeds the largest part. Images of digits are given by their first 50 principal components, as in the paper. Errors on
all 70 000 of them are those of the 10 000 test images classified by the 60 000 training images, all in one map; on
fewer they are cross-validated (5 folds). An error or recall is on the map unless it says otherwise.
""".splitlines()


def _record(experiment: Experiment, folder: Path) -> Numbers | None:
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
            rows.append((link, f"{sum(verdicts)} of {len(verdicts)}", whole(record["n"])))
    return ["", *table(["experiment", "claims that hold here", "rows"], rows)]


def _section(experiment: Experiment, record: Numbers) -> list[str]:
    numbers, words = record["numbers"], {True: "yes", False: "**no**", None: ""}
    lines = [f'<a id="{experiment.name}"></a>', "", f"## {experiment.title}", ""]
    for image, caption in experiment.images.items():
        lines += [f"![{caption}](images/paper-{image}.png)", "", f"*{caption}*", ""]
    claims = experiment.claims(numbers)
    lines += table(["the paper", "here", "agrees"], [(claim.paper, claim.ours, words[claim.holds]) for claim in claims])
    for claim in claims:
        if claim.holds is False and claim.why:
            lines += [f"Why not: {claim.why}.", ""]
    lines += experiment.table(numbers)
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    lines += [
        f"`python -m benchmarks.paper {experiment.name} --n {record['n']}`: {whole(record['n'])} rows, "
        f"{record['max_iter']} iterations; {record['seconds']:.0f} s in all on {record['cores']} cores. Load average "
        f"{record['load_before']:g} before (other work alone), {record['load_after']:g} at the end. {versions}.",
        "",
    ]
    return lines
