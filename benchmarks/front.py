"""The command line that measures a front end, window by window, and makes a page of what was found."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import machine
from benchmarks.paths import DOCS


class Windows(NamedTuple):
    """Windows of a front end that are measured alike.

    Attributes
    ----------
    what : str
        What is measured.
    kind : str
        Of cells.
    most : int
        How many cells there are.
    repeats : int
        How often each thing is done at most.
    """

    what: str
    kind: str
    most: int
    repeats: int

    def __str__(self) -> str:
        return f"{self.what},{self.kind},{self.most}"


class Front(NamedTuple):
    """What is to be known of a front end to measure it.

    Attributes
    ----------
    name : str
        The record is called so, and its package of benchmarks.
    about : str
    packages : sequence of str
        Whose versions matter.
    windows : sequence of Windows
    measure : callable
        ``measure(windows, quick)`` opens windows, each told as "what,kind,cells,repeats", and returns what it found in
        each; they may share what they need if it is to be quick.
    write_page : callable
        Writes the page into the folder that has the records.
    """

    name: str
    about: str
    packages: Sequence[str]
    windows: Sequence[Windows]
    measure: Callable[[Sequence[str], bool], Sequence[Mapping[str, Any]]]
    write_page: Callable[[Path], None]

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Do what the command line says."""
        parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{self.name}_front", description=self.about)
        parser.add_argument("command", choices=["run", "page"], help=f"page only writes docs/{self.name}-speed.md")
        parser.add_argument("--cells", type=int, help="so many cells at most, to see that it works")
        offered = [str(one) for one in self.windows]
        about = "measure these alone, and keep what is known of the others"
        parser.add_argument("--only", nargs="+", choices=offered, help=about)
        parser.add_argument("--quick", action="store_true", help="all in one process, with short ways of the mouse")
        parser.add_argument("--repeats", type=int, default=5, help="how often each step is done (5)")
        parser.add_argument("--out", type=Path, default=DOCS, help="write here, instead of to docs")
        chosen = parser.parse_args(arguments)
        if chosen.command == "run":
            self._run(chosen)
        self.write_page(chosen.out)

    def _run(self, chosen: argparse.Namespace) -> None:
        """Measure each window in a process of its own, and keep what it found as soon as it is there."""
        path = chosen.out / "benchmarks" / f"{self.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        record: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {"steps": {}, "runs": {}}
        for found in (*record["steps"].values(), *record["runs"].values()):
            found.setdefault("machine", record["machine"])
        record["machine"] = machine.describe()
        record["versions"] = machine.versions(*self.packages)
        asked = [
            one._replace(
                most=min(one.most, chosen.cells or one.most),
                repeats=min(one.repeats, chosen.repeats),
            )
            for one in self.windows
            if not chosen.only or str(one) in chosen.only
        ]
        for windows in [asked] if chosen.quick else [[one] for one in asked]:
            every = self.measure([f"{window},{window.repeats}" for window in windows], chosen.quick)
            for window, found in zip(windows, every, strict=True):
                named = {"kind": window.kind, "cells": window.most, "machine": record["machine"], **found}
                record[window.what][f"{window.kind}, {window.most}"] = named
            path.write_text(json.dumps(record, indent=1) + "\n")
