"""What experiments here are about what a source shows, and what they say of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.report import Claim, Experiment, Numbers, Paper, recorded
from benchmarks.sources.references import references
from benchmarks.sources.shown import Shown, Source


@dataclass(frozen=True)
class Made:
    """An experiment, and what it left.

    Attributes
    ----------
    paper : Paper
    experiment : Experiment
    record : dict or None
        None where it was not measured yet.
    claims : list of Claim
        Empty where it was not.
    """

    paper: Paper
    experiment: Experiment
    record: Numbers | None
    claims: list[Claim]

    @property
    def name(self) -> str:
        """As "lecture.cities"."""
        return f"{self.paper.name}.{self.experiment.name}"

    def about(self, shown: Shown) -> list[Claim]:
        """Return its claims about a figure; those that name none are about the first that the title names."""
        if self.name in shown.experiments:
            return self.claims
        first, *_ = [*references(self.experiment.title), ""]
        return [claim for claim in self.claims if shown.name in (references(claim.paper) or [first])]

    def is_about(self, shown: Shown) -> bool:
        """Return whether its title or any of its claims names a figure."""
        named = references(" ".join([self.experiment.title, *(claim.paper for claim in self.claims)]))
        return shown.name in named or self.name in shown.experiments


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes
    ----------
    name, what : str
        What the source shows.
    made : Made or None
        None where no experiment is about it.
    claims : list of Claim
        What this experiment says of it.
    why : str
        Why there is no experiment.
    """

    name: str
    what: str
    made: Made | None
    claims: list[Claim]
    why: str = ""


def all_made(source: Source, folder: Path) -> list[Made]:
    """Return the experiments of a source, with the records that they left in a folder."""
    found = []
    for name in source.papers:
        paper: Paper = import_module(f"benchmarks.{name}.__main__").PAPER
        for experiment in paper.experiments:
            record = recorded(experiment, folder / name)
            claims = experiment.claims(record["numbers"]) if record else []
            found.append(Made(paper, experiment, record, claims))
    return found


def rows(source: Source, folder: Path) -> Iterator[Row]:
    """Yield a line for each thing shown and each experiment about it, then for what experiments say beside that."""
    experiments = all_made(source, folder)
    for shown in source.shown:
        about = [made for made in experiments if made.is_about(shown)]
        for made in about:
            yield Row(shown.name, shown.what, made, made.about(shown))
        if not about:
            yield Row(shown.name, shown.what, None, [], shown.why)
    for made in experiments:
        told = [claim for shown in source.shown for claim in made.about(shown)]
        left = [claim for claim in made.claims if claim not in told]
        if left or not any(made.is_about(shown) for shown in source.shown):
            yield Row("", made.experiment.title, made, left)
