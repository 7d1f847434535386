"""Measurements in a JSON file, each written as soon as it is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.machine import describe

Record = dict[str, Any]


class Records:
    """What was measured on one machine.

    Parameters
    ----------
    path : Path
        A JSON file, which need not exist.

    Attributes
    ----------
    machine : dict
        Where it was measured; empty if nothing was.
    all : list of dict
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        stored = json.loads(path.read_text()) if path.is_file() else {"machine": {}, "records": []}
        self.machine: Record = stored["machine"]
        self.all: list[Record] = stored["records"]

    def where(self, **facts: Any) -> list[Record]:
        """Return the records of which all these facts hold."""
        return [record for record in self.all if facts.items() <= _flat(record).items()]

    def largest(self, data: str) -> list[Record]:
        """Return the records of a data set, those of the most rows of it."""
        records = self.where(data=data)
        most = max((record["rows"] for record in records), default=0)
        return [record for record in records if record["rows"] == most]

    def check_machine(self) -> None:
        """Raise SystemExit if the records are of another machine: their ratios to this one would mean nothing."""
        here = describe()
        if self.all and self.machine != here:
            raise SystemExit(
                f"{self._path} holds what was measured on {self.machine}, and this is {here}. Give another --out, or "
                "delete the file to measure all of it here."
            )

    def add(self, place: Mapping[str, Any], record: Record) -> None:
        """Add a record, instead of those that agree with it in all that ``place`` names."""
        self.check_machine()
        old = self.where(**place)
        self.machine = describe()
        self.all = [kept for kept in self.all if kept not in old] + [record]
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Whoever stops the program while it writes still finds the old file.
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps({"machine": self.machine, "records": self.all}, indent=1) + "\n")
        part.replace(self._path)


def _flat(record: Record) -> Record:
    """Return those facts of a record that are numbers or words."""
    return {name: value for name, value in record.items() if not isinstance(value, dict | list)}
