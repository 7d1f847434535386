"""The page docs/coverage.md, made of what scripts/coverage has measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.coverage.measured import ENOUGH, Module, modules, percent
from benchmarks.coverage.reasons import REASONS
from benchmarks.markdown import table, whole

_HEAD = f"""\
# What the tests run

```sh
scripts/coverage                          # runs all tests, and writes this page; with two cores it takes over an hour
scripts/coverage tests/table              # only these, to look at; the page stays
uv run python -m benchmarks.coverage page # writes the page anew, with other reasons
```

A line that a test has run need not be right, but one that no test has run may well be wrong. Each module of which less
than {ENOUGH} % is run has a reason in `benchmarks/coverage/reasons.py`, which a test sees to.

Workers, commands, notebooks' kernels and other processes that the tests start are measured too, unless they are killed.
Compiled kernels are not seen while they run compiled: some tests run them by Python itself (`NUMBA_DISABLE_JIT=1`).
"""


def page(record: dict[str, Any], reasons: Mapping[str, str] = REASONS) -> str:
    """Return the page of a record."""
    found = modules(record)
    rooms: dict[str, list[Module]] = {}
    for one in found:
        rooms.setdefault(one.room, []).append(one)
    short = [one for one in found if not one.is_enough]
    lines = [
        *_HEAD.splitlines(),
        "",
        *table(
            ["room", "modules", "statements", "not run", "run"],
            [*(_sum(room, some) for room, some in rooms.items()), _sum("**all**", found)],
        ),
        f"Tests: {record['tests']}. Measured on {record['system']} with "
        + ", ".join(f"{name} {number}" for name, number in record["versions"].items())
        + ".",
        "",
        f"## Below {ENOUGH} %",
        "",
    ]
    if short:
        rows = [[*_module(one), reasons.get(one.path, "**no reason given**")] for one in short]
        lines += table(["module", "statements", "run", "lines not run", "reason"], rows)
    else:
        lines += ["None.", ""]
    for room, some in rooms.items():
        lines += [
            f"## {room[0].upper()}{room[1:]}",
            "",
            *table(["module", "statements", "run", "lines not run"], map(_module, some)),
        ]
    return "\n".join(lines).rstrip() + "\n"


def _sum(title: str, some: Iterable[Module]) -> list[str]:
    """A row on several modules."""
    some = list(some)
    numbers = (len(some), sum(one.statements for one in some), sum(one.missing for one in some))
    return [title, *map(whole, numbers), _percent(percent(some))]


def _module(one: Module) -> list[str]:
    """A row on one module."""
    return [f"`{one.path}`", whole(one.statements), _percent(one.percent), one.lines or "none"]


def _percent(number: float) -> str:
    """Text that never rounds up to a limit that is not reached."""
    return f"{int(10 * number + 1e-6) / 10:.1f} %"
