"""Why the tests run less of a module than they should: the one place where such a reason stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.coverage.measured import Module

REASONS: dict[str, str] = {}
"""By the path of a module within the package."""


def amiss(found: Iterable[Module], reasons: Mapping[str, str] = REASONS) -> list[str]:
    """Return what does not agree: modules that lack a reason, and reasons that no module needs."""
    short = {one.path for one in found if not one.is_enough}
    return [
        *(f"{path} needs a reason" for path in sorted(short - reasons.keys())),
        *(f"{path} needs no reason any more" for path in sorted(reasons.keys() - short)),
    ]
