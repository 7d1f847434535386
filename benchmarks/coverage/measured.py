"""What was measured: of each module its statements, and the lines that no test ran."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.machine import versions

_PACKAGE = "src/latentmap/"
ENOUGH = 90
"""Percent of its statements that the tests of a module run at least, or there is a reason."""


@dataclass(frozen=True)
class Module:
    """What the tests run of a module.

    Attributes
    ----------
    path : str
        Within the package, as in `model/lvm.py`.
    statements, missing : int
        How many statements it has, and how many of them no test ran.
    lines : str
        Where those are, as in `12-15, 20`.
    """

    path: str
    statements: int
    missing: int
    lines: str

    @property
    def room(self) -> str:
        """The room that it is in."""
        room, slash, _ = self.path.partition("/")
        return f"`{room}`" if slash else "outside the rooms"

    @property
    def percent(self) -> float:
        """How much of it was run."""
        return percent([self])

    @property
    def is_enough(self) -> bool:
        """Whether it needs no reason."""
        return self.percent >= ENOUGH


def percent(some: Iterable[Module]) -> float:
    """Return how much of some modules together was run, in percent."""
    some = list(some)
    statements = sum(one.statements for one in some)
    return 100 * (1 - sum(one.missing for one in some) / statements) if statements else 100.0


def modules(record: dict[str, Any]) -> list[Module]:
    """Return the modules of a record that have statements, by path."""
    return [Module(path, **found) for path, found in sorted(record["modules"].items()) if found["statements"]]


def condensed(report: dict[str, Any], tests: str) -> dict[str, Any]:
    """Return the record of a report of ``coverage json``.

    Parameters
    ----------
    report : dict
    tests : str
        Which tests were run.
    """
    return {
        "tests": tests,
        "system": sys.platform,
        "versions": versions("coverage", "pytest", "numba", "napari"),
        "modules": {
            path.removeprefix(_PACKAGE): {
                "statements": found["summary"]["num_statements"],
                "missing": found["summary"]["missing_lines"],
                "lines": ranges(found["missing_lines"]),
            }
            for path, found in sorted(report["files"].items())
        },
    }


def ranges(lines: Iterable[int]) -> str:
    """Return numbers of lines as text, those that follow one another as one range.

    Examples
    --------
    >>> ranges([3, 4, 5, 9])
    '3-5, 9'
    """
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
