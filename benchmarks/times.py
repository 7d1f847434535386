"""How pages write times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.markdown import whole


def load(records: Sequence[Mapping[str, Any]]) -> str:
    """Say what the machine had to do beside what was measured."""
    busy = max(found["load_before"] for found in records)
    elsewhere = sorted({found["elsewhere"] for found in records if "elsewhere" in found})
    where = [f"Measured before, on another machine: {name}." for name in elsewhere]
    return " ".join([*where, f"Load of the machine in the minute before: {busy:.1f}."])


def note_elsewhere(record: Mapping[str, Any]) -> None:
    """Note with each thing that was measured on another machine than the last which one that was."""
    last = record["machine"]["processor"]
    for found in (*record["steps"].values(), *record["runs"].values()):
        if (name := found.get("machine", {}).get("processor", last)) != last:
            found["elsewhere"] = name


def three(seconds: Sequence[float]) -> list[str]:
    """Return the best, the middle and the worst, in milliseconds."""
    return [ms(min(seconds)), ms(median(seconds)), ms(max(seconds))]


def ms(seconds: float) -> str:
    """Return seconds as milliseconds."""
    milliseconds = 1000 * seconds
    return f"{milliseconds:.1f}" if milliseconds < 10 else whole(milliseconds)


def span(seconds: Sequence[float]) -> str:
    """Return the shortest and the longest, in whole seconds; one number if they are the same."""
    return " to ".join(dict.fromkeys(f"{one:.0f}" for one in (min(seconds), max(seconds))))
